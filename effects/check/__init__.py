"""Shapes that annotations declare, held against what functions do: `python -m effects.check`, and `shaped`.

Names of dimensions stand for numbers, functions are staged at these, and the rules of operations find what does not
fit: no rule is written a second time. `annotations` reads annotations, `said` is what they say, `dims` the dimensions
in them; `contracts` holds a call against them; `staging` checks a function, `loading` a module, `worker` files.
"""
