"""`InPython`: programs run by Python, for `check_laws`, where compiling them would take longer."""

from __future__ import annotations

from typing import final

from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.functions.manipulation import movement
from effects.operations.checkpoint import Checkpoint
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Call, CallLike, Cond
from effects.operations.loops import Scan, While
from effects.program.chain import Performed, perform
from effects.program.operation import Operation
from handlers.stateful.operations import OperationHandler


@final
class InPython(OperationHandler):
    """Runs programs in Python, one operation after another, that would be compiled otherwise."""

    handles = (Call, Checkpoint, Cond, CustomCall, Scan, While)

    def interpret(self, op: Operation[Array], /) -> Performed:
        match op:
            case CallLike():
                return tuple(self.inside(op.body, op.operands_))
            case CustomCall():
                return perform(op) if op.body is None else tuple(self.inside(op.body, op.operands_))
            case Cond():
                branch = op.branches[min(max(int(op.index), 0), len(op.branches) - 1)]
                return tuple(self.inside(branch, op.operands_))
            case While():
                carry = list(op.init)
                while self.inside(op.condition, (*op.condition_consts, *carry))[0]:
                    carry = self.inside(op.body, (*op.body_consts, *carry))
                return tuple(carry)
            case Scan():
                carry, rows = list(op.init), []
                for i in reversed(range(op.length)) if op.reverse else range(op.length):
                    out = self.inside(op.body, (*op.consts, *carry, *[x[i] for x in op.xs]))
                    carry, row = out[: op.carried], out[op.carried :]
                    rows.append(row)
                columns = zip(*(rows[::-1] if op.reverse else rows), strict=True)
                return (*carry, *[movement.stack(column) for column in columns])
            case _:
                raise ArgumentError(f"InPython: {op.name} is not among what it handles")
