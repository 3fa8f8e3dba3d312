"""Creation by NumPy."""

from __future__ import annotations

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import concrete
from effects.operations.creation import Iota
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES


@RULES.rule(Iota)
def evaluate_iota(op: Iota[Array]) -> Performed:
    aval = op.types()
    line = np.arange(op.shape[op.axis]).astype(op.dtype.dtype)
    line = line.reshape([-1 if axis == op.axis else 1 for axis in range(len(op.shape))])
    return concrete(np.broadcast_to(line, op.shape), aval)
