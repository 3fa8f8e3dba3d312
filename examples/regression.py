"""A probabilistic program, written as a user-defined effect `Sample`, with a handler for each use of a model.

A model declares random variables by `normal`, and observations by `observe`. `Drawn` draws the variables. `Scored`
computes the log density of given values (replay), and Hamiltonian Monte Carlo follows its gradient: one compiled
program, with a lane of `vmap` for each chain.

>>> import effects as fx
>>> x, y = sample_data(fx.random.key(0), 40)
>>> chains = posterior(x, y, fx.random.key(1))
>>> mean, _ = exact(x, y)
>>> bool(fx.all(fx.abs(fx.mean(chains, axis=(0, 1)) - mean) < 0.05))
True
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import effects as fx
from effects import Array, ArrayLike, Effect, random
from handlers import Merging, Reading, fori_loop, grad, handled, scan, vmap, with_random
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

type Values = dict[str, Array]
NOISE = 0.5


class Sample(Effect):
    """Effect of a model's random variables."""

    @abstractmethod
    def normal(self, name: str, mean: ArrayLike, scale: ArrayLike, shape: tuple[int, ...] = ()) -> Array:
        """A value of this name from the normal distribution."""

    @abstractmethod
    def observe(self, value: Array, mean: ArrayLike, scale: ArrayLike) -> None:
        """A value that was seen, as if it had been drawn."""


class Drawn(Reading[tuple[()]], Sample):
    """Values are drawn; observations change nothing."""

    def __init__(self, numbers: fx.Random) -> None:
        super().__init__(())
        self.numbers = numbers

    def normal(self, name: str, mean: ArrayLike, scale: ArrayLike, shape: tuple[int, ...] = ()) -> Array:
        return fx.asarray(self.numbers.normal(shape) * scale + mean)

    def observe(self, value: Array, mean: ArrayLike, scale: ArrayLike) -> None:
        """Nothing was asked."""


class Score(NamedTuple):
    """Values by name, and the log density of all variables that were requested and of the observations."""

    values: Values
    log_density: Array


class Scored(Merging[Score], Sample):
    """Values are the given ones."""

    def __init__(self, values: Values) -> None:
        super().__init__(Score(values, fx.zeros(())))

    def normal(self, name: str, mean: ArrayLike, scale: ArrayLike, shape: tuple[int, ...] = ()) -> Array:
        self.observe(self.state.values[name], mean, scale)
        return self.state.values[name]

    def observe(self, value: Array, mean: ArrayLike, scale: ArrayLike) -> None:
        apart = (value - mean) / scale
        self._add(-fx.sum(0.5 * apart**2 + fx.log(scale) + 0.5 * math.log(2 * math.pi)))

    def unit(self) -> Score:
        return self.state._replace(log_density=fx.zeros(()))

    def merge(self, state: Score) -> None:
        self._add(state.log_density)

    def from_lanes(self, size: int, state: Score) -> None:
        self._add(fx.sum(state.log_density))

    def _add(self, more: Array) -> None:
        self.state = self.state._replace(log_density=self.state.log_density + more)


def line(model: Sample, x: Array, y: Array) -> Array:
    """A line with normal priors through points with normal noise; its values at `x`."""
    weights = model.normal("weights", 0.0, 1.0, (2,))
    values = weights[0] + weights[1] * x
    model.observe(y, values, NOISE)
    return values


def log_density(values: Values, x: Array, y: Array) -> Array:
    """Log density of the values and the observations."""
    scored = Scored(values)
    handled(scored, line, x, y)
    return scored.state.log_density


def sample_data(key: random.Key, n: int) -> tuple[Array, Array]:
    """Points from the model itself."""
    x = fx.linspace(-1.0, 1.0, n)
    first, second = random.split(key)
    values = with_random(lambda numbers: handled(Drawn(numbers), line, x, x), first)()
    return x, values + NOISE * random.normal(second, (n,))


def hamiltonian(density: Callable[[Array], Array], w: Array, key: random.Key) -> Array:
    """One step of Hamiltonian Monte Carlo: seven leapfrog steps, accepted by Metropolis' rule."""
    slope, step = grad(density), 0.04
    first, second = random.split(key)
    start = random.normal(first, w.shape)

    def leap(_: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        w, p = state
        half = p + 0.5 * step * slope(w)
        moved = w + step * half
        return moved, half + 0.5 * step * slope(moved)

    moved, p = fori_loop(0, 7, leap, (w, start))
    gain = density(moved) - density(w) - 0.5 * (fx.sum(p * p) - fx.sum(start * start))
    return fx.where(fx.log(random.uniform(second)) < gain, moved, w)


@jit
def posterior(x: Array, y: Array, key: random.Key) -> Array:
    """400 draws of the weights in each of 8 chains, after 100 that are discarded."""

    def density(w: Array) -> Array:
        return log_density({"weights": w}, x, y)

    def chain(key: random.Key) -> Array:
        first, second = random.split(key)

        def turn(w: Array, key: random.Key) -> tuple[Array, Array]:
            after = hamiltonian(density, w, key)
            return after, after

        return scan(turn, random.normal(first, (2,)), random.split(second, 500))[1][100:]

    return vmap(chain)(random.split(key, 8))


def exact(x: Array, y: Array) -> tuple[Array, Array]:
    """Mean and covariance of the weights, which is normal: (1 + XᵀX/σ²)⁻¹ is a matrix of two rows."""
    rows = fx.stack([fx.ones_like(x), x])
    precision = fx.eye(2) + rows @ rows.T / NOISE**2
    (a, b), (c, d) = precision
    covariance = fx.stack([fx.stack([d, -b]), fx.stack([-c, a])]) / (a * d - b * c)
    return covariance @ rows @ y / NOISE**2, covariance


def picture(figure: Figure) -> str:
    """Draws from the posterior of height and slope, two standard deviations of the exact one, and some lines."""
    x, y = sample_data(random.key(0), 40)
    chains = posterior(x, y, random.key(1))
    mean, covariance = [np.asarray(part) for part in exact(x, y)]
    drawn = np.asarray(chains).reshape(-1, 2)
    angles = np.linspace(0, 2 * np.pi, 100)
    ellipse = mean[:, None] + 2 * np.linalg.cholesky(covariance) @ np.stack([np.cos(angles), np.sin(angles)])
    left, right = figure.subplots(1, 2)
    left.plot(*drawn[::16].T, ".", markersize=3, alpha=0.5)
    left.plot(*ellipse, color="C1")
    left.set(xlabel="height", ylabel="slope")
    for height, slope in drawn[::160]:
        right.plot([-1, 1], [height - slope, height + slope], color="C0", alpha=0.3, linewidth=0.8)
    right.plot(np.asarray(x), np.asarray(y), "o", markersize=3, color="C1")
    center = drawn.mean(axis=0)
    return f"3200 draws have the mean ({center[0]:.3f}, {center[1]:.3f}), the posterior ({mean[0]:.3f}, {mean[1]:.3f})."
