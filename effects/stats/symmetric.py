"""Distributions about 0 by their lesser tail: the generalized normal distribution, and von Mises's on the circle."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np

import handlers
from effects import special
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.functions.elementwise import arithmetic, transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.elementwise.transcendental import exp, log, log1p, sin, sqrt
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.stats import tails
from effects.stats.distribution import Continuous

_FLAT: Final = -37.0
"""The logarithm of what is nothing beside 1."""


def _raised(x: Array, b: Array) -> Array:
    """|x|ᵇ; its derivatives at 0 are those from the right."""
    return arithmetic.pow(where(x < 0, -x, x), b)


def _log_density(x: Array, b: Array) -> Array:
    return -_raised(x, b) - special.gammaln(1.0 + 1.0 / b) - math.log(2.0)


def _beside_middle(x: Array, b: Array) -> tuple[Array, Array, Array, Array]:
    """Masks of where the density is that in the middle, and where it vanishes; |x|ᵇ between them, and everywhere."""
    size = _raised(x, b)
    flat, far = size < math.exp(_FLAT), size == math.inf
    return flat, far, _raised(where(flat | far, 1.0, x), b), size


@with_derivatives(lambda y, x, b: exp(_log_density(x, b)), None)
def _lower(x: Array, b: Array) -> Array:
    flat, far, size, _ = _beside_middle(x, b)
    tail = where(far, 0.0, 0.5 * special.gammaincc(1.0 / b, size))
    line = 0.5 + where(flat, x, 0.0) * exp(_log_density(0.0 * x, b))
    return where(flat, line, where(x < 0, tail, 1.0 - tail))


def _log_slope(y: Array, x: Array, b: Array) -> Array:
    """The density over the probability, far below by the continued fraction of their quotient."""
    far = (x < 0) & tails.is_far_above(_raised(x, b), 1.0 / b)

    def beyond(size: Array, b: Array) -> Array:
        fraction = tails.upper_fraction(_raised(size, b), 1.0 / b)
        return b * arithmetic.pow(size, b - 1.0) + (b - 1.0) * (1.0 - 1.0 / fraction) / size

    near = exp(_log_density(where(far, 0.5, x), b) - where(far, 0.0, y))
    return where(far, tails.far_out(far, beyond, where(far, -x, 1e3), where(far, b, 1.0)), near)


@with_derivatives(_log_slope, None)
def _log_lower(x: Array, b: Array) -> Array:
    flat, far, size, beyond = _beside_middle(where(x < 0, x, -1.0), b)
    outer = (x < 0) & ~flat
    tail = where(far, -beyond, tails.log_upper(where(outer, size, 1.0), 1.0 / b) - math.log(2.0))
    return where(outer, tail, log1p(-_lower(where(outer, 1.0, -x), b)))


@with_derivatives(lambda y, q, b: exp(-_log_density(y, b)), None)
def _quantile(q: Array, b: Array) -> Array:
    """Next to the middle by what is between, in the tails by what is left."""
    distance, a = q - 0.5, 1.0 / b
    between = 2.0 * unary.abs(distance)
    flat, central = between < exp(_FLAT / b), between < 0.5
    inner = special.gammaincinv(a, where(flat | ~central, 0.25, between))
    outer = special.gammainccinv(a, where(central, 0.25, 2.0 * where(q < 0.5, q, 1.0 - q)))
    size = arithmetic.pow(where(central, inner, outer), a)
    line = where(flat, distance, 0.0) * exp(-_log_density(0.0 * q, b))
    return where(flat, line, where(q < 0.5, -size, size))


gennorm: Final = Continuous(
    "gennorm",
    ("beta",),
    _log_density,
    _lower,
    lambda x, b: _lower(-x, b),
    _quantile,
    lambda q, b: -_quantile(q, b),
    _log_lower,
    lambda x, b: _log_lower(-x, b),
    vanishes_beyond=(lambda b: -tails.vanishing(b), tails.vanishing),
)

_POINTS: Final = 32
"""Of the integral over a tail, which falls by as much as exp(-40)."""
_HALVINGS: Final = 60


def _log_circular(x: Array, kappa: Array) -> Array:
    half = sin(0.5 * x)
    return -2.0 * kappa * (half * half) - log(special.i0e(kappa)) - math.log(2 * math.pi)


@cache
def _nodes() -> tuple[Array, Array]:
    """Gauss's points in [0, 1], and their weights."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    return as_array(0.5 * (points + 1.0), "vonmises", "points"), as_array(0.5 * weights, "vonmises", "weights")


