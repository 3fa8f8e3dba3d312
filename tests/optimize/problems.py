"""Functions with known minima, written for arrays of effax and of NumPy alike, and their optima by SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy.optimize

import effects as fx
from handlers import grad, hessian
from lowering import jit


def rosenbrock(x: Any) -> Any:
    return fx.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(x: Any) -> Any:
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def beale(x: Any) -> Any:
    a, b = x[0], x[1]
    return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2


CURVATURES: Final = fx.asarray(np.logspace(0, 4, 8))


def quadratic(x: Any) -> Any:
    return fx.sum(CURVATURES * (x - 1) ** 2) / 2 + 1e3


PROBLEMS: Final[dict[str, tuple[Callable[[Any], Any], list[float]]]] = {
    "rosenbrock": (rosenbrock, [-1.2, 1.0]),
    "himmelblau": (himmelblau, [1.0, 1.0]),
    "beale": (beale, [1.0, 1.0]),
    "quadratic": (quadratic, [0.0] * 8),
}


def by_scipy(name: str, method: str) -> Any:
    """The minimum that SciPy finds from the same point on."""
    f, start = PROBLEMS[name]
    value, slope = jit(f), jit(grad(f))
    slopes: dict[str, Any] = {"jac": lambda x: np.asarray(slope(fx.asarray(x)))}
    if method in ("Newton-CG", "trust-ncg"):
        curvature = jit(hessian(f))
        slopes["hess"] = lambda x: np.asarray(curvature(fx.asarray(x)))
    options: dict[str, Any] = {"maxiter": 5000, **({"ftol": 0.0, "gtol": 1e-8} if method == "L-BFGS-B" else {})}
    if method == "Nelder-Mead":
        slopes, options = {}, {**options, "adaptive": True}
    return scipy.optimize.minimize(
        lambda x: float(value(fx.asarray(x))),
        start,
        method=method,
        tol=None if "gtol" in options else 1e-8,
        options=options,
        **slopes,
    )
