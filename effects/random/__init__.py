"""Random numbers as functions of an explicit key.

    from effects import random                  # or fx.random

A key gives the same numbers each time, eagerly and compiled, in every lane and on every device; `split` and `fold_in`
make other keys of it. The generator is Threefry-2x32, and the numbers are those of jax, or Philox-4x32 by its name.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
