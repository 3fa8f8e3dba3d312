"""Functions of whole matrices by NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.matrices import LeastSquares, PseudoInverse, UnitaryFactor
from effects.program.chain import Performed
from handlers.evaluate.factoring import factored, iterated
from handlers.evaluate.rules import RULES


def _cutoff(s: Host, share: Host) -> Host:
    """Up to which value singular values count as zero."""
    cutoff: Host = s[..., :1] * share[..., None]
    return cutoff


def _inverted(x: Host, share: Host) -> tuple[Host, Host, Host, Host]:
    """u, s and v of x, and 1/s, or 0 where s counts as zero."""
    u, s, v = np.linalg.svd(x, full_matrices=False)
    return u, s, v, np.divide(1, s, out=np.zeros_like(s), where=~(s <= _cutoff(s, share)))


@RULES.rule(PseudoInverse)
def evaluate_pseudo_inverse(op: PseudoInverse[Concrete]) -> Performed:
    share = op.share.host

    def inverse(x: Host) -> Sequence[Host]:
        u, s, v, inverted = _inverted(x, share)
        return (v.conj().mT * inverted[..., None, :]) @ u.conj().mT, s

    return factored(op, inverse, op.x.host)


@RULES.rule(LeastSquares)
def evaluate_least_squares(op: LeastSquares[Concrete]) -> Performed:
    b, share = op.b.host, op.share.host

    def solution(a: Host) -> Sequence[Host]:
        u, s, v, inverted = _inverted(a, share)
        x = v.conj().mT @ (inverted[..., None] * (u.conj().mT @ b))
        return x, np.asarray(np.count_nonzero(s > _cutoff(s, share), axis=-1)), s

    return factored(op, solution, op.a.host)


@RULES.rule(UnitaryFactor)
def evaluate_unitary_factor(op: UnitaryFactor[Concrete]) -> Performed:
    return concrete(iterated(op, _unitary, op.x.host), op.types())


def _unitary(x: Host) -> Host:
    u, _, v = np.linalg.svd(x, full_matrices=False)
    unitary: Host = u @ v
    return unitary
