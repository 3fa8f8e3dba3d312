"""Programs of operations and calls under orders of transformations to depth three.

The thorough ones go through every order; those with many operations sample the orders of depth three, each program
others.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.compositions.closure import MORE, TRANSFORMATIONS
from tests.compositions.orders import Closure, Order, orders
from tests.compositions.programs import PROGRAMS, SAMPLED

CLOSURE: Final = Closure(PROGRAMS)
DEEP: Final = [t for t in TRANSFORMATIONS if t != "identity"]


def orders_of(program: str) -> list[Order]:
    """The orders that a program goes through; primes sample them."""
    first = list(PROGRAMS).index(program)
    few = [*orders([*MORE], 1), *orders([*TRANSFORMATIONS], 2)]
    more = [order for order in orders([*MORE], 2) if not set(order) <= set(TRANSFORMATIONS)]
    if program in SAMPLED:
        return few + more[first % 5 :: 5] + orders([*DEEP, "vjp", "checkpoint"], 3, 47, first)
    return few + more + orders(DEEP, 3)


CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}") for name in PROGRAMS for order in orders_of(name)
]


@pytest.mark.parametrize(("name", "order"), CASES)
def test_composition(name: str, order: Order) -> None:
    CLOSURE.check(name, order)
