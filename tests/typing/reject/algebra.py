"""Gradients and counts of another dtype than they have."""

from effects import Array, f32, f64, i32, linalg, random
from handlers import grad


def wrong(a: Array[f32], key: random.Key) -> None:
    gradient: Array[f64] = grad(linalg.det)(a)  # E: incompatible type "Array[float32, Any]"
    counts: Array[i32] = random.poisson(key, a)  # E: Incompatible types in assignment
    print(gradient, counts)
