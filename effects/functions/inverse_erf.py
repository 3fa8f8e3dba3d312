"""Special functions of real numbers that few programs need. Names are those of statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import inexact
from effects.operations.elementwise import Unary, UnaryKind
from effects.program.chain import perform
from effects.types.signatures.elementwise import Floats

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike


@Floats
def erf_inv(x: ArrayLike, /) -> Array:
    """The y with erf(y) = x, for each element.

    Special cases: ±1 give ±∞, outside of them NaN; real only.

    >>> erf_inv(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ERF_INV, inexact("erf_inv", x)))
