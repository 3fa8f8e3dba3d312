"""Fourier transforms of complex numbers, and what all transforms do with their arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from effects.arguments import LARGEST, choice, counted, integer, integers, shown
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, inexact
from effects.errors import ArgumentError, ShapeError
from effects.functions.elementwise import arithmetic
from effects.functions.manipulation import movement
from effects.operations.fourier import MOST_AXES, Fourier, FourierKind
from effects.operations.movement import Pad
from effects.program.chain import perform
from effects.types import shapes
from effects.types.promotion import complex_of

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import AsComplexes

    type Norm = Literal["backward", "ortho", "forward"] | None

_POWERS: Final = {"backward": 0.0, "ortho": 0.5, "forward": 1.0}
LAST_TWO: Final = (-2, -1)


def fft(x: AsComplexes[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The discrete Fourier transform along `axis`: out[k] = Σⱼ x[j] · exp(-2πi·jk/n), for k from 0 to n - 1.

    `n` is the number of elements along the axis of the result, by default that of x, which is cut, or filled up with
    zeros. The result is complex. `norm` selects what is divided by n: the inverse ("backward", the default), this
    transform ("forward"), or both by √n ("ortho"). Raises ShapeError for an empty axis, OutOfBoundsError for an axis
    that x does not have.

    >>> import effects as fx
    >>> fx.fft.fft(fx.asarray([1.0, 0.0, -1.0, 0.0]))
    Array([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j], complex128)
    """
    return _complex("fft", FourierKind.FFT, x, *one_axis("fft", n, axis), norm)


def ifft(x: AsComplexes[DT], /, n: int | None = None, axis: int = -1, norm: Norm = None) -> Array[DT]:
    """The inverse of `fft`, with the same arguments: out[j] = 1/n Σₖ x[k] · exp(2πi·jk/n) along `axis`.

    >>> import effects as fx
    >>> fx.fft.ifft(fx.asarray([0.0, 2.0, 0.0, 2.0]))
    Array([ 1.+0.j,  0.+0.j, -1.+0.j,  0.+0.j], complex128)
    """
    return _complex("ifft", FourierKind.IFFT, x, *one_axis("ifft", n, axis), norm)


def fft2(
    x: AsComplexes[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] = LAST_TWO, norm: Norm = None
) -> Array[DT]:
    """The discrete Fourier transform along two axes, the last ones by default; arguments as for `fftn`.

    >>> import effects as fx
    >>> fx.fft.fft2(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], complex128)
    """
    return _complex("fft2", FourierKind.FFT, x, s, axes, norm)


def ifft2(
    x: AsComplexes[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] = LAST_TWO, norm: Norm = None
) -> Array[DT]:
    """The inverse of `fft2`, with the same arguments.

    >>> import effects as fx
    >>> fx.fft.ifft2(fx.asarray([[10.0, -2.0], [-4.0, 0.0]]))
    Array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], complex128)
    """
    return _complex("ifft2", FourierKind.IFFT, x, s, axes, norm)


