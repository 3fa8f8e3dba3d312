"""Special functions, with the names and arguments of scipy.

    from effects import special                 # or fx.special

Right to a few units in the last place, in every region, eagerly and compiled, those of single precision where it is not
computed in double precision and rounded once. All are differentiable in all floating arguments.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
