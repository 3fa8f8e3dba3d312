"""Higher-order operations, one row each: all that a jitted call or a conditional means lives in its file.

`restaging` holds the idea that takes any forward handler through them. `rows` registers them all; the columns import it
when a rule of theirs is first needed.
"""