def _mass_below(x: Array, kappa: Array) -> Array:
    """∫ exp(κ (cos t - cos x)) dt from -π to x, of x in [-π, 0], from where on it is more than nothing."""
    half = sin(0.5 * x)
    least = arithmetic.minimum(half * half + 20.0 / kappa, 1.0)
    low = handlers.stop_gradient(-2.0 * transcendental.asin(sqrt(least)))
    width = arithmetic.maximum(x - low, 0.0)
    width = where(least < 1.0, handlers.stop_gradient(width), width)  # nothing moves at an end where there is nothing
    points, weights = _nodes()
    x, kappa, way = [movement.expand_dims(v + 0.0 * width, axis=-1) for v in (x, kappa, width)]
    step = 0.5 * way * points
    return width * reduction.sum(weights * exp(2.0 * kappa * (sin(x - step) * sin(step))), axis=-1)


def _to_middle(x: Array, kappa: Array) -> Array:
    """The probability between x and 0."""
    points, weights = _nodes()
    place, kappa = [movement.expand_dims(v, axis=-1) for v in (x, kappa + 0.0 * x)]
    return -x * reduction.sum(weights * exp(_log_circular(place * points, kappa)), axis=-1)


def _on_circle(x: Array) -> tuple[Array, Array]:
    """The number of times that x has gone around, and the angle that is left, in [-π, π]."""
    turns = unary.round(handlers.stop_gradient(x) / (2 * math.pi))
    return turns, x - 2 * math.pi * turns


@with_derivatives(lambda y, x, kappa: exp(_log_circular(x, kappa)), None)
def _lower_circular(x: Array, kappa: Array) -> Array:
    turns, place = _on_circle(x)
    low = place < 0
    near = where(low, place, -place)
    tail = exp(_log_circular(near, kappa)) * _mass_below(near, kappa)
    return turns + where(low, tail, 1.0 - tail)


def _log_circular_slope(y: Array, x: Array, kappa: Array) -> Array:
    low = (x < 0) & (x >= -math.pi)
    beyond = 1.0 / _mass_below(where(low, x, -1.0), kappa)
    return where(low, beyond, exp(_log_circular(where(low, 0.0, x), kappa) - where(low, 0.0, y)))


@with_derivatives(_log_circular_slope, None)
def _log_lower_circular(x: Array, kappa: Array) -> Array:
    """In the first turn, on its lower half, by the logarithm of the integral."""
    low = (x < 0) & (x >= -math.pi)
    near = where(low, x, -1.0)
    tail = _log_circular(near, kappa) + tails.safe_log(_mass_below(near, kappa))
    return where(low, tail, log1p(-_lower_circular(where(low, 0.0, -x), kappa)))


def _slope_in_kappa(x: Array, kappa: Array) -> Array:
    return handlers.jvp(lambda kappa: _lower_circular(x, kappa), (kappa,), (1.0 + 0.0 * kappa,))[1]


@with_derivatives(
    lambda y, q, kappa: exp(-_log_circular(y, kappa)),
    lambda y, q, kappa: -_slope_in_kappa(y, kappa) * exp(-_log_circular(y, kappa)),
)
def _quantile_circular(q: Array, kappa: Array) -> Array:
    """By halving the lower half of the circle, then by Newton's method, next to the middle for what is between."""
    lower = q < 0.5
    p = where(lower, q, 1.0 - q)
    zero = 0.0 * (q + kappa)

    def halved(_: object, ends: tuple[Array, Array]) -> Any:
        first, last = ends
        middle = 0.5 * (first + last)
        enough = _lower_circular(middle, kappa) >= p
        return where(enough, first, middle), where(enough, middle, last)

    x = handlers.fori_loop(0, _HALVINGS, halved, (zero - math.pi, zero))[1]
    for _ in range(2):
        beyond = where(p > 0.25, (0.5 - p) - _to_middle(x, kappa), _lower_circular(x, kappa) - p)
        x = x - beyond * exp(-_log_circular(x, kappa))
    return where(lower, x, -x)


vonmises: Final = Continuous(
    "vonmises",
    ("kappa",),
    _log_circular,
    _lower_circular,
    lambda x, kappa: _lower_circular(-x, kappa),
    _quantile_circular,
    lambda q, kappa: -_quantile_circular(q, kappa),
    _log_lower_circular,
    lambda x, kappa: _log_lower_circular(-x, kappa),
    valid=lambda kappa: kappa >= 0,
)
