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


def test_second_derivative_by_hand() -> None:
    assert float(grad(PROGRAMS["bwd"])(4.0)) == pytest.approx(-2 * math.sin(4.0))


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


def test_lanes_of_different_functions_are_batched_as_code() -> None:
    def f(y: Any, x: Any) -> Any:
        g = custom_batching(lambda x: x * y)
        g.defbatch(lambda size, batched, x: (10 * x * y, True))
        return g(x)

    xs, ys = fx.asarray([1.0, 2.0]), fx.asarray([3.0, 4.0])
    assert fx.all(vmap(f)(ys, xs) == xs * ys) and fx.all(vmap(f, in_axes=(0, None))(ys, 2.0) == 2 * ys)
    assert fx.all(vmap(lambda y: vmap(lambda x: f(y, x))(xs))(ys) == 10 * xs * ys[:, None])
    assert fx.all(jit(vmap(jit(f), in_axes=(None, 0)))(3.0, xs) == 30 * xs)
