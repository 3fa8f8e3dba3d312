"""Programs of loops and rules under orders of transformations to depth three.

A composite is checked against the reference of its outermost transformation applied to the rest, which is itself a
case; where jit or checkpoint take part, against the same composite without them; alone, against NumPy. What is staged
is well typed. The core goes through every order, the others through samples, each program through others.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import pytest

from effects import MissingRule, check_jaxpr
from handlers import make_jaxpr
from tests.compositions import programs_control_flow, programs_rules
from tests.compositions.beside import Beside, check_value
from tests.compositions.closure import CHECKS, MORE, Host, call, composed, leaves, same
from tests.compositions.programs_control_flow import FORWARD_ONLY

type Order = tuple[str, ...]

CORE: Final[dict[str, Beside]] = {**programs_control_flow.CORE, **programs_rules.CORE}
PROGRAMS: Final[dict[str, Beside]] = {
    **CORE,
    **programs_control_flow.EVERY_MODE,
    **FORWARD_ONLY,
    **programs_rules.RULES,
}
NEUTRAL: Final = {"jit", "checkpoint"}
REVERSE: Final = {"vjp", "grad"}
EVERY: Final = {1: 1, 2: 7, 3: 127}
"""Of the orders of a depth, every how many a program goes through; primes to the number of transformations."""


def orders_of(program: str) -> list[Order]:
    """The orders that a program goes through."""
    allowed = [t for t in MORE if t != "identity" and (t not in REVERSE or program not in FORWARD_ONLY)]
    first = list(PROGRAMS).index(program)
    orders: list[Order] = []
    for depth, every in EVERY.items():
        deep = [*product(allowed, repeat=depth)]
        orders += deep if program in CORE else deep[first % every :: every]
    return orders


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
    plain = tuple([t for t in order if t not in NEUTRAL])
    if plain == order:
        CHECKS[order[0]](composed(order[1:], PROGRAMS[name].program), call(program))
    else:
        same(values(name, order), values(name, plain), 1e-10)
    check_jaxpr(make_jaxpr(program.f)(*program.args, **program.kwargs)).unwrap()


@pytest.mark.parametrize("name", PROGRAMS)
def test_value(name: str) -> None:
    check_value(PROGRAMS[name])


@pytest.mark.parametrize("inner", [(), ("jit",), ("vmap",), ("checkpoint",), ("jvp",)])
@pytest.mark.parametrize("reverse", sorted(REVERSE))
@pytest.mark.parametrize("name", FORWARD_ONLY)
def test_unbounded_loops_have_no_reverse_mode(name: str, reverse: str, inner: Order) -> None:
    with pytest.raises(MissingRule, match=r"scan.*fori_loop"):
        call(composed((reverse, *inner), FORWARD_ONLY[name].program))
