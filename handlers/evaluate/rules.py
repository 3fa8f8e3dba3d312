"""The rule table of evaluation, and helpers that its rules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.errors import EffaxError
from effects.program.chain import ROOT, Performed, installed
from effects.program.custom import CustomOp
from effects.program.operation import Operation
from effects.types.avals import ShapedArray
from handlers.contracts import checked_evaluate
from handlers.rule_table import RuleTable


def _evaluate_custom(op: CustomOp[Array]) -> Performed:
    refuse_foreign(op)
    with installed(ROOT):
        result = op.evaluate()
        return checked_evaluate(op, result)


RULES: Final = RuleTable[Callable[..., Performed]]("Evaluate", _evaluate_custom)


def result(host: Host | np.generic, aval: ShapedArray) -> Concrete:
    """The array of a computed NumPy value."""
    return concrete(host if type(host) is np.ndarray else np.asarray(host), aval)


def refuse_foreign(op: Operation[Array]) -> None:
    """Raise LeakedValueError when an operand of `op` is no concrete array."""
    for value in op.operands:
        if value.owner is not None:
            raise value.leaked(op.name)


def compiled(op: Operation[Array]) -> Performed:
    """Rule of operations that hold programs, which are compiled."""
    refuse_foreign(op)
    return backend().execute(op)


def refuse_ill_typed(op: Operation[Array]) -> None:
    """Raise what the type rule of a built-in operation raises, when its operands do not fit it."""
    if isinstance(op, CustomOp):
        return
    try:
        op.types()
    except EffaxError as error:
        raise error from None
