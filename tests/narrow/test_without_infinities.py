"""Floats that have no infinities: what an extreme of nothing is, and what leaves others as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from lowering import jit

FINITE: Final = (fx.float8_e4m3fn, fx.float8_e4m3fnuz)
X: Final = np.array([1.5, np.nan, -2.0, 1.0])
PROGRAMS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any, float], Any]]]] = {
    "segments": (lambda x: fx.segment_max(x[2:], np.array([2, 0]), 3), lambda x, end: [1.0, -end, -2.0]),
    "least of segments": (lambda x: fx.segment_min(x[2:], np.array([2, 0]), 3), lambda x, end: [1.0, end, -2.0]),
    "nothing": (lambda x: fx.max(x[:0], initial=0.0), lambda x, end: 0.0),
    "some": (lambda x: fx.max(x, initial=-3.0, where=np.array([False, False, True, False])), lambda x, end: -2.0),
    "no NaN": (lambda x: fx.nanmax(x), lambda x, end: 1.5),
    "least, no NaN": (lambda x: fx.nanmin(x), lambda x, end: -2.0),
    "place": (lambda x: fx.nanargmin(x), lambda x, end: 2),
    "windows": (lambda x: fx.window_max(x[2:], 2, strides=2, padding=((2, 0),)), lambda x, end: [-end, 1.0]),
    "shares": (lambda x: fx.softmax(x, where=~np.isnan(X) & (X > 0)), lambda x, end: [0.625, 0, 0, 0.375]),
    "gaps": (lambda x: fx.spacing(x[2:]), lambda x, end: [-2 * fx.finfo(x).eps, fx.finfo(x).eps]),
}


@pytest.mark.parametrize("dtype", FINITE, ids=str)
def test_ends_are_the_greatest_numbers(dtype: type[dtypes.DType]) -> None:
    x = fx.asarray(X, dtype=dtype)

    def program(x: Any) -> list[Any]:
        return [ours(x) for ours, _ in PROGRAMS.values()]

    for f in (program, jit(program)):
        for (name, (_, expected)), got in zip(PROGRAMS.items(), f(x), strict=True):
            right = expected(x, fx.finfo(dtype).max)
            np.testing.assert_array_equal(np.asarray(got).astype(float), right, err_msg=name)
