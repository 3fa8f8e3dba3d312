"""Normal numbers between two ends, also where next to none of all normal numbers are."""

from __future__ import annotations

import math
from functools import reduce
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.arithmetic import nextafter
from effects.operations.elementwise import Unary, UnaryKind
from effects.program.chain import perform
from effects.random.keys import Key, one_key
from effects.random.uniform import common_sizes, floating, parameter, unit
from effects.types import dtypes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from effects.arrays.operators import FT
    from effects.types.dtypes import DType, DTypeOf
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

_FAR: Final[dict[type[DType], float]] = {dtypes.float64: 6.0, dtypes.float32: 3.5}
"""From where on `erf` has too few numbers left below 1; 2 in narrow floats."""


def _fraction(terms: int) -> list[list[int]]:
    """The coefficients of 1 + y/(1 + 2y/(1 + 3y/(1 + …))), as numerator and denominator, up to a term."""
    above, below = [[1], [1]], [[0], [1]]
    for k in range(1, terms + 1):
        for line in (above, below):
            line.append([a + k * b for a, b in zip_longest(line[-1], [0, *line[-2]], fillvalue=0)])
    return [above[-1], below[-1]]


_MILLS: Final = _fraction(12)
"""Of the reciprocal of x · (1 - Φ(x)) / φ(x), in y = 1 / x²."""


def truncated_normal(
    key: Key, lower: Real, upper: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None
) -> Array[FT]:
    """Standard normal random numbers between `lower` and `upper`, which broadcast to `shape`.

    Differentiable in both ends, and accurate however far out they are. Special cases: NaN unless `lower` is less than
    `upper`.

    >>> import effects as fx
    >>> (fx.random.truncated_normal(fx.random.key(0), 1.0, 2.0),
    ...  fx.random.truncated_normal(fx.random.key(0), 20.0, float("inf")))
    (Array(1.27144726, float64), Array(20.02701811, float64))
    """
    name = "truncated_normal"
    data, target = one_key(name, key), floating(name, dtype)
    sizes = common_sizes(name, shape, lower=lower, upper=upper)
    low, high = [parameter(name, n, v, target, sizes) for n, v in (("lower", lower), ("upper", upper))]
    u = unit(data, sizes, target)
    threshold, infinite = [constant_like(v, low) for v in (_FAR.get(target, 2.0), math.inf)]
    above = logic.greater_equal(low, threshold)
    outside = logic.logical_or(above, logic.less_equal(high, unary.negative(threshold)))
    known = [end.known() for end in (low, high)]
    if known[0] is not None and known[1] is not None and _are_near(known[0].fetch(), known[1].fetch(), target):
        drawn = _by_erf(u, low, high)
    else:
        near = [logic.where(outside, constant_like(v, end), end) for v, end in ((-1.0, low), (1.0, high))]
        a = logic.where(above, low, unary.negative(high))
        b = logic.where(above, high, unary.negative(low))
        a, b = [logic.where(outside, v, threshold + i) for i, v in enumerate((a, b))]
        tail = _tail(u, a, b)
        tail = logic.where(above, tail, unary.negative(tail))
        drawn = logic.where(outside, tail, _by_erf(u, *near))
    drawn = logic.clip(drawn, nextafter(low, infinite), nextafter(high, unary.negative(infinite)))
    return logic.where(logic.less(low, high), drawn, constant_like(math.nan, drawn))


def _are_near(low: NDArray[Any], high: NDArray[Any], dtype: type[DType]) -> bool:
    threshold = _FAR.get(dtype, 2.0)
    return not ((low >= threshold) | (high <= -threshold)).any()


def _by_erf(u: Array, low: Array, high: Array) -> Array:
    """By the inverse of the distribution function. These numbers are jax's."""
    root = constant_like(math.sqrt(2), low)
    first, last = transcendental.erf(low / root), transcendental.erf(high / root)
    return root * perform(Unary(UnaryKind.ERF_INV, u * (last - first) + first))


def _mills(square: Array) -> Array:
    """x · (1 - Φ(x)) / φ(x) of 1 / x², by its continued fraction."""
    zero: Array = constant_like(0.0, square)
    above, below = [
        reduce(lambda total, c: total * square + constant_like(float(c), square), line[::-1], zero) for line in _MILLS
    ]
    return below / above


def _tail(u: Array, a: Array, b: Array) -> Array:
    """Normal between a and b, a being far above 0.

    With x = a √(1 + 2t / a²) the logarithm of what lies above x, relative to what lies above a, is log m(x) - log m(a)
    - log(x / a) - t, where m is 1 but for 1 / x². Newton's method finds the t for which it is that of the fraction u.
    """
    dtype = a.aval.dtype
    if dtype in dtypes.NARROW:
        return convert(_tail(*[convert(v, dtypes.float32) for v in (u, a, b)]), dtype)
    one, two = constant_like(1.0, a), constant_like(2.0, a)
    b = arithmetic.minimum(b, a + constant_like(40.0, a))  # nothing is beyond
    inverse = one / a
    start = _mills(inverse * inverse)

    def lost(t: Array) -> tuple[Array, Array]:
        """The logarithm of what lies above x, but for -t, and m(x)."""
        ratio = one + two * (t * inverse) * inverse
        m = _mills(inverse * inverse / ratio)
        return transcendental.log(m / start) - transcendental.log(ratio) / two, m

    end = (b - a) * (b + a) / two
    share = unary.negative(transcendental.expm1(lost(end)[0] - end))
    target = unary.negative(transcendental.log1p(unary.negative(u * share)))

    def nearer(t: Array, _: object) -> tuple[Array, None]:
        less, m = lost(t)
        return t - (t - target - less) * m, None

    t, _ = handlers.scan(nearer, target, length=4)  # a loop, as what is fused of the steps would grow with each
    return a * transcendental.sqrt(one + two * (t * inverse) * inverse)
