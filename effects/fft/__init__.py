"""Discrete Fourier transforms: the names of the Array API standard and NumPy.

    from effects import fft                     # or fx.fft

Transforms are along one axis (`fft`), two (`fft2`) or any (`fftn`), of complex numbers or of real ones (`rfft`, whose
result has the half that the other half follows from). `norm` says where a transform of N elements and its inverse are
divided: `"backward"` (the default) divides the inverse by N, `"forward"` the other, `"ortho"` both by √N. Single
precision stays single, integers become the default float, narrower floats single precision.

All of them are linear. Derivatives of complex numbers are those of `grad` everywhere: ∂f/∂x - i ∂f/∂y.
"""

from typing import TYPE_CHECKING

from effects.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from effects.fft.hermitian import hfft, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn
from effects.fft.transforms import fft, fft2, fftn, ifft, ifft2, ifftn
from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import FOURIER

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.fft", FOURIER)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
