"""Forward-mode derivatives: one file of rules per family of operations."""

from handlers.jvp.rules import RULES, Dual, Jvp

__all__ = ["RULES", "Dual", "Jvp"]

RULES.rules_in(__name__)
