"""Arrays of different shapes before any others: pyright keeps what it first finds of a class and a protocol."""

from typing import assert_type

import effects as fx
from effects import F32, F64, Array, Bool, Scalar, f32, f64


class N: ...


class K: ...


def mixed(v: F32[K], s: Scalar[f32], m: F32[N, K], d: F64[K], c: Bool[K]) -> None:
    assert_type(fx.add(v, s), F32[K])
    assert_type(fx.add(s, d), F64[K])
    assert_type(fx.maximum(v, m), Array[f32])
    assert_type(fx.divide(m, d), Array[f64])
    assert_type(fx.matmul(v, v), Scalar[f32])
    assert_type(fx.where(c, v, s), F32[K])
    assert_type(fx.append(v, d), Array[f64])
    assert_type(s + d, F64[K])
