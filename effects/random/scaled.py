"""Distributions of positive numbers with parameters, which are differentiable in these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, real
from effects.errors import ArgumentError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.reductions import reduction
from effects.operations.elementwise import Binary, BinaryKind
from effects.program.chain import perform
from effects.random.continuous import exponential_of
from effects.random.keys import Key, one_key
from effects.random.uniform import common_sizes, floating, gaussian, inside, parameter
from effects.types import dtypes, shapes
from effects.types.signatures.random import Drawn

if TYPE_CHECKING:
    from effects.arrays.operators import FT, IT
    from effects.types.dtypes import DType, DTypeLike, DTypeOf
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

type _Checked = tuple[Key, tuple[int, ...], type[DType], list[Array]]


def checked_parameters(
    function: str, key: Key, shape: Sizes | None, dtype: DTypeLike | None, **values: Real
) -> _Checked:
    """One key, the sizes of the result, its dtype, and the parameters: NaN where they are negative."""
    data, target = one_key(function, key), floating(function, dtype)
    sizes = common_sizes(function, shape, **values)
    parameters = [parameter(function, n, v, target, sizes) for n, v in values.items()]
    return data, sizes, target, [perform(Binary(BinaryKind.ABOVE, p, constant_like(0, p))) for p in parameters]


def rayleigh(key: Key, scale: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the Rayleigh distribution: lengths of vectors of two normal numbers of deviation `scale`.

    `scale` broadcasts to `shape`. Special cases: NaN where it is negative.

    >>> import effects as fx
    >>> fx.random.rayleigh(fx.random.key(0), 2.0, (2,))
    Array([2.63997102, 3.49983995], float64)
    """
    data, sizes, target, (size,) = checked_parameters("rayleigh", key, shape, dtype, scale=scale)
    return size * transcendental.sqrt(-2 * transcendental.log(inside(data, sizes, target)))


def pareto(key: Key, b: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the Pareto distribution, of density b x⁻ᵇ⁻¹ for x ≥ 1.

    `b` broadcasts to `shape`. Special cases: NaN where it is negative.

    >>> import effects as fx
    >>> fx.random.pareto(fx.random.key(0), 3.0, (2,))
    Array([1.19804395, 1.08463233], float64)
    """
    data, sizes, target, (power,) = checked_parameters("pareto", key, shape, dtype, b=b)
    return transcendental.exp(exponential_of(data, sizes, target) / unary.abs(power))  # of -0 as of 0


def weibull_min(
    key: Key, scale: Real, concentration: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None
) -> Array[FT]:
    """Random numbers of the Weibull distribution, of the distribution function 1 - exp(-(x / scale) ** concentration).

    The parameters broadcast to `shape`. Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.random.weibull_min(fx.random.key(0), 1.0, 2.0, (2,))
    Array([0.73625441, 0.49368328], float64)
    """
    parameters = {"scale": scale, "concentration": concentration}
    data, sizes, target, (size, power) = checked_parameters("weibull_min", key, shape, dtype, **parameters)
    return size * arithmetic.pow(exponential_of(data, sizes, target), 1 / unary.abs(power))


def lognormal(key: Key, sigma: Real = 1.0, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Log-normal random numbers: exponentials of normal numbers of mean 0 and standard deviation `sigma`.

    `sigma` broadcasts to `shape`. Special cases: NaN where it is negative.

    >>> import effects as fx
    >>> fx.random.lognormal(fx.random.key(0), 0.5, (2,))
    Array([0.90219818, 0.67544544], float64)
    """
    data, sizes, target, (deviation,) = checked_parameters("lognormal", key, shape, dtype, sigma=sigma)
    return transcendental.exp(deviation * gaussian(data, sizes, target))


@Drawn
def maxwell(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Random numbers of the Maxwell distribution: lengths of vectors of three standard normal numbers.

    >>> import effects as fx
    >>> fx.random.maxwell(fx.random.key(0), (2,))
    Array([1.98906991, 0.42460738], float64)
    """
    data, target = one_key("maxwell", key), floating("maxwell", dtype)
    sizes = shapes.static_shape("maxwell", shape)
    parts = gaussian(data, (*sizes, 3), target)
    return transcendental.sqrt(reduction.sum(parts * parts, axis=-1))


def geometric(key: Key, p: Real, shape: Sizes | None = None, dtype: DTypeOf[IT] = int) -> Array[IT]:
    """Geometric random numbers: how many trials it takes to the first success, which has the probability `p` each time.

    `p` broadcasts to `shape`. Numbers that the integer `dtype` cannot hold become its greatest. Raises ArgumentError if
    p is known not to be in (0, 1]; where it is not known, such elements are 0.

    >>> import effects as fx
    >>> fx.random.geometric(fx.random.key(0), 0.1, (4,))
    Array([ 9, 15,  1,  6], int64)
    """
    target, chance = dtypes.integer_dtype("geometric", dtype), real("geometric", p, "p")
    sizes = chance.aval.shape if shape is None else shapes.static_shape("geometric", shape)
    chance = parameter("geometric", "p", chance, chance.aval.dtype, sizes)
    possible = (chance > 0) & (chance <= 1)
    known = possible.known()
    if known is not None and not known.fetch().all():
        chance_known = chance.known()
        others = "" if chance_known is None else chance_known.fetch()[~known.fetch()][0]
        raise ArgumentError(f"geometric: p must be greater than 0 and at most 1, got {chance.aval} with {others}")
    waited = transcendental.log(inside(one_key("geometric", key), sizes, chance.aval.dtype))
    trials = convert(unary.floor(waited / transcendental.log1p(-chance)) + 1, target)
    return logic.where(possible, trials, constant_like(0, trials))