def fftn(
    x: AsComplexes[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None
) -> Array[DT]:
    """The discrete Fourier transform along several `axes`, each named once: by default all, or the last `len(s)`.

    `s` has the number of elements along each axis of the result, -1 for that of x, which is cut, or filled up with
    zeros. `norm` is as for `fft`. Raises ShapeError for an empty axis, ArgumentError if `s` and `axes` differ in
    length.

    >>> import effects as fx
    >>> fx.fft.fftn(fx.ones((2, 2)), s=(2, 1))
    Array([[2.+0.j],
           [0.+0.j]], complex128)
    """
    return _complex("fftn", FourierKind.FFT, x, s, axes, norm)


def ifftn(
    x: AsComplexes[DT], /, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None
) -> Array[DT]:
    """The inverse of `fftn`, with the same arguments.

    >>> import effects as fx
    >>> fx.fft.ifftn(fx.ones((2, 2)))
    Array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]], complex128)
    """
    return _complex("ifftn", FourierKind.IFFT, x, s, axes, norm)


def one_axis(function: str, n: int | None, axis: int) -> tuple[tuple[int] | None, tuple[int]]:
    """`s` and `axes` of a transform along one axis."""
    return None if n is None else (integer(function, "n", n),), (integer(function, "axis", axis),)


def _complex(
    function: str, kind: FourierKind, x: object, s: Sequence[int] | None, axes: Sequence[int] | None, norm: Norm
) -> Array:
    array, power = as_complex(function, x), power_of(function, norm)
    at, lengths = transformed_axes(function, array.aval.shape, s, axes)
    done = of_complex(kind, fitted(array, at, lengths), at, lengths)
    return divided(done, lengths, power if kind is FourierKind.FFT else -power)


def as_complex(function: str, x: object) -> Array:
    """x in complex numbers of its precision, single for narrower ones."""
    array = inexact(function, x)
    return convert(array, complex_of(array.aval.dtype))


def transformed_axes(
    function: str, shape: tuple[int, ...], s: Sequence[int] | None, axes: Sequence[int] | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes as positions, and the number of elements along each."""
    sizes = None if s is None else integers(function, "s", s)
    if axes is None:
        count = len(shape) if sizes is None else len(sizes)
        if count > len(shape):
            raise ShapeError(
                f"{function}: s has {counted(count, 'entry', 'entries')} for the {counted(len(shape), 'axis', 'axes')} "
                f"of shape {list(shape)}"
            )
        at = tuple(range(len(shape) - count, len(shape)))
    else:
        at = tuple([shapes.normalize_axis(function, shape, a) for a in integers(function, "axes", axes)])
        if len(set(at)) < len(at):
            raise ShapeError(f"{function}: axes {axes} name an axis of shape {list(shape)} twice")
    if sizes is not None and len(sizes) != len(at):
        raise ArgumentError(
            f"{function}: s has {counted(len(sizes), 'entry', 'entries')} for {counted(len(at), 'axis', 'axes')}"
        )
    lengths = tuple([shape[a] if sizes is None or sizes[i] == -1 else sizes[i] for i, a in enumerate(at)])
    for a, n in zip(at, lengths, strict=True):
        if not 1 <= n <= LARGEST:
            raise ShapeError(f"{function}: a transform needs at least one element, got {shown(n)} along axis {a}")
    return at, lengths


def fitted(x: Array, at: Sequence[int], lengths: Sequence[int]) -> Array:
    """x with so many elements along these axes: cut, or filled up with zeros behind."""
    missing = [0] * x.aval.ndim
    for a, n in zip(at, lengths, strict=True):
        have = x.aval.shape[a]
        x = movement.slice_axis(x, a, 0, min(n, have))
        missing[a] = max(n - have, 0)
    if not any(missing):
        return x
    return perform(Pad(tuple([(0, n, 0) for n in missing]), x, constant_like(0, x)))


def of_complex(kind: FourierKind, x: Array, at: tuple[int, ...], lengths: tuple[int, ...]) -> Array:
    """Transform any number of axes."""
    if not at:
        return x
    done = of_few(kind, x, at[-MOST_AXES:], lengths[-MOST_AXES:])
    return of_complex(kind, done, at[:-MOST_AXES], lengths[:-MOST_AXES])


def of_few(kind: FourierKind, x: Array, at: tuple[int, ...], lengths: tuple[int, ...]) -> Array:
    """Transform as many axes as one operation does."""
    last = tuple(range(-len(at), 0))
    return movement.moveaxis(perform(Fourier(kind, lengths, movement.moveaxis(x, at, last))), last, at)


def power_of(function: str, norm: Norm) -> float:
    """The power of the number of elements by which a transform is divided, and its inverse multiplied."""
    return _POWERS["backward" if norm is None else choice(function, "norm", norm, tuple(_POWERS))]


def divided(x: Array, lengths: Sequence[int], power: float) -> Array:
    """A transform of so many elements, divided by a power of their number."""
    count = math.prod(lengths)
    return x if not power or count == 1 else arithmetic.multiply(x, float(count) ** -power)
