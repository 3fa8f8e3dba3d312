"""Updates whose values are read from what they overwrite: compiled programs give what NumPy gives, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import cond, fori_loop, grad, scan, vmap
from lowering import jit

N: Final = 6
STEPS: Final = 3

type Step = Callable[[Any, Any], Any]
"""The next array from one, by the functions of a module (`effects` or `numpy`)."""

SOURCES: Final[dict[str, Step]] = {
    "itself": lambda xp, x: x,
    "sums": lambda xp, x: xp.cumsum(x),
    "backward": lambda xp, x: x[::-1],
    "sorted": lambda xp, x: xp.sort(x),
    "rolled": lambda xp, x: xp.roll(x, 2),
    "row": lambda xp, x: xp.stack([x, x + 1])[1],
    "positions": lambda xp, x: x[np.array([3, 1, 2, 0, 5, 4])],
    "column": lambda xp, x: xp.reshape(x, (2, 3)).T.reshape((N,)),
    "double": lambda xp, x: x + x,
    "joined": lambda xp, x: xp.concatenate([x[3:], x[:3]]),
}
PLACES: Final[tuple[Any, ...]] = (
    slice(1, None),
    slice(None, -1),
    slice(2, 5),
    slice(3, None),
    slice(None, None, 2),
    np.array([1, 2, 3, 4, 5]),
    np.array([4, 0, 2]),
)
KINDS: Final = ("set", "add", "max", "min")


def written(xp: Any, x: Any, place: Any, kind: str, values: Any) -> Any:
    if xp is fx:
        return getattr(x.at[place], kind)(values)
    new = np.array(x)
    fold = {"add": np.add, "max": np.maximum, "min": np.minimum}
    new[place] = values if kind == "set" else fold[kind](new[place], values)
    return new


def random_step(rng: np.random.Generator) -> Step:
    """An array made of the last one, part of which is written over with another part."""
    before, after = rng.choice(list(SOURCES), 2)
    place, kind = PLACES[rng.integers(len(PLACES))], str(rng.choice(KINDS))
    count = np.zeros(N)[place].size
    first = int(rng.integers(N - count + 1))

    def step(xp: Any, x: Any) -> Any:
        x = SOURCES[before](xp, x)
        values = SOURCES[after](xp, x)[first : first + count]
        return written(xp, x, place, kind, values)

    return step


def random_program(rng: np.random.Generator) -> Step:
    steps = [random_step(rng) for _ in range(rng.integers(1, 4))]

    def program(xp: Any, x: Any) -> Any:
        for step in steps:
            x = step(xp, x)
        return x

    return program


def repeated(program: Step, x: Any) -> Any:
    for _ in range(STEPS):
        x = program(np, x)
    return x


@pytest.mark.parametrize("seed", range(20, 40))
def test_what_is_read_is_what_was_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    x = rng.permutation(N).astype(np.float64)
    xs = np.stack([x, x[::-1], x * 2])

    def f(x: Any) -> Any:
        return program(fx, x)

    def looped(x: Any) -> Any:
        return scan(lambda x, _: (f(x), None), x, None, length=STEPS)[0]

    def slope(x: Any) -> Any:
        return grad(lambda x: fx.sum(f(x) * fx.arange(N)))(x)

    ways: list[tuple[Callable[..., Any], Any, Any]] = [
        (jit(f), x, program(np, x)),
        (looped, x, repeated(program, x)),
        (jit(vmap(f)), xs, np.stack([program(np, row) for row in xs])),
        (jit(lambda x: cond(fx.sum(x) > 0, f, fx.cos, x)), x, program(np, x)),
        (jit(lambda x: fori_loop(0, STEPS, lambda _, x: f(x), x), donate_argnums=0), x + 0, repeated(program, x)),
        (jit(slope), x, slope(fx.asarray(x))),
    ]
    for number in {0, 1, seed % len(ways)}:
        compiled, given, expected = ways[number]
        np.testing.assert_array_equal(compiled(fx.asarray(given)), expected)


@pytest.mark.parametrize(
    ("source", "kind"),
    [("sums", "set"), ("row", "set"), ("row", "add"), ("double", "max"), ("positions", "min"), ("backward", "set")],
)
def test_elements_move_up(source: str, kind: str) -> None:
    def up(xp: Any, x: Any) -> Any:
        x = SOURCES[source](xp, x)
        return written(xp, x, slice(1, None), kind, x[:-1])

    x = np.random.default_rng(0).permutation(N).astype(np.float64)
    np.testing.assert_array_equal(jit(lambda x: up(fx, x))(x), up(np, x))
    moved = jit(lambda x: fx.dynamic_update_slice(SOURCES[source](fx, x), SOURCES[source](fx, x)[:-1], (1,)))(x)
    np.testing.assert_array_equal(
        moved, written(np, SOURCES[source](np, x), slice(1, None), "set", SOURCES[source](np, x)[:-1])
    )
