"""Static data of nodes is compared where structures are, so what has no hash is refused when a function is traced."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError
from tests.errors.expect import refusal
from tests.errors.untyped import cond, eval_shape, fx, grad, jit, make_jaxpr, scan, vmap, while_loop


@fx.register(static=["kind"])
@dataclasses.dataclass
class Layer:
    w: Any
    kind: Any


class Node:
    def __init__(self, w: Any, kind: Any) -> None:
        self.w, self.kind = w, kind


fx.register_node(Node, lambda n: ((n.w,), n.kind), lambda kind, leaves: Node(leaves[0], kind))

W = fx.ones(2)
UNHASHABLE: dict[str, Callable[[], Any]] = {
    "an array": lambda: fx.ones(3),
    "NumPy's": lambda: np.ones(3),
    "a list": lambda: [1, 2],
    "a dict": lambda: {"a": 1},
}
total = lambda layer: fx.sum(layer.w)
kept = jit(total)
TRACED: dict[str, Callable[[Any], object]] = {
    "jit": lambda t: jit(total)(t),
    "jit, traced before": lambda t: kept(t),
    "jit, within": lambda t: jit(lambda x: kept(type(t)(x, t.kind)))(W),
    "make_jaxpr": lambda t: make_jaxpr(total)(t),
    "eval_shape": lambda t: eval_shape(total, t),
    "result": lambda t: jit(lambda x: type(t)(x, t.kind))(W),
    "cond": lambda t: cond(True, total, total, t),
    "cond, result": lambda t: cond(True, lambda: t, lambda: t),
    "scan": lambda t: scan(lambda c, _: (c, None), t, None, 3),
    "scan, rows": lambda t: scan(lambda c, x: (c, None), 0.0, t),
    "while_loop": lambda t: while_loop(lambda c: False, lambda c: c, t),
}


@pytest.mark.parametrize("traced", TRACED)
@pytest.mark.parametrize("static", UNHASHABLE)
def test_static_data_without_a_hash(static: str, traced: str) -> None:
    for node, words in ((Layer, "static field kind of Layer must be hashable"), (Node, "static data of Node must be")):
        kept(node(W, "dense"))
        scan(lambda c, _: (c, None), node(W, "dense"), None, 2)
        given = node(W, UNHASHABLE[static]())
        with pytest.raises(ArgumentError, match=f"{words}.* leave arrays out of static"):
            TRACED[traced](given)


def test_a_traced_value_is_not_static() -> None:
    refusal(ArgumentError, "jit: the result of <lambda>: static field kind", of=lambda: jit(lambda x: Layer(x, x))(1.0))


def test_what_is_not_compared_is_as_it_was() -> None:
    layer = Layer(W, np.ones(3))
    assert grad(total)(layer).kind is layer.kind and vmap(lambda t: t.w)(layer).shape == (2,)
    assert kept(Layer(W, ("dense", 3))) == 2 and jit(lambda t: t)({"a": [Layer(W, None)], "b": 2})["b"] == 2
