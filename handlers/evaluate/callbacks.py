"""Callbacks on concrete arrays: Python is called now."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.concrete import concrete
from effects.operations.callbacks import Callback, Host
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES, refuse_foreign


@RULES.rule(Callback)
def evaluate_callback(op: Callback[Array]) -> Performed:
    refuse_foreign(op)
    results = op.function(*[_read_only(v) for v in op.operands_])
    return tuple([concrete(host, aval) for host, aval in zip(results, op.function.results, strict=True)])


def _read_only(value: Array) -> Host:
    known = value.known()
    assert known is not None, "evaluation refuses values that are not concrete"
    return known.lend()
