"""Batching: one file of rules per family of operations."""

from handlers.vmap import (
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
from handlers.vmap.rules import RULES, Batched, Vmap

__all__ = [
    "RULES",
    "Batched",
    "Vmap",
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
