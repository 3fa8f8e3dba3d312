"""Functions that also give something that is not differentiated: `has_aux` of Jacobians and of `linearize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import TreeError
from effects.program.chain import current
from effects.trees.pytree import tree_leaves, tree_map
from handlers import (
    cond,
    custom_jvp,
    grad,
    hessian,
    io_callback,
    jacfwd,
    jacrev,
    linearize,
    make_jaxpr,
    pure_callback,
    scan,
    vmap,
)
from lowering import jit
from tests.reference.agreement import close

X: Final = fx.asarray([0.3, -0.8])
Y: Final = fx.asarray(2.0)
JACOBIANS: Final[dict[str, Any]] = {"jacfwd": jacfwd, "jacrev": jacrev, "hessian": hessian}


def value(p: Any, scale: float = 1.0) -> dict[str, Array]:
    return {"product": scale * fx.sin(p["x"]) * p["y"] ** 2, "sum": fx.sum(p["x"] ** 3)}


def pair(p: Any, scale: float = 1.0) -> tuple[dict[str, Array], dict[str, Any]]:
    return value(p, scale), aux_of(p)


def aux_of(p: Any) -> dict[str, Any]:
    return {"doubled": 2.0 * p["x"], "given": p["y"], "number": 3, "text": "a", "nothing": None, "array": np.arange(2)}


def agree(found: Any, derivative: Any, p: Any) -> None:
    own, aux = found
    close(own, derivative)
    assert aux["number"] == 3 and aux["text"] == "a" and aux["nothing"] is None and type(aux["array"]) is np.ndarray
    close((aux["doubled"], aux["given"]), (2.0 * p["x"], p["y"]))


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_are_those_without_aux(name: str) -> None:
    jacobian, p = JACOBIANS[name], {"x": X, "y": Y}
    agree(jacobian(pair, has_aux=True)(p), jacobian(value)(p), p)
    agree(jacobian(pair, 0, True)(p, scale=2.0), jacobian(value)(p, scale=2.0), p)

    def own(p: Any) -> Any:
        derivative, aux = jacobian(pair, has_aux=True)(p)
        return derivative, aux["doubled"], aux["given"]

    close(jit(own)(p), own(p))
    many = {"x": fx.stack([X, X + 1.0, fx.cos(X)]), "y": fx.asarray([1.0, 2.0, 3.0])}
    for mapped in (vmap(own), jit(vmap(own)), vmap(jit(own))):
        found = mapped(many)
        for i in range(3):
            close(tree_map(lambda a, i=i: a[i], found), own({"x": many["x"][i], "y": many["y"][i]}))


@pytest.mark.parametrize("name", JACOBIANS)
def test_several_arguments(name: str) -> None:
    jacobian = JACOBIANS[name]

    def f(x: Array, y: Array, z: Array) -> Array:
        return fx.sin(x) * y * z

    def g(x: Array, y: Array, z: Array) -> tuple[Array, tuple[Array, Array]]:
        return f(x, y, z), (x, z)

    for argnums in (1, (0,), (2, 0)):
        found, aux = jacobian(g, argnums, has_aux=True)(X, Y, fx.asarray(3.0))
        close(found, jacobian(f, argnums)(X, Y, fx.asarray(3.0)))
        close(aux, (X, fx.asarray(3.0)))
    found, aux = jacobian(g, 1, True)(X, Y, z=fx.asarray(3.0))
    close((found, aux), (jacobian(f, 1)(X, Y, fx.asarray(3.0)), (X, fx.asarray(3.0))))


def test_linearize() -> None:
    p = {"x": X, "y": Y}
    t = {"x": fx.ones(2), "y": fx.asarray(0.5)}
    y, lin, aux = linearize(pair, p, has_aux=True)
    plain, plain_lin = linearize(value, p)
    agree((y, aux), plain, p)
    close(lin(t), plain_lin(t))
    assert [eqn.op.name for eqn in make_jaxpr(lin)(t).eqns] == [eqn.op.name for eqn in make_jaxpr(plain_lin)(t).eqns]

    def everything(x: Array, y: Array) -> Any:
        result, lin, aux = linearize(lambda x, y: (x * y, fx.exp(x)), x, y, has_aux=True)
        return result, lin(x, y), aux

    close(everything(X, Y), (X * Y, 2.0 * X * Y, fx.exp(X)))
    close(jit(everything)(X, Y), everything(X, Y))
    close(vmap(everything, in_axes=(0, None))(X, Y), everything(X, Y))


def _ruled() -> Callable[[Array], Any]:
    @custom_jvp
    def ruled(x: Array) -> tuple[Array, Array]:
        return fx.sin(x), 2.0 * x

    @ruled.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        return ruled(*primals), (fx.cos(primals[0]) * tangents[0], 2.0 * tangents[0])

    return ruled


def _through(callback: Callable[..., Any]) -> Callable[[Array], Any]:
    def f(x: Array) -> Any:
        return fx.sin(x), callback(lambda v: 2.0 * np.asarray(v), fx.ShapedArray((2,), fx.float64), fx.asarray(X))

    return f


PROGRAMS: Final[dict[str, Callable[[Array], Any]]] = {
    "jit": jit(lambda x: (fx.sin(x), 2.0 * x)),
    "cond": lambda x: cond(x[0] > 0, lambda: (fx.sin(x), 2.0 * x), lambda: (x, x)),
    "scan": lambda x: scan(lambda c, _: (c, None), (fx.sin(x), 2.0 * x), length=2)[0],
    "a rule that calls its function": _ruled(),
    "pure_callback": _through(pure_callback),
    "io_callback": _through(io_callback),
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_aux_from_operations_with_a_program(jacobian: Any, program: str) -> None:
    of = jacobian(PROGRAMS[program], has_aux=True)
    for f in (of, jit(of)):
        found, aux = f(X)
        close(found, np.diag(np.cos(np.asarray(X))))
        close(aux, 2.0 * X)


def test_second_derivatives_through_a_rule() -> None:
    ruled = PROGRAMS["a rule that calls its function"]

    def total(x: Array) -> tuple[Array, Array]:
        value, aux = ruled(x)
        return fx.sum(value), aux

    found, aux = hessian(total, has_aux=True)(X)
    close((found, aux), (np.diag(-np.sin(np.asarray(X))), 2.0 * X))


@pytest.mark.parametrize("name", [*JACOBIANS, "linearize"])
def test_aux_does_not_leak(name: str) -> None:
    f = lambda x: (fx.sum(x * x), {"x": x, "product": x * 3.0, "constant": fx.ones(2) * 2.0})
    if name == "linearize":
        _, _, aux = linearize(f, X, has_aux=True)
    else:
        _, aux = JACOBIANS[name](f, has_aux=True)(X)
    assert all([leaf.owner is None for leaf in tree_leaves(aux)])
    close(aux, {"x": X, "product": X * 3.0, "constant": fx.full(2, 2.0)})


@pytest.mark.parametrize("name", [*JACOBIANS, "linearize"])
def test_aux_is_differentiated_from_outside(name: str) -> None:
    def aux(x: Array) -> Array:
        f = lambda x: (fx.sum(x * x), fx.sum(x**3))
        return linearize(f, x, has_aux=True)[2] if name == "linearize" else JACOBIANS[name](f, has_aux=True)(x)[1]

    for f in (grad(aux), jit(grad(aux)), grad(jit(aux))):
        close(f(X), 3.0 * X * X)


@pytest.mark.parametrize("name", [*JACOBIANS, "linearize"])
@pytest.mark.parametrize("result", [lambda x: x, lambda x: (x,), lambda x: (x, x, x), lambda x: [x, x]])
def test_what_is_no_pair(name: str, result: Any) -> None:
    def given(x: Array) -> Any:
        return result(x)

    of: Any = linearize if name == "linearize" else JACOBIANS[name]
    before = current()
    with pytest.raises(TreeError, match=rf"{name}: with has_aux=True given must return \(result, aux\), got "):
        of(given, X, has_aux=True) if name == "linearize" else of(given, has_aux=True)(X)
    assert current() is before
