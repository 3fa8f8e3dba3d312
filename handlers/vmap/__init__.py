"""Batching: one file of rules per family of operations."""

from handlers.column import load_rules
from handlers.vmap.rules import RULES, Batched, Vmap

__all__ = ["RULES", "Batched", "Vmap"]

load_rules(__name__)
