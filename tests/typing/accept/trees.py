"""What is known of trees: a structure remembers what it is of, leaves of arrays are arrays."""

from typing import NamedTuple, reveal_type

import numpy as np

import effects as fx
from effects import F32, Array
from handlers import custom_jvp, custom_vjp, eval_shape, grad, jacrev


class N: ...


class State(NamedTuple):
    x: Array
    v: Array


def loss(w: Array, x: Array) -> Array:
    return fx.sum(w * x)


def pair(x: Array) -> tuple[Array, Array]:
    return x, x


class Layer:
    @custom_jvp
    def scaled(self, x: Array, factor: float) -> Array:
        return factor * x

    @custom_vjp
    def shifted(self, x: F32[N]) -> F32[N]:
        return x


def trees(a: Array, s: F32[N], params: dict[str, Array], state: State, many: dict[str, list[F32[N]]]) -> None:
    reveal_type(fx.tree_unflatten(fx.tree_structure(params), [a]))  # dict[str, Array[Any, Any]]
    reveal_type(fx.tree_unflatten(fx.tree_flatten(state)[1], [a, a]).x)  # Array[Any, Any]
    reveal_type(fx.tree_map(lambda x: 2 * x, state).v)  # Array[Any, Any]
    reveal_type((fx.tree_leaves(many), fx.tree_leaves(s)))  # 2 × list[Array[float32, tuple[N]]]
    fx.tree_leaves(params)[0].sum(), fx.tree_leaves(state)[0].sum(), fx.tree_leaves(3), fx.tree_leaves(Layer())
    reveal_type(eval_shape(loss, a, fx.ShapedArray((3,), fx.f32)))  # ShapedArray
    reveal_type((eval_shape(lambda x: x + 1.0, a), eval_shape(pair, a)))  # 2 × Any


def derivatives(a: Array, s: F32[N], layer: Layer) -> None:
    reveal_type((layer.scaled(a, 2.0), grad(layer.scaled)(a, 2.0)))  # 2 × Array[Any, Any]
    reveal_type(layer.shifted(s))  # Array[float32, tuple[N]]
    reveal_type(jacrev(layer.shifted)(s))  # Array[float32, Any]


class Named:
    def __init__(self, name: str, value: Array) -> None:
        self.name, self.value = name, value


fx.register_node(Named, lambda n: ((n.value,), n.name), lambda name, children: Named(name.lower(), children[0]))


def declared(params: dict[str, Array], state: State) -> dict[str, tuple[int, ...]]:
    reveal_type(fx.tree_map(fx.add, params, params))  # dict[str, Array[Any, Any]]
    reveal_type(fx.ravel_pytree(params)[1](fx.ones(3)))  # dict[str, Array[Any, Any]]
    reveal_type(fx.tree_map(lambda x, y, z: x + y * z, state, state, state).x)  # Array[Any, Any]
    fx.stack([[1.0, 2.0], (3.0, 4.0)]), fx.concat([[1.0], [2]])
    hosts: dict[str, np.ndarray] = fx.tree_map(np.asarray, params)
    return fx.tree_map(lambda x: x.shape, params) if hosts else {}
