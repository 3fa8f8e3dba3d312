"""Continuous distributions of a standard form: scale and move what is drawn, and it is differentiable in both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions.elementwise import transcendental, unary
from effects.random.keys import Key, one_key
from effects.random.uniform import between, floating, grid, inside, unit
from effects.types import shapes
from effects.types.signatures.random import Drawn

if TYPE_CHECKING:
    from effects.types.dtypes import DType, DTypeLike
    from effects.types.signatures.creation import Sizes


def _checked(
    function: str, key: Key, shape: Sizes, dtype: DTypeLike | None
) -> tuple[Key, tuple[int, ...], type[DType]]:
    """One key, the sizes of the result and its dtype."""
    return one_key(function, key), shapes.static_shape(function, shape), floating(function, dtype)


@Drawn
def exponential(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Exponential random numbers, of density exp(-x) for x ≥ 0.

    >>> import effects as fx
    >>> fx.random.exponential(fx.random.key(0), (2,))
    Array([0.54207056, 0.24372319], float64)
    """
    return exponential_of(*_checked("exponential", key, shape, dtype))


def exponential_of(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Exponential of known arguments."""
    return unary.negative(transcendental.log1p(unary.negative(unit(key, sizes, dtype))))


@Drawn
def laplace(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Random numbers of the Laplace distribution, of density ½ exp(-|x|).

    >>> import effects as fx
    >>> fx.random.laplace(fx.random.key(0), (2,))
    Array([0.17803369, 0.83796278], float64)
    """
    data, sizes, target = _checked("laplace", key, shape, dtype)
    u = between(data, sizes, target, -1 + grid(target).step / 2)
    return unary.sign(u) * transcendental.log1p(unary.negative(unary.abs(u)))


@Drawn
def logistic(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Random numbers of the logistic distribution, of the distribution function 1 / (1 + exp(-x)).

    >>> import effects as fx
    >>> fx.random.logistic(fx.random.key(0), (2,))
    Array([-0.32911032, -1.28738678], float64)
    """
    data, sizes, target = _checked("logistic", key, shape, dtype)
    u = inside(data, sizes, target)
    return transcendental.log(u / (constant_like(1, u) - u))


@Drawn
def gumbel(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Random numbers of the Gumbel distribution, of the distribution function exp(-exp(-x)): that of the greatest of
    many.

    >>> import effects as fx
    >>> fx.random.gumbel(fx.random.key(0), (2,))
    Array([ 0.13790566, -0.42599294], float64)
    """
    return gumbel_of(*_checked("gumbel", key, shape, dtype))


def gumbel_of(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Gumbel of known arguments."""
    u = inside(key, sizes, dtype)
    return unary.negative(transcendental.log(unary.negative(transcendental.log(u))))


@Drawn
def cauchy(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Random numbers of the Cauchy distribution, of density 1 / (π (1 + x²)), which has no mean.

    >>> import effects as fx
    >>> fx.random.cauchy(fx.random.key(0), (2,))
    Array([-0.26192951, -1.23784602], float64)
    """
    data, sizes, target = _checked("cauchy", key, shape, dtype)
    u = between(data, sizes, target, grid(target).step)
    return transcendental.tan(constant_like(math.pi, u) * (u - constant_like(0.5, u)))
