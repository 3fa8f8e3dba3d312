"""Higher-order operations, one row each: all that a jitted call or a conditional means lives in its file.

`restaging` holds the idea that takes any forward handler through them. Importing this package registers the rows.
"""

from handlers.higher_order import call, checkpoint, cond, custom_rules, scan, while_loop

__all__ = ["call", "checkpoint", "cond", "custom_rules", "scan", "while_loop"]
