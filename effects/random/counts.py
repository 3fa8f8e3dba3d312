"""Distributions of counts: Poisson, binomial, negative binomial, multinomial.

Few are counted one by one (Knuth; geometric waiting times), many by transformed rejection (Hörmann, 1993). The numbers
are jax's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, overload

import numpy as np

import handlers
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, real
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.reductions import cumulative, reduction
from effects.random.gammas import gamma_of
from effects.random.keys import Key, one_key, part, split
from effects.random.uniform import check_fits, common_sizes, floating, unit
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.arrays.operators import FT, IT
    from effects.types.dtypes import DType, DTypeOf, i64
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

type _Accepted = Callable[[Array, Array], tuple[Array, Array]]

_MEAN_COUNTED: Final = 10.0
"""Mean up to which events are counted one by one; rejection is faster above."""
_SUM: Final = 3.5e-4
"""Tolerance for probabilities to sum to 1."""


@overload
def poisson(key: Key, lam: Real, shape: Sizes | None = None) -> Array[i64]: ...
@overload
def poisson(key: Key, lam: Real, shape: Sizes | None = None, dtype: DTypeOf[IT] = int) -> Array[IT]: ...
def poisson(key: Key, lam: Real, shape: Sizes | None = None, dtype: DTypeOf[IT] = int) -> Array[IT]:
    """Random numbers of the Poisson distribution of mean `lam`, which broadcasts to `shape`.

    Numbers that the integer `dtype` cannot hold become its greatest. Raises ArgumentError if lam is known to be
    negative or NaN; where it is not known, such elements are -1.

    >>> import effects as fx
    >>> fx.random.poisson(fx.random.key(0), 4.0, (3,))
    Array([0, 1, 5], int64)
    """
    data, rate = one_key("poisson", key), real("poisson", lam, "lam")
    target = dtypes.integer_dtype("poisson", dtype)
    sizes = common_sizes("poisson", shape, lam=rate)
    known = rate.known()
    if known is not None and not (known.fetch() >= 0).all():
        raise ArgumentError(
            f"poisson: lam must not be negative or NaN, got {rate.aval}, the least is {known.fetch().min()}"
        )
    return _poisson(data, rate, sizes, target)


def _poisson(key: Key, rate: Array, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """The uniform numbers are of single precision, as in jax; what is made of them for many is not, else it spreads."""
    lam = movement.broadcast_to(convert(rate, dtypes.float64), sizes)
    single, zero = convert(lam, dtypes.float32), constant_like(0, lam)
    is_small = logic.logical_not(logic.greater_equal(single, constant_like(_MEAN_COUNTED, single)))
    counted = _counted(key, logic.where(is_small, single, constant_like(0, single)), sizes)
    rejected = _transformed(key, logic.where(is_small, constant_like(1e5, lam), lam), sizes)
    drawn = logic.where(is_small, convert(counted, dtypes.float64), rejected)
    drawn = logic.where(logic.greater_equal(lam, zero), drawn, constant_like(-1, drawn))
    certain = logic.logical_or(logic.equal(lam, zero), logic.equal(lam, math.inf))
    return convert(logic.where(certain, lam, drawn), dtype)


def _counted(key: Key, lam: Array, sizes: tuple[int, ...]) -> Array:
    """Poisson numbers by counting the uniform numbers whose product is at least e^-lam."""

    def step(state: tuple[Key, Array, Array]) -> tuple[Key, Array, Array]:
        keys, count, logarithm = state
        going = logic.greater(logarithm, -lam)
        u = unit(part(keys, 1), sizes, dtypes.float32)
        count = logic.where(going, count + constant_like(1, count), count)
        return part(keys, 0), count, logarithm + transcendental.log(u)

    zero = constant_like(0, lam) * lam
    state = key, zero, zero
    count: Array = handlers.while_loop(lambda s: reduction.any(logic.greater(s[2], -lam)), step, state)[1]
    return count - constant_like(1, count)


def _transformed(key: Key, lam: Array, sizes: tuple[int, ...]) -> Array:
    """By a table mountain over the quotient of uniform numbers, Hörmann's PTRS."""
    logarithm = transcendental.log(lam)
    b = 0.931 + 2.53 * transcendental.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    bound = 0.9277 - 3.6224 / (b - 2)

    def accepted(u: Array, v: Array) -> tuple[Array, Array]:
        distance = 0.5 - unary.abs(u)
        k = unary.floor((2 * a / distance + b) * u + lam + 0.43)
        s = transcendental.log(v * inverse / (a / (distance * distance) + b))
        many = lam > 1e8  # by Stirling's formula, as the terms cancel
        x = (k - lam) / lam
        growth = transcendental.log1p(x)
        least = -lam * ((1 + x) * growth - x) - 0.5 * (math.log(2 * math.pi) + logarithm + growth)
        factorial = (k + 0.5) * transcendental.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi) + _tail(k)
        t = logic.where(many, least, -lam + k * logarithm - factorial)
        at_once = logic.logical_and(distance >= 0.07, v <= bound)
        outside = logic.logical_or(k < 0, logic.logical_and(distance < 0.013, v > distance))
        by_density = logic.logical_and(logic.logical_not(outside), s <= t)
        return k, logic.logical_or(at_once, by_density)

    return _until(key, lam, sizes, accepted, dtypes.float32)


