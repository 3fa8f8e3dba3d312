"""The discrete Fourier transform over the last axes."""

from __future__ import annotations

from typing import Final

from effects.errors import DTypeError, ShapeError
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.promotion import complex_of
from effects.types.shapes.dims import show

MOST_AXES: Final = 3
"""Number of axes that one operation transforms; more axes take several operations."""


class FourierKind(Kind):
    """The transforms: of complex numbers, and its inverse; of real numbers to half of the spectrum, and its inverse."""

    FFT = "fft"
    IFFT = "ifft"
    RFFT = "rfft"
    IRFFT = "irfft"


@operation
class Fourier[V](Single[V]):
    """out[k] = Σⱼ x[j] · exp(-2πi Σₐ jₐ·kₐ / nₐ) over the last axes, of n = `lengths` elements in the domain of j.

    `IFFT` has the other sign and divides by the number of elements. `RFFT` is of real numbers and gives the first
    n//2 + 1 elements along the last axis, of which the others are the conjugates; `IRFFT` is its inverse, takes as
    many, and reads no imaginary part of those that are their own conjugates. Of single and double precision.
    """

    kind: FourierKind
    lengths: tuple[int, ...]
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Fourier[Typed]) -> ShapedArray:
        x, lengths, kind = self.x.aval, self.lengths, self.kind
        real = dtypes.real_of(x.dtype)
        dtype_class = dtypes.Floating if kind is FourierKind.RFFT else dtypes.Complex
        if not issubclass(x.dtype, dtype_class) or real not in (dtypes.float32, dtypes.float64):
            numbers = "real" if kind is FourierKind.RFFT else "complex"
            raise DTypeError(f"{self.name} takes {numbers} numbers of single or double precision, got {x}")
        if not 1 <= len(lengths) <= min(MOST_AXES, x.ndim) or min(lengths) < 1:
            raise ShapeError(f"{self.name}: {list(lengths)} elements along the last axes of shape {show(x.shape)}")
        half = (*lengths[:-1], lengths[-1] // 2 + 1)
        lengths_in = half if kind is FourierKind.IRFFT else lengths
        if x.shape[-len(lengths) :] != lengths_in:
            raise ShapeError(f"{self.name}: the last axes have to be {list(lengths_in)}, got shape {show(x.shape)}")
        lanes = x.shape[: -len(lengths)]
        if kind is FourierKind.RFFT:
            return ShapedArray((*lanes, *half), complex_of(real))
        return ShapedArray((*lanes, *lengths), real) if kind is FourierKind.IRFFT else ShapedArray(x.shape, x.dtype)
