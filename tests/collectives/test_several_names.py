"""Collectives over several axes at once: as over one axis with the lanes of all, the last name counted fastest."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError, ShapeError
from handlers import (
    all_gather,
    all_to_all,
    axis_index,
    axis_size,
    grad,
    jacfwd,
    pmax,
    pmean,
    pmin,
    ppermute,
    psum,
    psum_scatter,
    vmap,
)
from lowering import jit
from tests.reference.agreement import close

I, J, K = 2, 3, 2
X: Final = np.sin(np.arange(1.0, 1 + I * J * 6 * 12)).reshape(I, J, 6, 12)
RING: Final = [(i, (i + 2) % 6) for i in range(6)]

COLLECTIVES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "psum": psum,
    "pmean": pmean,
    "pmax": pmax,
    "pmin": pmin,
    "all_gather": all_gather,
    "all_gather at the end": lambda x, n: all_gather(x, n, axis=-1),
    "all_gather tiled": lambda x, n: all_gather(x, n, axis=1, tiled=True),
    "psum_scatter": psum_scatter,
    "psum_scatter tiled": lambda x, n: psum_scatter(x, n, scatter_dimension=1, tiled=True),
    "all_to_all": lambda x, n: all_to_all(x, n, 0, 0),
    "all_to_all to the end": lambda x, n: all_to_all(x, n, 0, 1),
    "all_to_all tiled": lambda x, n: all_to_all(x, n, 1, 0, tiled=True),
    "all_to_all tiled, other way": lambda x, n: all_to_all(x, n, 0, 1, tiled=True),
    "ppermute": lambda x, n: ppermute(x, n, RING),
    "ppermute of some": lambda x, n: ppermute(x, n, [(0, 3), (5, 1)]),
    "axis_index": lambda x, n: x + axis_index(n),
    "axis_size": lambda x, n: x / axis_size(n),
}
collectives = pytest.mark.parametrize("f", COLLECTIVES.values(), ids=COLLECTIVES)


def together(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`f` over the axes i and j of an array."""
    return vmap(vmap(f, axis_name="j"), axis_name="i")


def over(f: Callable[[Any, Any], Any], names: Any, x: Any) -> Any:
    """`f` over the axes of these names."""
    return f(x, names)


def reference(f: Callable[[Any, Any], Any], x: Any, swapped: bool = False) -> Any:
    """`f` over one axis of the lanes of both, in the order of the names."""
    ordered = fx.moveaxis(x, 1, 0) if swapped else x
    flat = vmap(lambda v: f(v, "ij"), axis_name="ij")(fx.reshape(ordered, (I * J, *ordered.shape[2:])))
    back = fx.reshape(flat, (J, I, *flat.shape[1:]) if swapped else (I, J, *flat.shape[1:]))
    return fx.moveaxis(back, 1, 0) if swapped else back


@collectives
def test_as_over_one_axis(f: Callable[[Any, Any], Any]) -> None:
    x = fx.asarray(X)
    for names, swapped in ((("i", "j"), False), (("j", "i"), True), (["i", "j"], False)):
        expected = reference(f, x, swapped)
        mapped = together(functools.partial(over, f, names))
        close(mapped(x), expected)
        close(jit(mapped)(x), expected)
        close(together(jit(functools.partial(over, f, names)))(x), expected)


@collectives
def test_derivatives(f: Callable[[Any, Any], Any]) -> None:
    x = fx.asarray(X[:, :, :, :6])
    loss: Callable[[Any, Any], Array] = lambda g, x: fx.sum(fx.sin(3.0 * g(x)))
    mapped = together(lambda v: f(v, ("i", "j")))
    expected = grad(lambda x: loss(lambda x: reference(f, x), x))(x)
    for derivative in (grad(lambda x: loss(mapped, x)), jit(grad(lambda x: loss(mapped, x)))):
        close(derivative(x), expected)
    inside = together(grad(lambda v: loss(lambda v: f(v, ("i", "j")), v)))
    close(inside(x), expected)
    close(jit(inside)(x), expected)


def test_forward_mode_and_one_of_three_axes() -> None:
    x = fx.asarray(X[:, :, 0, 0])
    jacobian = jacfwd(together(lambda v: psum(v, ("i", "j"))))(x)
    close(jacobian, np.ones((I, J, I, J)))
    many = fx.stack([fx.asarray(X), 2.0 * fx.asarray(X)])
    mapped = vmap(together(lambda v: all_to_all(v, ("i", "j"), 0, 0)), axis_name="k")
    close(mapped(many)[1], 2.0 * together(lambda v: all_to_all(v, ("i", "j"), 0, 0))(fx.asarray(X)))


def test_no_name_and_truth() -> None:
    x = fx.asarray([True, False])
    greatest = vmap(lambda v: pmax(v, "i"), axis_name="i", out_axes=None)(x)
    least = vmap(lambda v: pmin(v, "i"), axis_name="i", out_axes=None)(x)
    assert (repr(greatest), repr(least)) == ("Array(True, bool)", "Array(False, bool)")
    close(vmap(lambda v: all_gather(v, ()), axis_name="i")(fx.ones(2)), np.ones((2, 1)))  # of one lane


REFUSED: Final[list[tuple[type[Exception], str, Callable[[Any], Any]]]] = [
    (ArgumentError, "psum: an axis is named twice", lambda v: psum(v, ("i", "i"))),
    (ArgumentError, "psum: axis_name must be the name", lambda v: psum(v, cast("Any", [["i"]]))),
    (ShapeError, "all_to_all: axis 1 .* must have 6 places", lambda v: all_to_all(v, ("i", "j"), 1, 0)),
    (ShapeError, "psum_scatter: axis 0 .* 6 equal parts", lambda v: psum_scatter(v[:4], ("i", "j"), tiled=True)),
    (ArgumentError, "ppermute: target 6 is not a lane", lambda v: ppermute(v, ("i", "j"), [(0, 6)])),
]


@pytest.mark.parametrize(("kind", "message", "f"), REFUSED)
def test_refused(kind: type[Exception], message: str, f: Callable[[Any], Any]) -> None:
    with pytest.raises(kind, match=message):
        together(f)(fx.asarray(X))
