"""What can be said about a function: rules per argument, absent tangents, batching, transposition; their neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import (
    checkpoint,
    closure_convert,
    custom_batching,
    custom_jvp,
    custom_transpose,
    custom_vjp,
    eval_shape,
    grad,
    hessian,
    hvp,
    jacfwd,
    jvp,
    linear_transpose,
    make_jaxpr,
    scan,
    stop_gradient,
    vmap,
    while_loop,
)
from lowering import jit

X: Any = fx.asarray([0.5, 1.5, 2.5])


def same(actual: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-12)


def test_rule_for_each_argument() -> None:
    @custom_jvp
    def f(x: Any, y: Any, n: int) -> Any:
        return {"a": x * y, "b": fx.sin(x)}

    f.defjvps(lambda t, ans, x, y, n: {"a": 10 * t * y, "b": t}, lambda t, ans, x, y, n: {"a": t * x, "b": 0 * t}, None)
    out, rate = jvp(f, (2.0, 3.0, 1), (1.0, 1.0, 0))
    assert out["a"] == 6 and rate == {"a": 32, "b": 1}
    assert jvp(lambda x: f(x, 3.0, 1), (2.0,), (1.0,))[1] == {"a": 30, "b": 1}
    assert grad(lambda y: f(2.0, y, 1)["a"])(3.0) == 2


def test_absent_tangents_are_zeros_or_none() -> None:
    seen: list[object] = []

    def rule(primals: Any, tangents: Any) -> Any:
        seen.append(tangents)
        return primals[0] * primals[1], None if tangents[0] is None else tangents[0] * primals[1]

    f = custom_jvp(lambda x, y: x * y)
    f.defjvp(rule, symbolic_zeros=True)
    assert jvp(lambda x: f(x, 3.0), (2.0,), (1.0,))[1] == 3
    assert jvp(lambda y: f(2.0, y), (3.0,), (1.0,))[1] == 0
    assert seen == [(1, None), (None, 1)]
    f.defjvp(rule)
    assert jvp(lambda x: f(x, 3.0), (2.0,), (1.0,))[1] == 3 and seen[2] == (1, 0)


@pytest.mark.parametrize("symbolic", [False, True])
def test_absent_cotangents_are_zeros_or_none(symbolic: bool) -> None:
    seen: list[Any] = []

    @custom_vjp
    def f(x: Any) -> tuple[Any, Any]:
        return x, 2.0 * x

    def bwd(_: None, ct: tuple[Any, Any | None]) -> tuple[Any]:
        seen.append(ct[1])
        return (7 * ct[0],)

    f.defvjp(lambda x: (f(x.value if symbolic else x), None), bwd, symbolic_zeros=symbolic)
    assert grad(lambda x: f(x)[0])(2.0) == 7
    assert (seen[0] is None) == symbolic


def test_integer_and_constant_parts_have_no_derivative() -> None:
    @custom_vjp
    def f(x: Any, n: Any) -> tuple[Any, Any]:
        return x * n, n + 1

    f.defvjp(lambda x, n: (f(x, n), n), lambda n, ct: (5 * ct[0], None))
    for g in (grad(lambda x: f(x, 3)[0]), jit(grad(lambda x: f(x, 3)[0])), grad(jit(lambda x: f(x, 3)[0]))):
        assert g(2.0) == 5
    assert f(2.0, 3)[1].dtype is fx.int64


def test_rules_are_traced_only_when_needed_and_may_call_their_function() -> None:
    calls: list[str] = []

    def rule(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        calls.append("rule")
        return f(*primals), tangents[0] * f(*primals)

    @custom_jvp
    def f(x: Any) -> Any:
        return fx.exp(x)

    f.defjvp(rule)
    compiled = jit(f)
    same(compiled(1.0), np.e)
    same(jit(vmap(compiled))(X), np.exp(np.asarray(X)))
    assert not calls
    third = grad(grad(grad(compiled)))
    same(third(1.0), np.e)
    assert calls


def test_programs_keep_the_function() -> None:
    f = custom_jvp(lambda x: fx.sin(x))
    f.defjvp(lambda p, t: (f(*p), t[0]))
    text = str(make_jaxpr(f)(1.0))
    assert "custom_call[definition=<lambda>]" in text and "sin a" in text
    assert eval_shape(f, X) == X.aval and "sine" in jit(f).lower(X).as_text()


@pytest.mark.parametrize("second", [hessian, lambda f: grad(grad(f)), lambda f: jit(grad(jit(grad(jit(f)))))])
def test_second_derivatives_go_through_the_rule(second: Callable[..., Any]) -> None:
    @custom_jvp
    def f(x: Any) -> Any:
        return fx.sin(x)

    f.defjvp(lambda p, t: (f(*p), t[0] * p[0] ** 3))
    same(second(f)(2.0), 12)

    @custom_vjp
    def g(x: Any) -> Any:
        return fx.sin(x)

    g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct * x**3,))
    if second is not hessian:
        same(second(g)(2.0), 12)
    g.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (ct * x**3,))  # forward mode goes through both parts
    same(second(g)(2.0), 12)


def test_what_does_not_vary_needs_no_forward_rule() -> None:
    doubled: Any = custom_vjp(lambda x: (2.0 * x, ()), lambda _, ct: (2.0 * ct,))(lambda x: 2.0 * x)
    plain = lambda x: fx.sum(fx.sin(x) * doubled(X))
    expected = -fx.eye(3) * fx.sin(X) * 2.0 * X
    operand = lambda x: fx.sum(checkpoint(lambda x, c: fx.sin(x) * doubled(c))(x, X))
    captured = lambda x: fx.sum(checkpoint(lambda: fx.sin(x) * doubled(X))())
    for f in (plain, operand, captured):
        ways: tuple[Any, ...] = (hessian(f), jacfwd(grad(f)), jit(hessian(f)), jacfwd(jit(grad(f))))
        for second in ways:
            same(second(X), expected)


def test_methods_and_partial_arguments() -> None:
    class Layer:
        def __init__(self, w: Any) -> None:
            self.w = w

        def __call__(self, x: Any) -> Any:
            scaled = custom_vjp(self.scale)
            scaled.defvjp(lambda x: (self.scale(x), None), lambda _, ct: (100 * ct * self.w,))
            return scaled(x)

        def scale(self, x: Any) -> Any:
            return self.w * x

    for d in (vmap(lambda w, x: grad(Layer(w))(x)), jit(vmap(lambda w, x: grad(jit(Layer(w)))(x)))):
        same(d(X, X), 100 * np.asarray(X))


def test_own_batching_rule() -> None:
    calls: list[Any] = []

    @custom_batching
    def dot(x: Any, y: Any) -> Any:
        return fx.sum(x * y)

    @dot.defbatch
    def rule(size: int, batched: tuple[bool, bool], x: Any, y: Any) -> tuple[Any, bool]:
        calls.append((size, batched))
        return 1000 + fx.sum(x * y, axis=-1), True

    xs = fx.stack([X, 2 * X])
    for f in (dot, jit(dot)):
        same(f(X, X), 8.75)
        same(vmap(f)(xs, xs), [1008.75, 1035])
        same(vmap(f, in_axes=(0, None))(xs, X), [1008.75, 1017.5])
        same(grad(f)(X, X), X)
        same(grad(lambda x, f=f: fx.sum(vmap(f, in_axes=(0, None))(x, X)))(xs), fx.stack([X, X]))
        same(jvp(vmap(f), (xs, xs), (xs, xs))[1], [17.5, 70])
        same(vmap(lambda x, f=f: jvp(f, (x, X), (x, X))[1])(xs), [17.5, 35])
    assert (2, (True, False)) in calls


def test_own_transpose() -> None:
    calls: list[Any] = []

    @custom_transpose
    def scaled(factors: dict[str, Any], x: Any) -> Any:
        return factors["f"] * fx.sum(x)

    @scaled.deftranspose
    def rule(factors: dict[str, Any], ct: Any) -> Any:
        calls.append(ct)
        return 10 * factors["f"] * ct * fx.ones(3)

    tens = 30 * np.ones(3)
    f = lambda x: scaled({"f": 3.0}, x)
    g: Any
    for g in (f, jit(f)):
        same(g(X), 13.5)
        same(linear_transpose(g, X)(1.0)[0], tens)
        same(grad(g)(X), tens)
        same(jit(grad(g))(X), tens)
        same(vmap(grad(g))(X[None]), tens[None])
        same(grad(lambda x, g=g: fx.sum(vmap(g)(x)))(X[None]), tens[None])
        same(jvp(g, (X,), (X,))[1], 13.5)
        same(grad(lambda x, g=g: jvp(g, (X,), (x,))[1])(X), tens)
    same(grad(lambda c: scaled({"f": c}, X))(3.0), 4.5)
    assert calls


def test_inside_loops_that_are_batched() -> None:
    @custom_vjp
    def step(x: Any) -> Any:
        return 0.5 * x

    step.defvjp(lambda x: (step(x), ()), lambda _, ct: (2 * ct,))

    def loop(x: Any) -> Any:
        return scan(lambda c, _: (step(c), None), x, None, length=3)[0]

    for g in (grad(loop), jit(grad(loop)), grad(jit(loop)), lambda x: vmap(grad(loop))(fx.stack([x]))[0]):
        same(g(4.0), 8)
    same(grad(lambda x: fx.sum(vmap(loop)(x)))(X), [8, 8, 8])
    same(vmap(lambda x: while_loop(lambda c: c > 1, step, x))(fx.asarray([4.0, 3.0, 0.5])), [1, 0.75, 0.5])


def test_stop_gradient() -> None:
    f = lambda x: x * stop_gradient(fx.sin(x))
    for g in (
        grad(f),
        jit(grad(f)),
        grad(jit(f)),
        lambda x: jvp(f, (x,), (1.0,))[1],
        lambda x: vmap(grad(f))(x[None])[0],
    ):
        same(g(fx.asarray(2.0)), np.sin(2))
    same(grad(grad(f))(2.0), 0)  # sin itself is a constant to every derivative
    tree: Any = stop_gradient({"a": 1, "b": (X, 2.0)})
    assert tree["a"].dtype is fx.int64 and tree["b"][0] is X


def test_closure_conversion() -> None:
    def loss(w: Any, b: Any) -> Any:
        return lambda x: fx.sum(w * x + b) * 2

    converted, hoisted = closure_convert(loss(X, fx.asarray(1.0)), X)
    assert len(hoisted) == 2 and hoisted[0] is X and hoisted[1].tolist() == 1.0
    same(converted(X, *hoisted), 2 * (8.75 + 3))

    def solve(f: Callable[[Any], Any], x: Any) -> Any:
        converted, hoisted = closure_convert(f, x)
        implicit = custom_vjp(lambda x, *closed: converted(x, *closed))
        implicit.defvjp(
            lambda x, *closed: (converted(x, *closed), closed),
            lambda closed, ct: (None, *[100 * ct * c for c in closed]),
        )
        return implicit(x, *hoisted)

    for d in (grad, lambda f: jit(grad(f)), lambda f: grad(jit(f))):
        same(d(lambda w: solve(lambda x: fx.sum(w * x), X))(X), 100 * np.asarray(X))


def test_hvp() -> None:
    f = lambda x, p: fx.sum(fx.sin(x)) * p["s"] ** 2
    v = fx.asarray([1.0, 0.0, -1.0])
    hx, hp = hvp(f, (X, {"s": 3.0}), (v, {"s": 1.0}))
    x = np.asarray(X)
    same(hx, -9 * np.sin(x) * np.asarray(v) + 6 * np.cos(x))
    same(hp["s"], 6 * np.sum(np.cos(x) * np.asarray(v)) + 2 * np.sum(np.sin(x)))
    same(jit(lambda x: hvp(lambda x: fx.sum(x**3), (x,), (v,))[0])(X), 6 * x * np.asarray(v))


def test_jvp_has_aux() -> None:
    f = lambda x: (x * x, {"twice": 2 * x, "name": "x"})
    value, rate, aux = jvp(f, (3.0,), (1.0,), has_aux=True)
    assert value == 9 and rate == 6 and aux["name"] == "x" and aux["twice"] == 6
    nested = lambda x: jvp(f, (x,), (1.0,), has_aux=True)[2]["twice"]
    assert grad(nested)(3.0) == 2 and fx.all(vmap(nested)(X) == 2 * X)
