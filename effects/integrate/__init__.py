"""Integrals: of ordinary differential equations, and of functions.

from effects import integrate                  # or fx.integrate
"""

from effects.runtime.names import public
from effects.runtime.scipy_spellings import INTEGRALS

__getattr__, __dir__, __all__ = public(__name__, INTEGRALS)
