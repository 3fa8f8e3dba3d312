"""A fit by SciPy, batched and compiled: the hundred-year flood, from the L-moments of yearly maxima.

SciPy computes the moments, for any array library; the rest is NumPy code. The fit is differentiated by each
observation. To estimate its uncertainty, it is repeated on thousands of samples at once.

Run with SCIPY_ARRAY_API=1, which SciPy reads when it is imported: `SCIPY_ARRAY_API=1 python -m examples.floods`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

import effects as fx
from effects import Array
from handlers import grad, vmap, writable
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

YEARS = 100.0


@writable
def fit(maxima: Array) -> tuple[Array, Array, Array]:
    """The shape, location and scale of the extreme value distribution with these L-moments (Hosking, 1985).

    SciPy looks for NaN in vectors, which compiled code cannot; it accepts a matrix of one row without looking.
    """
    mean, spread, skewness = stats.lmoment(maxima[None, :], order=np.array([1, 2, 3]), axis=-1)[:, 0]
    c = 2.0 / (3.0 + skewness) - np.log(2.0) / np.log(3.0)
    shape = 7.859 * c + 2.9554 * c * c
    gamma = fx.special.gamma(1.0 + shape)
    scale = spread * shape / (gamma * (1.0 - 2.0**-shape))
    return shape, mean - scale * (1.0 - gamma) / shape, scale


def flood(maxima: Array) -> Array:
    """The height that is exceeded once in `YEARS` years."""
    shape, location, scale = fit(maxima)
    return location + scale * (1.0 - (-fx.log1p(-1.0 / YEARS)) ** shape) / shape


@jit
def repeated(key: fx.random.Key, maxima: Array) -> Array:
    """The floods of 2,000 samples drawn from the maxima."""
    samples = fx.random.choice(key, maxima, (2000, maxima.shape[0]))
    return vmap(flood)(samples)


def picture(figure: Figure) -> str:
    """The greatest floods of seventy years, and the hundred-year flood estimated from 2,000 samples of them."""
    maxima = fx.asarray(stats.genextreme.rvs(-0.1, 3.0, 0.8, size=70, random_state=1))
    floods, best = np.asarray(repeated(fx.random.key(0), maxima)), float(flood(maxima))
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    left.hist(np.asarray(maxima), bins=15, color="C0")
    left.set(xlabel="greatest flood of a year, m", ylabel="years")
    right.hist(floods, bins=40, color="C2")
    right.axvline(best, color="C1")
    right.set(xlabel="hundred-year flood, m", ylabel="samples")
    low, high = np.quantile(floods, [0.05, 0.95])
    return f"The hundred-year flood is {best:.2f} m; in nine of ten samples it is {low:.2f} to {high:.2f} m."


def main() -> None:
    """Prints the hundred-year flood, its error by two methods, and the years on which it depends most."""
    years = np.arange(1950, 2020)
    maxima = fx.asarray(stats.genextreme.rvs(-0.1, 3.0, 0.8, size=years.size, random_state=1))
    influence = np.asarray(jit(grad(flood))(maxima)) * float(fx.std(maxima))
    floods = repeated(fx.random.key(0), maxima)
    print(f"once in a century {float(flood(maxima)):.2f} m, ± {np.sqrt(np.sum(influence**2)):.2f} by the derivative,")
    low, high = (float(q) for q in fx.quantile(floods, fx.asarray([0.05, 0.95])))
    print(f"{low:.2f} to {high:.2f} m in nine of ten samples;")
    print("most by the years", *years[np.argsort(-np.abs(influence))[:3]])


if __name__ == "__main__":
    main()
