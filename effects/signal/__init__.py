"""Signals: convolution, windows, spectra of segments.

    from effects import signal                     # or fx.signal

Names, arguments and numbers are those of scipy.signal.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
