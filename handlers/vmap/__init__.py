"""Batching: one file of rules per family of operations."""

from handlers.vmap import contraction, elementwise, indexing, movement, reduction
from handlers.vmap.rules import RULES, Batched, Vmap

__all__ = ["RULES", "Batched", "Vmap", "contraction", "elementwise", "indexing", "movement", "reduction"]
