"""Handlers of operations of one class: what `interpret` is given is known, and so are its fields."""

from __future__ import annotations

from typing import reveal_type

import effects as fx
from effects import Array, Operation, Performed
from effects.operations import Scan, Unary, UnaryKind
from handlers import OperationHandler, check_laws, kept


class Steps(OperationHandler[Scan[Array]]):
    handles = Scan
    steps: int = 2

    def interpret(self, op: Scan[Array], /) -> Performed:
        reveal_type(op.length)  # int
        return tuple(self.inside(op.body, (*op.consts, *op.init)))


class Sines(OperationHandler[Unary[Array]]):
    handles = UnaryKind.SIN
    count: Array = kept(default=fx.asarray(0))

    def interpret(self, op: Unary[Array], /) -> Performed:
        reveal_type(op.x)  # Array[Any, Any]
        self.count = self.count + 1
        return fx.perform(op)


class All(OperationHandler):
    def interpret(self, op: Operation[Array], /) -> Performed:
        return fx.perform(op)


with Sines() as sines, Steps(steps=3), All():
    fx.sin(1.0)
check_laws(Sines(), fx.sin, fx.asarray(1.0))
reveal_type(sines.count)  # Array[Any, Any]
