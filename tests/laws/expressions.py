"""Random small programs: what hypothesis draws, and the Python function that each means.

A program is a list of steps; each applies one function to values made before. All values are vectors of three numbers
and stay of moderate size, so that any program can be differentiated, batched and compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from hypothesis import settings, strategies as st

import effects as fx
from effects import Array
from handlers import cond
from lowering import jit

CONSTANT: Final = fx.asarray([0.3, -0.8, 1.1])
MATRIX: Final = fx.asarray(np.random.default_rng(0).uniform(-1.0, 1.0, (3, 3)))


@jit
def jitted(x: Array, y: Array) -> Array:
    """A call in the program, which closes over an array."""
    return fx.tanh(x + CONSTANT) * y


def chosen(x: Array, y: Array) -> Array:
    """A conditional on an unknown value whose branches close over values."""
    return cond(fx.sum(x) > 0.1, lambda: x * fx.cos(y), lambda: fx.sin(y) - CONSTANT)


STEPS: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "sin": lambda x, y: fx.sin(x),
    "tanh": lambda x, y: fx.tanh(x),
    "exp": lambda x, y: fx.exp(-fx.square(x)),
    "neg": lambda x, y: -x,
    "add": lambda x, y: (x + y) * 0.5,
    "mul": lambda x, y: fx.tanh(x) * y,
    "max": fx.maximum,
    "where": lambda x, y: fx.where(x > 0.05, y, CONSTANT),
    "sum": lambda x, y: fx.sum(x) * 0.3 + fx.zeros(3),
    "matmul": lambda x, y: MATRIX @ x,
    "flip": lambda x, y: fx.concat([x[1:], y[:1]]),
    "jit": jitted,
    "cond": chosen,
}


@dataclass(frozen=True)
class Expression:
    """A program: steps (function, first operand, second operand), and how many of the last values are its results."""

    steps: tuple[tuple[str, int, int], ...]
    results: int

    def __call__(self, x: Array, y: Array) -> tuple[Array, ...]:
        values = [x, y]
        for name, i, j in self.steps:
            values.append(STEPS[name](values[i % len(values)], values[j % len(values)]))
        return tuple(values[-self.results :])


def expressions(results: int | None = None) -> st.SearchStrategy[Expression]:
    """Programs of up to six steps."""
    step = st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 7), st.integers(0, 7))
    steps = st.lists(step, min_size=1, max_size=6).map(tuple)
    return st.builds(Expression, steps, st.integers(1, 2) if results is None else st.just(results))


def points() -> st.SearchStrategy[Array]:
    """Vectors away from where programs have kinks."""
    return st.integers(0, 2**16).map(lambda seed: fx.asarray(np.random.default_rng(seed).uniform(-1.2, 1.2, 3)))


few: Final = settings(max_examples=15, deadline=None, derandomize=True, database=None)
"""For laws whose every example compiles."""

many: Final = settings(max_examples=40, deadline=None, derandomize=True, database=None)
