"""The Wald distribution, or inverse Gaussian: when a Brownian motion with drift first gets somewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import handlers
from effects.arrays.array import Array
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.random.keys import Key, split
from effects.random.scaled import checked_parameters
from effects.random.uniform import gaussian, unit
from effects.runtime.caches import memoised
from effects.special.calling import in_double

if TYPE_CHECKING:
    from effects.arrays.operators import FT
    from effects.types.dtypes import DTypeOf
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes


def wald(key: Key, mean: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the Wald distribution, or inverse Gaussian of scale 1, of density (2πx³)^-½ exp(-(x - μ)² /
    2μ²x).

    The `mean` μ broadcasts to `shape`; differentiable in it, as a number stays at its quantile. Special cases: NaN
    where it is negative. Source: Michael, Schucany and Haas, 1976.

    >>> import effects as fx
    >>> fx.random.wald(fx.random.key(0), 2.0, (2,))
    Array([0.22327945, 3.90085525], float64)
    """
    data, sizes, target, (mu,) = checked_parameters("wald", key, shape, dtype, mean=mean)
    first, second = split(data)
    y = unary.square(gaussian(first, sizes, target))
    result: Array = _of_roots()(y, unit(second, sizes, target), movement.broadcast_to(mu, sizes))
    return result


@memoised
def _of_roots() -> Callable[..., Array]:
    """One of two numbers of which a normal number is a function, chosen by a uniform one; with its derivative."""

    def wald(y: Array, u: Array, mu: Array) -> Array:
        inverse = 1 / unary.abs(mu)
        beyond = y / 2 + transcendental.sqrt(y) * transcendental.sqrt(inverse + y / 4)
        x = 1 / (inverse + beyond)  # the lesser root, in which nothing cancels
        return logic.where(u * (mu + x) > mu, mu * (1 + mu * beyond), x)

    function = handlers.custom_jvp(wald)
    function.defjvps(None, None, lambda t, x, y, u, mu: t * in_double(_slope, x, mu))
    typed: Callable[..., Array] = function
    return typed


def _slope(x: Array, mu: Array) -> Array:
    """-∂F/∂μ / ∂F/∂x, in which the densities cancel: 2x√x / μ² · (1 - Φ(b)) / φ(b), where b = (x / μ + 1) / √x."""
    ratio, root = x / mu, transcendental.sqrt(x)
    b = (ratio + 1) / root
    return math.sqrt(2 * math.pi) * ratio * (root / mu * perform(Special(SpecialKind.ERFCX, (b * math.sqrt(0.5),))))
