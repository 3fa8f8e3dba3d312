"""What a handler of operations of one class does with them that they do not have."""

from __future__ import annotations

from effects import Array, Performed, perform
from effects.operations import Scan, Unary, UnaryKind
from handlers import OperationHandler


class Sines(OperationHandler[Unary[Array]]):
    handles = UnaryKind.SIN

    def interpret(self, op: Unary[Array], /) -> Performed:
        print(op.y)  # E: "Unary[Array[Any, Any]]" has no attribute "y"
        return perform(op)


class Loops(OperationHandler[Scan[Array]]):
    handles = Scan

    def interpret(self, op: Unary[Array], /) -> Performed:  # E: Argument 1 of "interpret" is incompatible
        return perform(op)
