"""Loops on concrete arrays: compiled, since a loop is worth it. A user's function is traced once, not run each step."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.concrete import backend
from effects.operations.loops import Scan, While
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES, refuse_foreign


@RULES.rule(While, Scan)
def evaluate_loop(op: While[Array] | Scan[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(op)
