"""Mistakes with transformations of bare arrays, and of trees."""

from functools import partial
from typing import NamedTuple

import effects as fx
from effects import F32, Array
from handlers import cond, grad, jacfwd, jvp, scan, value_and_grad, vjp, vmap
from lowering import jit


class N: ...


class State(NamedTuple):
    x: Array


def loss(w: Array, x: Array, *, scale: float = 1.0) -> Array:
    return fx.sum(w * x) * scale


def of_tree(params: dict[str, Array], x: Array) -> Array:
    return fx.sum(params["w"] * x)


def row(x: F32[N]) -> F32[()]:
    return x.sum()


def sums(total: Array, x: Array) -> tuple[Array, Array]:
    return total + x, total


def narrow(x: Array[fx.f32]) -> Array[fx.f32]:
    return x


def wide(x: Array[fx.f32]) -> Array[fx.f64]:
    return x.astype(fx.f64)


@partial(jit, static_argnames="n")
def power(x: Array, n: int) -> Array:
    return x**n


def mistakes(a: Array, d: Array[fx.f64], params: dict[str, Array], state: State, p: fx.Bool[()]) -> None:
    grad(loss, argnums=1)(a)  # E: Missing positional argument "x"
    grad(loss, argnums=1)(a, "x")  # E: has incompatible type "str"
    grad(loss, argnums=(0, 1))(a, a, rate=2.0)  # E: Unexpected keyword argument "rate"
    grad(loss, argnums=(0, 1))(a, a).no_such_attribute  # E: has no attribute "no_such_attribute"
    value_and_grad(loss, 1)(a, a)[1].no_such_attribute  # E: has no attribute "no_such_attribute"
    jacfwd(loss)(a)  # E: No overload variant of "__call__" of "Jacobian"
    jacfwd(loss)(a, a).no_such_attribute  # E: has no attribute "no_such_attribute"
    vmap(loss)(a)  # E: No overload variant of "__call__" of "Mapped"
    vmap(loss)(a, "x")  # E: No overload variant of "__call__" of "Mapped"
    vmap(loss)(a, y=a)  # E: No overload variant of "__call__" of "Mapped"
    vmap(row)(d)  # E: has incompatible type "Array[float64, Any]"
    vmap(of_tree)(a, a)  # E: No overload variant of "__call__" of "Mapped"
    vmap(loss)(a, a).no_such_attribute  # E: has no attribute "no_such_attribute"
    jit(vmap(loss))(a)  # E: No overload variant of "__call__" of "Mapped"
    power(a, m=2)  # E: Unexpected keyword argument "m" for "power"
    cond(p, narrow, wide, narrow(a))  # E: Cannot infer value of type parameter "D" of "cond"
    cond(p, narrow, lambda x: {"x": x}, narrow(a))  # E: incompatible
    carry, ys = scan(sums, a, a)
    carry.no_such_attribute  # E: has no attribute "no_such_attribute"
    ys.no_such_attribute  # E: has no attribute "no_such_attribute"
    scan(sums, state, a)  # E: Argument 1 to "scan" has incompatible type
    jvp(loss, (a,), (a,))  # E: Argument 1 to "jvp" has incompatible type
    vjp(loss, a, a)[1]("ct")  # E: has incompatible type "str"
