"""The gamma distribution, and those that are made of it: differentiable in their parameters by implicit derivatives.

A number x that is drawn with the distribution function F(x; a) stays at its quantile when a moves: dx/da is
-∂F/∂a / ∂F/∂x. Rejection is Marsaglia's and Tsang's (2000). The numbers are jax's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import handlers
from effects import special
from effects.arguments import natural
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like
from effects.errors import ShapeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.reductions import exponentials, reduction
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.random.continuous import exponential_of
from effects.random.discrete import rademacher
from effects.random.keys import Key, chosen, derived_keys, one_key, part, split
from effects.random.scaled import checked_parameters
from effects.random.uniform import common_sizes, floating, gaussian, grid, parameter, unit
from effects.runtime.caches import memoised
from effects.special.calling import in_double
from effects.types import shapes

if TYPE_CHECKING:
    from effects.arrays.operators import FT
    from effects.types.dtypes import DType, DTypeOf
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

_SMALL = -40.0
"""Up to here, as a logarithm, the distribution function is its first term."""


def gamma(key: Key, a: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the gamma distribution, of density xᵃ⁻¹ e⁻ˣ / Γ(a).

    `a` broadcasts to `shape`; differentiable in it. For `a` near 0 numbers underflow: `loggamma` does not. Special
    cases: NaN where a is negative.

    >>> import effects as fx
    >>> fx.random.gamma(fx.random.key(0), 2.5, (2,))
    Array([1.8048802, 1.5385597], float64)
    """
    data, sizes, _, (shape_of,) = checked_parameters("gamma", key, shape, dtype, a=a)
    return gamma_of(data, shape_of, sizes)


