"""Functions of several operations where the operands are infinite, zero or NaN, or the rounding in between matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from lowering import jit

SPECIAL = [-np.inf, -3.0, -1.5, -0.0, 0.0, 1.5, 3.0, 7.25, np.inf, np.nan]
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "atan2": (fx.atan2, np.arctan2),
    "copysign": (fx.copysign, np.copysign),
    "floor_divide": (fx.floor_divide, np.floor_divide),
    "hypot": (fx.hypot, np.hypot),
    "logaddexp": (fx.logaddexp, np.logaddexp),
    "pow": (fx.pow, np.power),
    "remainder": (fx.remainder, np.remainder),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_infinities_zeros_and_nan(name: str, dtype: type[np.floating[Any]], compiled: bool) -> None:
    ours, numpys = FUNCTIONS[name]
    x, y = np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype))
    with np.errstate(all="ignore"):
        expected = numpys(x, y)
    given = (jit(ours) if compiled else ours)(x, y)
    np.testing.assert_allclose(np.asarray(given), expected, rtol=1e-6)


@pytest.mark.parametrize("f", [fx.floor_divide, jit(fx.floor_divide)], ids=["eager", "compiled"])
def test_whole_quotients_that_are_large(f: Callable[..., fx.Array]) -> None:
    assert f(9007199254740991.0, 1.0).item() == 9007199254740991.0
    x, y = np.float32(707704.0), np.float32(0.1)
    assert f(x, y).item() == np.floor_divide(x, y) == 7077039.0
