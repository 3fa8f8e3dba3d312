"""Wrong use of arrays."""

from typing import Literal as L

import effects as fx
import handlers
from effects import F32, F64, I32, Array, Scalar


class N: ...


class K: ...


def vector(x: F32[N]) -> F32[N]:
    return x


def three(x: F32[L[3]]) -> None: ...


def mismatches(a: F32[N, K], v: F32[N], d: F64[N], i: I32[N], four: F32[L[4]]) -> None:
    vector(a)  # E: incompatible type "Array[float32, tuple[N, K]]"; expected "Array[float32, tuple[N]]"
    vector(d)  # E: incompatible type "Array[float64, tuple[N]]"; expected "Array[float32, tuple[N]]"
    three(four)  # E: incompatible type "Array[float32, tuple[Literal[4]]]"; expected
    vector(fx.sum(v))  # E: incompatible type "Array[float32, tuple[()]]"; expected "Array[float32, tuple[N]]"
    vector(v > 0)  # E: incompatible type "Array[bool_, tuple[N]]"
    vector(v.astype(fx.f16))  # E: incompatible type "type[float16]"; expected "type[float32]
    vector(fx.zeros_like(v, dtype=fx.i32))  # E: incompatible type "type[int32]"; expected "type[float32]
    vector(a.sum())  # E: incompatible type "Array[float32, tuple[()]]"
    v + "1"  # E: Argument 1 to "__call__" of "OfFractions" has incompatible type "str"
    fx.sin("x")  # E: No overload variant of "sin" matches argument type "str"
    fx.zeros((3,), dtype=3)  # E: Argument "dtype" to "zeros" has incompatible type
    a.sum(axis="rows")  # E: Argument "axis" has incompatible type "str"; expected "int | tuple[int, ...] | Refused[
    a[1.5]  # E: Invalid index type "float"
    a[1:2.5]  # E: Invalid index type "slice[int, float, None]"
    a.shape[2]  # E: Tuple index out of range
    v[0] = 1.0  # E: Unsupported target for indexed assignment ("Array[float32, tuple[N]]")
    v.at[0].put(1.0)  # E: has no attribute "put"
    fx.concatenate(v, v)  # E: No overload variant matches argument types
    handlers.jit(vector)  # E: Module has no attribute "jit"
    fx.float32(3)  # E: Too many arguments for "float32"
    v.transpose(["i", "j"])  # E: List item 0 has incompatible type "str"; expected "SupportsIndex"


def total(x: Array[fx.f32]) -> Scalar[fx.i32]:
    return fx.sum(x)  # E: got "Array[float32, tuple[()]]", expected "Array[int32, tuple[()]]"


def matrix(a: F32[N, K], b: F32[K, L[5]]) -> F32[K, L[5]]:
    return a @ b  # E: got "Array[float32, tuple[N, Literal[5]]]", expected "Array[float32, tuple[K, Literal[5]]]"
