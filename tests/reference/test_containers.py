"""Kinds of dict as arguments, types written by hand, and programs called by hand."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, jit, make_jaxpr, vmap

x3 = fx.asarray([1.0, 2.0, 3.0])


def test_an_ordered_dict_keeps_its_order() -> None:
    given = OrderedDict(b=x3, a=fx.asarray(2.0))
    for f in (lambda d: d, jit(lambda d: d), vmap(lambda d: d, in_axes=(OrderedDict(b=0, a=None),))):
        out: Any = f(given)
        assert type(out) is OrderedDict and list(out) == ["b", "a"] and out["b"].tolist() == [1.0, 2.0, 3.0]
    found = grad(lambda d: fx.sum(d["b"] * d["a"]))(given)
    assert list(found) == ["b", "a"] and found["a"].item() == 6.0
    assert [path for path, _ in fx.tree_leaves_with_path(given)] == ["['b']", "['a']"]


def test_a_defaultdict_keeps_its_default() -> None:
    out = jit(lambda d: d)(defaultdict(list, b=1.0, a=x3))
    assert type(out) is defaultdict and out.default_factory is list and list(out) == ["a", "b"]


def test_the_argument_in_a_dict_is_named() -> None:
    call = jit(lambda d: d["a"])
    refusal(ArgumentError, "argument d['a'] must be an array or a number", of=lambda: call(OrderedDict(a="text")))


def test_types_are_written_as_shapes_and_dtypes_are_elsewhere() -> None:
    aval = fx.ShapedArray((3,), fx.float32)
    for same in (
        fx.ShapedArray([3], np.float32),
        fx.ShapedArray(3, "float32"),
        fx.ShapedArray((np.int64(3),), np.dtype("f4")),
    ):
        assert same is aval and type(same.shape[0]) is int
    assert str(make_jaxpr(fx.sin)(fx.ShapedArray((2,), np.float16)).out_avals) == "(float16[2],)"


program = make_jaxpr(lambda x, n: x * n)(x3, 2.0)
WRONG: list[tuple[type[EffaxError], str, Callable[[], object]]] = [
    (DTypeError, "'x' is not a dtype that arrays can have", lambda: fx.ShapedArray((3,), "x")),
    (ShapeError, "ShapedArray: dimension -1 is negative", lambda: fx.ShapedArray((-1,), fx.float32)),
    (ArgumentError, "a dimension of shape must be an int, got 1.5", lambda: fx.ShapedArray((1.5,), fx.float32)),
    (ArgumentError, "takes arrays (float64[3], float64[]), got (float64[3])", lambda: fx.eval_jaxpr(program, [x3])),
    (ArgumentError, "got (float64[3], float)", lambda: fx.eval_jaxpr(program, [x3, 2.0])),
    (ArgumentError, "got (float64[], float64[3])", lambda: fx.eval_jaxpr(program, [fx.asarray(2.0), x3])),
]


@pytest.mark.parametrize(("kind", "words", "bad"), WRONG, ids=[case[1] for case in WRONG])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


def test_a_program_called_by_hand() -> None:
    (out,) = jit(lambda x: fx.eval_jaxpr(program, [x, fx.asarray(2.0)]))(x3)
    assert out.tolist() == [2.0, 4.0, 6.0]
