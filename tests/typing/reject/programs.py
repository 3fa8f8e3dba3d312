"""Mistakes as they are made from day to day; each is an error."""

from __future__ import annotations

from typing import NamedTuple

import effects as fx
from effects import Array
from handlers import grad, scan, vmap
from lowering import jit


class Fit(NamedTuple):
    w: Array[fx.f32]


def model(w: Array[fx.f32], x: Array[fx.f32]) -> fx.Scalar[fx.f32]:
    return fx.sum(w * x)


def dtypes(a: Array[fx.f32], i: Array[fx.i64]) -> None:
    z: Array[fx.i32]
    w: Array[fx.f64]
    z = a[0]  # E: expression has type "Array[float32, Any]"
    z = a.at[0].set(1.0)  # E: expression has type "Array[float32, Any]"
    z = fx.sort(a)  # E: Argument 1 to "sort"
    w = fx.argsort(a)  # E: expression has type "Array[int64, Any]"
    w = fx.cumulative_sum(a)  # E: Argument 1 to "cumulative_sum"
    z = fx.cumsum(i)  # E: Argument 1 to "cumsum"
    w = fx.nansum(a)  # E: Argument 1 to "nansum"
    w = fx.nanmean(a)  # E: Argument 1 to "nanmean"
    z = fx.segment_sum(a, i)  # E: Argument 1 to "segment_sum"
    z = fx.window_sum(a, 2)  # E: Argument 1 to "window_sum"
    w = fx.nn.gelu(a)  # E: Argument 1 to "gelu"
    w = fx.nn.glu(a)  # E: Argument 1 to "glu"
    w = fx.convolve(a, a)  # E: Cannot infer value of type parameter "DT" of "convolve"
    w = fx.conv(a, a)  # E: Cannot infer value of type parameter "DT" of "conv"
    z = fx.unique(a)  # E: Argument 1 to "unique"
    z = fx.unique_all(a).values  # E: expression has type "Array[float32, Any]"
    w = fx.unique_counts(a).counts  # E: expression has type "Array[int64, Any]"
    z = fx.union1d(a, a)  # E: Cannot infer value of type parameter "DT" of "union1d"
    w = fx.searchsorted(a, a)  # E: expression has type "Array[int64, Any]"
    w = fx.identity(3, fx.f32)  # E: Argument 2 to "identity"
    w = fx.median(a)  # E: Argument 1 to "median"
    w = fx.trace(a)  # E: Argument 1 to "__call__" of "OfTrace"
    w = fx.hstack([a, a])  # E: expression has type "Array[Exactly[float32], Any]"
    w = fx.diff(a)  # E: Argument 1 to "diff"


def arguments(a: Array[fx.f32], i: Array[fx.i64]) -> None:
    fx.sort(a, axis="rows")  # E: Argument "axis" to "sort"
    fx.sort(a, dim=0)  # E: Unexpected keyword argument "dim" for "sort"
    fx.cumsum(a, axes=0)  # E: Argument "axes" to "cumsum" has incompatible type "int"
    fx.nanmean(a, "0")  # E: No overload variant of "nanmean"
    fx.conv(a, a, padding="VALDI")  # E: Argument "padding" to "conv"
    fx.conv(a, a, stride=2)  # E: did you mean "strides"?
    fx.segment_sum(a)  # E: Too few arguments for "segment_sum"
    fx.nn.gelu("a")  # E: Argument 1 to "gelu"
    fx.nn.one_hot(i)  # E: Missing positional argument "num_classes" in call to "one_hot"
    fx.quantile(a)  # E: No overload variant of "quantile"
    fx.unique(a, return_count=True)  # E: Unexpected keyword argument "return_count" for overloaded function "unique"
    a.at[0].put(1.0)  # E: has no attribute "put"
    a.at[0].set()  # E: Missing positional argument "values" in call to "set" of "Place"
    fx.unique_all(a).indexes  # E: "UniqueAll[float32]" has no attribute "indexes"
    fx.top_k(a, 2)[0].item().shape  # E: "float" has no attribute "shape"
    fx.sort(a).sorted  # E: "Array[float32, Any]" has no attribute "sorted"
    fx.nanmean(a).average  # E: "Array[float32, Any]" has no attribute "average"
    grad(model)(a)  # E: Missing positional argument "x"
    vmap(model)(a)  # E: No overload variant of "__call__" of "Mapped"
    jit(model)(a, a).values  # E: "Array[float32, tuple[()]]" has no attribute "values"
    Fit(a).v  # E: "Fit" has no attribute "v"
    scan(lambda c, x: (c, x), a, a)[0].no_such  # E: "Array[float32, Any]" has no attribute "no_such"
