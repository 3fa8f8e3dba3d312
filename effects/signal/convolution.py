"""Convolution and correlation of arrays of any rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from scipy.fft import next_fast_len

import effects as fx
from effects.arguments import choice, integers
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import inexact, promoted
from effects.errors import DTypeError, ShapeError
from effects.types import shapes

type Mode = Literal["full", "valid", "same"]
type Method = Literal["direct", "fft"]


def convolve(in1: ArrayLike, in2: ArrayLike, /, mode: Mode = "full", method: Method = "direct") -> Array:
    """out[n] = Σ in1[k] in2[n - k], for arrays of one rank, along all axes.

    `mode` selects n: "full" wherever they overlap, "same" the middle of that, of the shape of in1, "valid" where one
    lies within the other. The `method` "fft" multiplies Fourier transforms, in floats: `fftconvolve`. Raises ShapeError
    for different ranks, for empty axes, and if neither lies within the other.

    >>> import effects as fx
    >>> fx.signal.convolve(fx.asarray([1, 2, 3]), fx.asarray([1, 10]), "same")
    Array([ 1, 12, 23], int64)
    """
    first, second = promoted("convolve", in1=in1, in2=in2)
    return _convolved("convolve", first, second, mode, method)


def correlate(in1: ArrayLike, in2: ArrayLike, /, mode: Mode = "full", method: Method = "direct") -> Array:
    """out[n] = Σ in1[n + k] conj(in2[k]), as `convolve` of in2 reversed.

    >>> import effects as fx
    >>> fx.signal.correlate(fx.asarray([1, 2, 3]), fx.asarray([1, 10]), "valid")
    Array([21, 32], int64)
    """
    first, second = promoted("correlate", in1=in1, in2=in2)
    return _convolved("correlate", first, fx.flip(fx.conj(second)), mode, method)


def fftconvolve(in1: ArrayLike, in2: ArrayLike, /, mode: Mode = "full", axes: Sequence[int] | None = None) -> Array:
    """`convolve` by Fourier transforms, along `axes` or all of them; along others the two broadcast.

    Each element has the absolute accuracy of the largest; n and m elements take a time of (n + m) log (n + m).

    >>> import effects as fx
    >>> fx.round(fx.signal.fftconvolve(fx.asarray([1.0, 2.0, 3.0]), fx.asarray([1.0, 10.0])), 12)
    Array([ 1., 12., 23., 30.], float64)
    """
    first, second = promoted(
        "fftconvolve", in1=inexact("fftconvolve", in1, "in1"), in2=inexact("fftconvolve", in2, "in2")
    )
    named = range(first.ndim) if axes is None else integers("fftconvolve", "axes", axes)
    return _by_transforms(
        "fftconvolve", first, second, mode, shapes.normalize_axes("fftconvolve", first.shape, tuple(named))
    )


def _convolved(function: str, first: Array, second: Array, mode: Mode, method: Method) -> Array:
    if first.dtype is fx.bool:
        raise DTypeError(f"{function}: in1 and in2 must be of numbers, got {first.aval}; convert them with astype")
    if choice(function, "method", method, Method) == "fft":
        first, second = inexact(function, first), inexact(function, second)
        return _by_transforms(function, first, second, mode, tuple(range(first.ndim)))
    kind = _checked(function, first, second, mode, range(first.ndim))
    if not first.ndim:
        return first * second
    if kind == "valid" and first.shape < second.shape:
        first, second = second, first
    padding = [{"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[kind] for k in second.shape]
    return fx.conv(first[None, None], fx.flip(second)[None, None], padding=padding)[0, 0]


def _checked(function: str, first: Array, second: Array, mode: Mode, axes: Sequence[int]) -> str:
    if first.ndim != second.ndim:
        raise ShapeError(f"{function}: in1 and in2 must have the same rank, got {first.aval} and {second.aval}")
    if not first.size or not second.size:
        raise ShapeError(f"{function}: in1 and in2 must not be empty, got {first.aval} and {second.aval}")
    kind = choice(function, "mode", mode, Mode)
    larger = {first.shape[a] > second.shape[a] for a in axes if first.shape[a] != second.shape[a]}
    if kind == "valid" and len(larger) > 1:
        raise ShapeError(
            f"{function}: one must lie within the other in mode 'valid', got {first.aval} and {second.aval}"
        )
    return kind


def _by_transforms(function: str, first: Array, second: Array, mode: Mode, axes: Sequence[int]) -> Array:
    kind = _checked(function, first, second, mode, axes)
    if not axes:
        return first * second
    real = not fx.isdtype(first.dtype, "complex floating")
    forth, back = (fx.fft.rfftn, fx.fft.irfftn) if real else (fx.fft.fftn, fx.fft.ifftn)
    sizes = [(first.shape[a], second.shape[a]) for a in axes]
    lengths = [next_fast_len(n + m - 1, real) for n, m in sizes]
    product = back(forth(first, lengths, axes) * forth(second, lengths, axes), lengths, axes).astype(first.dtype)
    key = [slice(None)] * product.ndim
    for a, (n, m) in zip(axes, sizes, strict=True):
        start, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (min(n, m) - 1, abs(n - m) + 1)}[
            kind
        ]
        key[a] = slice(start, start + count)
    return product[tuple(key)]
