"""Gradients and counts of another dtype than they have."""

import effects as fx
from effects import Array, f32, f64, i32, linalg, random
from handlers import grad


def wrong(a: Array[f32], key: random.Key) -> None:
    gradient: Array[f64] = grad(linalg.det)(a)  # E: incompatible type "Array[float32, Any]"
    counts: Array[i32] = random.poisson(key, a)  # E: Incompatible types in assignment
    print(gradient, counts)
    grad(linalg.det)(3)  # E: "GradOfFractions" matches argument type "int"
    grad(fx.sin)(3)  # E: "GradOfFirst" matches argument type "int"
    grad(fx.isnan)  # E: a function that gives a floating scalar
    grad(fx.less)  # E: a function that gives a floating scalar
    linalg.inv(3.0)  # E: Argument 1 to "inv" has incompatible type "float"
    linalg.pinv(3.0)  # E: incompatible type "float"
    linalg.svdvals(3.0)  # E: incompatible type "float"
    linalg.eigvals(1j)  # E: incompatible type "complex"
