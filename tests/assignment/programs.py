"""Random programs of views and assignments, written once for NumPy and for arrays that can be assigned to."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

type Program = Callable[[Any, Any, Any], list[Any]]
"""From a namespace, what runs loops and branches, and an array, to all arrays that it made."""


class InPython:
    """Loops and branches as Python has them: what they mean in a program of NumPy's."""

    def repeat(self, times: int, body: Callable[[Any], None]) -> None:
        for i in range(times):
            body(i)

    def branch(self, holds: Any, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        then() if holds else otherwise()


def program(seed: int, control: bool) -> Program:
    """A program of some twelve statements, the same for the same seed; with loops and branches where `control`."""

    def run(xp: Any, flow: Any, x: Any) -> list[Any]:
        choose = random.Random(seed)
        arrays = [x, xp.ones((2, 3)), xp.zeros(6)]
        for _ in range(12):
            statement(choose, xp, arrays)
            if control and choose.random() < 0.4:
                loop_or_branch(choose, xp, flow, arrays)
        return arrays

    return run


def loop_or_branch(choose: random.Random, xp: Any, flow: Any, arrays: list[Any]) -> None:
    seeds = choose.random(), choose.random()

    def body(seed: float, step: Any) -> None:
        inner = random.Random(seed)
        local = list(arrays)
        for _ in range(3):
            statement(inner, xp, local, step)

    if choose.random() < 0.5:
        flow.repeat(choose.randint(0, 3), lambda i: body(seeds[0], i))
    else:
        target = choose.choice(arrays)
        flow.branch(xp.sum(target) > choose.randint(0, 9), lambda: body(seeds[0], 1), lambda: body(seeds[1], 0))


def statement(choose: random.Random, xp: Any, arrays: list[Any], number: Any = 2) -> None:
    """One more view, array or assignment."""
    x = choose.choice([a for a in arrays if a.ndim])
    match choose.choice(["view"] * 4 + ["write"] * 4 + ["update"] * 2 + ["array", "mask", "gather", "out"]):
        case "view":
            arrays.append(view(choose, xp, x))
        case "write":
            key = basic_key(choose, x.shape)
            x[key] = choose.choice([number * 1.0, 3, x[key] * 2, xp.flip(x)[key]])
        case "update":
            value = choose.choice([number, 0.5, xp.flip(x)])
            if choose.random() < 0.5:
                x += value
            else:
                x *= value
        case "array":
            arrays.append(choose.choice([x + 1, x * x, xp.flip(x, axis=0) - x]))
        case "mask":
            x[x > choose.randint(-2, 3)] = number * 1.0
        case "gather":
            rows = [choose.randrange(x.shape[0]) for _ in range(2)] if x.shape[0] else []
            taken = x[xp.asarray(rows, dtype=xp.int64)]
            taken *= 2
            arrays.append(taken)
        case _:
            xp.add(x, 1.0, out=x)


def view(choose: random.Random, xp: Any, x: Any) -> Any:
    """A view of an array, or what NumPy copies in its place."""
    match choose.choice(["key", "key", "T", "reshape", "flip", "expand", "swap", "split", "squeeze", "ravel", "rot90"]):
        case "key":
            return x[basic_key(choose, x.shape, whole=False)]
        case "T":
            return x.T
        case "reshape":
            return xp.reshape(x, choose.choice([(-1,), (1, -1), (x.size, 1), x.shape[::-1]]))
        case "flip":
            return xp.flip(x, axis=choose.randrange(x.ndim))
        case "expand":
            return xp.expand_dims(x, axis=choose.randrange(x.ndim + 1))
        case "swap":
            return xp.moveaxis(x, 0, -1)
        case "split":
            return choose.choice(xp.array_split(x, 2))
        case "squeeze":
            return xp.squeeze(x[None])
        case "ravel":
            return x.ravel()
        case _:
            return xp.rot90(x) if x.ndim == 2 else x


def basic_key(choose: random.Random, shape: Sequence[int], whole: bool = True) -> Any:
    """Integers, slices of every sign, an ellipsis."""
    key: list[Any] = []
    for size in shape[: choose.randint(0 if whole else 1, len(shape))]:
        start, stop = choose.choice([None, 0, 1, -2]), choose.choice([None, size, -1])
        step = choose.choice([None, 1, 2, -1, -2])
        key.append(choose.randrange(-size, size) if size and choose.random() < 0.3 else slice(start, stop, step))
    return (*key, ...) if choose.random() < 0.3 else tuple(key) if len(key) != 1 else key[0]
