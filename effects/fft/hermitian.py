"""Fourier transforms of real numbers, whose second half is the first one's conjugate, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from effects.arguments import integers
from effects.arrays.array import Array
from effects.arrays.promotion import convert, inexact
from effects.errors import DTypeError, ShapeError
from effects.fft.transforms import (
    LAST_TWO,
    as_complex,
    divided,
    fitted,
    of_complex,
    of_few,
    one_axis,
    power_of,
    transformed_axes,
)
from effects.functions.elementwise import unary
from effects.operations.fourier import MOST_AXES, FourierKind
from effects.types import dtypes

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.fft.transforms import Norm
    from effects.types.signatures.becoming import AsSignal, AsSpectrum


def rfft(x: AsSpectrum[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The discrete Fourier transform of real numbers along `axis`: the first n//2 + 1 elements of `fft`.

    The others are the conjugates of these in reverse order. Arguments are those of `fft`. Raises DTypeError for complex
    numbers, ShapeError for an axis without elements.

    >>> import effects as fx
    >>> fx.fft.rfft(fx.asarray([1.0, 0.0, -1.0, 0.0]))
    Array([0.+0.j, 2.+0.j, 0.+0.j], complex128)
    """
    return _halved("rfft", x, *one_axis("rfft", n, axis), norm)


def irfft(x: AsSignal[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The inverse of `rfft`: n real numbers along `axis`, by default 2·(m - 1) for the m elements of x there.

    So an odd n has to be passed. The imaginary part of the first element, and for even n of the last one, is not read:
    it is 0 in the results of `rfft`. `norm` is as for `fft`.

    >>> import effects as fx
    >>> fx.fft.irfft(fx.asarray([0.0, 2.0, 0.0]))
    Array([ 1.,  0., -1.,  0.], float64)
    """
    return _whole("irfft", x, *one_axis("irfft", n, axis), norm)


def rfft2(
    x: AsSpectrum[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] = LAST_TWO, norm: Norm = None
) -> Array[DT]:
    """The discrete Fourier transform of real numbers along two axes, the last ones by default; arguments as for
    `rfftn`.

    >>> import effects as fx
    >>> fx.fft.rfft2(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], complex128)
    """
    return _halved("rfft2", x, s, axes, norm)


def irfft2(
    x: AsSignal[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] = LAST_TWO, norm: Norm = None
) -> Array[DT]:
    """The inverse of `rfft2`; arguments as for `irfftn`.

    >>> import effects as fx
    >>> fx.fft.irfft2(fx.asarray([[10.0, -2.0], [-4.0, 0.0]]))
    Array([[1., 2.],
           [3., 4.]], float64)
    """
    return _whole("irfft2", x, s, axes, norm)


def rfftn(
    x: AsSpectrum[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None
) -> Array[DT]:
    """The discrete Fourier transform of real numbers along several axes: the first n//2 + 1 elements of `fftn` along
    the last of these.

    The others follow from these. Arguments are those of `fftn`. Raises DTypeError for complex numbers, ShapeError for
    an axis without elements, or no axis at all.

    >>> import effects as fx
    >>> fx.fft.rfftn(fx.ones((1, 1, 3)))
    Array([[[3.+0.j, 0.+0.j]]], complex128)
    """
    return _halved("rfftn", x, s, axes, norm)


def irfftn(
    x: AsSignal[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None
) -> Array[DT]:
    """The inverse of `rfftn`, of real numbers; `s` has the number of elements along each axis of the result.

    Along the last axis it is as `n` of `irfft`, and an odd number has to be passed.

    >>> import effects as fx
    >>> fx.fft.irfftn(fx.asarray([[3.0, 0.0]]), s=(1, 3))
    Array([[1., 1., 1.]], float64)
    """
    return _whole("irfftn", x, s, axes, norm)


def hfft(x: AsSignal[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The discrete Fourier transform, which is real, of a signal whose second half is the conjugate of its first in
    reverse.

    x has the first half along `axis`; the result has n elements there, by default 2·(m - 1) for the m of x. Arguments
    are those of `irfft`.

    >>> import effects as fx
    >>> fx.fft.hfft(fx.asarray([1.0, 2.0, 3.0]))
    Array([ 8., -2.,  0., -2.], float64)
    """
    return _whole("hfft", x, *one_axis("hfft", n, axis), norm, of_half=True)


def ihfft(x: AsSpectrum[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The inverse of `hfft`: the first n//2 + 1 elements of `ifft` of real numbers, along `axis`.

    Arguments are those of `rfft`.

    >>> import effects as fx
    >>> fx.fft.ihfft(fx.asarray([8.0, -2.0, 0.0, -2.0]))
    Array([1.-0.j, 2.-0.j, 3.-0.j], complex128)
    """
    return _halved("ihfft", x, *one_axis("ihfft", n, axis), norm, of_half=True)


def _halved(
    function: str, x: object, s: Sequence[int] | None, axes: Sequence[int] | None, norm: Norm, of_half: bool = False
) -> Array:
    """A transform of real numbers, or of the half of numbers whose transform is real."""
    array, power = inexact(function, x), power_of(function, norm)
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: x must be of real numbers, got {array.aval}; use fft, or real(x)")
    if array.aval.dtype in dtypes.NARROW:
        array = convert(array, dtypes.float32)
    at, lengths = transformed_axes(function, array.aval.shape, s, axes)
    _check_some(function, at)
    done = of_few(FourierKind.RFFT, fitted(array, at, lengths), at[-MOST_AXES:], lengths[-MOST_AXES:])
    done = of_complex(FourierKind.FFT, done, at[:-MOST_AXES], lengths[:-MOST_AXES])
    return unary.conj(divided(done, lengths, 1 - power)) if of_half else divided(done, lengths, power)


def _whole(
    function: str, x: object, s: Sequence[int] | None, axes: Sequence[int] | None, norm: Norm, of_half: bool = False
) -> Array:
    """A transform to real numbers, or of the half of numbers whose transform is real."""
    array, power = as_complex(function, x), power_of(function, norm)
    shape = array.aval.shape
    at, lengths = transformed_axes(function, shape, s, axes)
    _check_some(function, at)
    if s is None or integers(function, "s", s)[-1] == -1:
        lengths = (*lengths[:-1], 2 * (shape[at[-1]] - 1))
        if not lengths[-1]:
            raise ShapeError(
                f"{function}: x has one element along axis {at[-1]} of shape {list(shape)}, so the result may have 0 "
                "elements or 1; pass its length"
            )
    fitted_lengths = (*lengths[:-1], lengths[-1] // 2 + 1)
    ready = fitted(unary.conj(array) if of_half else array, at, fitted_lengths)
    done = of_complex(FourierKind.IFFT, ready, at[:-MOST_AXES], lengths[:-MOST_AXES])
    done = of_few(FourierKind.IRFFT, done, at[-MOST_AXES:], lengths[-MOST_AXES:])
    return divided(done, lengths, power - 1 if of_half else -power)


def _check_some(function: str, at: tuple[int, ...]) -> None:
    if not at:
        raise ShapeError(f"{function}: a transform of real numbers needs at least one axis, got none")
