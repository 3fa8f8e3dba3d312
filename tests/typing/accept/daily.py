"""What users write with transformations: bare arrays, numbers, lambdas, partials, methods, transformations in any order."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, reveal_type

import effects as fx
from effects import F32, Array
from handlers import (
    checkpoint,
    cond,
    fori_loop,
    grad,
    hessian,
    io_callback,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    map,
    pure_callback,
    scan,
    switch,
    value_and_grad,
    vjp,
    vmap,
    while_loop,
)
from lowering import jit


class N: ...


class K: ...


class State(NamedTuple):
    x: Array
    v: Array


def loss(w: Array, x: Array, *, scale: float = 1.0) -> Array:
    return fx.sum(w * x) * scale


def with_aux(w: Array, x: Array) -> tuple[Array, dict[str, Array]]:
    return fx.sum(w * x), {"x": x}


def of_tree(params: dict[str, Array], x: Array) -> Array:
    return fx.sum(params["w"] * x)


def vector(x: Array) -> Array:
    return x


def row(x: F32[N]) -> F32[()]:
    return x.sum()


def squared(x: float) -> float:
    return x * x


def priced(spot: fx.ArrayLike, sigma: fx.ArrayLike = 0.2) -> Array:
    return fx.exp(spot) * sigma


def step(state: State, x: Array) -> tuple[State, dict[str, Array]]:
    return state, {"x": x}


def sums(total: Array, x: Array) -> tuple[Array, Array]:
    return total + x, total


@partial(jit, static_argnames="n")
def power(x: Array, n: int) -> Array:
    return x**n


@partial(vmap, in_axes=(None, 0))
def rows(w: Array, x: Array) -> Array:
    return w * x


@jit
@vmap
def compiled_rows(w: Array, x: Array) -> Array:
    return w * x


class Model:
    @partial(jit, static_argnums=0)
    def predict(self, x: Array) -> Array:
        return vmap(self.one)(x)

    def one(self, x: Array) -> Array:
        return x

    @vmap
    def lanes(self, x: Array) -> Array:
        return x

    @checkpoint(static_argnums=0)
    def saved(self, x: Array) -> Array:
        return x


def gradients(a: Array, w: Array[fx.f32], params: dict[str, Array], which: int) -> None:
    reveal_type((grad(loss, argnums=1)(a, a), grad(loss, argnums=1)(a, a, scale=2.0)))  # 2 × Array[Any, Any]
    reveal_type(grad(loss, 0)(a, x=a))  # Array[Any, Any]
    reveal_type(grad(loss, argnums=(0, 1))(a, a))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(grad(of_tree)(params, a))  # dict[str, Array[Any, Any]]
    reveal_type(grad(with_aux, has_aux=True)(a, a))  # tuple[Array[Any, Any], dict[str, Array[Any, Any]]]
    reveal_type(grad(with_aux, argnums=1, has_aux=True)(a, a))  # tuple[Array[Any, Any], dict[str, Array[Any, Any]]]
    reveal_type(value_and_grad(loss, (0, 1))(a, a))
    #: tuple[Array[Any, tuple[()]], tuple[Array[Any, Any], Array[Any, Any]]]
    reveal_type(grad(loss, argnums=which)(a, a))  # Any
    reveal_type((grad(lambda x: x**2)(3.0), grad(squared)(3.0), grad(grad(squared))(3.0)))  # 3 × Array[Any, Any]
    reveal_type((grad(priced)(100.0), grad(priced, argnums=1)(100.0, w), grad(fx.sin)(3.0)))  # 3 × Array[Any, Any]
    reveal_type((grad(grad(fx.sin))(w), vmap(grad(fx.sin))(a), vmap(grad(squared))(a)))
    #: tuple[Array[float32, Any], Array[Any, Any], Array[Any, Any]]
    reveal_type(jit(grad(priced))(w, 0.2))  # Array[Any, Any]
    reveal_type((vmap(grad(lambda x: fx.sum(x**2)))(a), jit(vmap(grad(lambda x: x)))(a)))  # 2 × Array[Any, Any]
    reveal_type(grad(lambda x: fx.sum(x**2))(w))  # Array[float32, Any]
    reveal_type(value_and_grad(lambda x: fx.sum(x**2))(w)[1])  # Array[float32, Any]
    reveal_type(grad(lambda p: p["w"])(params))  # dict[str, Array[Any, Any]]
    reveal_type(grad(priced, argnums=(0, 1))(100.0, 0.2))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(value_and_grad(priced, argnums=(0, 1))(100.0, 0.2)[1])  # tuple[Array[Any, Any], Array[Any, Any]]
    grad(fx.sin)(3.0), grad(grad(fx.sin))(3.0), grad(fx.sin)(a), grad(lambda p: p["w"])(params)["w"]


def returned() -> Callable[[Array, Array], tuple[Array, Array]]:
    return grad(loss, argnums=(0, 1))


def matrices(a: Array, params: dict[str, Array], s: F32[N]) -> None:
    reveal_type((jacfwd(vector)(a), jacrev(loss)(a, a, scale=2.0), hessian(loss)(a, a)))  # 3 × Array[Any, Any]
    reveal_type(hessian(jit(row))(s))  # Array[float32, Any]
    reveal_type(jacfwd(with_aux, has_aux=True)(a, a))  # tuple[Array[Any, Any], dict[str, Array[Any, Any]]]
    reveal_type(jacfwd(of_tree)(params, a))  # Any
    jacfwd(lambda p: p["w"])(params)["w"], jacfwd(fx.sin)(2.0), jacfwd(fx.sin)(s), hessian(vector)(2.0)


def at_points(a: Array) -> None:
    reveal_type((jvp(vector, (2.0,), (1.0,)), jvp(vector, (a,), (1.0,))))  # 2 × tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type((jvp(loss, (a, 1.0), (a, 1.0)), vjp(loss, a, a)[1](1.0)))  # 2 × tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(linearize(vector, a)[1](1.0))  # Array[Any, Any]
    vjp(fx.sin, 0.0)[1](1.0), jvp(fx.sqrt, (2.0,), (1.0,)), linearize(fx.sin, 0.0)[1](1.0)


def lanes(a: Array, many: F32[K, N], params: dict[str, Array], model: Model) -> None:
    reveal_type((vmap(loss)(a, a), vmap(loss)(a, x=a)))  # 2 × Array[Any, Any]
    reveal_type((vmap(of_tree, in_axes=(None, 0))(params, a), vmap(squared)(a)))  # 2 × Array[Any, Any]
    reveal_type((vmap(vmap(loss))(a, a), vmap(grad(loss, argnums=1), in_axes=(None, 0))(a, a)))  # 2 × Array[Any, Any]
    reveal_type((jit(vmap(jacfwd(loss)))(a, a), rows(a, a), compiled_rows(a, a), power(a, n=2)))  # 4 × Array[Any, Any]
    reveal_type((model.predict(a), model.lanes(a), model.saved(a)))  # 3 × Array[Any, Any]
    reveal_type((vmap(row)(many), vmap(fx.sin)(many), jit(vmap(row))(many)))  # 3 × Array[float32, Any]
    reveal_type(vmap(jit(grad(row)))(many))  # Array[float32, Any]
    reveal_type(vmap(with_aux)(a, a))  # tuple[Array[Any, Any], dict[str, Array[Any, Any]]]
    mapped: Callable[[Array, Array], Array] = vmap(loss)
    mapped(a, a)


def branches(a: Array, s: F32[N], p: fx.Bool[()]) -> Array:
    reveal_type((cond(a > 0, fx.log, lambda x: -1.0, a), cond(p, lambda: 1.0, lambda: 2.0)))  # 2 × Array[Any, Any]
    reveal_type(switch(1, [fx.sin, lambda x: 1.0], a))  # Array[Any, Any]
    reveal_type(cond(p, fx.sin, fx.cos, s))  # Array[float32, tuple[N]]
    reveal_type(cond(p, lambda: (a, a), lambda: (a, a)))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(cond(p, lambda c: c, lambda c: c, {"a": a}))  # dict[str, Array[Any, Any]]
    return cond(p, lambda: a, lambda: 1.0)


def loops(a: Array, state: State) -> Array:
    reveal_type((scan(step, state, a)[0].x, scan(sums, 0.0, a)[0]))  # 2 × Array[Any, Any]
    reveal_type(while_loop(lambda c: c.x.sum() < 3, lambda c: c, state).v)  # Array[Any, Any]
    reveal_type(fori_loop(0, 3, lambda i, c: c + i, a))  # Array[Any, Any]
    reveal_type(scan(step, state, a)[1])  # dict[str, Array[Any, Any]]
    reveal_type(scan(lambda c, _: (c, None), state, None, 3)[1])  # None
    total, partial_sums = scan(sums, a, a)
    return map(vector, partial_sums) + total


def on_the_host(a: Array, shape: fx.ShapedArray) -> None:
    reveal_type((pure_callback(abs, shape, a), pure_callback(abs, a, a)))  # 2 × Array[Any, Any]
    reveal_type(pure_callback(divmod, (shape, shape), a, a))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(io_callback(dict, {"a": shape}))  # dict[str, Array[Any, Any]]
