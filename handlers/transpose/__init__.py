"""Transposition of linear programs: one file of rules per family of operations."""

from handlers.transpose.programs import transposed
from handlers.transpose.rules import RULES, Linear, is_linear, transpose_jaxpr

__all__ = ["RULES", "Linear", "is_linear", "transpose_jaxpr", "transposed"]

RULES.rules_in(__name__)
