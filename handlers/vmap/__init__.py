"""Batching: one file of rules per family of operations."""

from handlers.vmap.rules import RULES, Batched, Vmap

__all__ = ["RULES", "Batched", "Vmap"]

RULES.rules_in(__name__)
