"""The programs that are closed under the transformations: small, smooth where they are evaluated, one idea each.

A program is a function with arguments to call it on. `thorough` programs go through every order of transformations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

import effects as fx
from effects import Array
from handlers import cond, jvp
from lowering import jit
from tests.reference.multiply_add import multiply_add

type Unary = Callable[[Array], Array]


class Program(NamedTuple):
    """`f(*args, **kwargs)`; derivatives are taken with respect to `args`."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def numbers(*shape: int, seed: int = 0) -> Array:
    """Numbers between 0.5 and 1.5, the same in every run."""
    return fx.asarray(np.random.default_rng(seed).uniform(0.5, 1.5, shape))


TABLE: Final = numbers(3, seed=20)


def elementwise(x: Array) -> Array:
    return fx.sin(x) * fx.exp(-x) / (1.0 + x**2) - fx.log(x)


def broadcasting(x: Array, y: Array) -> Array:
    return fx.tanh(x[:, None] * y) + x[:, None] * TABLE


def reductions(x: Array) -> tuple[Array, Array, Array]:
    return fx.sum(x * x, axis=0), fx.max(x, axis=1), fx.mean(x) * fx.prod(x, axis=-1, keepdims=True)


def mlp(params: dict[str, list[Array]], x: Array) -> Array:
    h = x
    for w, b in zip(params["w"], params["b"], strict=True):
        h = fx.tanh(h @ w + b)
    return fx.mean(h * h)


def softmax(x: Array) -> Array:
    shifted = x - fx.max(x, axis=-1, keepdims=True)
    weights = fx.exp(shifted)
    return weights / fx.sum(weights, axis=-1, keepdims=True)


def branches(x: Array, y: Array) -> Array:
    inner = fx.sin(x) * TABLE[0]
    return cond(x > 1.0, lambda: inner * x, lambda: fx.exp(y) * TABLE[1] + inner)


def nested_jit(x: Array, y: Array) -> Array:
    inner: Unary = jit(lambda a: fx.sin(a) * y)
    outer: Callable[[Array, Array], Array] = jit(lambda a, b: inner(a) + inner(b) * x)
    return outer(x, y)


def jit_in_cond_in_jit(x: Array) -> Array:
    square: Unary = jit(lambda a: a * a * x)
    outer: Unary = jit(lambda a: cond(a > 0.75, lambda b: square(b) + a, lambda b: fx.cos(b) * x, a + x))
    return outer(x)


def nested_closures(x: Array) -> Array:
    """2x + 4x² + x² sin x, by jits and a derivative in closures over each other's values."""

    def inner(y: Array) -> Array:
        def innermost(w: Array) -> Array:
            q: Array = jit(lambda x: y)(x) + jit(lambda: y)() + jit(lambda y: w + y)(y)
            return q + jit(lambda w: jit(fx.sin)(x) * y)(1.0)

        p, t = jvp(innermost, (x + 1.0,), (y,))
        return t + x * p

    return jit(inner)(x)


def indexing(x: Array, *, i: Array) -> Array:
    chosen = fx.dynamic_index_in_dim(x, i, keepdims=False)
    return fx.dynamic_update_slice(x[::2] * 2.0, chosen[None] ** 2, (0, 0)) + x[1, ::-1]


def joining(x: Array, y: Array) -> tuple[Array, Array]:
    joined = fx.concat([x, y, x * y])
    return fx.flip(fx.pad(joined, ((1, 2),), constant_values=y[0])), fx.stack([x, y]).T


def complex_numbers(z: Array, x: Array) -> Array:
    w = fx.exp(z * 0.5) * x + fx.conj(z)
    return fx.real(w * w) + fx.imag(z) * x


def integers_beside(x: Array) -> tuple[Array, Array, Array]:
    return fx.argmax(x), fx.sin(x) * fx.arange(3), x > 1.0


def trees(p: dict[str, Any]) -> dict[str, Any]:
    a, (b, c) = p["a"], p["bc"]
    return {"sum": a + b, "pair": (b * c, [fx.sin(c), None]), "same": a}


def keywords(x: Array, *, scale: Array, shift: Array) -> Array:
    return fx.sin(x * scale) + shift * x


def users_operation(x: Array, y: Array) -> Array:
    return multiply_add(x, fx.sin(y), multiply_add(x, x, y))


def several(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    return fx.where(x > y, x * z, y / z), fx.maximum(x, z) * fx.clip(y, 0.0, 1.0)


def scalar(value: float) -> Array:
    return fx.asarray(value)


_Z: Final = fx.asarray(np.asarray([0.7 + 0.4j, -0.3 + 0.9j]))

THOROUGH: Final[dict[str, Program]] = {
    "nested jit": Program(nested_jit, (scalar(1.3), scalar(0.6)), {}),
    "integers beside": Program(integers_beside, (numbers(3, seed=2),), {}),
    "keywords": Program(keywords, (numbers(2, seed=3),), {"scale": scalar(0.7), "shift": numbers(2, seed=4)}),
}
SAMPLED: Final[dict[str, Program]] = {
    "branches": Program(branches, (scalar(1.3), scalar(0.6)), {}),
    "elementwise": Program(elementwise, (numbers(2, seed=1),), {}),
    "several": Program(several, (scalar(1.3), scalar(0.6), scalar(0.9)), {}),
    "broadcasting": Program(broadcasting, (numbers(2, seed=5), numbers(3, seed=6)), {}),
    "reductions": Program(reductions, (numbers(2, 3, seed=7),), {}),
    "mlp": Program(
        mlp,
        ({"w": [numbers(2, 3, seed=8), numbers(3, 2, seed=9)], "b": [numbers(3, seed=10), numbers(2, seed=11)]},),
        {"x": numbers(2, 2, seed=12)},
    ),
    "softmax": Program(softmax, (numbers(2, 3, seed=13),), {}),
    "jit in cond in jit": Program(jit_in_cond_in_jit, (scalar(1.2),), {}),
    "nested closures": Program(nested_closures, (scalar(1.25),), {}),
    "indexing": Program(indexing, (numbers(3, 2, seed=14),), {"i": fx.asarray(2)}),
    "joining": Program(joining, (numbers(2, seed=15), numbers(2, seed=16)), {}),
    "complex numbers": Program(complex_numbers, (_Z, numbers(2, seed=17)), {}),
    "trees": Program(trees, ({"a": numbers(2, seed=18), "bc": (scalar(0.8), numbers(2, seed=19))},), {}),
    "users operation": Program(users_operation, (numbers(2, seed=21), numbers(2, seed=22)), {}),
}
PROGRAMS: Final = {**THOROUGH, **SAMPLED}
