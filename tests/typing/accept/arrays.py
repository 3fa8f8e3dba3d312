"""Arrays: what operators, functions and methods keep of dtype and shape."""

from typing import Any, Literal as L, reveal_type

import numpy as np

import effects as fx
from effects import F32, I32, Arr, Array, Scalar


class N: ...


class K: ...


def operators(
    a: F32[N, L[3]], s: Scalar[fx.f32], i: I32[N], d: Arr[fx.f64, N], bare: Array, half: Array[fx.f32]
) -> None:
    reveal_type((a + a, 2.0 * a - 1, a * s, s * a, -(a**2), abs(a)))  # 6 × Array[float32, tuple[N, Literal[3]]]
    reveal_type(a + half)  # Array[float32, Any]
    reveal_type((a + np.ones(3), bare + a, bare * bare + 1.0))  # 3 × Array[Any, Any]
    reveal_type((i + 1, i // 2 % 3))  # 2 × Array[int32, tuple[N]]
    reveal_type((i / 2, i + 0.5, i + d))  # 3 × Array[float64, tuple[N]]
    reveal_type(bare == 0)  # Array[bool_, Any]
    reveal_type((a < 0.5, (a > 0) & (a < 1)))  # 2 × Array[bool_, tuple[N, Literal[3]]]


def products(a: F32[N, K], b: F32[K, L[5]], v: F32[K], batch: F32[int, N, K], bare: Array) -> None:
    reveal_type(a @ b)  # Array[float32, tuple[N, Literal[5]]]
    reveal_type(a @ v)  # Array[float32, tuple[N]]
    reveal_type(v @ b)  # Array[float32, tuple[Literal[5]]]
    reveal_type(v @ v)  # Array[float32, tuple[()]]
    reveal_type((a @ bare, fx.vecdot(a, bare)))  # 2 × Array[Any, Any]
    reveal_type(batch @ b)  # Array[float32, tuple[int, N, Literal[5]]]
    reveal_type(fx.matmul(batch, v))  # Array[float32, tuple[int, N]]


def functions(a: F32[N], i: I32[N], z: Arr[fx.c64, N], bare: Array) -> None:
    reveal_type((fx.sin(a), fx.abs(z), fx.maximum(a, 0.0), fx.where(a > 0, a, 0.0)))  # 4 × Array[float32, tuple[N]]
    reveal_type((fx.clip(a, 0.0, 1.0), fx.softmax(a)))  # 2 × Array[float32, tuple[N]]
    reveal_type(fx.sin(i))  # Array[float64, tuple[N]]
    reveal_type(fx.sin(1.0))  # Array[Any, tuple[()]]
    reveal_type((fx.exp(bare), fx.stack([a, i])))  # 2 × Array[Any, Any]
    reveal_type(fx.isnan(a))  # Array[bool_, tuple[N]]
    reveal_type((fx.concat([a, a]), fx.reshape(a, (2, -1))))  # 2 × Array[float32, Any]


def folds(a: F32[N, K], i: I32[N], bare: Array) -> None:
    reveal_type((fx.sum(a), a.mean(), fx.sum(i, dtype=fx.f32)))  # 3 × Array[float32, tuple[()]]
    reveal_type((fx.sum(a, axis=0), a.sum(axis=0, keepdims=True)))  # 2 × Array[float32, Any]
    reveal_type((fx.sum(i), a.argmax()))  # 2 × Array[int64, tuple[()]]
    reveal_type(i.max())  # Array[int32, tuple[()]]
    reveal_type(bare.sum())  # Array[Any, tuple[()]]
    reveal_type(fx.any(a > 0))  # Array[bool_, tuple[()]]


def creation(a: F32[N], shape: tuple[int, ...]) -> None:
    reveal_type((fx.zeros((3, 4), dtype=fx.f32), fx.asarray([1.0, 2.0], dtype=fx.f32), a[0]))  # 3 × Array[float32, Any]
    reveal_type(fx.ones((), dtype=fx.float64))  # Array[float64, tuple[()]]
    reveal_type(fx.zeros(shape))  # Array[Any, Any]
    reveal_type(fx.zeros_like(a))  # Array[float32, tuple[N]]
    reveal_type(fx.zeros_like(a, dtype=fx.i32))  # Array[int32, tuple[N]]
    reveal_type(a.astype(fx.f64))  # Array[float64, tuple[N]]
    reveal_type(a.astype("float16"))  # Array[Any, tuple[N]]
    reveal_type(a.dtype)  # type[float32]


def generic[D: fx.Inexact, S: tuple[object, ...]](x: Array[D, S]) -> Array[D, S]:
    reveal_type(x + x)  # Array[D, S]
    return fx.tanh(x * 0.5) + 1.0


def generic_rank[D: fx.Floating, *S](x: Arr[D, *S], s: Scalar[D]) -> Arr[D, *S]:
    reveal_type(x * s)  # Array[D, tuple[*S]]
    return x * s


def gradual(x: Array) -> F32[N]:
    y: Array[fx.f32] = x
    return y


def beside_numpy(a: F32[N], b: Array) -> None:
    np.testing.assert_allclose(a, np.ones(3))
    np.testing.assert_allclose(b, [1.0, 2.0], rtol=1e-3)
    np.testing.assert_array_equal(np.arange(3), a)
    np.ones(3)[:] = b
    reveal_type(np.asarray(a))  # ndarray[tuple[Any, ...], dtype[Any]]


def known(any_array: Any, x: F32[N]) -> F32[N]:
    return x + fx.asarray(any_array)


def half_known(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32]) -> None:
    reveal_type((a + 1.0, -a / 2, fx.sin(a), a.sum(axis=0), a + b, a[0].T))  # 6 × Array[float32, Any]
    reveal_type(a > 0)  # Array[bool_, Any]
    reveal_type(fx.sum(a))  # Array[float32, tuple[()]]
    reveal_type(fx.mean(i))  # Array[float64, tuple[()]]


def either_way(x: fx.ArrayLike, scalar: float) -> None:
    reveal_type((fx.sin(x), fx.add(x, scalar)))  # tuple[Array[Any, Any] | Array[Any, tuple[()]], Array[Any, Any]]
    reveal_type((fx.sum(x), fx.add(scalar, scalar)))  # tuple[Array[Any, tuple[()]], Array[Any, Any]]
    reveal_type(fx.isnan(x))  # Array[bool_, Any] | Array[bool_, tuple[()]]
