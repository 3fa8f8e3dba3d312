"""Transposition of linear programs: one file of rules per family of operations."""

from handlers.transpose import (
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
from handlers.transpose.rules import RULES, Linear, is_linear, transpose_jaxpr, transposed

__all__ = [
    "RULES",
    "Linear",
    "callbacks",
    "collectives",
    "contraction",
    "convolution",
    "cumulative",
    "elementwise",
    "gathering",
    "indexing",
    "is_linear",
    "movement",
    "reduction",
    "sorting",
    "transpose_jaxpr",
    "transposed",
]
