"""What `vjp`, `linearize` and `linear_transpose` give are trees: they go wherever arrays go, equal ones as one kind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import DTypeError, ShapeError, TreeError
from handlers import (
    checkpoint,
    cond,
    custom_vjp,
    fori_loop,
    grad,
    jvp,
    linear_transpose,
    linearize,
    scan,
    vjp,
    vmap,
    while_loop,
)
from lowering import jit
from tests.errors.expect import refusal

W: Final = {"w": fx.asarray([[0.3, -0.2], [0.1, 0.4], [0.5, 0.6]]), "b": fx.asarray([1.0, -1.0, 2.0])}
X: Final = fx.asarray([0.5, 1.0])


def f(p: dict[str, fx.Array], x: fx.Array) -> fx.Array:
    return fx.sum(fx.tanh(p["w"] @ x) * p["b"]) * 2.0


def same(a: object, b: object) -> None:
    assert fx.tree_structure(a) == fx.tree_structure(b)
    for one, other in zip(fx.tree_leaves(a), fx.tree_leaves(b), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12, atol=1e-14)


def pullback(x: Any) -> Any:
    return vjp(lambda x: f(W, x), x)[1]


def pushforward(x: Any) -> Any:
    return linearize(lambda x: f(W, x) * x, x)[1]


def transpose(x: Any) -> Any:
    return linear_transpose(lambda y: y * x, X)


KINDS: Final[dict[str, tuple[Callable[[Any], Any], Any]]] = {
    "vjp": (pullback, 1.5),
    "linearize": (pushforward, fx.asarray([1.0, 2.0])),
    "linear_transpose": (transpose, fx.asarray([1.0, 2.0])),
}
WAYS: Final[dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]]] = {
    "jit": jit,
    "checkpoint": checkpoint,
    "cond": lambda make: lambda x: cond(fx.sum(x) > 0, make, lambda x: make(2.0 * x), x),
    "scan": lambda make: lambda x: scan(lambda c, _: (make(x), None), make(3.0 * x), length=2)[0],
    "stacked": lambda make: lambda x: fx.tree_map(lambda y: y[1], scan(lambda c, _: (c, make(x)), 0.0, length=2)[1]),
    "fori_loop": lambda make: lambda x: fori_loop(0, 2, lambda i, c: make(x), make(3.0 * x)),
    "while_loop": lambda make: lambda x: while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, make(x)), (0, make(x)))[1],
    "vmap": lambda make: lambda x: fx.tree_map(lambda y: y[1], vmap(make)(fx.stack([2.0 * x, x]))),
    "copied": lambda make: lambda x: fx.tree_map(lambda y: y, make(x)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [*product(WAYS), *list(product(WAYS, repeat=2))[::3]], ids="-".join)
def test_it_leaves_any_transformation(kind: str, way: tuple[str, ...]) -> None:
    make, argument = KINDS[kind]
    made: Any = make
    for step in way:
        made = WAYS[step](made)
    given = made(X)
    assert fx.tree_structure(given) == fx.tree_structure(make(X))
    same(given(argument), make(X)(argument))
    same(jit(lambda g, a: g(a))(given, argument), make(X)(argument))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_derivatives_go_through_it(kind: str, way: str) -> None:
    make, argument = KINDS[kind]
    g: Any = lambda make: lambda x: sum([fx.sum(y * y) for y in fx.tree_leaves(make(x)(argument))])
    plain, through = g(make), g(WAYS[way](make))
    same(jvp(through, (X,), (X,)), jvp(plain, (X,), (X,)))
    same(jit(jvp, static_argnums=0)(through, (X,), (X,)), jvp(plain, (X,), (X,)))
    if way != "while_loop":
        same(grad(through)(X), grad(plain)(X))


def test_lanes() -> None:
    xs = fx.asarray([[1.0, 2.0], [0.3, 0.4], [-1.0, 0.0]])
    whole = vmap(pullback)(xs)
    same(vmap(lambda g, ct: g(ct))(whole, fx.ones(3)), vmap(lambda x: pullback(x)(1.0))(xs))
    same(vmap(pullback(X))(fx.asarray([1.0, 2.0])), (fx.outer(fx.asarray([1.0, 2.0]), pullback(X)(1.0)[0]),))
    words = ("vjp: a residual of its linear function is float64[3,", "vmap gave it lanes", "mapped over it")
    refusal(TreeError, *words, of=lambda: whole(1.0))


def test_equal_programs_are_one_kind() -> None:
    traces = 0

    def apply(g: Any, ct: Any) -> Any:
        nonlocal traces
        traces += 1
        return g(ct)

    apply_jitted = jit(apply)
    for i in range(4):
        made = vjp(lambda x: 2.0 * fx.sin(x) * x, 0.3 * i)[1]
        close = 2 * np.sin(0.3 * i) + 2 * 0.3 * i * np.cos(0.3 * i)
        np.testing.assert_allclose(np.asarray(apply_jitted(made, 1.0)[0]), close)
    staged: Any = jit(lambda x: vjp(lambda x: 2.0 * fx.sin(x) * x, x)[1])
    apply_jitted(staged(0.5), 1.0)
    assert traces == 1
    sine: Any = vjp(fx.sin, 0.5)[1]
    assert repr(sine) == "<Pullback of vjp: float64[] -> (float64[],)>"
    assert repr(linearize(fx.sum, fx.ones(2))[1]) == "<Pushforward of linearize: (float64[2],) -> float64[]>"
    assert fx.tree_structure(sine) == fx.tree_structure(vjp(fx.cos, 0.1)[1])
    assert fx.tree_structure(sine) != fx.tree_structure(vjp(lambda x: fx.sin(x) + x, 0.5)[1])
    assert fx.tree_structure(sine) != fx.tree_structure(linearize(fx.sin, 0.5)[1])


def test_carried_by_a_training_loop() -> None:
    def step(state: Any, _: Any) -> Any:
        back, x = state
        x = x - 0.1 * back(1.0)[0]
        return (pullback(x), x), x

    (_, last), _ = scan(step, (pullback(X), X), length=5)
    x = X
    for _ in range(5):
        x = x - 0.1 * grad(lambda x: f(W, x))(x)
    same(last, x)


def test_rules_of_ones_own_are_kept() -> None:
    g: Any = custom_vjp(lambda x: (fx.sin(x), x), lambda x, ct: (10 * ct * x,))(fx.sin)
    back: Any = jit(lambda x: vjp(g, x)[1])(2.0)
    assert back(1.0)[0] == 20 and jit(lambda b: b(3.0))(back)[0] == 60
    assert grad(lambda x: jit(lambda x: vjp(g, x)[1])(x)(1.0)[0])(2.0) == 10


FORWARD: Final[Any] = jvp  # to the type checker a tangent is of the type of its primal
LINEARIZE: Final[Any] = linearize
REVERSE: Final[Any] = vjp


def test_only_what_is_read_is_kept() -> None:
    x = fx.ones(1000)
    assert fx.tree_leaves(vjp(lambda x: x + fx.sum(fx.exp(x)) * 0.0, X)[1])
    assert [leaf.shape for leaf in fx.tree_leaves(vjp(lambda x: x[:3] * 2.0, x)[1])] == [()]
    assert fx.tree_leaves(REVERSE(lambda x: 1.0, x)[1]) == []


def test_integers() -> None:
    jvp, linearize, vjp = FORWARD, LINEARIZE, REVERSE
    assert jvp(lambda x, i: x * i, (2.0, 3), (1.0, None)) == (6.0, 3.0)
    assert jvp(lambda p: p["x"] * p["i"], ({"x": 2.0, "i": 3},), ({"x": 1.0, "i": None},)) == (6.0, 3.0)
    assert linearize(lambda x, i: x * i, 2.0, 3)[1](1.0, None) == 3
    y, back = vjp(lambda x, i: (x * i, i + 1, i > 0), 2.0, 3)
    assert y == (6.0, 4, True) and back((1.0, None, None)) == back((1.0, 0, False)) == (3.0, 0)
    refusal(TreeError, "the structure of the tangents differs at [0]", of=lambda: jvp(fx.sin, (1.0,), (None,)))
    refusal(TreeError, "the structure of the cotangents", of=lambda: vjp(lambda x: (x, 1), 1.0)[1]((None, 0)))
    refusal(TreeError, "the structure of the tangents", of=lambda: jvp(lambda x, i: x, (1.0, 1), (1.0, (0,))))


def test_what_does_not_fit() -> None:
    back = jit(pullback)(X)
    refusal(ShapeError, "vjp: cotangent has shape [2], expected float64[]", of=lambda: back(X))
    refusal(DTypeError, "vjp: cotangent is float32[]", of=lambda: back(fx.asarray(1.0, dtype=fx.float32)))
    refusal(TreeError, "vjp: the structure of the cotangents", of=lambda: back((1.0,)))
    changed: Any = fx.tree_map(lambda _: "a", back)
    with pytest.raises(fx.ArgumentError, match="vjp: a residual of its linear function must be an array or a number"):
        changed(1.0)


def test_the_transpose_of_the_zero_function_gives_zeros() -> None:
    x = fx.asarray([1.0, 2.0])
    _, flat = linearize(fx.floor, x)

    def transposed(x: fx.Array) -> Any:
        return linear_transpose(flat, x)(x)[0]

    for zeros in (transposed(x), jit(transposed)(x)):
        np.testing.assert_array_equal(zeros, [0.0, 0.0])
    (partly,) = linear_transpose(lambda x: (fx.zeros(3), 2 * x), x)((fx.ones(3), x))
    np.testing.assert_array_equal(partly, [2.0, 4.0])
