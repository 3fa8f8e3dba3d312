"""The public names of `effects.integrate`, each with the module that has it."""

from effects.integrate.initial_values import Event as Event, Solution as Solution, solve_ivp as solve_ivp
from effects.integrate.odes import odeint as odeint
from effects.integrate.panels import Quadrature as Quadrature, quad as quad