def _until(key: Key, like: Array, sizes: tuple[int, ...], accepted: _Accepted, dtype: type[DType]) -> Array:
    """Rejection sampling: the first value accepted of pairs of uniform numbers of a dtype, the first of which is around
    0.

    While other elements wait, one that was accepted may be replaced by the next that is: as in jax.
    """

    def step(state: tuple[Key, Array, Array]) -> tuple[Key, Array, Array]:
        keys, values, done = state
        u = unit(part(keys, 1), sizes, dtype) - 0.5
        v = unit(part(keys, 2), sizes, dtype)
        k, fits = accepted(convert(u, like.aval.dtype), convert(v, like.aval.dtype))
        return part(keys, 0), logic.where(fits, k, values), logic.logical_or(done, fits)

    state = key, constant_like(0, like) * like - 1, unary.isnan(like)
    _, values, _ = handlers.while_loop(lambda s: logic.logical_not(reduction.all(s[2])), step, state)
    drawn: Array = values
    return drawn


def binomial(key: Key, n: Real, p: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Binomial random numbers: how many of n trials succeed, each with the probability p.

    They are floats, as in jax. Both parameters broadcast to `shape`; n is rounded down. Special cases: NaN where n is
    negative or p is not in [0, 1]; ∞ where n is.

    >>> import effects as fx
    >>> fx.random.binomial(fx.random.key(0), 10, 0.3, (3,))
    Array([4., 1., 3.], float64)
    """
    name, target = "binomial", floating("binomial", dtype)
    data, count, chance = one_key(name, key), real(name, n, "n"), real(name, p, "p")
    sizes = common_sizes(name, shape, n=count, p=chance)
    return convert(_binomial(data, convert(count, chance.aval.dtype), chance, sizes), target)


def _binomial(key: Key, n: Array, p: Array, sizes: tuple[int, ...]) -> Array:
    n, p = movement.broadcast_to(n, sizes), movement.broadcast_to(p, sizes)
    n, p = handlers.stop_gradient((n, p))
    less = p < 0.5
    q = logic.where(less, p, 1 - p)
    unknown = logic.logical_not(logic.logical_and(n >= 0, logic.logical_and(p >= 0, p <= 1)))
    endless = unary.isinf(n)
    safe = logic.logical_or(unknown, endless)
    q = logic.where(logic.logical_not(q >= 0), constant_like(0.01, q), q)
    is_small = logic.logical_or(logic.logical_not(n >= 0), n * q <= _MEAN_COUNTED)
    count = unary.floor(n)
    zero = constant_like(0, count)
    waited = _waited(key, logic.where(logic.logical_and(is_small, logic.logical_not(safe)), count, zero), q, sizes)
    many = logic.where(logic.logical_or(is_small, safe), constant_like(1e4, count), count)
    rejected = _mountain(key, many, logic.where(is_small, constant_like(0.5, q), q), sizes)
    drawn = logic.where(is_small, waited, rejected)
    drawn = logic.where(less, drawn, count - drawn)
    drawn = logic.where(endless, constant_like(math.inf, drawn), drawn)
    return logic.where(unknown, constant_like(math.nan, drawn), drawn)


def _waited(key: Key, n: Array, p: Array, sizes: tuple[int, ...]) -> Array:
    """Binomial numbers by waiting times: the number of successes in n trials, whose waiting times are geometric."""
    failure = transcendental.log1p(-p)

    def step(state: tuple[Key, Array, Array]) -> tuple[Key, Array, Array]:
        keys, count, total = state
        count = logic.where(total <= n, count + 1, count)
        waited = unary.ceil(transcendental.log(unit(part(keys, 0), sizes, p.aval.dtype)) / failure)
        return part(keys, 1), count, total + waited

    zero = constant_like(0, n) * n
    _, count, _ = handlers.while_loop(lambda s: reduction.any(s[2] <= n), step, (key, zero, zero))
    drawn: Array = count - 1
    return drawn


_TAILS: Final = tuple(
    [math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - 0.9189385332046727 for k in range(10)]
)
"""Of Stirling's formula for log k!, for small k."""


def _tail(k: Array) -> Array:
    """The terms of log k! beyond Stirling's formula."""
    square = (k + 1) * (k + 1)
    value = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    for i, exact in enumerate(_TAILS):
        value = logic.where(k == i, constant_like(exact, value), value)
    return value


def _mountain(key: Key, n: Array, p: Array, sizes: tuple[int, ...]) -> Array:
    """By a table mountain over the quotient of uniform numbers, Hörmann's BTRS."""
    deviation = transcendental.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    bound = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = unary.floor((n + 1) * p)
    log = transcendental.log

    def accepted(u: Array, v: Array) -> tuple[Array, Array]:
        distance = 0.5 - unary.abs(u)
        at_once = logic.logical_and(distance >= 0.07, v <= bound)
        k = unary.floor((2 * a / distance + b) * u + centre)
        outside = logic.logical_or(k < 0, k > n)
        density = (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1)))
        density = density + (n + 1) * log((n - mode + 1) / (n - k + 1))
        density = density + (k + 0.5) * log(odds * (n - k + 1) / (k + 1))
        density = density + _tail(mode) + _tail(n - mode) - _tail(k) - _tail(n - k)
        by_density = log(v * alpha / (a / (distance * distance) + b)) <= density
        return k, logic.logical_or(at_once, logic.logical_and(logic.logical_not(outside), by_density))

    return _until(key, n, sizes, accepted, n.aval.dtype)


