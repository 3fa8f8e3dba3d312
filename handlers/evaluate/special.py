"""Special functions by the programs of `handlers.special`, which are loaded when the first of them is computed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from effects.arrays.array import Array
from effects.operations.special import Special
from effects.program.chain import ROOT, Performed, installed
from handlers.evaluate.rules import RULES, refuse_foreign


def computed(op: Special[Any]) -> Array:
    """What an operation means, by other operations."""
    found: Array = import_module("handlers.special").computed(op)
    return found


@RULES.rule(Special)
def evaluate_special(op: Special[Array]) -> Performed:
    refuse_foreign(op)
    with installed(ROOT):
        return computed(op)
