"""Optimisers: gradient transformations, their parts, schedules.

    from effects import optim                      # or fx.optim

They are pure functions of a gradient, a state and the parameters, each a tree; `a >> b` is one after another.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
