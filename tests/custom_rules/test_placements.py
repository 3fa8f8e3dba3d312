"""Functions with rules under every order of transformations to depth three.

Their rules are the true derivatives, so that every composite is checked as that of an ordinary function: against the
reference of its outermost transformation, and where jit takes part, against the composite without it.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, Final

import pytest

import effects as fx
from effects import Array, check_jaxpr
from handlers import cond, custom_batching, custom_jvp, custom_vjp, make_jaxpr
from tests.compositions.closure import CHECKS, TRANSFORMATIONS, Host, call, composed, leaves, same
from tests.compositions.programs import Program

type Order = tuple[str, ...]

TABLE: Final = fx.asarray([0.7, 1.3])


def softplus_rule(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (x, _), (dx, dw) = primals, tangents
    y = softplus(*primals)
    return y, dx * (1 - fx.exp(-fx.log1p(fx.exp(x)))) + dw


@custom_jvp(softplus_rule)
def softplus(x: Array, w: Array) -> Array:
    """log(1 + exp(x)) + w, by a rule that calls it."""
    return fx.log1p(fx.exp(x)) + w


@custom_vjp
def weighted(p: dict[str, Array], n: Array) -> tuple[Array, Array]:
    """A function of a tree that closes over an array, with both rules."""
    return fx.sin(p["a"]) * TABLE * n, p["b"]


def _forward(p: dict[str, Array], n: Array) -> Any:
    return weighted(p, n), (p["a"], n)


def _backward(kept: tuple[Array, Array], ct: tuple[Array, Array]) -> Any:
    a, n = kept
    return {"a": ct[0] * fx.cos(a) * TABLE * n, "b": ct[1]}, fx.sum(ct[0] * fx.sin(a) * TABLE)


def _pushed(primals: Any, tangents: Any) -> Any:
    (p, n), (dp, dn) = primals, tangents
    return weighted(p, n), (fx.cos(p["a"]) * dp["a"] * TABLE * n + fx.sin(p["a"]) * TABLE * dn, dp["b"])


weighted.defvjp(_forward, _backward)
weighted.defjvp(_pushed)


@custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (ct * fx.cos(x),))
def reverse_only(x: Array) -> Array:
    return fx.sin(x)


@custom_batching
def norm(x: Array) -> Array:
    """The sum of squares, batched by a rule."""
    return fx.sum(x * x)


norm.defbatch(lambda size, batched, x: (fx.sum(x * x, axis=tuple(range(1, x.ndim))), True))


def chosen(x: Array) -> Array:
    """Functions with rules in the branches of a choice, one of which closes over a value."""
    return cond(fx.sum(x) > 1, lambda x: softplus(x * x, fx.sum(x)), lambda x: x * norm(x), x)


PROGRAMS: Final[dict[str, Program]] = {
    "softplus": Program(softplus, (fx.asarray([0.3, 1.2]), fx.asarray([0.5, -0.5])), {}),
    "weighted": Program(weighted, ({"a": fx.asarray([0.3, 1.2]), "b": fx.asarray(0.4)}, fx.asarray(2.0)), {}),
    "chosen": Program(chosen, (fx.asarray([0.9, 1.2]),), {}),
    "reverse_only": Program(reverse_only, (fx.asarray([0.9, 1.2]),), {}),
}
FORWARD: Final = {"jvp", "linearize"}


def runs(name: str, order: Order) -> bool:
    """Whether all that an order asks of a program is there: a reverse rule alone has no forward mode."""
    return name != "reverse_only" or not FORWARD & set(order)


ORDERS: Final[list[Order]] = [order for depth in (1, 2, 3) for order in product(TRANSFORMATIONS, repeat=depth)]
CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}")
    for name in PROGRAMS
    for position, order in enumerate(ORDERS)
    if runs(name, order) and (len(order) < 3 or position % 3 == list(PROGRAMS).index(name) % 3)
]


@cache
def values(name: str, order: Order) -> list[Host]:
    """What a composite gives."""
    return leaves(call(composed(order, PROGRAMS[name])))


@pytest.mark.parametrize(("name", "order"), CASES)
def test_placement(name: str, order: Order) -> None:
    program = composed(order, PROGRAMS[name])
    without_jit = tuple([t for t in order if t != "jit"])
    if without_jit == order:
        CHECKS[order[0]](composed(order[1:], PROGRAMS[name]), call(program))
    else:
        same(values(name, order), values(name, without_jit), 1e-10)
    check_jaxpr(make_jaxpr(program.f)(*program.args, **program.kwargs)).unwrap()
