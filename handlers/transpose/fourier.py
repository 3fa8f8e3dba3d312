"""Transposes of Fourier transforms.

Those of complex numbers are symmetric matrices. Of real numbers, with N elements in all, the transpose of `rfft` is N ·
irfft(conj(ct) / w), and that of `irfft` is w · conj(rfft(ct)) / N: the weight w is 1 for elements that are their own
conjugates (the first, and for even lengths the last) and 2 for all others, which stand for their conjugates, too.
"""

from __future__ import annotations

import math

from effects.arrays.array import Array
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.operations.fourier import Fourier, FourierKind
from effects.program.chain import perform
from effects.types import dtypes
from handlers.transpose.rules import RULES, Cotangents


@RULES.rule(Fourier)
def transpose_fourier(op: Fourier[Array], ct: Array) -> Cotangents:
    count = math.prod(op.lengths)
    if op.kind is FourierKind.RFFT:
        half = _weighted(unary.conj(ct), op.lengths[-1], count, count / 2)
        return (perform(Fourier(FourierKind.IRFFT, op.lengths, half)),)
    if op.kind is FourierKind.IRFFT:
        half = unary.conj(perform(Fourier(FourierKind.RFFT, op.lengths, ct)))
        return (_weighted(half, op.lengths[-1], 1 / count, 2 / count),)
    return (perform(Fourier(op.kind, op.lengths, ct)),)


def _weighted(half: Array, n: int, own: float, others: float) -> Array:
    """`half`, the spectrum of n real numbers, times `own` at elements that are their own conjugates, else `others`."""
    real = dtypes.real_of(half.aval.dtype)
    places = creation.iota(dtypes.int64, (n // 2 + 1,), 0)
    alone = (places == 0) | (2 * places == n)
    weights = logic.where(alone, creation.asarray(own, dtype=real), creation.asarray(others, dtype=real))
    return arithmetic.multiply(weights, half)
