"""Common divisors and multiples of integers. Names and semantics are NumPy's.

Where values are not known they are computed in a loop: as many steps as the pair takes that needs most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import from_host
from effects.arrays.promotion import constant_like, promote_pair
from effects.errors import DTypeError
from effects.functions import arithmetic, elementwise, logic, movement
from effects.runtime.names import transformation
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.types.signatures.becoming import Integers, W


def gcd(x: Integers[W], y: Integers[W], /) -> Array:
    """The greatest number that divides both |x| and |y|, for each element; 0 where both are 0. Integral only.

    >>> import numpy as np
    >>> gcd(12, np.array([8, -9, 0]))
    Array([ 4,  3, 12], int64)
    """
    return _gcd("gcd", *_pair("gcd", x, y))


def lcm(x: Integers[W], y: Integers[W], /) -> Array:
    """The least number that both |x| and |y| divide, for each element; 0 where either is 0. Integral only.

    >>> import numpy as np
    >>> lcm(4, np.array([6, -3, 0]))
    Array([12, 12,  0], int64)
    """
    a, b = _pair("lcm", x, y)
    divisor = _gcd("lcm", a, b)
    zero = constant_like(0, divisor)
    safe = logic.where(divisor == zero, constant_like(1, divisor), divisor)
    return arithmetic.multiply(arithmetic.floor_divide(elementwise.abs(a), safe), elementwise.abs(b))


def _pair(function: str, x: Integers[W], y: Integers[W]) -> list[Array]:
    pair = promote_pair(function, x, y)
    for name, array in zip("xy", pair, strict=True):
        if not issubclass(array.aval.dtype, dtypes.Integer):
            raise DTypeError(f"{function}: {name} must be of integers, got {array.aval}")
    shape = shapes.broadcast(pair[0].aval.shape, pair[1].aval.shape)
    return [movement.broadcast_to(array, shape) for array in pair]


def _gcd(function: str, a: Array, b: Array) -> Array:
    known = [x.known() for x in (a, b)]
    if known[0] is not None and known[1] is not None:
        return from_host(np.asarray(np.gcd(known[0].fetch(), known[1].fetch())))
    loop: Callable[..., Any] = transformation("while_loop")
    zero = constant_like(0, a)

    def step(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        divisor, rest = pair
        done = rest == zero
        left = arithmetic.remainder(divisor, logic.where(done, constant_like(1, rest), rest))
        return logic.where(done, divisor, rest), logic.where(done, zero, left)

    found: Array = loop(lambda pair: (pair[1] != zero).any(), step, (a, b))[0]
    return elementwise.abs(found)
