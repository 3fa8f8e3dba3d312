"""The public names of `effects.fft`, each with the module that has it."""

from effects.fft.frequencies import (
    fftfreq as fftfreq,
    fftshift as fftshift,
    ifftshift as ifftshift,
    rfftfreq as rfftfreq,
)
from effects.fft.hermitian import (
    hfft as hfft,
    ihfft as ihfft,
    irfft as irfft,
    irfft2 as irfft2,
    irfftn as irfftn,
    rfft as rfft,
    rfft2 as rfft2,
    rfftn as rfftn,
)
from effects.fft.transforms import fft as fft, fft2 as fft2, fftn as fftn, ifft as ifft, ifft2 as ifft2, ifftn as ifftn
