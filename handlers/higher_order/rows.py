"""The rows: importing this module registers the rules of all higher-order operations."""

from handlers.higher_order import batched_branches, call, checkpoint, cond, custom_rules, expansion, scan, while_loop
from handlers.stateful import rows

__all__ = ["batched_branches", "call", "checkpoint", "cond", "custom_rules", "expansion", "rows", "scan", "while_loop"]
