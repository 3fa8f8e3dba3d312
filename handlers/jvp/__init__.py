"""Forward-mode derivatives: one file of rules per family of operations."""

from handlers.column import load_rules
from handlers.jvp.rules import RULES, Dual, Jvp

__all__ = ["RULES", "Dual", "Jvp"]

load_rules(__name__)
