"""Continuous distributions of a standard form: scale and move what is drawn, and it is differentiable in both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like
from effects.functions import elementwise, logic, transcendental
from effects.functions.arithmetic import nextafter
from effects.functions.random.keys import one_key
from effects.functions.random.uniform import between, floating, grid, inside, parameter, unit
from effects.functions.special import erf_inv
from effects.operations.elementwise import Binary, BinaryKind
from effects.program.chain import perform
from effects.types import shapes
from effects.types.signatures.random import Between, Drawn

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.functions.random.keys import Key
    from effects.types.dtypes import DType, DTypeLike, u64
    from effects.types.signatures.creation import Sizes


def _given(
    function: str, key: Key, shape: Sizes, dtype: DTypeLike | None
) -> tuple[Array[u64], tuple[int, ...], type[DType]]:
    """The bits of one key, the sizes of the result and its dtype."""
    return one_key(function, key), shapes.static_shape(function, shape), floating(function, dtype)


@Drawn
def exponential(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Exponential: of density exp(-x) for x ≥ 0.

    >>> from effects.functions.random.keys import key
    >>> exponential(key(0), (2,))
    Array([0.54207056, 0.24372319], float64)
    """
    return elementwise.negative(
        transcendental.log1p(elementwise.negative(unit(*_given("exponential", key, shape, dtype))))
    )


@Drawn
def laplace(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Laplace: of density ½ exp(-|x|).

    >>> from effects.functions.random.keys import key
    >>> laplace(key(0), (2,))
    Array([0.17803369, 0.83796278], float64)
    """
    data, sizes, target = _given("laplace", key, shape, dtype)
    u = between(data, sizes, target, -1 + grid(target).step / 2)
    return elementwise.sign(u) * transcendental.log1p(elementwise.negative(elementwise.abs(u)))


@Drawn
def logistic(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Logistic: with the distribution function 1 / (1 + exp(-x)).

    >>> from effects.functions.random.keys import key
    >>> logistic(key(0), (2,))
    Array([-0.32911032, -1.28738678], float64)
    """
    data, sizes, target = _given("logistic", key, shape, dtype)
    u = inside(data, sizes, target)
    return transcendental.log(u / (constant_like(1, u) - u))


@Drawn
def gumbel(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Gumbel: with the distribution function exp(-exp(-x)), as that of the greatest of many.

    >>> from effects.functions.random.keys import key
    >>> gumbel(key(0), (2,))
    Array([ 0.13790566, -0.42599294], float64)
    """
    return gumbel_of(*_given("gumbel", key, shape, dtype))


def gumbel_of(key: Array[u64], sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Gumbel of known arguments."""
    u = inside(key, sizes, dtype)
    return elementwise.negative(transcendental.log(elementwise.negative(transcendental.log(u))))


@Drawn
def cauchy(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Cauchy: of density 1 / (π (1 + x²)), without a mean.

    >>> from effects.functions.random.keys import key
    >>> cauchy(key(0), (2,))
    Array([-0.26192951, -1.23784602], float64)
    """
    data, sizes, target = _given("cauchy", key, shape, dtype)
    u = between(data, sizes, target, grid(target).step)
    return transcendental.tan(constant_like(math.pi, u) * (u - constant_like(0.5, u)))


@Between
def truncated_normal(
    key: Key, lower: ArrayLike, upper: ArrayLike, shape: Sizes | None = None, dtype: DTypeLike | None = None
) -> Array:
    """Standard normal between `lower` and `upper`, which broadcast to `shape` (None: with each other).

    Differentiable in both ends. NaN where `lower` is not less than `upper`, and where both are so far out (5 in
    float32, 8 in float64) that no probability between them is left.

    >>> from effects.functions.random.keys import key
    >>> truncated_normal(key(0), 1.0, 2.0)
    Array(1.27144726, float64)
    """
    name = "truncated_normal"
    data, target = one_key(name, key), floating(name, dtype)
    if shape is None:
        ends = as_array(lower, name, "lower"), as_array(upper, name, "upper")
        sizes = shapes.broadcast(*[end.aval.shape for end in ends])
    else:
        sizes = shapes.static_shape(name, shape)
    low, high = [parameter(name, n, v, target, sizes) for n, v in (("lower", lower), ("upper", upper))]
    root, infinite = constant_like(math.sqrt(2), low), constant_like(math.inf, low)
    first, last = transcendental.erf(low / root), transcendental.erf(high / root)
    last = perform(Binary(BinaryKind.ABOVE, last, nextafter(first, infinite)))
    u = unit(data, sizes, target) * (last - first) + first
    return logic.clip(root * erf_inv(u), nextafter(low, infinite), nextafter(high, elementwise.negative(infinite)))
