"""Special functions by SciPy; by the programs of `handlers.special` where it has no such function or loses digits.

`erf`, `erfc` and `erf_inv`, which the compiler has too, are elementwise functions (`handlers/evaluate/elementwise.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from effects.arrays.concrete import Host, concrete
from effects.operations.special import Special, SpecialKind
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.evaluate import scipy_functions
from handlers.evaluate.rules import RULES, refuse_foreign, result
from handlers.special import by_program
from handlers.special.rows import ROWS


@RULES.rule(Special)
def evaluate_special(op: Special[Any]) -> Performed:
    if any(op.orders):
        refuse_foreign(op)
        return by_program(op)
    xs = [x.host for x in op.xs]
    dtype = xs[0].dtype
    wide = xs if dtype == np.float64 else [x.astype(np.float64) for x in xs]
    function, lost = scipy_functions.of(op.kind), ROWS[op.kind].lost
    y: Host = quiet.run(_whole, function, wide)
    if lost is not None and y.size:
        at = quiet.run(lost, y, *wide)
        if np.count_nonzero(at):
            at = np.broadcast_to(at, y.shape)
            y[at] = _at(op.kind, scipy_functions.elements_at(at, *wide))
    if dtype != np.float64:
        y = quiet.run(_rounded, y, dtype)
    return result(y, op.types())


def _whole(function: Callable[..., Host], xs: list[Host]) -> Host:
    y = function(*xs)
    return y if type(y) is np.ndarray else np.asarray(y)


def _rounded(y: Host, dtype: np.dtype[Any]) -> Host:
    return (y if dtype.itemsize > 2 else y.astype(np.float32)).astype(dtype)


def _at(kind: SpecialKind, xs: list[Host]) -> Host:
    """The function by the program, padded to a power of two elements, since it is compiled for each length."""
    count = xs[0].size
    length = 1 << (count - 1).bit_length()
    aval = ShapedArray((length,), dtypes.float64)
    result: Any = by_program(Special(kind, tuple([concrete(np.resize(x, length), aval) for x in xs])))
    values: Host = result.host[:count]
    return values
