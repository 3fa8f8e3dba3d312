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
    shape, dtype = op.shape, op.dtype.dtype
    line = np.arange(shape[op.axis])
    if dtype is not line.dtype:
        line = line.astype(dtype)
    if len(shape) == 1:
        return concrete(line, aval)
    line = line.reshape([-1 if axis == op.axis else 1 for axis in range(len(shape))])
    return concrete(np.broadcast_to(line, shape), aval)
