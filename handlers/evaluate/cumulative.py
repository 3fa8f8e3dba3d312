"""Cumulative folds by NumPy; what adds or multiplies narrow floats does it in float32 and rounds each result once."""

from __future__ import annotations

from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from handlers.evaluate.rules import RULES

_K = CumulativeKind
UFUNCS: Final = {
    _K.LOGSUMEXP: np.logaddexp,
    _K.MAX: np.maximum,
    _K.MIN: np.minimum,
    _K.PROD: np.multiply,
    _K.SUM: np.add,
}


@RULES.rule(Cumulative)
def evaluate_cumulative(op: Cumulative[Concrete]) -> Performed:
    aval = op.types()
    x = op.x.host
    if aval.dtype in dtypes.NARROW and op.kind is not _K.MAX and op.kind is not _K.MIN:
        wide = quiet.run(_accumulated, op.kind, quiet.run(x.astype, np.float32), op.axis, op.reverse)
        return concrete(quiet.run(wide.astype, aval.dtype.dtype), aval)
    return concrete(quiet.run(_accumulated, op.kind, x, op.axis, op.reverse), aval)


def _accumulated(kind: CumulativeKind, x: Host, axis: int, reverse: bool) -> Host:
    ufunc = UFUNCS[kind]
    if not reverse:
        out: Host = ufunc.accumulate(x, axis, x.dtype)
        return out
    backwards = (*[slice(None)] * axis, slice(None, None, -1))
    out = ufunc.accumulate(x[backwards], axis, x.dtype)[backwards]
    return out
