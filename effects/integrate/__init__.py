"""Integrals: of ordinary differential equations, and of functions.

from effects import integrate                  # or fx.integrate
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
