"""StableHLO: what a program looks like to the compiler.

`emit` makes a module of a program. The rules are cut by operation family, like the operations themselves; what all of
them use is in `rules`, the way to MLIR in `builder` and `context`.
"""

from handlers.column import load_rules
from lowering.stablehlo.builder import Builder, Region
from lowering.stablehlo.module import Module, emit

__all__ = ["Builder", "Module", "Region", "emit"]

load_rules(__name__)
