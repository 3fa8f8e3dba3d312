"""`shaped`: calls are held against annotations when they run, under every handler, in the words of the checker."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

import pytest

import effects as fx
from effects import F32, ArgumentError, DTypeError, ShapeError, TreeError
from handlers import grad, make_jaxpr, vmap
from lowering import jit


def ones(*shape: int) -> fx.Array[fx.f32]:
    return fx.ones(shape, dtype=fx.f32)


class Layer[I, O](NamedTuple):
    w: F32[I, O]
    b: F32[O]


@fx.shaped
def apply[N, I, O](layer: Layer[I, O], x: F32[N, I], *, by: float = 1.0) -> F32[N, O]:
    return by * (x @ layer.w + layer.b)


@fx.shaped
def turned[N, M](x: F32[N, M]) -> F32[M, N]:
    return x.T.T


@fx.shaped
def joined[N, M](xy: F32[Literal["N + M"]], x: F32[N], y: F32[M]) -> F32[()]:
    return fx.sum(xy) - fx.sum(x) - fx.sum(y)


LAYER = Layer(ones(3, 4), ones(4))
WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "argument": (
        lambda: apply(LAYER, ones(2, 4)),
        ShapeError,
        "argument x of apply has shape [2, 4], and [N, I=3] is declared",
    ),
    "field": (
        lambda: apply(Layer(ones(3, 4), ones(3)), ones(2, 3)),
        ShapeError,
        "argument layer.b of apply has shape [3], and [O=4] is declared",
    ),
    "dtype": (
        lambda: apply(LAYER, fx.ones((2, 3))),
        DTypeError,
        "argument x of apply has dtype float64, and float32 is declared",
    ),
    "structure": (
        lambda: apply((ones(3, 4),), ones(2, 3)),  # type: ignore[arg-type]  # the mistake
        TreeError,
        "argument layer of apply is a tuple of 1, and Layer is declared",
    ),
    "result": (
        lambda: turned(ones(2, 3)),
        ShapeError,
        "the result of turned has shape [2, 3], and [M=3, N=2] is declared",
    ),
    "formula": (
        lambda: joined(ones(6), ones(2), ones(3)),
        ShapeError,
        "argument xy of joined has shape [6], and [N + M=5] is declared",
    ),
}
UNDER: dict[str, Callable[[Callable[[], object]], Callable[[], object]]] = {
    "nothing": lambda f: f,
    "jit": jit,
    "make_jaxpr": make_jaxpr,
    "grad": lambda f: lambda: grad(lambda x: (f(), fx.sum(x))[1])(fx.ones(3)),
    "vmap": lambda f: lambda: vmap(lambda x: (f(), x)[1])(fx.ones(3)),
}


@pytest.mark.parametrize("under", UNDER)
@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_as_declared_is_refused(case: str, under: str) -> None:
    call, error, text = WRONG[case]
    with pytest.raises(error, match=re.escape(text)) as caught:
        UNDER[under](call)()
    assert __file__ in str(caught.value)


def test_what_is_as_declared_is_as_without() -> None:
    x = ones(2, 3)
    expected = x @ LAYER.w + LAYER.b
    assert fx.all(apply(LAYER, x) == expected) and fx.all(jit(apply)(LAYER, x, by=1.0) == expected)
    lanes = vmap(apply, in_axes=(None, 0))(LAYER, fx.stack([x, x]))
    assert lanes.shape == (2, 2, 4)
    assert grad(lambda layer: fx.sum(apply(layer, x)))(LAYER).w.shape == (3, 4)
    assert joined(ones(5), ones(2), ones(3)) == 0
    assert apply.__name__ == "apply" and apply.__wrapped__ is not None  # type: ignore[attr-defined]  # of functools


def test_only_functions_of_python_are_shaped() -> None:
    with pytest.raises(ArgumentError, match="shaped: f must be a function that is written in Python"):
        fx.shaped(len)
    with pytest.raises(ArgumentError, match="shaped"):
        fx.shaped(3)  # type: ignore[type-var]  # the mistake
