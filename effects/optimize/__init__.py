"""Minima, roots, least squares, line searches: solutions that are differentiated by the equations which they satisfy.

    from effects import optimize                   # or fx.optimize

Unknowns are trees of floats. `optim` has optimisers, for training.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
