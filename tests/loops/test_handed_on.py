"""What branches and steps only hand on stays what it is: one for all lanes, without a tangent, known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
import handlers
from effects import Array
from handlers import Jvp, fori_loop, grad, jacfwd, jacrev, jvp, linearize, make_jaxpr, switch, vmap
from lowering import jit
from tests.reference.agreement import close

cond: Any = handlers.cond
scan: Any = handlers.scan
while_loop: Any = handlers.while_loop

XS: Final = np.asarray([0.5, 2.5, 1.5])
Y: Final = 3.0


def swap(i: Any, kept: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """A step that hands on its last value only."""
    a, b, y = kept
    return b, a + 0.0 * i, y


# Each gives y, handed on by every branch or step, and something that depends on x.
KINDS: Final[dict[str, Callable[[Any, Any], tuple[Any, Any]]]] = {
    "cond": lambda x, y: cond(x > 1.0, lambda a, b: (a, b * 2.0), lambda a, b: (a, b * 3.0), y, x),
    "cond, closed over": lambda x, y: cond(x > 1.0, lambda: (y, x * 2.0), lambda: (y, x * 3.0)),
    "switch": lambda x, y: switch(
        fx.astype(x, fx.int64), [lambda: (y, x * 2.0), lambda: (y, x * 3.0), lambda: (y, x * 4.0)]
    ),
    "while": lambda x, y: while_loop(lambda c: c[1] < x + 1.0, lambda c: (c[0], c[1] * 2.0 + 0.1), (y, x * x)),
    "while, read": lambda x, y: while_loop(lambda c: c[1] < 0.5 * c[0], lambda c: (c[0], c[1] + c[0] / 9.0), (y, x)),
    "scan": lambda x, y: scan(lambda c, _: ((c[0], c[1] * c[0]), None), (y, x), None, 3)[0],
    "fori": lambda x, y: fori_loop(0, 3, lambda i, c: (c[0], c[1] * x + i), (y, x)),
    "scan of cond": lambda x, y: scan(
        lambda c, _: (cond(x > 1.0, lambda: (c[0], c[1] * 2.0), lambda: (c[0], c[1] + x)), None), (y, x), None, 3
    )[0],
}
kinds = pytest.mark.parametrize("f", KINDS.values(), ids=KINDS)
unbounded = ("while", "while, read")


@kinds
def test_all_lanes_have_one(f: Callable[[Any, Any], tuple[Any, Any]]) -> None:
    expected = np.asarray([float(fx.asarray(f(x, Y)[1])) for x in XS.tolist()])
    mapped = vmap(f, in_axes=(0, None), out_axes=(None, 0))
    for function in (mapped, jit(mapped)):
        handed, other = function(fx.asarray(XS), Y)
        close(handed, Y)
        close(other, expected)


@kinds
def test_its_derivative_is_its_own(f: Callable[[Any, Any], tuple[Any, Any]]) -> None:
    handed: Callable[[Any, Any], Array] = lambda x, y: fx.asarray(f(x, y)[0]) ** 2
    square = 2.0 * Y
    of_y: Callable[[Callable[[Any, Any], Array]], Any] = lambda f: grad(f, argnums=1)
    for derivative in (of_y(handed), jit(of_y(handed)), of_y(jit(handed))):
        close(derivative(2.5, Y), square)
    close(jacfwd(handed, argnums=1)(2.5, Y), square)
    close(jacrev(jacfwd(handed, argnums=1), argnums=1)(2.5, Y), 2.0)
    close(linearize(lambda y: handed(2.5, y), Y)[1](1.0), square)
    close(grad(handed)(2.5, Y), 0.0)
    of_lanes = vmap(grad(handed, argnums=1), in_axes=(0, None))
    close(of_lanes(fx.asarray(XS), Y), np.full(3, square))
    total: Callable[[Any], Array] = lambda y: fx.sum(vmap(lambda x: handed(x, y))(fx.asarray(XS)))
    for of_total in (grad(total), jit(grad(total)), grad(jit(total))):
        close(of_total(Y), 3.0 * square)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in unbounded])
def test_what_reads_it_has_all_of_the_derivative(name: str) -> None:
    both: Callable[[Any], Array] = lambda y: fx.asarray(KINDS[name](2.5, y)[0] * KINDS[name](2.5, y)[1])
    step = 1e-5
    slope = (float(both(Y + step)) - float(both(Y - step))) / (2 * step)
    for derivative in (grad(both), jit(grad(both)), grad(jit(both)), jacfwd(both)):
        close(derivative(Y), np.asarray(slope), rtol=1e-8)


@kinds
def test_it_has_no_tangent_where_it_does_not_vary(f: Callable[[Any, Any], tuple[Any, Any]]) -> None:
    close(jvp(lambda x: f(x, fx.asarray(Y))[0], (fx.asarray(2.5),), (1.0,)), (Y, 0.0))
    with Jvp() as handler:
        handed, other = f(handler.dual(fx.asarray(2.5), fx.asarray(1.0)), fx.asarray(Y))
        assert handed.owner is None
        assert other.owner is handler


def test_a_loop_does_not_carry_or_stack_it() -> None:
    power: Callable[[Any, Any], Any] = lambda x, y: scan(lambda c, _: ((c[0], c[1] * c[0]), None), (y, x), None, 3)[0]
    assert "carried=1" in str(make_jaxpr(power)(2.0, 3.0))
    counting = str(make_jaxpr(lambda x: while_loop(lambda x: x < 3, lambda x: x + 1, x))(0.0))
    assert counting.count("lt") == counting.count("add") == 1, counting  # programs are below the equation alone
    stacked = make_jaxpr(lambda x, y: linearize(lambda x: power(x, y)[1], x)[1](1.0))(2.0, 3.0)
    assert "float64[3]" not in str(stacked), stacked


def test_steps_that_exchange_values_hand_on_none() -> None:
    y: Callable[[Any], Any] = lambda y: fori_loop(0, 3, swap, (y, 2.0 * y, y))
    close(y(1.0), (2.0, 1.0, 1.0))
    close(jacrev(y)(1.0), (2.0, 1.0, 1.0))


def test_a_loop_that_changes_nothing_is_a_loop() -> None:
    close(while_loop(lambda c: c < 1.0, lambda c: c, 2.0), 2.0)
    close(scan(lambda c, x: (c, x), 2.0, fx.arange(3)), (2.0, np.arange(3)))
    close(fori_loop(0, 3, lambda i, c: c, (1, 2.0)), (1, 2.0))
    close(grad(lambda x: fori_loop(0, 3, lambda i, c: c, x) * x)(2.0), 4.0)
