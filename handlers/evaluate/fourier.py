"""Fourier transforms by NumPy, in the precision of the operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.fourier import Fourier, FourierKind
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from handlers.evaluate.rules import RULES


@RULES.rule(Fourier)
def evaluate_fourier(op: Fourier[Concrete]) -> Performed:
    return concrete(quiet.run(_transformed, op.kind, op.lengths, op.x.host), op.types())


def _transformed(kind: FourierKind, lengths: tuple[int, ...], x: Host) -> Host:
    """By the function of `numpy.fft` that has the name of the kind, with an n for several axes."""
    one = len(lengths) == 1
    transform: Callable[..., Host] = getattr(np.fft, kind.value if one else f"{kind.value}n")
    return transform(x, lengths[0]) if one else transform(x, lengths, tuple(range(-len(lengths), 0)))
