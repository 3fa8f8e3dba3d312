"""Functions whose result's shape or dtype values decide: as NumPy's where these are known, else refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, OutOfBoundsError, ShapeError
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
    (ArgumentError, "percentile: q must be in [0, 100], got 150", lambda: jit(lambda x: fx.percentile(x, 150))(x)),
    (ConcretizationError, "delete: obj must be known", lambda: jit(lambda x: fx.delete(x, x > 0))(x)),
    (OutOfBoundsError, "pad_width has axis 5, which an array of rank 1", lambda: fx.pad(x, {5: (1, 1)})),
    (DTypeError, "gcd: x must be of integers, got float64[2]", lambda: fx.gcd(x, 1)),
    (DTypeError, "packbits: x must be of bools or integers", lambda: fx.packbits(x)),
    (DTypeError, "unpackbits: x must be of uint8", lambda: fx.unpackbits(fx.asarray([1]))),
    (ShapeError, "cross: both arrays must have 3 elements along axis -1", lambda: fx.cross(x, x)),
    (ShapeError, "apply_over_axes: func must keep the rank", lambda: fx.apply_over_axes(lambda x, _: x[None], x, 0)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


_FX: Final[Any] = fx  # lists stand for arrays, which types do not say
_K: Final = np.array([3, 1, 2, 3, 0])
WITHIN: Final[dict[str, tuple[Callable[[], Any], Any]]] = {
    "flatnonzero": (lambda: _FX.flatnonzero(_K), np.flatnonzero(_K)),
    "nonzero": (lambda: _FX.nonzero(_K.tolist()), np.nonzero(_K)),
    "extract": (lambda: _FX.extract(_K % 2, _K), np.extract(_K % 2, _K)),
    "unique": (lambda: _FX.unique(_K), np.unique(_K)),
    "unique rows": (lambda: _FX.unique([[3, 1], [0, 1], [3, 1]], axis=0), np.array([[0, 1], [3, 1]])),
    "unique_all": (lambda: tuple(_FX.unique_all(_K)), tuple(np.unique_all(_K))),
    "union1d": (lambda: _FX.union1d(_K, [7]), np.union1d(_K, [7])),
    "intersect1d": (
        lambda: _FX.intersect1d(_K, [2, 1], return_indices=True),
        np.intersect1d(_K, [2, 1], return_indices=True),
    ),
    "setdiff1d": (lambda: _FX.setdiff1d(_K, [2, 1]), np.setdiff1d(_K, [2, 1])),
    "setxor1d": (lambda: _FX.setxor1d(_K, [2, 8]), np.setxor1d(_K, [2, 8])),
    "roots": (lambda: _FX.roots([0.0, 1.0, -3.0, 2.0]), np.roots([1.0, -3.0, 2.0])),
    "digitize": (lambda: _FX.digitize(_K, [3, 2, 1]), np.digitize(_K, [3, 2, 1])),
}


@pytest.mark.parametrize("name", WITHIN)
def test_constants_are_known_in_programs_too(name: str) -> None:
    f, expected = WITHIN[name]
    for actual in (jit(lambda x: (f(), x))(1.0)[0], vmap(lambda x: (f(), x), out_axes=(None, 0))(np.ones(2))[0]):
        for got, e in zip(fx.tree_leaves(actual), fx.tree_leaves(expected), strict=True):
            np.testing.assert_allclose(np.asarray(got), np.asarray(e), rtol=1e-12)


def test_what_a_list_of_constants_and_others_has_is_not_known() -> None:
    refusal(ConcretizationError, "values of x, which must", of=lambda: jit(lambda x: _FX.unique_values([x, 1.0]))(2.0))
    found = jit(lambda x: _FX.unique_values([x, 1.0, 2.0], size=3))(2.0)
    assert found.tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("f", [fx.isin, jit(fx.isin)])
def test_signed_and_unsigned_numbers_are_the_same_where_they_are_equal(f: Callable[..., fx.Array]) -> None:
    signed, unsigned = np.array([-(2**63), 2**63 - 1, 5, -1, 0]), np.array([0, 2**64 - 1, 2**63, 5], np.uint64)
    assert f(signed, unsigned).tolist() == [False, False, True, False, True]
    assert f(unsigned, signed).tolist() == [True, False, False, True]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64"])
def test_bounds_beyond_a_dtype_do_not_limit(kind: str) -> None:
    limits = np.iinfo(kind)
    x = np.array([limits.min, limits.max, 3], kind)
    for low, high in ((-(2**70), 2**70), (None, 2**70), (-(2**70), 2), (int(limits.min), 5)):
        expected = np.clip(x, low, high)
        for actual in (fx.clip(x, low, high), jit(lambda x, low=low, high=high: fx.clip(x, low, high))(x)):
            assert actual.dtype is fx.asarray(x).dtype
            np.testing.assert_array_equal(np.asarray(actual), expected)
    refusal(ArgumentError, "clip: min = ", of=lambda: fx.clip(x, 2**70, None))
