"""The penalty of a logistic fit, chosen on held-out examples: a minimum of a function of minima.

By the implicit function theorem, a minimum is differentiable by the values on which it depends, whatever method found
it. So the loss of the fit on other examples has a derivative by the penalty, and is minimised like any other function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import effects as fx
from effects import Array, optimize, random
from handlers import vmap
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def loss(w: Array, x: Array, y: Array) -> Array:
    """Minus the logarithm of the probability of the classes y, 0 or 1, of the rows of x."""
    scores = x @ w
    return fx.mean(fx.logaddexp(0.0, scores) - y * scores)


def fit(penalty: float | Array, x: Array, y: Array) -> Array:
    """The weights of a logistic regression, differentiable by the penalty and by the examples.

    >>> fit(0.1, fx.asarray([[1.0], [-1.0]]), fx.asarray([1.0, 0.0])).round(4)
    Array([1.6335], float64)
    """
    penalised = lambda w, penalty: loss(w, x, y) + penalty * fx.sum(w**2) / 2
    start: Array = fx.zeros(x.shape[1], dtype=x.dtype)
    return optimize.minimize(penalised, start, penalty, method="newton-cg").x


def best_penalty(fitted: tuple[Array, Array], others: tuple[Array, Array]) -> Array:
    """The penalty with which a fit to some rows and their classes has the least loss on others."""
    by_log = lambda log: loss(fit(fx.exp(log), *fitted), *others)
    return fx.exp(optimize.minimize(by_log, fx.asarray(-2.0), tol=1e-6).x)


def picture(figure: Figure) -> str:
    """The loss on held-out examples over the penalty, and the minimum to which its derivatives lead."""
    first, second = random.split(random.key(3))
    x = random.normal(first, (90, 12))
    y = (x[:, 0] - x[:, 1] + random.normal(second, (90,)) > 0).astype(x.dtype)
    fitted, others = (x[:30], y[:30]), (x[30:], y[30:])
    best = jit(best_penalty)(fitted, others)
    penalties = fx.exp(fx.linspace(-6.0, 2.0, 60))
    losses = jit(vmap(lambda penalty: loss(fit(penalty, *fitted), *others)))(
        fx.append(penalties, best * fx.asarray([1.0, 0.1, 10.0]))
    )
    least, less, more = map(float, losses[60:])
    axes = figure.subplots()
    axes.semilogx(np.asarray(penalties), np.asarray(losses[:60]))
    axes.plot(float(best), least, "o", color="C1")
    axes.set(xlabel="penalty", ylabel="loss on others")
    return (
        f"The best penalty is {float(best):.3f}, with loss {least:.3f}; a tenth gives {less:.3f}, ten times {more:.3f}."
    )
