"""Which orders of transformations a program goes through, and the check of one composite.

A composite is checked against the reference of its outermost transformation applied to the rest, which is itself a
case; where transformations that change no values take part, against the same composite without them. What is staged
is well typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from effects import check_jaxpr
from handlers import make_jaxpr
from tests.compositions.closure import CHECKS, Host, call, composed, leaves, same
from tests.compositions.programs import Program

type Order = tuple[str, ...]

NEUTRAL: Final = {"jit", "checkpoint", "identity"}


def orders(transformations: Sequence[str], depth: int, every: int = 1, first: int = 0) -> list[Order]:
    """The orders of a depth, every so many of them."""
    return [*product(transformations, repeat=depth)][first % every :: every]


class Closure:
    """Programs by name, and what their composites give."""

    def __init__(self, programs: Mapping[str, Program]) -> None:
        self.programs = programs
        self._values: dict[tuple[str, Order], list[Host]] = {}

    def values(self, name: str, order: Order) -> list[Host]:
        """What a composite gives, computed once."""
        key = name, order
        if key not in self._values:
            self._values[key] = leaves(call(composed(order, self.programs[name])))
        return self._values[key]

    def check(self, name: str, order: Order) -> None:
        """Assert that a composite gives what it should, eagerly, and is well typed when it is staged."""
        program = composed(order, self.programs[name])
        plain = tuple([t for t in order if t not in NEUTRAL])
        if plain == order:
            CHECKS[order[0]](composed(order[1:], self.programs[name]), call(program))
        elif len(order) == 1:
            CHECKS[order[0]](self.programs[name], call(program))
        else:
            same(self.values(name, order), self.values(name, plain), 1e-10)
        check_jaxpr(make_jaxpr(program.f)(*program.args, **program.kwargs)).unwrap()
