"""Functions whose result's shape or dtype values decide: as NumPy's where these are known, else refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, ShapeError
from handlers import grad, vmap
from lowering import jit
from tests.errors.expect import refusal
from tests.functions.calls import Call
from tests.functions.named import KNOWN


@pytest.mark.parametrize("call", KNOWN, ids=str)
def test_values(call: Call) -> None:
    expected = call.expected(*call.args, **call.options)
    args = [fx.asarray(a) if isinstance(a, np.ndarray) else a for a in call.args]
    ways: list[Callable[..., Any]] = [getattr(fx, call.name), call.expected]
    for f in ways:
        for got, e in zip(fx.tree_leaves(f(*args, **call.options)), fx.tree_leaves(expected), strict=True):
            assert isinstance(got, fx.Array) and np.asarray(got).dtype == e.dtype
            np.testing.assert_array_equal(np.asarray(got), e)


def test_derivatives_go_through() -> None:
    x = fx.asarray([0.0, 2.0, -3.0, 0.0])
    assert grad(lambda x: fx.sum(fx.trim_zeros(x) ** 2))(x).tolist() == [0.0, 4.0, -6.0, 0.0]
    assert grad(lambda x: fx.sum(fx.extract(x > 0, x) ** 2))(x).tolist() == [0.0, 4.0, 0.0, 0.0]


def test_positions_of_a_size() -> None:
    x = np.array([[0.0, 3.0], [2.0, 0.0]])
    places = jit(lambda x: fx.where(x > 1, size=3, fill_value=-1))(x)
    assert [p.tolist() for p in places] == [[0, 1, -1], [1, 0, -1]]
    lanes = vmap(lambda row: fx.where(row, size=1)[0])(x)
    assert lanes.tolist() == [[1], [0]]


def test_einsum_path() -> None:
    shapes = ((2, 9), (9, 9), (9, 1))
    arrays = [np.ones(shape) for shape in shapes]
    path, text = fx.einsum_path("ij,jk,kl->il", *arrays)
    assert path == np.einsum_path("ij,jk,kl->il", *arrays)[0] and "Complete contraction" in text
    traced = jit(lambda *xs: fx.einsum("ij,jk,kl->il", *xs, optimize=fx.einsum_path("ij,jk,kl->il", *xs)[0]))(*arrays)
    assert traced.shape == (2, 1)


@pytest.mark.parametrize("kinds", [("int8",), ("float32",), ("float16", "float32"), ("complex64", "float64"), ()])
def test_common_type(kinds: tuple[str, ...]) -> None:
    arrays = [np.ones(2, kind) for kind in kinds]
    assert fx.common_type(*[fx.asarray(a) for a in arrays]).dtype == np.common_type(*arrays)


def test_common_elements_and_their_positions_of_a_size() -> None:
    a, b = np.array([3, 1, 3, 2]), np.array([2, 9, 3, 3])
    found = jit(lambda a, b: fx.intersect1d(a, b, return_indices=True, size=3, fill_value=-1))(a, b)
    assert [part.tolist() for part in found] == [[2, 3, -1], [3, 0, 0], [0, 2, 0]]
    lanes = vmap(lambda a, b: fx.intersect1d(a, b, return_indices=True, size=2)[2])(np.stack([a, a]), np.stack([b, a]))
    assert lanes.tolist() == [[0, 2], [1, 3]]


x = fx.asarray([1.0, 0.0])
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (ConcretizationError, "extract: condition must be known", lambda: jit(lambda x: fx.extract(x > 0, x))(x)),
    (ConcretizationError, "trim_zeros: x must be known", lambda: jit(fx.trim_zeros)(x)),
    (
        ConcretizationError,
        "bins = 'auto' is a number that depends on",
        lambda: jit(lambda x: fx.histogram(x, "auto"))(x),
    ),
    (ArgumentError, "bins must be 'auto', 'doane', 'fd'", lambda: fx.histogram(x, "many")),  # type: ignore[arg-type]  # the error
    (ArgumentError, "counts elements, which weights do not", lambda: fx.histogram(x, "auto", weights=x)),
    (ArgumentError, "NaN or infinite elements", lambda: fx.histogram(x / 0, "auto")),
    (
        DTypeError,
        "concat: dtype int32 cannot hold arrays[1], float64[2]",
        lambda: fx.concat([[1, 2], x], dtype="int32"),
    ),
    (DTypeError, "vstack: dtype bool cannot hold arrays[0]", lambda: fx.vstack([[1, 2]], dtype="bool")),
    (ConcretizationError, "write real(x)".capitalize(), lambda: jit(fx.real_if_close)(x + 0j)),
    (ConcretizationError, "values of condition, which must be known", lambda: jit(lambda x: fx.where(x > 0))(x)),
    (ArgumentError, "where: condition comes alone, or with both x and y", lambda: fx.where(x > 0, x)),  # type: ignore[call-overload]  # the error
    (DTypeError, "gcd: x must be of integers, got float64[2]", lambda: fx.gcd(x, 1)),
    (DTypeError, "packbits: x must be of bools or integers", lambda: fx.packbits(x)),
    (DTypeError, "unpackbits: x must be of uint8", lambda: fx.unpackbits(fx.asarray([1]))),
    (ShapeError, "cross: both arrays must have 3 elements along axis -1", lambda: fx.cross(x, x)),
    (ShapeError, "apply_over_axes: func must keep the rank", lambda: fx.apply_over_axes(lambda x, _: x[None], x, 0)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
