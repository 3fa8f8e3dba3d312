"""The Bessel function that NumPy has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, inexact, rounded_once
from effects.errors import DTypeError
from effects.functions import elementwise, logic, transcendental
from effects.types import dtypes
from effects.types.signatures.elementwise import Floats

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike

_NEAR: Final = 20.0
_TERMS: Final = 38
"""Of the power series, whose terms are positive: the next one is less than a rounding error up to `_NEAR`."""
_BEYOND: Final = tuple([math.prod([(2 * k - 1) ** 2 / (8 * k) for k in range(1, n + 1)]) for n in range(25)])
"""The coefficients of the asymptotic series in 1/x."""


@Floats
def i0(x: ArrayLike, /) -> Array:
    """The modified Bessel function of the first kind and order 0. Complex numbers are refused.

    >>> i0(0.0), i0(1.0)
    (Array(1., float64), Array(1.26606588, float64))
    """
    array = inexact("i0", x)
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"i0: x must be real, got {array.aval}")
    return rounded_once(_i0, array)


def _i0(x: Array) -> Array:
    near = elementwise.abs(x) <= constant_like(_NEAR, x)
    quarter = elementwise.square(logic.where(near, x, constant_like(0, x))) / constant_like(4, x)
    series: Array = constant_like(1, x)
    for k in range(_TERMS, 0, -1):
        series = constant_like(1, x) + series * quarter / constant_like(k * k, x)
    far = logic.where(near, constant_like(_NEAR, x), elementwise.abs(x))
    tail: Array = constant_like(0, x)
    for coefficient in _BEYOND[::-1]:
        tail = tail / far + constant_like(coefficient, x)
    # In two factors, of which neither overflows before the product does.
    half = transcendental.exp(far / constant_like(2, x))
    beyond = half * (half * tail / transcendental.sqrt(constant_like(2 * math.pi, x) * far))
    return logic.where(near, series, beyond)
