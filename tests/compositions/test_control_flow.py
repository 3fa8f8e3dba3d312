"""Programs of loops and rules under orders of transformations to depth three, and beside their values by NumPy.

The core goes through every order, the others through samples, each program through others.
"""

from __future__ import annotations

from typing import Final

import pytest

from effects import MissingRule
from tests.compositions import programs_control_flow, programs_rules
from tests.compositions.beside import Beside, check_value
from tests.compositions.closure import CHECKS, MORE, call, composed
from tests.compositions.orders import Closure, Order, orders
from tests.compositions.programs_unbounded import BOUNDED_BY_VALUES, FORWARD_ONLY

BESIDE: Final[dict[str, Beside]] = {
    **programs_control_flow.EVERY_MODE,
    **FORWARD_ONLY,
    **BOUNDED_BY_VALUES,
    **programs_rules.RULES,
}
CLOSURE: Final = Closure({name: p.program for name, p in BESIDE.items()})
REVERSE: Final = {"vjp", "grad"}
EVERY: Final[dict[str, tuple[int, int]]] = {"logistic map": (1, 1), "rule in loop": (1, 47)}
"""Every how many of the orders of depth two and three a program goes through."""


def orders_of(program: str) -> list[Order]:
    """The orders that a program goes through; primes sample them."""
    forward_only = program in FORWARD_ONLY or program in BOUNDED_BY_VALUES
    allowed = [t for t in MORE if t != "identity" and not (forward_only and t in REVERSE)]
    first = list(BESIDE).index(program)
    second, third = EVERY.get(program, (17, 251))
    return orders(allowed, 1) + orders(allowed, 2, second, first) + orders(allowed, 3, third, 5 * first)


CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}") for name in BESIDE for order in orders_of(name)
]


@pytest.mark.parametrize(("name", "order"), CASES)
def test_composition(name: str, order: Order) -> None:
    CLOSURE.check(name, order)


@pytest.mark.parametrize("name", BESIDE)
def test_value(name: str) -> None:
    check_value(BESIDE[name])


@pytest.mark.parametrize("inner", [(), ("jit",), ("vmap",), ("checkpoint",), ("jvp",)])
@pytest.mark.parametrize("reverse", sorted(REVERSE))
@pytest.mark.parametrize("name", FORWARD_ONLY)
def test_unbounded_loops_have_no_reverse_mode(name: str, reverse: str, inner: Order) -> None:
    with pytest.raises(MissingRule, match=r"scan.*fori_loop"):
        call(composed((reverse, *inner), FORWARD_ONLY[name].program))


@pytest.mark.parametrize("reverse", sorted(REVERSE))
@pytest.mark.parametrize("name", BOUNDED_BY_VALUES)
def test_bounds_that_are_known_have_reverse_mode(name: str, reverse: str) -> None:
    program = BOUNDED_BY_VALUES[name].program
    for inner in (program, composed(("jvp",), program)):
        CHECKS[reverse](inner, call(composed((reverse,), inner)))
    with pytest.raises(MissingRule, match=r"scan.*fori_loop"):
        call(composed((reverse, "jit"), program))
