"""Derivatives by narrow floats: those of float64 within the rounding of a product, evaluated and compiled."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.types.dtypes import DType
from handlers import grad, jvp
from lowering import jit
from tests.narrow.rounding import DTYPES, assert_within, host, random, rounded, wide
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
