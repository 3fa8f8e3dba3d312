"""The public names of `effects.signal`, each with the module that has it."""

from effects.signal.convolution import convolve as convolve, correlate as correlate, fftconvolve as fftconvolve
from effects.signal.spectra import csd as csd, detrend as detrend, istft as istft, stft as stft, welch as welch
from effects.signal.weights import get_window as get_window
