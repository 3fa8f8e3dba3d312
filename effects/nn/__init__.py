"""Functions for neural networks: activations, encodings, normalisation, attention, pooling.

    from effects import nn                      # or fx.nn

At a kink the derivative is that of the side where the function is flat (flatter), so that of `relu` at 0 is 0. Narrow
floats are computed in float32 and rounded once.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