def loggamma(key: Key, a: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """The logarithms of random numbers of the gamma distribution, which do not underflow; arguments as for `gamma`.

    >>> import effects as fx
    >>> fx.random.loggamma(fx.random.key(0), 1e-3, (2,))
    Array([-1113.02584633, -2280.53575798], float64)
    """
    data, sizes, _, (shape_of,) = checked_parameters("loggamma", key, shape, dtype, a=a)
    return gamma_of(data, shape_of, sizes, True)


def gamma_of(key: Key, a: Array, sizes: tuple[int, ...], log: bool = False) -> Array:
    """Gamma of known arguments, or its logarithm: a key for each element, and a loop for all of them."""
    result: Array = _drawn(log)(derived_keys(key, sizes), movement.broadcast_to(a, sizes))
    return result


@memoised
def _drawn(log: bool) -> Callable[..., Array]:
    """Function that draws a value for each key and element, with its derivative."""

    def gamma(keys: Key, a: Array) -> Array:
        return _rejected(keys, a, log)

    function = handlers.custom_jvp(gamma)

    def slope(t: Array, x: Array, keys: Key, a: Array) -> Array:
        wide = in_double(_slope, x if log else transcendental.log(x), a)
        return t * (wide if log else wide * x)

    function.defjvps(None, slope)
    typed: Callable[..., Array] = function
    return typed


def _slope(logarithm: Array, a: Array) -> Array:
    """The derivative of the logarithm of what is drawn."""
    small = logic.less(logarithm, constant_like(_SMALL, logarithm))
    moderate = logic.where(small, constant_like(0.0, logarithm), logarithm)
    x = transcendental.exp(moderate)
    by_a = perform(Special(SpecialKind.GAMMAINC, (a, x), (1, 0)))
    exponent = a * moderate - x - special.gammaln(a)
    ordinary = unary.negative(by_a * transcendental.exp(unary.negative(exponent)))
    least = logic.where(small, logarithm, constant_like(_SMALL, logarithm))
    first = (special.digamma(a + 1) - least) / a
    return logic.where(small, first, ordinary)


def _rejected(keys: Key, a: Array, log: bool) -> Array:
    dtype = a.aval.dtype
    one, zero = constant_like(1, a), constant_like(0, a)
    a = unary.abs(a)  # of -0 as of 0
    boosted = logic.less(a, one)  # a + 1, and a power of a uniform number besides
    shape = logic.where(boosted, a + one, a)
    d = shape - constant_like(1 / 3, a)
    c = constant_like(1 / 3, a) / transcendental.sqrt(d)

    def positive(keys: Key, waiting: Array) -> tuple[Array, Array]:
        """Normal numbers x, and 1 + cx, drawn again until that is positive."""

        def step(state: tuple[Key, Array, Array]) -> tuple[Key, Array, Array]:
            keys, x, v = state
            rejected = logic.less_equal(v, zero)
            drawn = gaussian(part(keys, 1), (), dtype)
            x, v = logic.where(rejected, drawn, x), logic.where(rejected, one + drawn * c, v)
            return chosen(rejected, part(keys, 0), keys), x, v

        start = logic.where(waiting, -one, one) + zero * a
        state = keys, zero * a, start
        _, x, v = handlers.while_loop(lambda s: reduction.any(logic.less_equal(s[2], zero)), step, state)
        return x, v

    def rejected(x: Array, v: Array, u: Array) -> Array:
        squeezed = logic.greater_equal(u, one - constant_like(0.0331, x) * (x * x))
        bound = x * constant_like(0.5, x) + d * ((one - v) + transcendental.log(v))
        return logic.logical_and(squeezed, logic.greater_equal(transcendental.log(u), bound))

    def attempt(state: tuple[Key, Array, Array]) -> tuple[Key, Array, Array]:
        keys, value, waiting = state
        x, v = positive(part(keys, 1), waiting)
        u = unit(part(keys, 2), (), dtype)
        cube = v * v * v
        still = logic.logical_and(waiting, rejected(x * x, cube, u))
        return part(keys, 0), logic.where(waiting, cube, value), still

    state = part(keys, 0), one + zero * a, logic.greater_equal(a, zero)
    value: Array = handlers.while_loop(lambda s: reduction.any(s[2]), attempt, state)[1]
    uniform = unit(part(keys, 1), (), dtype)
    if log:
        logarithm = transcendental.log1p(-uniform)
        unboosted = logic.logical_or(logic.logical_not(boosted), logic.equal(logarithm, zero))
        boost = logic.where(unboosted, zero, logarithm * (one / a))
        return transcendental.log(d) + transcendental.log(value) + boost
    boost = logic.where(boosted, arithmetic.pow(one - uniform, one / a), one)
    return d * value * boost


def chisquare(key: Key, df: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the χ² distribution: sums of the squares of `df` standard normal numbers.

    The degrees of freedom `df` need not be whole, and broadcast to `shape`; differentiable in them. Special cases: NaN
    where df is negative.

    >>> import effects as fx
    >>> fx.random.chisquare(fx.random.key(0), 3.0, (2,))
    Array([1.81389348, 1.44835385], float64)
    """
    data, sizes, _, (freedom,) = checked_parameters("chisquare", key, shape, dtype, df=df)
    half = freedom / constant_like(2, freedom)
    return transcendental.exp(gamma_of(data, half, sizes, True)) * constant_like(2, half)


def t(key: Key, df: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of Student's t distribution with `df` degrees of freedom.

    `df` broadcasts to `shape`; differentiable in it. Special cases: NaN where it is negative.

    >>> import effects as fx
    >>> fx.random.t(fx.random.key(0), 3.0, (2,))
    Array([ 1.40115888, -0.60724612], float64)
    """
    data, sizes, target, (freedom,) = checked_parameters("t", key, shape, dtype, df=df)
    first, second = split(data)
    share = _log_share(second, freedom, sizes)
    return gaussian(first, sizes, target) * transcendental.exp(share / constant_like(-2, share))


def f(key: Key, dfnum: Real, dfden: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the F distribution: quotients of two χ² numbers, each divided by its degrees of freedom.

    `dfnum` and `dfden` broadcast to `shape`; differentiable in both. Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.random.f(fx.random.key(0), 3.0, 5.0, (2,))
    Array([1.54798047, 0.35745633], float64)
    """
    data, sizes, _, (above, below) = checked_parameters("f", key, shape, dtype, dfnum=dfnum, dfden=dfden)
    second, first = split(data)
    return transcendental.exp(_log_share(first, above, sizes) - _log_share(second, below, sizes))


def _log_share(key: Key, df: Array, sizes: tuple[int, ...]) -> Array:
    """The logarithm of a χ² number over its degrees of freedom: of few, the number itself underflows."""
    half = df / constant_like(2, df)
    return gamma_of(key, half, sizes, True) - transcendental.log(half)


def beta(key: Key, a: Real, b: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the beta distribution, of density xᵃ⁻¹ (1 - x)ᵇ⁻¹ / B(a, b).

    Both parameters broadcast to `shape`; differentiable in both. Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.random.beta(fx.random.key(0), 2.0, 3.0, (2,))
    Array([0.32795607, 0.61380901], float64)
    """
    data, sizes, _, (first, second) = checked_parameters("beta", key, shape, dtype, a=a, b=b)
    keys = split(data)
    x, y = [gamma_of(k, p, sizes, True) for k, p in zip(keys, (first, second), strict=True)]
    greatest = handlers.stop_gradient(arithmetic.maximum(x, y))
    x, y = transcendental.exp(x - greatest), transcendental.exp(y - greatest)
    return x / (x + y)


def dirichlet(key: Key, alpha: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random vectors of the Dirichlet distribution: positive numbers with the sum 1, of density ∝ Π xᵢ ** (αᵢ - 1).

    The last axis of `alpha` has the αᵢ, and the result has it after the axes of `shape`, to which the others broadcast.
    Differentiable in alpha. Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.random.dirichlet(fx.random.key(0), fx.asarray([1.0, 2.0, 3.0]))
    Array([0.07065346, 0.16705569, 0.76229085], float64)
    """
    data, target = one_key("dirichlet", key), floating("dirichlet", dtype)
    array = as_array(alpha, "dirichlet", "alpha")
    if not array.aval.ndim:
        raise ShapeError(f"dirichlet: alpha must have an axis of parameters, got {array.aval}")
    lanes = array.aval.shape[:-1] if shape is None else shapes.static_shape("dirichlet", shape)
    sizes = (*lanes, array.aval.shape[-1])
    concentration = parameter("dirichlet", "alpha", array, target, sizes)
    concentration = logic.where(
        logic.less(concentration, constant_like(0, concentration)),
        constant_like(math.nan, concentration),
        concentration,
    )
    return exponentials.softmax(gamma_of(data, concentration, sizes, True))


def generalized_normal(key: Key, p: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random numbers of the generalised normal distribution, of density ∝ exp(-|x|ᵖ).

    `p` broadcasts to `shape`; differentiable in it. Special cases: uniform on (-1, 1) for infinite p; NaN where p is
    negative.

    >>> import effects as fx
    >>> fx.random.generalized_normal(fx.random.key(0), 4.0, (2,))
    Array([ 0.70833083, -0.98146637], float64)
    """
    data, sizes, target, (power,) = checked_parameters("generalized_normal", key, shape, dtype, p=p)
    return _generalized(data, power, sizes, target)


def _generalized(key: Key, p: Array, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    first, second = split(key)
    inverse = arithmetic.maximum(constant_like(1, p) / unary.abs(p), constant_like(grid(dtype).step, p))
    logarithm = inverse * gamma_of(first, inverse, sizes, True)
    return rademacher(second, sizes, dtype) * transcendental.exp(logarithm)


def ball(key: Key, d: int, p: Real = 2.0, shape: Sizes = (), dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Random points, uniform in the unit ball of dimension `d`: where Σ |xᵢ|ᵖ ≤ 1.

    The result has an axis of d coordinates after those of `shape`. `p` is one number. Special cases: NaN where it is
    negative.

    >>> import effects as fx
    >>> fx.random.ball(fx.random.key(0), 3)
    Array([-0.86703795, -0.45310376,  0.084509  ], float64)
    """
    size = natural("ball", "d", d)
    name, target = "ball", floating("ball", dtype)
    data, sizes = one_key(name, key), shapes.static_shape(name, shape)
    power = parameter(name, "p", p, target, sizes)
    power = logic.where(power < 0, constant_like(math.nan, power), power)
    if power.aval.ndim:
        raise ShapeError(f"ball: p must be one number, got {power.aval}")
    first, second = split(data)
    inside = _generalized(first, power, (*sizes, size), target)
    raised = arithmetic.pow(unary.abs(inside), power)
    total = reduction.sum(raised, axis=-1)
    length = arithmetic.pow(total + exponential_of(second, sizes, target), constant_like(1, power) / power)
    return inside / movement.expand_dims(length, axis=-1)


def triangular(
    key: Key, left: Real, mode: Real, right: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None
) -> Array[FT]:
    """Random numbers between `left` and `right`, whose density rises linearly up to `mode` and falls from there.

    The parameters broadcast to `shape`; differentiable in all three. Special cases: NaN unless left ≤ mode ≤ right and
    left < right.

    >>> import effects as fx
    >>> fx.random.triangular(fx.random.key(0), 0.0, 1.0, 3.0, (2,))
    Array([1.13204461, 0.80553483], float64)
    """
    name, target = "triangular", floating("triangular", dtype)
    data = one_key(name, key)
    ends: dict[str, Any] = {"left": left, "mode": mode, "right": right}
    sizes = common_sizes(name, shape, **ends)
    low, peak, high = [parameter(name, n, v, target, sizes) for n, v in ends.items()]
    u = unit(data, sizes, target)
    width = high - low
    rising = low + transcendental.sqrt(u * width * (peak - low))
    falling = high - transcendental.sqrt((1 - u) * width * (high - peak))
    proper = logic.logical_and(logic.logical_and(low <= peak, peak <= high), low < high)
    drawn = logic.where(u < (peak - low) / width, rising, falling)
    return logic.where(proper, drawn, constant_like(math.nan, drawn))
