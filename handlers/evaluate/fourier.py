"""Fourier transforms by NumPy, in the precision of the operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.fourier import Fourier, FourierKind
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from handlers.evaluate.rules import RULES

_K = FourierKind
_OF_ONE: Final[dict[FourierKind, Callable[..., Host]]] = {
    _K.FFT: np.fft.fft,
    _K.IFFT: np.fft.ifft,
    _K.RFFT: np.fft.rfft,
    _K.IRFFT: np.fft.irfft,
}
_OF_SEVERAL: Final[dict[FourierKind, Callable[..., Host]]] = {
    _K.FFT: np.fft.fftn,
    _K.IFFT: np.fft.ifftn,
    _K.RFFT: np.fft.rfftn,
    _K.IRFFT: np.fft.irfftn,
}


@RULES.rule(Fourier)
def evaluate_fourier(op: Fourier[Concrete]) -> Performed:
    return concrete(quiet.run(_transformed, op.kind, op.lengths, op.x.host), op.types())


def _transformed(kind: FourierKind, lengths: tuple[int, ...], x: Host) -> Host:
    if len(lengths) == 1:
        return _OF_ONE[kind](x, lengths[0])
    return _OF_SEVERAL[kind](x, lengths, tuple(range(-len(lengths), 0)))
