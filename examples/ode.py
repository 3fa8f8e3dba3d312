"""Predator and prey: rates fitted to observations by least squares through the solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import effects as fx
from effects import Array, integrate, optimize, random

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def hunted(y: Array, t: Array, rates: Array) -> Array:
    """Slopes of prey and predators: births, prey deaths, predator deaths, predator growth (Lotka, 1920)."""
    prey, hunters = y[0], y[1]
    return fx.stack([rates[0] * prey - rates[1] * prey * hunters, rates[3] * prey * hunters - rates[2] * hunters])


def numbers(rates: Array, start: Array, times: Array) -> Array:
    """Numbers of both at the times, [T, 2]."""
    return integrate.odeint(hunted, start, times, rates)


def fit(rates: Array, start: Array, times: Array, observed: Array) -> Array:
    """The least-squares rates, from a guess close to them.

    >>> times, start = fx.linspace(0.0, 4.0, 9), fx.asarray([1.0, 1.0])
    >>> observed = numbers(fx.asarray([1.5, 1.0, 3.0, 1.0]), start, times)
    >>> fit(fx.asarray([1.4, 0.9, 2.9, 1.1]), start, times, observed).round(4)
    Array([1.5, 1. , 3. , 1. ], float64)
    """
    return optimize.least_squares(lambda rates: numbers(rates, start, times) - observed, rates).x


def picture(figure: Figure) -> str:
    """Counts with an error of a tenth, and the solution with the best-fitting rates."""
    rates, start, times = fx.asarray([1.5, 1.0, 3.0, 1.0]), fx.asarray([1.0, 1.0]), fx.linspace(0.0, 8.0, 41)
    counted = numbers(rates, start, times) * (1 + 0.1 * random.normal(random.key(0), (41, 2)))
    fitted = fit(fx.asarray([1.4, 0.9, 2.9, 1.1]), start, times, counted)
    fine = fx.linspace(0.0, 8.0, 200)
    axes, explained = figure.subplots(), np.asarray(numbers(fitted, start, fine))
    for kind, name in enumerate(("prey", "hunters")):
        axes.plot(np.asarray(fine), explained[:, kind], color=f"C{kind}", label=name)
        axes.plot(np.asarray(times), np.asarray(counted[:, kind]), ".", color=f"C{kind}")
    axes.set(xlabel="time", ylabel="number")
    axes.legend()
    return f"The rates are {', '.join(f'{float(r):.2f}' for r in fitted)}; the true ones are 1.5, 1, 3, 1."
