"""Linear algebra that is transformed, and the dtypes of what is made of several arrays."""

from typing import reveal_type

import effects as fx
from effects import Array, f32, f64, i64, linalg, random
from handlers import grad, value_and_grad, vmap


def transformed(a: Array[f32], m: Array[f64, tuple[int, int]]) -> None:
    reveal_type((grad(linalg.det)(a), grad(linalg.norm)(a)))  # 2 × Array[float32, Any]
    reveal_type(grad(linalg.det)(m))  # Array[float64, tuple[int, int]]
    reveal_type(value_and_grad(linalg.det)(a))  # tuple[Array[Any, tuple[()]], Array[float32, Any]]
    reveal_type(value_and_grad(linalg.norm)(a))  # tuple[Array[Any, tuple[()]], Array[float32, Any]]
    reveal_type(vmap(linalg.inv)(a))  # Array[Any, Any]


def made_of_several(a: Array[f32], i: Array[i64], key: random.Key) -> None:
    reveal_type((linalg.inv(a), linalg.multi_dot([a, a]), linalg.toeplitz(a)))  # 3 × Array[float32, Any]
    reveal_type((linalg.hankel(a), linalg.circulant(a), linalg.companion(a)))  # 3 × Array[float32, Any]
    reveal_type((linalg.leslie(a, a), linalg.solve_sylvester(a, a, a), linalg.qr(a, "r")))  # 3 × Array[float32, Any]
    reveal_type((linalg.block_diag(a, a), linalg.householder_product(a, a)))  # 2 × Array[float32, Any]
    reveal_type(linalg.inv(i))  # Array[float64, Any]
    reveal_type((linalg.multi_dot([a, fx.asarray(1.0)]), linalg.block_diag(a, 1.0)))  # 2 × Array[Any, Any]
    reveal_type((linalg.hadamard(2), linalg.qr(a, pivoting=True).P, random.poisson(key, a)))  # 3 × Array[int64, Any]
    reveal_type(linalg.funm(a, fx.sin))  # Array[complex64, Any]
    reveal_type(random.poisson(key, 3.0, (2,), fx.i32))  # Array[int32, Any]
    reveal_type(random.poisson(key, 3.0, dtype=fx.i32))  # Array[int32, Any]
