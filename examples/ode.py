"""Prey and those who hunt it: rates that explain what was seen, by Gauss–Newton steps through the solution."""

import effects as fx
from effects import Array, integrate, linalg
from handlers import jacrev, scan


def hunted(y: Array, t: Array, rates: Array) -> Array:
    """Prey and hunters: births, meetings that end a prey, deaths, meetings that feed a hunter (Lotka, 1920)."""
    prey, hunters = y[0], y[1]
    return fx.stack([rates[0] * prey - rates[1] * prey * hunters, rates[3] * prey * hunters - rates[2] * hunters])


def numbers(rates: Array, start: Array, times: Array) -> Array:
    """Numbers of both at the times, [T, 2]."""
    return integrate.odeint(hunted, start, times, rates)


def fit(rates: Array, start: Array, times: Array, observed: Array, steps: int) -> Array:
    """The rates of least squares, from a guess near to them.

    >>> times, start = fx.linspace(0.0, 4.0, 9), fx.asarray([1.0, 1.0])
    >>> observed = numbers(fx.asarray([1.5, 1.0, 3.0, 1.0]), start, times)
    >>> fit(fx.asarray([1.4, 0.9, 2.9, 1.1]), start, times, observed, 5).round(4)
    Array([1.5, 1. , 3. , 1. ], float64)
    """

    def wrong(rates: Array) -> Array:
        return fx.ravel(numbers(rates, start, times) - observed)

    def step(rates: Array, _: None) -> tuple[Array, None]:
        slopes = jacrev(wrong)(rates)
        return rates - linalg.solve(slopes.T @ slopes, slopes.T @ wrong(rates)), None

    return scan(step, rates, None, length=steps)[0]
