"""Names that are not there, and arguments that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from effects import ArgumentError, Array, DTypeError, Operation, ShapeError, eval_jaxpr
from effects.errors import OutOfBoundsError, UnboundAxisError
from effects.operations.collectives import AllGather, AllToAll, ReduceScatter
from handlers import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    grad,
    make_jaxpr,
    pmax,
    pmean,
    ppermute,
    psum,
    psum_scatter,
    vmap,
)
from lowering import jit
from tests.errors.expect import refusal

X = fx.arange(3.0)
FUNCTIONS: dict[str, Callable[[Array], Any]] = {
    "psum": lambda x: psum(x, "i"),
    "pmean": lambda x: pmean(x, "i"),
    "all_gather": lambda x: all_gather(x, "i"),
    "psum_scatter": lambda x: psum_scatter(x, "i"),
    "all_to_all": lambda x: all_to_all(x, "i", 0, 0),
    "ppermute": lambda x: ppermute(x, "i", []),
    "axis_index": lambda x: axis_index("i"),
    "axis_size": lambda x: x * axis_size("i"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_name(name: str) -> None:
    f = FUNCTIONS[name]
    words = (f"{name}: no axis is named 'i' here", "axis_name='i'")
    ways: list[Callable[[], object]] = [
        lambda: f(X),
        lambda: jit(f)(X),
        lambda: make_jaxpr(f)(X),
        lambda: vmap(f)(fx.ones((2, 3))),
        lambda: grad(lambda x: fx.sum(f(x)))(X),
    ]
    for way in ways:
        with pytest.raises(UnboundAxisError, match="there are no named axes in scope") as caught:
            way()
        assert all(word in str(caught.value) for word in words) and f"{__file__}:" in str(caught.value)
    with pytest.raises(UnboundAxisError, match="the names in scope are 'k', 'j'"):
        vmap(vmap(jit(f), axis_name="k"), axis_name="j")(fx.ones((2, 2, 3)))


def test_line() -> None:
    refusal(UnboundAxisError, "psum: no axis is named 'i' here", of=lambda: psum(X, "i"))


def test_function_that_was_traced_within_the_axis() -> None:
    @jit
    def f(x: Array) -> Array:
        return psum(x, "i")

    assert vmap(f, axis_name="i")(X).tolist() == [3, 3, 3]
    for way in (f, jit(f), vmap(f)):
        with pytest.raises(UnboundAxisError):
            way(X)


def test_program_that_is_run_outside_of_the_axis() -> None:
    programs: list[fx.Jaxpr] = []

    def kept(x: Array) -> Array:
        programs.append(make_jaxpr(lambda v: psum(v, "i"))(x))
        return x

    vmap(kept, axis_name="i")(X)
    with pytest.raises(UnboundAxisError, match="runs outside of it"):
        eval_jaxpr(programs[0], [X[0]])
    with pytest.raises(UnboundAxisError, match="compiled outside of it"):
        jit(lambda x: eval_jaxpr(programs[0], [x]))(X[0])
    with pytest.raises(UnboundAxisError, match="outside of it"):
        vmap(lambda x: eval_jaxpr(programs[0], [x]), axis_name="j")(X)


def _mapped(f: Callable[[Array], Any]) -> Callable[[], Any]:
    return lambda: vmap(f, axis_name="i")(fx.ones((3, 3, 4)))


@pytest.mark.parametrize(
    ("kind", "words", "f"),
    [
        (ShapeError, "axis 1 of float64[3,4] must have the size of the axis 'i'", lambda x: all_to_all(x, "i", 1, 0)),
        (ShapeError, "float64[3,4] cannot be cut in 3 equal parts", lambda x: all_to_all(x, "i", 1, 0, tiled=True)),
        (ShapeError, "axis 1 of float64[3,4] must have the size", lambda x: psum_scatter(x, "i", scatter_dimension=1)),
        (OutOfBoundsError, "axis 3 is out of bounds", lambda x: all_gather(x, "i", axis=3)),
        (OutOfBoundsError, "axis 2 is out of bounds", lambda x: all_gather(x, "i", axis=2, tiled=True)),
        (OutOfBoundsError, "split_axis 2 is out of bounds", lambda x: all_to_all(x, "i", 2, 0)),
        (OutOfBoundsError, "concat_axis -3 is out of bounds", lambda x: all_to_all(x, "i", 0, -3)),
        (OutOfBoundsError, "scatter_dimension 5 is out of bounds", lambda x: psum_scatter(x, "i", scatter_dimension=5)),
        (ArgumentError, "target 3 is not a lane of the axis 'i', which has 3", lambda x: ppermute(x, "i", [(0, 3)])),
        (ArgumentError, "source -1 is not a lane", lambda x: ppermute(x, "i", [(-1, 0)])),
        (ArgumentError, "a lane is target twice", lambda x: ppermute(x, "i", [(0, 1), (2, 1)])),
        (ArgumentError, "a lane is source twice", lambda x: ppermute(x, "i", [(0, 1), (0, 2)])),
        (ArgumentError, "psum: argument x['a'] must be an array or a number", lambda x: psum({"a": "text"}, "i")),
        (DTypeError, "complex numbers are not compared", lambda x: pmax(x * 1j, "i")),
    ],
)  # fmt: skip
def test_arguments(kind: type[Exception], words: str, f: Callable[[Array], Any]) -> None:
    with pytest.raises(kind) as caught:
        _mapped(f)()
    assert words in str(caught.value) and f"{__file__}:" in str(caught.value)


def test_names() -> None:
    refusal(ArgumentError, "axis_name must be one hashable name", of=lambda: vmap(fx.sin, axis_name=["i"]))  # type: ignore[arg-type]
    refusal(ArgumentError, "axis_name must be one hashable name", of=lambda: vmap(fx.sin, axis_name=("i", "j")))


@pytest.mark.parametrize(
    ("words", "op"),
    [
        ("all_gather: a new axis 3 is out of bounds for float64[3,4]", AllGather("i", 3, 3, fx.ones((3, 4)))),
        ("psum_scatter: axis 2 is out of bounds for float64[3,4]", ReduceScatter("i", 3, 2, fx.ones((3, 4)))),
        ("psum_scatter: axis 1 of float64[3,4] must have the size", ReduceScatter("i", 3, 1, fx.ones((3, 4)))),
        ("all_to_all: axis -1 is out of bounds for float64[3,4]", AllToAll("i", 3, -1, 0, fx.ones((3, 4)))),
        ("all_to_all: a new axis 2 is out of bounds for float64[4]", AllToAll("i", 3, 0, 2, fx.ones((3, 4)))),
    ],
)
def test_operations_made_by_hand(words: str, op: Operation[Array]) -> None:
    with pytest.raises(ShapeError) as caught:
        op.types()
    assert words in caught.value.message
