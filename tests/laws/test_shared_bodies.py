"""Bodies are shared between handlers that nothing distinguishes: what a handler has in Python is never skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects.arrays.array import Array
from effects.program.chain import Performed
from effects.program.operation import Operation
from handlers import Jvp, Vmap, cond, fori_loop, grad, scan, vmap
from lowering import jit
from tests.own_handlers.plain import Plain

KEPT: Final[Counter[str]] = Counter()


class Names(Plain):
    """Counts in a dictionary that its copies share."""

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts

    def fresh(self) -> Names:
        return Names(self.counts)

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.counts[op.name] += 1
        return fx.perform(op)


class Globally(Plain):
    """Counts in a dictionary of the module's."""

    def interpret(self, op: Operation[Array], /) -> Performed:
        KEPT[op.name] += 1
        return fx.perform(op)


class Scaled(Plain):
    """Sines, times a number that the handler has."""

    def __init__(self, by: float) -> None:
        self.by = by

    def fresh(self) -> Scaled:
        return Scaled(self.by)

    def interpret(self, op: Operation[Array], /) -> Performed:
        out: Any = fx.perform(op)
        return out * self.by if op.name == "sin" else out  # type: ignore[no-any-return]  # an array


X: Final = fx.asarray([1.0, 2.0])
PROGRAMS: dict[str, Callable[[Array], object]] = {
    "jit": jit(lambda x: fx.sum(fx.sin(x) * x)),
    "grad of jit": grad(jit(lambda x: fx.sum(fx.sin(x) * x))),
    "vmap of jit": vmap(jit(lambda x: fx.sin(x) * x)),
    "scan": lambda x: scan(lambda c, _: (fx.sin(c), None), x, None, 3),
    "fori_loop": lambda x: fori_loop(0, 3, lambda i, c: fx.sin(c), x),
    "cond": lambda x: cond(x[0] > 0, fx.sin, fx.cos, x),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_counted_in_python_is_counted_each_time(program: str) -> None:
    counts = []
    for _ in range(3):
        with Names(Counter()) as handler:
            PROGRAMS[program](X)
        counts.append(dict(handler.counts))
    assert counts[0] == counts[1] == counts[2] and counts[0]["sin"]
    KEPT.clear()
    for n in range(1, 4):
        with Globally():
            PROGRAMS[program](X)
        assert KEPT["sin"] == n * counts[0]["sin"]


def test_what_rules_read_is_not_confused() -> None:
    f = jit(fx.sin)
    for by in (1.0, 2.0, 3.0):
        with Scaled(by):
            y = f(X)
        assert fx.allclose(y, by * fx.sin(X))


def test_keys() -> None:
    class Said(Names):
        key = 3

    class Nothing(Plain):
        sees_all = False

    assert Said(Counter()).key == 3 and Names(Counter()).key is None and Globally().key is None
    assert Nothing().key == Jvp("f").key == ()
    assert Vmap(2).key == (2, None, False)
    with Nothing() as inside:
        assert inside.key == ()
