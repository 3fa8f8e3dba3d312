"""Derivatives by narrow floats: those of float64 within the rounding of a product, evaluated and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.types.dtypes import DType
from handlers import checkpoint, cond, grad, jvp, linear_transpose, scan, vjp, vmap
from lowering import jit
from tests.narrow.rounding import DTYPES, Function, assert_within, host, random, rounded, wide
from tests.narrow.test_functions import UNARY, every_value

_KINKS: Final = ("abs", "ceil", "clip", "digamma", "floor", "lgamma", "round", "sign", "trunc")
_SMOOTH: Final = {name: function for name, (function, _) in UNARY.items() if name not in _KINKS}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_slopes_of_functions(dtype: type[DType]) -> None:
    values = every_value(dtype)
    size = np.abs(wide(values))
    x = fx.asarray(values[(size > 1e-2) & (size < 4)])

    def slopes(x: Array) -> list[Array]:
        return [jvp(function, (x,), (fx.ones_like(x),))[1] for function in _SMOOTH.values()]

    exact = slopes(fx.asarray(wide(host(x))))
    for name, evaluated, compiled, expected in zip(_SMOOTH, slopes(x), jit(slopes)(x), exact, strict=True):
        right = rounded(host(expected), dtype)
        finite = np.isfinite(wide(right)) & np.isfinite(wide(host(evaluated)))  # e.g. a square overflows before
        for result, how in ((evaluated, "evaluated"), (compiled, "compiled")):
            what = f"the slope of {name} of {dtype}, {how}"
            assert_within(6, host(result)[finite], right[finite], what, [host(x)[finite]])
        assert_within(1, host(evaluated), host(compiled), f"the slope of {name} of {dtype}, compiled")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_slopes_of_products_and_extremes(dtype: type[DType]) -> None:
    x = 0.75 + random(dtype, 24, 5) / 2
    ties = fx.full(1000, 1.0, dtype=dtype)

    def of_product(x: Array) -> Array:
        slope: Array = grad(lambda x: fx.sum(fx.prod(x, axis=0), dtype=fx.float32))(x)
        return slope

    def of_extreme(x: Array) -> Array:
        slope: Array = grad(lambda x: 20 * fx.max(x))(x)
        return slope

    exact = rounded(host(of_product(fx.asarray(wide(host(x))))), dtype)
    for slope in (of_product, jit(of_product)):
        assert_within(2, host(slope(x)), exact, f"the slope of prod of {dtype}")
    for slope in (of_extreme, jit(of_extreme)):
        assert_within(1, host(slope(ties)), rounded(np.full(1000, 0.02), dtype), f"the slope of max of {dtype}")


PLACES: Final[dict[str, Callable[[Function], Function]]] = {
    "evaluated": lambda f: f,
    "jit": jit,
    "checkpoint": checkpoint,
    "cond": lambda f: lambda x: cond(x > 0.0, f, lambda x: x * 0.0, x),
    "scan": lambda f: lambda x: scan(lambda total, _: (total + f(x), None), fx.zeros((), dtype=x.dtype), length=1)[0],
    "vmap": lambda f: lambda x: vmap(f)(x[None])[0],
}


@pytest.mark.parametrize("dtype", [fx.bfloat16, fx.float16, fx.float8_e4m3fn], ids=str)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_what_many_uses_give(place: Callable[[Function], Function], dtype: type[DType]) -> None:
    """A value that is used 50 times, each of which would be rounded if they were added one by one."""
    share = fx.asarray(0.01, dtype=dtype)
    exact = rounded(50 * wide(host(share)), dtype)

    def weighted(x: Array) -> Array:
        return fx.sum(fx.stack([x * share for _ in range(50)]))

    slope = grad(place(weighted))(fx.asarray(0.5, dtype=dtype))
    assert slope.dtype is dtype
    assert_within(0, host(slope), exact, f"the slope of {dtype} used many times")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_many_results_give(dtype: type[DType]) -> None:
    x, share = fx.asarray(0.5, dtype=dtype), fx.asarray(0.01, dtype=dtype)
    exact = rounded(50 * wide(host(share)), dtype)

    def repeated(x: Array) -> list[Array]:
        return [x] * 50

    for transposed in (vjp(repeated, x)[1], linear_transpose(repeated, x), jit(linear_transpose(repeated, x))):
        assert_within(0, host(transposed([share] * 50)[0]), exact, f"many results of one {dtype}")
