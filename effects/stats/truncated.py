"""The normal distribution between two ends, also where next to nothing of it is between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from effects import special
from effects.functions import logic
from effects.functions.logic import where
from effects.functions.transcendental import exp, expm1, log, log1p, sqrt
from effects.runtime.names import transformation

if TYPE_CHECKING:
    from effects.arrays.array import Array

_LOG_2_PI: Final = 1.8378770664093453
_FAR: Final = -30.0
"""Below, what is left is inverted by its logarithm."""


def log_mass(a: Array, b: Array) -> Array:
    """log(Φ(b) - Φ(a)), in the tail that has both where one does."""
    right = a > 0
    low, high = where(right, -b, a), where(right, -a, b)
    last = special.log_ndtr(high)
    return last + log1p(-exp(special.log_ndtr(low) - last))


def quantile(q: Array, rest: Array, a: Array, b: Array) -> Array:
    """The x with the share q below it and `rest` above, in the lower tail, or in the upper one by reflection."""
    turned = (a > 0) | (b > 0) & (q > 0.5)
    low, high = where(turned, -b, a), where(turned, -a, b)
    p, others = where(turned, rest, q), where(turned, q, rest)
    far = high < _FAR
    first, last = special.ndtr(where(far, -1.0, low)), special.ndtr(where(far, 1.0, high))
    near = special.ndtri(first + p * (last - first))
    x = where(far, _far_quantile(p, others, where(far, low, 2 * _FAR), where(far, high, _FAR)), near)
    return logic.clip(where(turned, -x, x), a, b)


def _far_quantile(p: Array, rest: Array, low: Array, high: Array) -> Array:
    """By Newton's method for log Φ."""
    last = special.log_ndtr(high)
    gap = special.log_ndtr(low) - last
    share = -expm1(gap)
    wanted = last + where(p < 0.5, log(exp(gap) + p * share), log1p(-rest * where(p < 0.5, 0.0, share)))

    def nearer(_: object, x: Array) -> Any:
        value = special.log_ndtr(x)
        return x - (value - wanted) * exp(value + 0.5 * (x * x + _LOG_2_PI))

    start = -sqrt(-2.0 * wanted - _LOG_2_PI - log(-2.0 * wanted))
    found: Array = transformation("fori_loop")(0, 5, nearer, start)
    return logic.clip(found, low, high)
