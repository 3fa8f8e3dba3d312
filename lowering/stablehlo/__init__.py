"""StableHLO: what a program looks like to the compiler.

`emit` makes a module of a program. The rules are cut by operation family, like the operations themselves; what all of
them use is in `rules`, the way to MLIR in `builder` and `context`.
"""

from lowering.stablehlo import (
    callbacks,
    checkpoint,
    collectives,
    contraction,
    convolution,
    creation,
    cumulative,
    custom,
    custom_rules,
    elementwise,
    gathering,
    higher_order,
    indexing,
    loops,
    movement,
    reduction,
    sorting,
)
from lowering.stablehlo.builder import Builder, Region
from lowering.stablehlo.module import Module, emit

__all__ = [
    "Builder",
    "Module",
    "Region",
    "callbacks",
    "checkpoint",
    "collectives",
    "contraction",
    "convolution",
    "creation",
    "cumulative",
    "custom",
    "custom_rules",
    "elementwise",
    "emit",
    "gathering",
    "higher_order",
    "indexing",
    "loops",
    "movement",
    "reduction",
    "sorting",
]
