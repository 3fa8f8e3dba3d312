"""Windows of signal processing. Their sizes are static. Names and semantics are NumPy's."""

from __future__ import annotations

import math

import numpy as np

from effects.arguments import natural, number
from effects.arrays.array import Array
from effects.functions.creation import creation, sequences
from effects.functions.elementwise import transcendental, unary
from effects.runtime.memory_errors import memory_errors
from effects.types.dtypes import f64


def _cosines(function: str, M: int, *weights: float) -> Array[f64]:
    """Σ weights[k] cos(2πkn / (M - 1)) for n < M; ones where M is 1."""
    size = natural(function, "M", M)
    if size < 2:
        return creation.ones(size, dtype="float64")
    at = sequences.arange(size, dtype="float64") * (2 * math.pi / (size - 1))
    return sum([w * transcendental.cos(at * float(k)) for k, w in enumerate(weights) if k], start=at * 0.0 + weights[0])


def hanning(M: int) -> Array[f64]:
    """The Hann window of M points: 0.5 - 0.5 cos(2πn / (M - 1)).

    >>> import effects as fx
    >>> fx.hanning(3)
    Array([0., 1., 0.], float64)
    """
    return _cosines("hanning", M, 0.5, -0.5)


def hamming(M: int) -> Array[f64]:
    """The Hamming window of M points: 0.54 - 0.46 cos(2πn / (M - 1)).

    >>> import effects as fx
    >>> fx.hamming(3)
    Array([0.08, 1.  , 0.08], float64)
    """
    return _cosines("hamming", M, 0.54, -0.46)


def blackman(M: int) -> Array[f64]:
    """The Blackman window of M points: 0.42 - 0.5 cos(2πn / (M - 1)) + 0.08 cos(4πn / (M - 1)).

    >>> import effects as fx
    >>> fx.round(fx.blackman(3), 6) + 0.0
    Array([0., 1., 0.], float64)
    """
    return _cosines("blackman", M, 0.42, -0.5, 0.08)


def bartlett(M: int) -> Array[f64]:
    """The triangular window of M points, 0 at both ends.

    >>> import effects as fx
    >>> fx.bartlett(3)
    Array([0., 1., 0.], float64)
    """
    size = natural("bartlett", "M", M)
    if size < 2:
        return creation.ones(size, dtype="float64")
    return 1.0 - unary.abs(sequences.arange(size, dtype="float64") * (2 / (size - 1)) - 1.0)


def kaiser(M: int, beta: float) -> Array[f64]:
    """The Kaiser window of M points, of the shape `beta` (0: a rectangle), which is static.

    >>> import effects as fx
    >>> fx.kaiser(3, 0.0)
    Array([1., 1., 1.], float64)
    """
    size, shape = natural("kaiser", "M", M), number("kaiser", "beta", beta)
    if size < 2:
        return creation.ones(size, dtype="float64")
    with memory_errors:
        return creation.asarray(np.kaiser(size, shape))
