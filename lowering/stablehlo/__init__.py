"""StableHLO: what a program looks like to the compiler.

`emit` makes a module of a program. The rules are cut by operation family, like the operations themselves; what all of
them use is in `rules`, the way to MLIR in `builder` and `context`.
"""

from lowering.stablehlo.builder import Builder, Region
from lowering.stablehlo.module import Module, emit
from lowering.stablehlo.rules import RULES

__all__ = ["Builder", "Module", "Region", "emit"]

RULES.rules_in(__name__)
