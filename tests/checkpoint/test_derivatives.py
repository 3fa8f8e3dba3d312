"""A checkpointed function is the function: its values, and its derivatives of every order, under every handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

import effects as fx
from effects import Array
from effects.operations.checkpoint import Policy
from handlers import (
    Remat,
    checkpoint,
    checkpoint_name,
    checkpoint_policies,
    cond,
    grad,
    hessian,
    jacfwd,
    jvp,
    linearize,
    make_jaxpr,
    remat,
    vjp,
    vmap,
)
from lowering import jit
from tests.reference.agreement import close

type Function = Callable[[Array], Array]
type Wrap = Callable[[Function], Function]

W: Final = fx.asarray([[0.2, -0.5, 0.4], [0.1, 0.7, -0.3], [-0.6, 0.2, 0.5]])
X: Final = fx.asarray([0.3, -0.8, 1.2])
ROWS: Final = fx.stack([X, 2 * X])


def layer(x: Array) -> Array:
    hidden = checkpoint_name(fx.sin(W @ x), "hidden")
    return fx.tanh(hidden) * x + fx.exp(-hidden)


def chain(wrap: Wrap) -> Function:
    wrapped = wrap(layer)
    return lambda x: fx.sum(wrapped(wrapped(x)) ** 2)


def whole(wrap: Wrap) -> Function:
    return wrap(chain(lambda f: f))


def nested(wrap: Wrap) -> Function:
    return wrap(chain(wrap))


def in_branch(wrap: Wrap) -> Function:
    wrapped = wrap(layer)
    return lambda x: fx.sum(cond(fx.sum(x) > 0, wrapped, fx.cos, x))


def around_branch(wrap: Wrap) -> Function:
    return wrap(lambda x: fx.sum(cond(fx.sum(x) > 0, layer, fx.cos, x)))


def around_jit(wrap: Wrap) -> Function:
    return wrap(lambda x: fx.sum(jit(layer)(jit(layer)(x))))


def closing_over(wrap: Wrap) -> Function:
    return lambda x: wrap(lambda y: fx.sum(layer(y) * fx.sin(x)))(x)


PROGRAMS: Final[dict[str, Callable[[Wrap], Function]]] = {
    f.__name__: f for f in (chain, whole, nested, in_branch, around_branch, around_jit, closing_over)
}
POLICIES: Final[dict[str, Policy]] = {
    "nothing": checkpoint_policies.nothing_saveable,
    "everything": checkpoint_policies.everything_saveable,
    "dots": checkpoint_policies.dots_saveable,
    "dots_without_batch": checkpoint_policies.dots_with_no_batch_dims_saveable,
    "names": checkpoint_policies.save_only_these_names("hidden"),
    "own": lambda op: op.name == "tanh",
}
TRANSFORMATIONS: Final[dict[str, Callable[[Function], Any]]] = {
    "value": lambda f: f(X),
    "grad": lambda f: grad(f)(X),
    "grad of jit": lambda f: grad(jit(f))(X),
    "jit of grad": lambda f: jit(grad(f))(X),
    "jvp": lambda f: jvp(f, (X,), (fx.cos(X),)),
    "linearize": lambda f: linearize(f, X)[1](fx.cos(X)),
    "vmap of grad": lambda f: vmap(grad(f))(ROWS),
    "grad of vmap": lambda f: grad(lambda x: fx.sum(vmap(f)(x)))(ROWS),
    "forward over reverse": lambda f: hessian(f)(X),
    "reverse over reverse": lambda f: grad(lambda x: fx.sum(fx.sin(grad(f)(x))))(X),
    "reverse over forward": lambda f: grad(lambda x: jvp(f, (x,), (fx.cos(x),))[1])(X),
    "third": lambda f: jvp(hessian(f), (X,), (fx.cos(X),))[1],
    "all jitted": lambda f: jit(vmap(jit(grad(lambda x: fx.sum(jit(grad(f))(x))))))(ROWS),
}


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_without(program: str, transformation: str) -> None:
    expected = TRANSFORMATIONS[transformation](PROGRAMS[program](lambda f: f))
    close(TRANSFORMATIONS[transformation](PROGRAMS[program](checkpoint)), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("transformation", ["grad", "jit of grad", "vmap of grad", "reverse over reverse", "third"])
@pytest.mark.parametrize("program", ["nested", "around_branch", "around_jit"])
def test_same_under_every_policy(program: str, transformation: str, policy: str) -> None:
    expected = TRANSFORMATIONS[transformation](PROGRAMS[program](lambda f: f))
    actual = TRANSFORMATIONS[transformation](PROGRAMS[program](lambda f: remat(f, policy=POLICIES[policy])))
    close(actual, expected, rtol=1e-9, atol=1e-11)


def test_unknown_choice() -> None:
    def f(wrap: Wrap) -> Function:
        return lambda x: cond(x > 0, wrap(lambda x: fx.sin(x) ** 2), wrap(fx.exp), x)

    for x in map(fx.asarray, (0.7, -0.7)):
        close(grad(f(checkpoint))(x), grad(f(lambda f: f))(x))
        close(jit(grad(f(checkpoint)))(x), grad(f(lambda f: f))(x))
    xs = fx.asarray([0.7, -0.7])
    close(vmap(grad(f(checkpoint)))(xs), vmap(grad(f(lambda f: f)))(xs))


def test_trees_keywords_and_integers() -> None:
    @checkpoint(policy=checkpoint_policies.dots_saveable)
    def f(params: dict[str, Array], n: Array, *, scale: Array) -> dict[str, Array]:
        return {"out": fx.sum(fx.sin(params["w"]) * scale) * n, "n": n}

    params = {"w": X, "unused": W}
    three = fx.asarray(3)
    loss: Callable[..., Array] = lambda p, s: f(p, three, scale=s)["out"]
    found = grad(loss, argnums=(0, 1))(params, fx.asarray(2.0))
    close(found, ({"w": 6 * fx.cos(X), "unused": fx.zeros((3, 3))}, 3 * fx.sum(fx.sin(X))))
    value, pull = vjp(lambda p: f(p, three, scale=fx.asarray(2.0))["out"], params)
    close(pull(fx.ones_like(value))[0]["w"], 6 * fx.cos(X))


def test_body_does_not_depend_on_arguments() -> None:
    @checkpoint
    def f(x: Array) -> tuple[Array, Array, Array]:
        return x, fx.ones(3), fx.asarray(2.0)

    close(f(X), (X, fx.ones(3), fx.asarray(2.0)))
    close(grad(lambda x: fx.sum(f(x)[0] * f(x)[1]))(X), fx.ones(3))


def test_handler() -> None:
    inner = jit(layer)

    def model(x: Array) -> Array:
        with Remat(checkpoint_policies.dots_saveable):
            return fx.sum(inner(inner(x)))

    plain = lambda x: fx.sum(layer(layer(x)))
    close(grad(model)(X), grad(plain)(X))
    close(jit(vmap(grad(model)))(ROWS), vmap(grad(plain))(ROWS))
    close(hessian(model)(X), hessian(plain)(X), rtol=1e-9, atol=1e-11)
    assert str(make_jaxpr(model)(X)).count("checkpoint[label='layer' policy=dots_saveable]") == 2


def test_names_are_the_identity() -> None:
    close(checkpoint_name(X, "x"), X)
    close(jacfwd(lambda x: checkpoint_name(x, "x"))(X), fx.eye(3))
    close(vmap(lambda x: checkpoint_name(x * x, "x"))(X), X * X)
    assert str(make_jaxpr(lambda x: checkpoint_name(x, "h"))(1.0)) == (
        "{ lambda a:float64[] . let b:float64[] = name[label='h'] a in ( b ) }"
    )


def test_python_runs_while_staging_only() -> None:
    calls: list[object] = []

    @checkpoint
    def f(x: Array) -> Array:
        calls.append(x)
        return fx.sin(x)

    grad(f)(X[0])
    assert len(calls) == 1
