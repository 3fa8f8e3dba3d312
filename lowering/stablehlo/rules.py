"""The rule table of lowering: for each class of operations the rule that emits it.

A rule gets the operation over the atoms of the program, the variables of its results, and the `Scope`, which gives the
StableHLO value of an atom (`scope[op.x]`) and emits operations (`scope.op`). It returns the value of the result, or a
list of values for an operation with several. Rules are trusted; tests verify the modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from handlers.rule_table import RuleTable
from lowering.stablehlo.custom import lower_custom
from lowering.stablehlo.scope import Lowered

type Rule = Callable[..., Lowered]

RULES: Final = RuleTable[Rule]("lowering to StableHLO", lower_custom)
