"""What a call in a call gives: the outer one does not make the checker forget what it knows of the inner one."""

from typing import reveal_type

import effects as fx
from effects import Array


def nested(a: Array[fx.float32], c: Array[fx.complex64]) -> None:
    reveal_type((fx.abs(fx.exp(a)), fx.abs(fx.fft.fft(a)), abs(fx.fft.fft(a))))  # 3 × Array[float32, Any]
    reveal_type((fx.fft.fft(a).real, fx.angle(fx.exp(c)), fx.nansum(fx.exp(a))))  # 3 × Array[float32, Any]
    reveal_type((fx.fft.irfft(fx.fft.rfft(a)), fx.cumulative_sum(fx.sqrt(a))))  # 2 × Array[float32, Any]
    reveal_type(fx.sqrt(fx.sum(fx.square(a), axis=0)))  # Array[float32, Any]
    reveal_type((fx.fft.rfft(fx.exp(a)), fx.fft.fft(fx.nn.relu(a))))  # 2 × Array[complex64, Any]
