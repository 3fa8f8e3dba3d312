"""Integrals: of ordinary differential equations, and of functions.

from effects import integrate                  # or fx.integrate
"""

from typing import TYPE_CHECKING

from effects.integrate.initial_values import Event, Solution, solve_ivp
from effects.integrate.odes import odeint
from effects.integrate.panels import Quadrature, quad
from effects.runtime.names import refuse_other_names
from effects.runtime.scipy_spellings import INTEGRALS

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.integrate", INTEGRALS)


def __dir__() -> list[str]:
    return __all__


__all__ = ["Event", "Quadrature", "Solution", "odeint", "quad", "solve_ivp"]
