"""Integrals and differential equations: states are trees like the first ones, integrals what functions give."""

from typing import NamedTuple, reveal_type

import effects as fx
from effects import integrate


class Ball(NamedTuple):
    height: fx.Array[fx.float32]
    speed: fx.Array[fx.float32]


def fall(t: fx.Array, y: Ball) -> Ball:
    return Ball(y.speed, -fx.ones_like(y.speed))


def landed(start: Ball) -> Ball:
    ground = integrate.Event(lambda t, y: y.height, terminal=True)
    result = integrate.solve_ivp(fall, [0.0, 9.0], start, events=[ground], method="tsit5")
    reveal_type((result.t, integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), 1.0, rtol=1e-3).y))  # 2 × Array[Any, Any]
    reveal_type(result.sol(0.5))  # tuple[Array[float32, Any], Array[float32, Any], fallback=Ball]
    return result.y_events[0]


def wave(x: fx.Array, rate: float) -> dict[str, fx.Array]:
    return {"sin": fx.sin(rate * x)}


reveal_type(integrate.quad(wave, 0.0, fx.inf, 2.0).value)  # dict[str, Array[Any, Any]]
