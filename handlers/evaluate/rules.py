"""The column of evaluation, and what its rules share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import Context
from typing import Final

import numpy as np

from effects.array import Array
from effects.avals import ShapedArray
from effects.chain import ROOT, Performed, installed
from effects.concrete import Concrete, Host
from effects.custom import CustomOp
from effects.errors import EffaxError, LeakedValueError
from effects.operation import Operation
from effects.promotion import as_array
from handlers.column import Column


def _evaluate_custom(op: CustomOp[Array]) -> Performed:
    refuse_foreign(op)
    with installed(ROOT):
        result = op.evaluate()
    if isinstance(result, tuple):
        return tuple([as_array(r, op.name, "the result") for r in result])
    return as_array(result, op.name, "the result")


RULES: Final = Column[Callable[..., Performed]]("Evaluate", _evaluate_custom)


class _Quiet(threading.local):
    """A context per thread in which NumPy does not warn: overflow and NaN are values, as they are under XLA.

    Running in a context costs a twentieth of a microsecond, `numpy.errstate` more than one.
    """

    def __init__(self) -> None:
        context = Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


quiet: Final = _Quiet()


def result(host: Host | np.generic, aval: ShapedArray) -> Concrete:
    """The array of a computed NumPy value."""
    return Concrete(host if type(host) is np.ndarray else np.asarray(host), aval)


def refuse_foreign(op: Operation[Array]) -> None:
    """Raise LeakedValueError when an operand of `op` is no concrete array."""
    for value in op.operands:
        owner = value.owner
        if owner is None:
            continue
        state = (
            "which is not in the chain of this thread or task"
            if owner.alive
            else "whose extent is over; return values from the transformed function instead of keeping them elsewhere"
        )
        raise LeakedValueError(f"{op.name}: a value of type {value.aval} leaked from {owner!r}, {state}")


def refuse_ill_typed(op: Operation[Array]) -> None:
    """Raise what the type rule of a built-in operation raises, when its operands do not fit it."""
    if isinstance(op, CustomOp):
        return
    try:
        op.types()
    except EffaxError as error:
        raise error from None
