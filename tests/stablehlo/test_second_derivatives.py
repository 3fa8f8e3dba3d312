"""Programs of second derivatives are about as short as jax's: no rule leaves tangents that XLA cannot remove.

Beside each function stand the equations of its Hessian's program and XLA's instructions as jax 0.12 has them, calls
counted by what they call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import linalg, nn, special
from handlers import hessian
from lowering import jit, trace

X: Final = np.arange(1.0, 7.0)
PLACES: Final = np.array([0, 1, 2, 0, 1, 2])

PROGRAMS: Final[dict[str, tuple[Callable[[Any], Any], int, int]]] = {
    "max": (lambda x: fx.max(x * x), 55, 45),
    "min": (lambda x: fx.min(x * x), 55, 45),
    "norm, inf": (lambda x: linalg.norm(x * x, ord=fx.inf), 81, 53),
    "cummax": (lambda x: fx.sum(fx.cummax(x * x)), 253, 215),
    "max at places": (lambda x: fx.sum(fx.zeros(3).at[PLACES].max(x * x)), 114, 84),
    "median": (lambda x: fx.median(x * x), 90, 80),
    "sort": (lambda x: fx.sum(fx.sort(x * x) * x), 76, 102),
    "logsumexp": (special.logsumexp, 95, 89),
    "softmax": (lambda x: fx.sum(nn.softmax(x) ** 2), 131, 187),
    "std": (fx.std, 87, 171),
    "var": (lambda x: fx.var(x * x), 91, 127),
    "prod": (fx.prod, 118, 219),
    "norm": (linalg.norm, 59, 64),
    "det": (lambda x: linalg.det(x[:4].reshape((2, 2))), 313, 692),
    "abs": (lambda x: fx.sum(abs(x) ** 3), 63, 32),
    "maximum": (lambda x: fx.sum(fx.maximum(x * x, 2.0)), 59, 27),
    "clip": (lambda x: fx.sum(fx.clip(x * x, 0, 4.0)), 80, 33),
    "power": (lambda x: fx.sum(x**2.5), 42, 23),
    "tanh": (lambda x: fx.sum(fx.tanh(x)), 35, 25),
    "quotient": (lambda x: fx.sum(x / (1 + x * x)), 88, 59),
    "hypot": (lambda x: fx.sum(fx.hypot(x, x * x)), 103, 123),
    "atan2": (lambda x: fx.sum(fx.atan2(x, x * x)), 115, 77),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_hessians_are_short(name: str) -> None:
    f, equations, instructions = PROGRAMS[name]
    traced = trace(jit(hessian(f)), X)
    text = traced.lower().compile().as_text()
    assert len(traced.jaxpr.eqns) <= equations
    assert sum([" = " in line for line in text.splitlines()]) <= 2 * instructions
