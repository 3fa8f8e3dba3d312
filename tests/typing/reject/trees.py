"""Mistakes with trees, their structures and types, and with rules of methods."""

from typing import NamedTuple

import effects as fx
from effects import F32, Array
from handlers import custom_batching, custom_jvp, eval_shape


class N: ...


class State(NamedTuple):
    x: Array
    v: Array


class Layer:
    @custom_jvp
    def scaled(self, x: F32[N], factor: float) -> F32[N]:
        return factor * x


@custom_jvp
def f(x: Array) -> Array:
    return x


def tangent_only(primals: tuple[Array], tangents: tuple[Array]) -> Array:
    return tangents[0]


def loss(w: Array, x: Array) -> Array:
    return fx.sum(w * x)


def mistakes(a: Array, s: F32[N], state: State, layer: Layer, many: list[F32[N]]) -> None:
    fx.tree_unflatten(fx.tree_structure(state), [a, a]).w  # E: "State" has no attribute "w"
    fx.tree_unflatten(fx.tree_flatten(state)[1], [a, a]).w  # E: "State" has no attribute "w"
    fx.tree_unflatten(state, [a, a])  # E: Argument 1 to "tree_unflatten" has incompatible type "State"
    fx.tree_unflatten(fx.tree_structure(state), 3)  # E: Argument 2 to "tree_unflatten" has incompatible type "int"
    fx.tree_map(abs, state).w  # E: "State" has no attribute "w"
    fx.tree_leaves(many)[0].nothing  # E: has no attribute "nothing"
    eval_shape(loss, a, a).nothing  # E: "ShapedArray" has no attribute "nothing"
    layer.scaled(s)  # E: Too few arguments
    layer.scaled(s, "2")  # E: has incompatible type "str"
    layer.scaled(s, 2.0).nothing  # E: has no attribute "nothing"
    f.defjvp(tangent_only)  # E: Value of type variable "F" of "defjvp" of "CustomFunction" cannot be
    custom_batching(loss).defbatch(loss)  # E: Value of type variable "F" of "defbatch" of "CustomFunction" cannot be


def parts(a: Array, state: State) -> None:
    fx.ravel_pytree(state)[1](a).w  # E: "State" has no attribute "w"
