"""Every program under every order of transformations to depth three.

A composite is checked against the reference of its outermost transformation applied to the rest, which is itself a
case; where jit takes part, against the same composite without jit. Programs with many operations sample the orders of
depth three, each program others.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import pytest

from effects import check_jaxpr
from handlers import make_jaxpr
from tests.compositions.closure import CHECKS, TRANSFORMATIONS, Host, call, composed, leaves, same
from tests.compositions.programs import PROGRAMS, SAMPLED

type Order = tuple[str, ...]

ORDERS: Final[list[Order]] = [order for depth in (1, 2, 3) for order in product(TRANSFORMATIONS, repeat=depth)]
EVERY: Final = 9


def orders_of(program: str) -> list[Order]:
    """The orders that a program goes through."""
    if program not in SAMPLED:
        return ORDERS
    first = list(SAMPLED).index(program)
    deep = [order for order in ORDERS if len(order) == 3]
    return [order for order in ORDERS if len(order) < 3] + deep[first::EVERY]


CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}") for name in PROGRAMS for order in orders_of(name)
]


@cache
def values(name: str, order: Order) -> list[Host]:
    """What a composite gives."""
    return leaves(call(composed(order, PROGRAMS[name])))


@pytest.mark.parametrize(("name", "order"), CASES)
def test_composition(name: str, order: Order) -> None:
    program = composed(order, PROGRAMS[name])
    without_jit = tuple([t for t in order if t != "jit"])
    if without_jit == order:
        CHECKS[order[0]](composed(order[1:], PROGRAMS[name]), call(program))
    else:
        same(values(name, order), values(name, without_jit), 1e-10)
    check_jaxpr(make_jaxpr(program.f)(*program.args, **program.kwargs)).unwrap()
