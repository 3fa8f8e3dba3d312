"""What a call in a call gives: the outer one does not make the checker forget what it knows of the inner one."""

from typing import reveal_type

import effects as fx
from effects import Array


def nested(a: Array[fx.float32], c: Array[fx.complex64]) -> None:
    reveal_type(fx.abs(fx.exp(a)))  # Array[float32, Any]
    reveal_type(fx.abs(fx.fft.fft(a)))  # Array[float32, Any]
    reveal_type(abs(fx.fft.fft(a)))  # Array[float32, Any]
    reveal_type(fx.fft.fft(a).real)  # Array[float32, Any]
    reveal_type(fx.angle(fx.exp(c)))  # Array[float32, Any]
    reveal_type(fx.nansum(fx.exp(a)))  # Array[float32, Any]
    reveal_type(fx.fft.rfft(fx.exp(a)))  # Array[complex64, Any]
    reveal_type(fx.fft.irfft(fx.fft.rfft(a)))  # Array[float32, Any]
    reveal_type(fx.fft.fft(fx.nn.relu(a)))  # Array[complex64, Any]
    reveal_type(fx.cumulative_sum(fx.sqrt(a)))  # Array[float32, Any]
    reveal_type(fx.sqrt(fx.sum(fx.square(a), axis=0)))  # Array[float32, Any]
