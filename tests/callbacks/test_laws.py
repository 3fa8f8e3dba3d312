"""How often callbacks are called and with what: every kind through every transformation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import pytest

import effects as fx
from effects import ArgumentError, Array, MissingRule, eval_jaxpr
from handlers import (
    checkpoint,
    cond,
    fori_loop,
    grad,
    hessian,
    jacfwd,
    jvp,
    linearize,
    make_jaxpr,
    partial_eval_jaxpr,
    scan,
    stop_gradient,
    switch,
    value_and_grad,
    vjp,
    vmap,
    while_loop,
)
from lowering import jit
from tests.callbacks.effects import EFFECTS

type F = Callable[[Any], Any]
type Calls = Sequence[float]

X: Final = fx.asarray(2.0)
LANES: Final = fx.arange(3.0)


class Law(NamedTuple):
    """A program of a function with an effect, and what the effect is called with.

    `pure` says it for pure callbacks where it is something else. `varies`: a tangent flows through the effect. `lanes`:
    it is mapped over.
    """

    run: Callable[[F], object]
    calls: Calls
    pure: Calls | None = None
    varies: bool = False
    lanes: bool = False


def _branches(f: F, v: Array) -> Array:
    return cond(v > 0, f, lambda u: -u, v)


def _scanned(f: F) -> Callable[[Array], Array]:
    return lambda x: scan(lambda c, v: (c + f(v * x), None), fx.asarray(0.0), LANES)[0]


def _looped(f: F) -> Callable[[Array], Array]:
    return lambda x: while_loop(lambda c: c < 3, lambda c: c + 1 + 0 * f(c), x)


def _twice(f: F, x: Any) -> object:
    f(x)
    return f(x)


def _later(f: F, x: Array) -> object:
    program = make_jaxpr(f)(x)
    assert program.inputs, "tracing calls nothing"
    return eval_jaxpr(program, [x])


def _split(f: F) -> object:
    parts = partial_eval_jaxpr(make_jaxpr(lambda x, y: f(x) * y)(X, X), [False, True])
    residuals = eval_jaxpr(parts.known, [X])
    return eval_jaxpr(parts.unknown, [*residuals, X])


def _unknown(f: F) -> object:
    parts = partial_eval_jaxpr(make_jaxpr(f)(X), [True])
    assert not parts.known.eqns
    return eval_jaxpr(parts.unknown, [X])


LAWS: Final[dict[str, Law]] = {
    "eager": Law(lambda f: f(X), [2]),
    "jit": Law(lambda f: jit(f)(X), [2]),
    "jit of jit": Law(lambda f: jit(jit(f))(X), [2]),
    "jit, unused": Law(lambda f: jit(lambda x: (f(x), x)[1])(X), [2]),
    "jit, no results": Law(lambda f: jit(lambda x: (f(x), None)[1])(X), [2]),
    "jit, called twice": Law(lambda f: _twice(jit(f), X), [2, 2]),
    "jit, twice in it": Law(lambda f: jit(lambda x: f(x) + f(x))(X), [2, 2]),
    "jit, of a constant": Law(lambda f: jit(lambda: f(fx.asarray(2.0)))(), [2]),
    "compiled ahead": Law(lambda f: jit(f).lower(X).compile()(X), [2]),
    "make_jaxpr": Law(lambda f: make_jaxpr(f)(X), []),
    "make_jaxpr, evaluated": Law(lambda f: _later(f, X), [2]),
    "partial evaluation, known": Law(_split, [2]),
    "partial evaluation, unknown": Law(_unknown, [2]),
    "vmap": Law(lambda f: vmap(f)(LANES), [0, 1, 2], lanes=True),
    "vmap, the same in all lanes": Law(lambda f: vmap(lambda v: v + f(X))(LANES), [2, 2, 2], [2], lanes=True),
    "vmap of vmap": Law(lambda f: vmap(vmap(f))(fx.reshape(fx.arange(4.0), (2, 2))), [0, 1, 2, 3], lanes=True),
    "vmap of no lanes": Law(lambda f: vmap(f)(fx.zeros(0)), [], lanes=True),
    "vmap of jit": Law(lambda f: vmap(jit(f))(LANES), [0, 1, 2], lanes=True),
    "vmap of jit, the same": Law(lambda f: vmap(lambda v: v + jit(f)(X))(LANES), [2, 2, 2], [2], lanes=True),
    "jit of vmap": Law(lambda f: jit(vmap(f))(LANES), [0, 1, 2], lanes=True),
    "cond, taken": Law(lambda f: cond(True, f, lambda x: x, X), [2]),
    "cond, not taken": Law(lambda f: cond(False, f, lambda x: x, X), []),
    "jit of cond": Law(lambda f: jit(lambda x: _branches(f, x) + _branches(f, -x))(X), [2]),
    "switch": Law(lambda f: jit(lambda i: switch(i, [lambda x: x, f, lambda x: -x], X))(1), [2]),
    "vmap of cond, one choice": Law(
        lambda f: vmap(lambda v: cond(True, f, lambda x: x, v))(LANES), [0, 1, 2], lanes=True
    ),
    "vmap of cond": Law(lambda f: vmap(lambda v: _branches(f, v))(LANES), [1, 2], [0, 1, 2], lanes=True),
    "jit of vmap of cond": Law(lambda f: jit(vmap(lambda v: _branches(f, v)))(LANES), [1, 2], [0, 1, 2], lanes=True),
    "vmap of cond of jit": Law(lambda f: vmap(lambda v: _branches(jit(f), v))(LANES), [1, 2], [0, 1, 2], lanes=True),
    "vmap of cond of scan": Law(
        lambda f: vmap(lambda v: _branches(_scanned(f), v))(fx.asarray([0.0, 1.0])),
        [0, 1, 2],
        [0] * 2 + [0, 1] + [0, 2],
        lanes=True,
    ),
    "vmap of switch": Law(
        lambda f: vmap(lambda i: switch(i, [lambda x: x, f, lambda x: -x], X + 0.0 * i))(fx.arange(-1, 3)),
        [2],
        [2, 2, 2, 2],
        lanes=True,
    ),
    "vmap of cond of cond": Law(
        lambda f: vmap(lambda v: _branches(lambda u: cond(u > 1, f, lambda w: w, u), v))(LANES),
        [2],
        [0, 1, 2],
        lanes=True,
    ),
    "vmap of cond of while_loop": Law(
        lambda f: vmap(lambda v: _branches(_looped(f), v))(LANES), [1, 2, 2], [0, 1, 2, 1, 2, 3, 2, 3, 3], lanes=True
    ),
    "grad of vmap of cond": Law(
        lambda f: jit(grad(lambda x: fx.sum(vmap(lambda v: _branches(f, v))(x))))(LANES),
        [1, 2],
        varies=True,
        lanes=True,
    ),
    "scan": Law(lambda f: _scanned(f)(fx.asarray(1.0)), [0, 1, 2]),
    "jit of scan": Law(lambda f: jit(_scanned(f))(fx.asarray(1.0)), [0, 1, 2]),
    "scan, invariant": Law(lambda f: jit(lambda x: scan(lambda c, _: (c + f(x), None), x, None, length=3))(X), [2] * 3),
    "fori_loop": Law(lambda f: jit(lambda x: fori_loop(0, 3, lambda i, c: c + f(x), x))(X), [2] * 3),
    "while_loop": Law(lambda f: _looped(f)(fx.asarray(0.0)), [0, 1, 2]),
    "jit of while_loop": Law(lambda f: jit(_looped(f))(fx.asarray(0.0)), [0, 1, 2]),
    "vmap of while_loop": Law(
        lambda f: vmap(_looped(f))(LANES), [0, 1, 2, 1, 2, 2], [0, 1, 2, 1, 2, 3, 2, 3, 3], lanes=True
    ),
    "jit of vmap of while_loop": Law(
        lambda f: jit(vmap(_looped(f)))(LANES), [0, 1, 2, 1, 2, 2], [0, 1, 2, 1, 2, 3, 2, 3, 3], lanes=True
    ),
    "checkpoint": Law(lambda f: checkpoint(f)(X), [2]),
    "jvp": Law(lambda f: jvp(f, (X,), (X,)), [2], varies=True),
    "jvp of jit": Law(lambda f: jvp(jit(f), (X,), (X,)), [2], varies=True),
    "jvp of jvp": Law(lambda f: jvp(lambda x: jvp(f, (x,), (x,))[1], (X,), (X,)), [2], varies=True),
    "jacfwd": Law(lambda f: jacfwd(f)(X), [2], varies=True),
    "jacfwd in directions": Law(lambda f: jacfwd(lambda v: v * f(fx.sum(v)))(LANES), [3], varies=True),
    "jacfwd in directions, of a constant": Law(lambda f: jacfwd(lambda v: v * f(X))(LANES), [2]),
    "jacfwd of jit in directions": Law(lambda f: jit(jacfwd(jit(lambda v: v * f(X))))(LANES), [2]),
    "jacfwd of cond in directions": Law(lambda f: jacfwd(lambda v: v * _branches(f, v[2]))(LANES), [2], varies=True),
    "jacfwd of scan in directions": Law(lambda f: jacfwd(lambda v: v * _scanned(f)(X / 2))(LANES), [0, 1, 2]),
    "jacfwd of while_loop in directions": Law(
        lambda f: jacfwd(lambda v: _looped(f)(v[0]) * v)(LANES), [0, 1, 2], varies=True
    ),
    "hessian in directions": Law(lambda f: jit(hessian(lambda v: fx.sum(v) * f(X)))(LANES), [2]),
    "hessian of checkpoint in directions": Law(
        lambda f: hessian(checkpoint(lambda v: f(fx.sum(v))))(LANES), [3], varies=True
    ),
    "vmap of jacfwd": Law(lambda f: vmap(jacfwd(f))(LANES), [0, 1, 2], varies=True, lanes=True),
    "jacfwd of vmap": Law(lambda f: jacfwd(vmap(f))(LANES), [0, 1, 2], varies=True, lanes=True),
    "linearize": Law(lambda f: _twice(linearize(f, X)[1], X), [2], varies=True),
    "linearize of jit": Law(lambda f: _twice(linearize(jit(f), X)[1], X), [2], varies=True),
    "vjp": Law(lambda f: _twice(vjp(f, X)[1], X), [2], varies=True),
    "vjp of jit": Law(lambda f: _twice(vjp(jit(f), X)[1], X), [2], varies=True),
    "grad": Law(lambda f: grad(f)(X), [2], varies=True),
    "grad of jit": Law(lambda f: grad(jit(f))(X), [2], varies=True),
    "jit of grad": Law(lambda f: jit(grad(f))(X), [2], varies=True),
    "jit of grad of jit": Law(lambda f: jit(value_and_grad(jit(f)))(X), [2], varies=True),
    "grad of grad": Law(lambda f: grad(grad(f))(X), [2], varies=True),
    "hessian": Law(lambda f: jit(hessian(f))(X), [2], varies=True),
    "grad, result unused": Law(lambda f: grad(lambda x: (f(x), x)[1])(X), [2], varies=True),
    "grad of jit, result unused": Law(
        lambda f: grad(lambda x: (jit(lambda y: (f(y), None)[1])(x), x)[1])(X), [2], varies=True
    ),
    "grad, of a constant": Law(lambda f: grad(lambda x: x * f(stop_gradient(x)))(X), [2]),
    "jit of grad, of a constant": Law(lambda f: jit(grad(lambda x: x * f(stop_gradient(x))))(X), [2]),
    "vmap of grad": Law(lambda f: vmap(grad(f))(LANES), [0, 1, 2], varies=True, lanes=True),
    "vmap of grad of jit": Law(lambda f: vmap(grad(jit(f)))(LANES), [0, 1, 2], varies=True, lanes=True),
    "grad of vmap": Law(lambda f: grad(lambda v: fx.sum(vmap(f)(v)))(LANES), [0, 1, 2], varies=True, lanes=True),
    "grad of cond": Law(lambda f: jit(grad(lambda x: _branches(f, x)))(X), [2], varies=True),
    "grad of scan": Law(lambda f: grad(_scanned(f))(fx.asarray(1.0)), [0, 1, 2], varies=True),
    "jit of grad of scan": Law(lambda f: jit(grad(_scanned(f)))(fx.asarray(1.0)), [0, 1, 2], varies=True),
    "grad of scan, invariant": Law(
        lambda f: jit(grad(lambda x: scan(lambda c, _: (c + x * f(X), None), x, None, length=3)[0]))(X), [2] * 3
    ),
    "jvp of while_loop": Law(lambda f: jvp(_looped(f), (fx.asarray(0.0),), (X,)), [0, 1, 2], varies=True),
    "linearize of while_loop": Law(
        lambda f: _twice(linearize(_looped(f), fx.asarray(0.0))[1], X), [0, 1, 2], varies=True
    ),
    "jit of linearize of while_loop": Law(
        lambda f: jit(lambda x: linearize(_looped(f), x)[1](x))(fx.asarray(0.0)), [0, 1, 2], varies=True
    ),
    "grad of checkpoint": Law(lambda f: grad(checkpoint(f))(X), [2], varies=True),
    "jit of grad of checkpoint": Law(lambda f: jit(grad(checkpoint(f)))(X), [2], varies=True),
    "grad of checkpoint, of a constant": Law(
        lambda f: jit(grad(checkpoint(lambda x: fx.sin(x * f(stop_gradient(x))))))(X), [2]
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("effect", EFFECTS)
def test_calls(effect: str, law: str) -> None:
    run, expected, of_pure, varies, lanes = LAWS[law]
    calls: list[float] = []

    def f(x: Array) -> Array:
        return EFFECTS[effect](calls, x)

    refusals: list[type[Exception]] = []
    if varies and "debug" not in effect:
        refusals.append(MissingRule)
    if lanes and effect == "ordered io":
        refusals.append(ArgumentError)
    if refusals:
        with pytest.raises(tuple(refusals), match=r"custom_jvp|ordered=False"):
            run(f)
        assert not calls
    else:
        run(f)
        assert calls == list(expected if of_pure is None or effect != "pure" else of_pure)


@pytest.mark.parametrize("law", LAWS)
def test_results_are_those_without_the_effect(law: str) -> None:
    def with_effect(x: Array) -> Array:
        return EFFECTS["debug"]([], x)

    if law != "make_jaxpr":
        leaves = fx.tree_leaves(LAWS[law].run(with_effect))
        plain = fx.tree_leaves(LAWS[law].run(lambda x: x * x))
        assert [leaf.tolist() if isinstance(leaf, Array) else leaf for leaf in leaves] == [
            leaf.tolist() if isinstance(leaf, Array) else leaf for leaf in plain
        ]
