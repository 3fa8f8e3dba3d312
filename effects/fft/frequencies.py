"""The frequencies that the elements of transforms belong to, and their order."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from effects.arguments import integers, natural, number, refusal
from effects.arrays.array import Array, Like
from effects.arrays.concrete import DeviceLike
from effects.arrays.operators import DT, FT
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError
from effects.functions.creation import creation, sequences
from effects.functions.elementwise import arithmetic
from effects.functions.manipulation import movement, reordering
from effects.functions.reductions.reduction import Axes
from effects.types import dtypes, shapes
from effects.types.dtypes import DTypeLike, ForeignDType


def fftfreq(
    n: int, d: float = 1.0, *, dtype: type[FT] | ForeignDType | None = None, device: DeviceLike | None = None
) -> Array[FT]:
    """The frequency of each element of `fft` for n samples at a distance `d`: 0, 1, … and then the negative ones, over
    n·d.

    The result is a vector of n elements, of the default float unless `dtype` is given. Raises ArgumentError for n that
    is not positive, DTypeError for a dtype that is not of real floating point.

    >>> import effects as fx
    >>> fx.fft.fftfreq(4, 0.5)
    Array([ 0. ,  0.5, -1. , -0.5], float64)
    """
    count = _positive("fftfreq", n)
    half = (count + 1) // 2
    numbers = movement.concat([sequences.arange(half), sequences.arange(half - count, 0)])
    return _over("fftfreq", numbers, count, d, dtype, device)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: type[FT] | ForeignDType | None = None, device: DeviceLike | None = None
) -> Array[FT]:
    """The frequency of each element of `rfft` for n samples at a distance `d`: 0, 1, …, n//2, over n·d.

    Arguments and errors are those of `fftfreq`.

    >>> import effects as fx
    >>> fx.fft.rfftfreq(4, 0.5)
    Array([0. , 0.5, 1. ], float64)
    """
    count = _positive("rfftfreq", n)
    return _over("rfftfreq", sequences.arange(count // 2 + 1), count, d, dtype, device)


def fftshift(x: Like[DT], /, axes: Axes = None) -> Array[DT]:
    """The elements of a transform with the frequency 0 in the middle of `axes`: an int, a tuple, or None for all.

    >>> import effects as fx
    >>> fx.fft.fftshift(fx.fft.fftfreq(4))
    Array([-0.5 , -0.25,  0.  ,  0.25], float64)
    """
    return _shifted("fftshift", x, axes, lambda n: n // 2)


def ifftshift(x: Like[DT], /, axes: Axes = None) -> Array[DT]:
    """The inverse of `fftshift`: the frequency 0 comes first along `axes`.

    >>> import effects as fx
    >>> fx.fft.ifftshift(fx.fft.fftshift(fx.fft.fftfreq(5)))
    Array([ 0. ,  0.2,  0.4, -0.4, -0.2], float64)
    """
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))


def _shifted(function: str, x: object, axes: Axes, by: Callable[[int], int]) -> Array:
    array = as_array(x, function, "x")
    shape = array.aval.shape
    named = tuple(range(len(shape))) if axes is None else integers(function, "axes", axes)
    at = tuple([shapes.normalize_axis(function, shape, a) for a in named])
    return reordering.roll(array, tuple([by(shape[a]) for a in at]), at) if at else array


def _positive(function: str, n: object) -> int:
    count = natural(function, "n", n)
    if not count:
        raise ArgumentError(f"{function}: n must be positive, got 0")
    return count


def _over(
    function: str, numbers: Array, n: int, d: object, dtype: DTypeLike | None, device: DeviceLike | None
) -> Array[Any]:
    """`numbers` / (n · d)."""
    target = dtypes.floating_or_default(function, dtype)
    spacing = number(function, "d", d)
    if not spacing or abs(spacing) > sys.float_info.max:
        raise refusal(function, "d", "a number other than 0 that a float can hold", d)
    return creation.asarray(arithmetic.divide(numbers, n * float(spacing)), dtype=target, device=device)
