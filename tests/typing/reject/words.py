"""Words that say how: a wrong one is an error, and so is the name of no dtype."""

import numpy as np

import effects as fx
from effects import Array
from handlers import pure_callback
from lowering import lower


def modes(a: Array[fx.f32], i: Array[fx.i64]) -> None:
    fx.window_sum(a, 2, padding="vald")  # E: Argument "padding" to "window_sum"
    fx.quantile(a, 0.5, method="liner")  # E: Argument "method" to "quantile" has incompatible type
    fx.nanpercentile(a, 50, method="low")  # E: Argument "method" to "nanpercentile" has incompatible type
    fx.pad(a, 1, mode="zeros")  # E: Argument "mode" to "pad"
    fx.pad(a, 1, mode="reflect", reflect_type="none")  # E: Argument "reflect_type" to "pad"
    fx.searchsorted(a, a, side="both")  # E: Argument "side" to "searchsorted"
    a.searchsorted(a, side="both")  # E: Argument "side" to "searchsorted" of "SearchMethods"
    fx.take(a, i, mode="drop")  # E: Argument "mode" to "take"
    a.take(i, mode="drop")  # E: Argument "mode" to "take" of "SearchMethods"
    fx.take_along_axis(a, i, mode="raise")  # E: Argument "mode" to "take_along_axis"
    fx.choose(i, [a, a], mode="fill")  # E: Argument "mode" to "choose"
    a.at[i].set(0.0, mode="raise")  # E: Argument "mode" to "set" of "Place"
    a.at[i].get(mode="raise")  # E: Argument "mode" to "get" of "Place"
    fx.meshgrid(a, a, indexing="yx")  # E: Argument "indexing" to "meshgrid"
    fx.convolve(a, a, mode="all")  # E: Argument "mode" to "convolve" has incompatible type
    fx.ravel_multi_index((i, i), (2, 3), order="R")  # E: Argument "order" to "ravel_multi_index"
    fx.packbits(i, bitorder="middle")  # E: Argument "bitorder" to "packbits"
    fx.trim_zeros(a, "left")  # E: Argument 2 to "trim_zeros"
    fx.isdtype(a.dtype, "float")  # E: Argument 2 to "isdtype"
    fx.save("net", a, format="pickle")  # E: Argument "format" to "save"
    pure_callback(np.sin, a, a, vmap_method="loop")  # E: No overload variant of "pure_callback"
    lower(fx.sum, a).as_text("mlir")  # E: Argument 1 to "as_text" of "Lowered"


def dtypes(a: Array[fx.f32], config: str) -> None:
    a.astype("flot32")  # E: Argument 1 to "astype" of "Array"
    fx.ones(3, dtype="float33")  # E: Argument "dtype" to "ones" has incompatible type
    fx.asarray([1.0], "float16 ")  # E: Argument 2 to "asarray" has incompatible type
    fx.sum(a, dtype="flt64")  # E: Argument "dtype" to "sum" has incompatible type
    a.astype(config)  # E: Argument 1 to "astype" of "Array"
    a.astype(np.dtype(config)), a.astype("float32"), fx.zeros(3, "bfloat16"), fx.arange(3, dtype="uint8")
