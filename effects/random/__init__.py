"""Random numbers as functions of an explicit key.

    from effects import random                  # or fx.random

A key gives the same numbers each time, eagerly and compiled, in every lane and on every device; `split` and `fold_in`
make other keys of it. The generator is Threefry-2x32, and the numbers are those of jax, or Philox-4x32 by its name.

Functions take a key, the parameters of a distribution, the `shape` of the result and its `dtype`: an int or a tuple of
ints, by default () or the shape that the parameters broadcast to; and a floating dtype, by default the default float.
They raise ArgumentError for what is no key, ShapeError for several keys and for parameters that do not broadcast to the
shape, and DTypeError for another dtype.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
