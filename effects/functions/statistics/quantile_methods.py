"""Positions of quantiles among sorted elements, by each of NumPy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import from_host
from effects.functions.elementwise import arithmetic, logic, unary
from effects.program.chain import ROOT, installed
from effects.runtime.caches import memoised
from effects.types import dtypes

type Method = Literal[
    "averaged_inverted_cdf",
    "closest_observation",
    "hazen",
    "higher",
    "interpolated_inverted_cdf",
    "inverted_cdf",
    "linear",
    "lower",
    "median_unbiased",
    "midpoint",
    "nearest",
    "normal_unbiased",
    "weibull",
]
type _Place = Callable[[Array, Array], Array]
"""Function from a quantile and n to its position among n elements, counted from 0."""


def _between(alpha: float, beta: float) -> _Place:
    return lambda q, n: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _whole(round_: Callable[[Array], Array]) -> _Place:
    return lambda q, n: round_((n - 1) * q)


def _midpoint(q: Array, n: Array) -> Array:
    place = (n - 1) * q
    return (unary.floor(place) + unary.ceil(place)) / 2


def _averaged(q: Array, n: Array) -> Array:
    place = n * q - 1
    below = unary.floor(place)
    return logic.where(place == below, below + 0.5, below + 1)


def _closest(q: Array, n: Array) -> Array:
    place = n * q - 1.5
    below = unary.floor(place)
    even = arithmetic.remainder(below, 2) == 1
    return logic.where(logic.logical_and(place == below, even), below, below + 1)


METHODS: Final[dict[Method, _Place]] = {
    "averaged_inverted_cdf": _averaged,
    "closest_observation": _closest,
    "hazen": _between(0.5, 0.5),
    "higher": _whole(unary.ceil),
    "interpolated_inverted_cdf": _between(0, 1),
    "inverted_cdf": lambda q, n: unary.ceil(n * q - 1),
    "linear": lambda q, n: (n - 1) * q,
    "lower": _whole(unary.floor),
    "median_unbiased": _between(1 / 3, 1 / 3),
    "midpoint": _midpoint,
    "nearest": _whole(unary.round),
    "normal_unbiased": _between(3 / 8, 3 / 8),
    "weibull": _between(0, 0),
}


def spots(q: Array, number: Array, method: Method) -> tuple[Array, Array, Array]:
    """The positions between which quantiles of this number of elements lie, and the share of the way to the second."""
    last = arithmetic.maximum(number - 1, 0)
    where = arithmetic.minimum(arithmetic.maximum(METHODS[method](q, number), 0), last)
    below = unary.floor(where)
    return below, arithmetic.minimum(below + 1, last), where - below


@memoised
def known_spots(q: tuple[float, ...], size: int, method: Method) -> tuple[tuple[int, ...], tuple[int, ...], Array]:
    """The result of `spots` for Python numbers, as parameters that no handler interprets."""
    with installed(ROOT):
        below, above, beyond = spots(from_host(np.array(q, np.float64)), from_host(np.array(float(size))), method)
        places = [tuple(unary.astype(end, dtypes.int64).tolist()) for end in (below, above)]
    return places[0], places[1], beyond
