"""Powers to exponents that are known: products and roots in place of XLA's power, with its special values."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import pytest

import effects as fx
from effects.types.dtypes import DType
from handlers import grad
from lowering import jit, lower

RNG: Final = np.random.default_rng(5)
HALVES: Final = [k / 2 for k in range(-3, 11)]
SHORT: Final = [k / 2 for k in range(1, 9) if k != 2]
"""Exponents of which no power is left in the program."""


def bases(dtype: type[DType]) -> np.ndarray[tuple[int], np.dtype[np.floating]]:
    limits = fx.finfo(dtype)
    special = [
        0.0,
        -0.0,
        1,
        -1,
        np.inf,
        -np.inf,
        np.nan,
        limits.smallest_normal,
        -limits.smallest_normal,
        limits.max,
        limits.min,
        -2.5,
    ]
    some = np.exp(RNG.uniform(-9, 9, 2000))
    return np.concatenate([special, some, -some[:20]]).astype(dtype.dtype)


@pytest.mark.parametrize("dtype", [fx.float32, fx.float64, fx.float16, fx.bfloat16])
def test_powers_are_those_of_numpy(dtype: type[DType]) -> None:
    x = bases(dtype)
    powers = jit(lambda x: [x**exponent for exponent in HALVES])(fx.asarray(x))
    epsilon = float(fx.finfo(dtype).eps)
    for exponent, power in zip(HALVES, powers, strict=True):
        with np.errstate(all="ignore"):
            expected = np.power(x.astype(np.longdouble), np.longdouble(exponent)).astype(dtype.dtype)
        result = np.asarray(power)
        normal = ~(abs(expected) < fx.finfo(dtype).smallest_normal)
        np.testing.assert_allclose(result[normal], expected[normal], rtol=2 * epsilon)
        np.testing.assert_array_equal(np.signbit(result[expected == 0]), np.signbit(expected[expected == 0]))


def test_short_ones_are_products() -> None:
    powers = lower(lambda x: [x**exponent for exponent in SHORT], fx.ones(3))
    assert "stablehlo.power" not in powers.as_text()
    assert "stablehlo.power" in lower(lambda x: x**4.75, fx.ones(3)).as_text()


def test_slopes_at_zero_are_those_of_powers() -> None:
    def power(x: fx.Array, exponent: float) -> fx.Array:
        return x**exponent

    for exponent, slopes in ((1.0, [1.0, 0.0]), (1.5, [0.0, np.inf]), (2.0, [0.0, 2.0]), (0.5, [np.inf, -np.inf])):
        first = grad(partial(power, exponent=exponent))
        assert [float(jit(f)(0.0)) for f in (first, grad(first))] == slopes
