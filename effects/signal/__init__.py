"""Signals: convolution, windows, spectra of segments.

    from effects import signal                     # or fx.signal

Names, arguments and numbers are those of scipy.signal.
"""

from typing import TYPE_CHECKING

from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import SIGNALS
from effects.signal.convolution import convolve, correlate, fftconvolve
from effects.signal.spectra import csd, detrend, istft, stft, welch
from effects.signal.weights import get_window

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.signal", SIGNALS)


def __dir__() -> list[str]:
    return __all__


__all__ = ["convolve", "correlate", "csd", "detrend", "fftconvolve", "get_window", "istft", "stft", "welch"]
