"""Contractions by NumPy's matrix product."""

from __future__ import annotations

import math

import numpy as np

from effects.chain import Performed
from effects.concrete import Concrete, Host
from effects.operations.contraction import DotGeneral
from handlers.evaluate.rules import RULES, quiet


@RULES.rule(DotGeneral)
def evaluate_dot_general(op: DotGeneral[Concrete]) -> Performed:
    aval = op.types()
    x, y = op.x.host, op.y.host
    if op.batch == ((), ()) and x.ndim == y.ndim == 2 and op.contracting == ((1,), (0,)):
        return Concrete(quiet.run(np.matmul, x, y, out=...), aval)
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    x_free = [a for a in range(x.ndim) if a not in x_sum and a not in x_batch]
    y_free = [a for a in range(y.ndim) if a not in y_sum and a not in y_batch]
    batch = [x.shape[a] for a in x_batch]
    summed = math.prod([x.shape[a] for a in x_sum])
    left = _matrices(x, [*x_batch, *x_free, *x_sum], [*batch, math.prod([x.shape[a] for a in x_free]), summed])
    right = _matrices(y, [*y_batch, *y_sum, *y_free], [*batch, summed, math.prod([y.shape[a] for a in y_free])])
    return Concrete(quiet.run(np.matmul, left, right).reshape(aval.shape), aval)


def _matrices(x: Host, axes: list[int], shape: list[int]) -> Host:
    return x.transpose(axes).reshape(shape)
