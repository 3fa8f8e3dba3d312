"""Common divisors and multiples of integers. Names and semantics are NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, integral, promote_pair
from effects.errors import DTypeError
from effects.functions.elementwise import arithmetic, logic, unary
from effects.operations.elementwise import Binary, BinaryKind
from effects.program.chain import perform
from effects.types import dtypes

if TYPE_CHECKING:
    from effects.types.signatures.becoming import Integers, W


def gcd(x: Integers[W], y: Integers[W], /) -> Array:
    """The greatest number that divides both |x| and |y|, for each element; 0 where both are 0. Integers only.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.gcd(12, np.array([8, -9, 0]))
    Array([ 4,  3, 12], int64)
    """
    return perform(Binary(BinaryKind.GCD, *_pair("gcd", x, y)))


def lcm(x: Integers[W], y: Integers[W], /) -> Array:
    """The least number that both |x| and |y| divide, for each element; 0 where either is 0. Integers only.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.lcm(4, np.array([6, -3, 0]))
    Array([12, 12,  0], int64)
    """
    a, b = _pair("lcm", x, y)
    divisor = perform(Binary(BinaryKind.GCD, a, b))
    zero = constant_like(0, divisor)
    safe = logic.where(divisor == zero, constant_like(1, divisor), divisor)
    return arithmetic.multiply(arithmetic.floor_divide(unary.abs(a), safe), unary.abs(b))


def _pair(function: str, x: Integers[W], y: Integers[W]) -> tuple[Array, Array]:
    pair = promote_pair(function, x, y)
    if issubclass(pair[0].aval.dtype, dtypes.Integer):
        return pair
    own = [integral(function, value, name) for name, value in (("x", x), ("y", y))]
    raise DTypeError(f"{function}: no dtype of integers holds both x, {own[0].aval}, and y, {own[1].aval}; use astype")
