"""Loops under orders of transformations to depth two, one of them under all, and a sample of those of depth three.

A composite is checked against the reference of its outermost transformation applied to the rest, which is itself a
case; where jit takes part, against the same composite without jit; alone, against a loop in Python. What is staged is
well typed.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import pytest

from effects import check_jaxpr
from handlers import make_jaxpr
from tests.compositions.closure import CHECKS, TRANSFORMATIONS, Host, call, composed, leaves, same
from tests.loops.programs import EVERY_MODE, FORWARD_ONLY

type Order = tuple[str, ...]

PROGRAMS: Final = {**EVERY_MODE, **FORWARD_ONLY}
DEEP: Final = {"recurrence": 3, "choices in scan": 13, "doubling": 4}
"""The programs that go through orders of depth three, and every how many of them."""


def orders_of(program: str) -> list[Order]:
    """The orders that a program goes through."""
    allowed = [t for t in TRANSFORMATIONS if t != "identity" and (t != "grad" or program in EVERY_MODE)]
    single, pairs, deep = [[*product(allowed, repeat=depth)] for depth in (1, 2, 3)]
    sampled = pairs if program == "recurrence" else pairs[[*PROGRAMS].index(program) % 3 :: 3]
    return single + sampled + (deep[:: DEEP[program]] if program in DEEP else [])


CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}") for name in PROGRAMS for order in orders_of(name)
]


@cache
def values(name: str, order: Order) -> list[Host]:
    """What a composite gives."""
    return leaves(call(composed(order, PROGRAMS[name].program)))


@pytest.mark.parametrize(("name", "order"), CASES)
def test_composition(name: str, order: Order) -> None:
    program = composed(order, PROGRAMS[name].program)
    without_jit = tuple([t for t in order if t != "jit"])
    if without_jit == order:
        CHECKS[order[0]](composed(order[1:], PROGRAMS[name].program), call(program))
    else:
        same(values(name, order), values(name, without_jit), 1e-10)
    check_jaxpr(make_jaxpr(program.f)(*program.args, **program.kwargs)).unwrap()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_is_a_loop_of_python(name: str) -> None:
    program, python = PROGRAMS[name]
    same(values(name, ()), leaves(python(*program.args, **program.kwargs)), 1e-13)