def negative_binomial(key: Key, n: Real, p: Real, shape: Sizes | None = None, dtype: DTypeOf[IT] = int) -> Array[IT]:
    """Negative binomial random numbers: how many trials fail before the n-th success, each succeeding with probability
    p.

    They are Poisson numbers whose means have a gamma distribution, so n need not be whole; computed in float32. Both
    parameters broadcast to `shape`. Special cases: -1 unless n is positive and p is in (0, 1].

    >>> import effects as fx
    >>> fx.random.negative_binomial(fx.random.key(0), 3, 0.4, (3,))
    Array([3, 2, 6], int64)
    """
    name, target = "negative_binomial", dtypes.integer_dtype("negative_binomial", dtype)
    data, count, chance = one_key(name, key), real(name, n, "n"), real(name, p, "p")
    sizes = common_sizes(name, shape, n=count, p=chance)
    count, chance = [convert(handlers.stop_gradient(v), dtypes.float32) for v in (count, chance)]
    proper = logic.logical_and(count > 0, logic.logical_and(chance > 0, chance <= 1))
    first, second = split(data)
    safe = logic.where(proper, count, constant_like(1, count))
    rate = gamma_of(first, safe, sizes) * ((1 - chance) / chance)
    return _poisson(second, logic.where(proper, rate, constant_like(math.nan, rate)), sizes, target)


def multinomial(key: Key, n: Real, p: Real, shape: Sizes | None = None, dtype: DTypeOf[FT] | None = None) -> Array[FT]:
    """Multinomial random numbers: how many of n trials fall into each category, as floats.

    The last axis of `p` has the probabilities of the categories, and the result has it after the axes of `shape`, to
    which n and the other axes of p broadcast. Raises ArgumentError for probabilities that are known to be negative or
    not to sum to 1; if they are not known, they count relative to their sum.

    >>> import effects as fx
    >>> fx.random.multinomial(fx.random.key(0), 10, fx.asarray([0.2, 0.3, 0.5]))
    Array([1., 4., 5.], float64)
    """
    name, target = "multinomial", floating("multinomial", dtype)
    data, count, chances = one_key(name, key), real(name, n, "n"), real(name, p, "p")
    if not chances.aval.ndim or not chances.aval.shape[-1]:
        raise ShapeError(f"{name}: p must have an axis of probabilities, got {chances.aval}")
    _check_sums(chances)
    lanes = chances.aval.shape[:-1]
    if shape is None:
        sizes = shapes.broadcast_named(name, {"n": count.aval.shape, "p": lanes})
    else:
        sizes = shapes.static_shape(name, shape)
    check_fits(name, "n", count, sizes)
    categories = chances.aval.shape[-1]
    check_fits(name, "p", chances, (*sizes, categories))
    wide = movement.broadcast_to(chances, (*sizes, categories))
    wide = movement.moveaxis(wide, -1, 0)
    rest = cumulative.cumsum(wide[::-1], axis=0)[::-1]
    ratios = logic.clip(wide / logic.where(rest == 0, constant_like(1, rest), rest), 0, 1)
    start = movement.broadcast_to(convert(count, chances.aval.dtype), sizes)

    def step(remaining: Array, xs: tuple[Array, Key]) -> tuple[Array, Array]:
        ratio, keys = xs
        drawn = _binomial(keys, remaining, ratio, sizes)
        return remaining - drawn, drawn

    keys = split(data, categories)
    _, counts = handlers.scan(step, start, (ratios, keys))
    return convert(movement.moveaxis(counts, 0, -1), target)


def _check_sums(p: Array) -> None:
    known = p.known()
    if known is None:
        return
    values = known.fetch().astype(np.float64)
    sums = values.sum(-1)
    if (values < 0).any():
        raise ArgumentError(f"multinomial: p must not be negative, got {values.min()} among its probabilities")
    if not (np.abs(sums - 1) < _SUM).all():
        got = f"the sum {sums.ravel()[np.argmax(np.abs(sums - 1))]}"
        advice = "write p / sum(p, axis=-1, keepdims=True)"
        raise ArgumentError(f"multinomial: p must sum to 1 along its last axis, got {got}; {advice}")
