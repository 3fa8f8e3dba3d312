"""StableHLO: the form of a program that the compiler reads.

`emit` writes the module of a program. The rules are in a file per family, like the operations; `rules` has their table,
`scope` what they use, and `builder` and `context` have MLIR's interface.
"""

from lowering.stablehlo.builder import Builder, Region
from lowering.stablehlo.module import Module, emit
from lowering.stablehlo.rules import RULES

__all__ = ["Builder", "Module", "Region", "emit"]

RULES.rules_in(__name__)
