"""Forward-mode derivatives: one file of rules per family of operations."""

from handlers.jvp import (
    callbacks,
    collectives,
    contraction,
    convolution,
    cumulative,
    elementwise,
    gathering,
    indexing,
    movement,
    reduction,
    sorting,
)
from handlers.jvp.rules import RULES, Dual, Jvp

__all__ = [
    "RULES",
    "Dual",
    "Jvp",
    "callbacks",
    "collectives",
    "contraction",
    "convolution",
    "cumulative",
    "elementwise",
    "gathering",
    "indexing",
    "movement",
    "reduction",
    "sorting",
]
