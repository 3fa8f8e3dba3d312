"""The rows: importing this module registers the rules of all higher-order operations."""

from handlers.higher_order import call, checkpoint, cond, custom_rules, expanded, lanes, scan, while_loop
from handlers.stateful import rows

__all__ = [
    "call",
    "checkpoint",
    "cond",
    "custom_rules",
    "expanded",
    "lanes",
    "rows",
    "scan",
    "while_loop",
]
