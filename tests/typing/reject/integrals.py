"""Integrals: of functions of other arguments, by options that there are not."""

import effects as fx
from effects import integrate


def decay(y: fx.Array, t: fx.Array) -> fx.Array:
    return -y


integrate.quad(decay, 0.0, 1.0)  # E: incompatible type
integrate.quad(fx.sin, 0.0, 1.0).residual  # E: "residual"
integrate.solve_ivp(decay, [0.0, 1.0], fx.ones(2), events=[decay])  # E: has incompatible type
integrate.solve_ivp(decay, [0.0, 1.0], fx.ones(2)).ys  # E: "ys"
integrate.odeint(lambda y: -y, fx.ones(2), [0.0, 1.0])  # E: Argument 1 to "odeint"
integrate.solve_ivp(fx.ones(2), [0.0, 1.0], fx.ones(2))  # E: Argument 1 to "solve_ivp"
integrate.Event(decay, terminal="yes")  # E: incompatible type
