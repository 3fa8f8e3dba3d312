"""Rules that close over a value of a transformation further out: it is differentiated, batched and staged in them.

Every program here is 2 cos y by a rule that reads y, whatever its function does, so that each order of transformations
is checked against the same order applied to 2 cos y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

import effects as fx
from effects import ArgumentError
from handlers import (
    checkpoint,
    cond,
    custom_batching,
    custom_jvp,
    custom_transpose,
    custom_vjp,
    debug_callback,
    grad,
    jvp,
    linearize,
    scan,
    vmap,
)
from lowering import jit

type Scalar = Callable[[Any], Any]


def twice_sine(y: Any, in_residuals: bool = False) -> Any:
    """2 sin x, whose reverse rule says 2 cos y."""
    g = custom_vjp(lambda x: 2 * fx.sin(x))
    if in_residuals:
        g.defvjp(lambda x: (g(x), y), lambda kept, ct: (2 * fx.cos(kept) * ct,))
    else:
        g.defvjp(lambda x: (g(x), ()), lambda _, ct: (2 * fx.cos(y) * ct,))
    return g


def forward(y: Any) -> Any:
    """2 sin x, whose forward rule says 2 cos y."""
    g = custom_jvp(lambda x: 2 * fx.sin(x))
    g.defjvp(lambda primals, tangents: (g(*primals), 2 * fx.cos(y) * tangents[0]))
    return g


def transposed(y: Any) -> Any:
    g: Any = custom_transpose(lambda _, x: 3.0 * x)
    g.deftranspose(lambda _, ct: 2 * fx.cos(y) * ct)
    return grad(lambda x: g((), x))(1.0)


def batched(y: Any) -> Any:
    """A batching rule that calls its function, both of which read y."""
    g = custom_batching(lambda x: 2 * fx.cos(y) * x)
    g.defbatch(lambda size, batched, x: (g(x), True))
    return fx.sum(vmap(g)(fx.asarray([0.25, 0.75])))


def applied(f: Callable[[Any], Any], x: Any) -> Any:
    """f(x), whose reverse rule is the forward derivative of f along the cotangent: a function that closes over it."""
    return _APPLY(f, x)


_APPLY: Final = custom_vjp(lambda f, x: f(x), nondiff_argnums=(0,))
_APPLY.defvjp(
    lambda f, x: (applied(f, x), x),
    lambda f, x, ct: (applied(lambda z: jvp(f, (z,), (ct,))[1], x),),
)


PROGRAMS: Final[dict[str, Scalar]] = {
    "bwd": lambda y: grad(twice_sine(y))(1.0),
    "fwd": lambda y: grad(twice_sine(y, True))(1.0),
    "jvp rule": lambda y: grad(forward(y))(1.0),
    "jvp rule, forwards": lambda y: jvp(forward(y), (1.0,), (1.0,))[1],
    "argument as well": lambda y: grad(lambda x: forward(y)(x * y) / y)(1.0),
    "transpose": transposed,
    "batch": batched,
    "in jit": lambda y: grad(jit(twice_sine(y)))(1.0),
    "in checkpoint": lambda y: grad(checkpoint(twice_sine(y)))(1.0),
    "in cond": lambda y: grad(lambda x: cond(x > 0, forward(y), lambda x: x, x))(1.0),
    "in scan": lambda y: grad(lambda x: scan(lambda c, _: (twice_sine(y)(c), None), x, length=1)[0])(1.0),
    "in vmap": lambda y: grad(lambda x: fx.sum(vmap(twice_sine(y))(fx.stack([x, 2 * x]))) / 3)(1.0),
}


def reference(y: Any) -> Any:
    return 2 * fx.cos(y)


ORDERS: Final[dict[str, Callable[[Scalar], Scalar]]] = {
    "grad": grad,
    "jvp": lambda f: lambda y: jvp(f, (y,), (1.0,))[1],
    "linearize": lambda f: lambda y: linearize(f, y)[1](1.0),
    "jit": jit,
    "vmap": lambda f: lambda y: vmap(f)(fx.stack([fx.asarray(y), fx.asarray(0.3)]))[0],
    "scan": lambda f: lambda y: scan(lambda c, _: (f(c), None), fx.asarray(y), length=1)[0],
    "checkpoint": checkpoint,
}
CASES: Final = [
    pytest.param(name, order, id=f"{name}-{'-'.join(order)}")
    for i, name in enumerate(PROGRAMS)
    for j, order in enumerate([(), *product(ORDERS), *product(ORDERS, repeat=2), *product(ORDERS, repeat=3)])
    if len(order) < 2 or (i + j) % (6 if len(order) == 2 else 60) == 0
]


@pytest.mark.parametrize(("name", "order"), CASES)
def test_orders(name: str, order: tuple[str, ...]) -> None:
    f: Scalar = PROGRAMS[name]
    expected: Scalar = reference
    for transformation in order:
        f, expected = ORDERS[transformation](f), ORDERS[transformation](expected)
    assert float(f(0.8)) == pytest.approx(float(expected(0.8)), abs=1e-12)


INSIDE: Final = [
    (),
    *product(["jit", "vmap", "scan", "checkpoint"]),
    ("jit", "vmap"),
    ("vmap", "jit"),
    ("vmap", "scan"),
]


@pytest.mark.parametrize("order", INSIDE, ids="-".join)
def test_functions_among_static_arguments(order: tuple[str, ...]) -> None:
    """They close over values of transformations too: over cotangents in a rule, over lanes."""
    slope: Scalar = lambda y: grad(lambda x: applied(lambda z: 2 * fx.sin(z), x))(y)
    product: Scalar = lambda y: applied(lambda z: y * z, fx.asarray(3.0))
    for transformation in order:
        slope, product = ORDERS[transformation](slope), ORDERS[transformation](product)
    assert float(slope(0.8)) == pytest.approx(2 * math.cos(0.8))
    assert float(product(0.8)) == pytest.approx(2.4)


@pytest.mark.parametrize("wrap", [lambda f: f, jit, checkpoint, lambda f: lambda y: vmap(f)(fx.stack([y, y]))[0]])
@pytest.mark.parametrize("make", [lambda y: custom_jvp(lambda x: x * y), lambda y: custom_vjp(lambda x: x * y)])
def test_a_function_that_depends_on_the_value_is_refused(wrap: Any, make: Any) -> None:
    def f(y: Any) -> Any:
        g = make(y)
        g.defjvp(lambda primals, tangents: (g(*primals), tangents[0] * y))
        return g(2.0)

    assert float(wrap(f)(fx.asarray(3.0))) == 6
    with pytest.raises(ArgumentError, match=r"a value that it closes over, float64.*, is being differentiated"):
        grad(wrap(f))(3.0)


TWICE: Final[dict[str, Callable[[Scalar], Scalar]]] = {
    "forward over reverse": lambda f: lambda x: jvp(grad(f), (x,), (1.0,))[1],
    "forward over forward": lambda f: lambda x: jvp(lambda y: jvp(f, (y,), (1.0,))[1], (x,), (1.0,))[1],
    "in a loop that is differentiated": lambda f: grad(lambda x: scan(lambda c, _: (grad(f)(c), None), x, length=1)[0]),
}


@pytest.mark.parametrize("inside", [lambda f: f, jit, checkpoint, lambda f: lambda x: vmap(f)(fx.stack([x]))[0]])
@pytest.mark.parametrize("order", TWICE)
def test_a_rule_that_closes_over_its_argument_around_a_function_without_forward_rule(order: str, inside: Any) -> None:
    """Whether the function depends on what the rule closes over is found out without a derivative of it."""

    def f(x: Any) -> Any:
        reverse_only = custom_vjp(lambda u: fx.sin(u))
        reverse_only.defvjp(lambda u: (fx.sin(u), ()), lambda _, ct: (100.0 * ct,))
        g = custom_jvp(reverse_only)
        g.defjvp(lambda primals, tangents: (g(*primals), fx.cos(x) * tangents[0]))
        return g(x)

    assert float(TWICE[order](inside(f))(0.8)) == pytest.approx(-math.sin(0.8), abs=1e-12)


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("order", [grad, TWICE["forward over reverse"]])
def test_what_a_function_tells_the_host_is_told_once(order: Any, asks: bool) -> None:
    heard = []

    def f(x: Any) -> Any:
        def told(u: Any) -> Any:
            debug_callback(lambda u: heard.append(float(u)), u)
            return fx.sin(u) if not asks or u > 0.5 else u

        g = custom_jvp(told)
        g.defjvp(lambda primals, tangents: (g(*primals), fx.cos(x) * tangents[0]))
        return g(x)

    order(f)(0.8)
    assert heard == [0.8]


def test_lanes_of_different_functions_are_batched_as_code() -> None:
    def f(y: Any, x: Any) -> Any:
        g = custom_batching(lambda x: x * y)
        g.defbatch(lambda size, batched, x: (10 * x * y, True))
        return g(x)

    xs, ys = fx.asarray([1.0, 2.0]), fx.asarray([3.0, 4.0])
    assert fx.all(vmap(f)(ys, xs) == xs * ys) and fx.all(vmap(f, in_axes=(0, None))(ys, 2.0) == 2 * ys)
    assert fx.all(vmap(lambda y: vmap(lambda x: f(y, x))(xs))(ys) == 10 * xs * ys[:, None])
    assert fx.all(jit(vmap(jit(f), in_axes=(None, 0)))(3.0, xs) == 30 * xs)
