"""Sizes, shifts and offsets however they are given, values in pairs, elements by index, decimals: against NumPy."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError, ConcretizationError, OutOfBoundsError, ShapeError
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, handlers, jit, vmap

X = np.arange(24.0).reshape(2, 3, 4)
GIVEN: dict[str, Callable[[int], Any]] = {
    "int": int,
    "NumPy integer": np.int32,
    "NumPy array": np.asarray,
    "array": fx.asarray,
    "unsigned array": lambda n: fx.asarray(n, dtype=fx.uint8),
}
SIZED: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any]]] = {
    "zeros": (fx.zeros, np.zeros),
    "ones": (lambda n: fx.ones((n, 2)), lambda n: np.ones((n, 2))),
    "empty": (lambda n: fx.empty([n]) * 0, np.zeros),
    "full": (lambda n: fx.full((n, n), 2.5), lambda n: np.full((n, n), 2.5)),
    "eye": (fx.eye, np.eye),
    "eye k": (lambda n: fx.eye(5, 4, k=n), lambda n: np.eye(5, 4, k=n)),
    "arange": (fx.arange, np.arange),
    "arange of two": (lambda n: fx.arange(n, 9), lambda n: np.arange(n, 9)),
    "arange of three": (lambda n: fx.arange(0, 20, n), lambda n: np.arange(0, 20, n)),
    "linspace": (lambda n: fx.linspace(0, 1, n), lambda n: np.linspace(0, 1, n)),
    "iota": (lambda n: fx.iota("int64", (n,)), np.arange),
    "reshape": (lambda n: fx.reshape(X, (2, n, -1)), lambda n: X.reshape(2, n, -1)),
    "method": (lambda n: fx.asarray(X).reshape(2, n, -1), lambda n: X.reshape(2, n, -1)),
    "reshape to a vector": (lambda n: fx.reshape(X[0, 0, :3], n), lambda n: X[0, 0, :n]),
    "broadcast_to": (lambda n: fx.broadcast_to(1.0, (n, n)), lambda n: np.ones((n, n))),
    "roll": (lambda n: fx.roll(X, n), lambda n: np.roll(X, n)),
    "repeat": (lambda n: fx.repeat(X, n), lambda n: np.repeat(X, n)),
    "tile": (lambda n: fx.tile(X, (n, 1)), lambda n: np.tile(X, (n, 1))),
    "tril": (lambda n: fx.tril(X, k=n), lambda n: np.tril(X, k=n)),
    "diagonal": (lambda n: fx.diagonal(X, offset=n), lambda n: np.diagonal(X, n, 1, 2)),
    "pad": (lambda n: fx.pad(X, n), lambda n: np.pad(X, n)),
    "item": (lambda n: fx.asarray(X).item(n), lambda n: X.item(n)),
    "index": (lambda n: fx.asarray(X)[1, 2, n], lambda n: X[1, 2, n]),
    "sum": (lambda n: fx.sum(np.ones((2, 2, 2, 3)), axis=n), lambda n: np.sum(np.ones((2, 2, 2, 3)), axis=n)),
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("name", SIZED)
def test_a_size_is_any_integer(name: str, given: str) -> None:
    ours, theirs = SIZED[name]
    np.testing.assert_allclose(ours(GIVEN[given](3)), theirs(3), rtol=1e-15)


@pytest.mark.parametrize("vector", [np.asarray, fx.asarray, list, tuple])
def test_a_shape_is_any_vector_of_integers(vector: Callable[[list[int]], Any]) -> None:
    for made in (fx.zeros(vector([4, 6])), fx.reshape(X, vector([4, 6])), fx.asarray(X).reshape(vector([4, 6]))):
        assert made.shape == (4, 6)
    assert fx.asarray(X).transpose(vector([2, 0, 1])).shape == (4, 2, 3)
    assert fx.asarray(X).transpose().shape == fx.asarray(X).transpose(None).shape == (4, 3, 2)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_roll_by_a_shift_that_is_not_known(size: int) -> None:
    x = np.arange(size * 3.0).reshape(size, 3)
    for by in (-7, -1, 0, 1, 4, 10**9):
        for axis in (0, 1, None, (0, 1)):
            expected = np.roll(x, by, axis)
            assert np.array_equal(jit(lambda s, axis=axis: fx.roll(x, s, axis=axis))(by), expected)
        both = jit(lambda s: fx.roll(x, (s, 1), axis=(0, 1)))(by)
        assert np.array_equal(both, np.roll(x, (by, 1), (0, 1)))
        vector = jit(lambda s: fx.roll(x, s, axis=(0, 1)))(fx.asarray([by, -by]))
        assert np.array_equal(vector, np.roll(x, (by, -by), (0, 1)))
    shifts = fx.asarray([-1, 0, 2])
    lanes = vmap(lambda s: fx.roll(x, s, axis=1))(shifts)
    assert np.array_equal(lanes, [np.roll(x, by, 1) for by in (-1, 0, 2)])
    slope = grad(
        lambda x: jit(lambda s: fx.sum(fx.roll(x, s, axis=0) * fx.asarray(np.arange(size * 3.0).reshape(size, 3))))(1)
    )
    assert np.array_equal(slope(fx.asarray(x)), np.roll(x, -1, 0))
    assert np.array_equal(jit(lambda s: fx.roll(x, s, axis=0))(fx.asarray(1, dtype=fx.uint8)), np.roll(x, 1, 0))


def test_roll_refuses_a_shift_that_is_no_integer() -> None:
    refusal(ArgumentError, "roll: shift must be an int", of=lambda: jit(lambda s: fx.roll(X, s))(1.5))
    refusal(ArgumentError, "roll: shift must be an int", of=lambda: fx.roll(X, 1.5))


@pytest.mark.parametrize("k", [-9, -2, 0, 1, 3, 9, 2**40])
def test_diagonals_whose_number_is_not_known(k: int) -> None:
    x = np.arange(12.0).reshape(3, 4) + 1
    pairs: list[tuple[Any, Any]] = [
        (lambda k: fx.eye(3, 4, k=k), np.eye(3, 4, k)),
        (lambda k: fx.tril(x, k=k), np.tril(x, k)),
        (lambda k: fx.triu(x, k=k), np.triu(x, k)),
    ]
    for ours, theirs in pairs:
        assert np.array_equal(ours(k), theirs) and np.array_equal(jit(ours)(k), theirs)
        assert np.array_equal(vmap(ours)(fx.asarray([k, k])), [theirs, theirs])
    refusal(ConcretizationError, "eye: N must be known", of=lambda: jit(lambda n: fx.eye(n))(3))


PADDINGS: list[tuple[Any, Any]] = [
    (1, (8.0, 9.0)),
    ((1, 2), (8.0, 9.0)),
    (((1, 2), (0, 3)), ((1.0, 2.0), (3.0, 4.0))),
    (((1, 2), (0, 3)), ((1.0, 2.0),)),
    (2, ((1.0,), (2.0,))),
    (((0, 0), (1, 1)), ((1.0, 2.0), (3.0, 4.0))),
    (1, np.asarray([[1.0, 2.0], [3.0, 4.0]])),
    (np.asarray([[1, 2], [3, 4]]), np.asarray([5.0, 6.0])),
    (2, 7.0),
    (((1, 2), (0, 3)), (7.0,)),
]


@pytest.mark.parametrize(("widths", "values"), PADDINGS, ids=str)
def test_pad_with_a_value_for_each_end(widths: Any, values: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    expected = np.pad(x, widths, constant_values=values)
    assert np.array_equal(fx.pad(x, widths, constant_values=values), expected)
    assert np.array_equal(jit(lambda x: fx.pad(x, widths, constant_values=values))(x), expected)
    assert np.array_equal(vmap(lambda x: fx.pad(x, widths, constant_values=values))(fx.asarray([x, x])), [expected] * 2)


def test_pad_with_values_that_are_differentiated() -> None:
    def total(a: Any, b: Any) -> Any:
        return fx.sum(fx.pad(fx.ones((2, 3)), 1, constant_values=(a, b)))

    before, after = grad(total, argnums=(0, 1))(2.0, 3.0)
    # Corners belong to the last axis, so each end of it has 4 and each end of the first one 3.
    assert before.item() == after.item() == 7.0


def test_pad_refuses_values_that_fit_no_axis() -> None:
    refusal(ShapeError, "pad: constant_values", "rank 2", of=lambda: fx.pad(X[0], 1, constant_values=(1, 2, 3)))
    refusal(ShapeError, "pad: constant_values", of=lambda: fx.pad(X[0], 1, constant_values=((1, 2),) * 3))
    refusal(ArgumentError, "pad: constant_values", of=lambda: fx.pad(X[0], 1, constant_values=(1, "a")))


@pytest.mark.parametrize("make", [fx.asarray, lambda x: jit(lambda y: y)(x), lambda x: fx.asarray(x.T.copy()).T])
def test_item_at_an_index(make: Callable[[Any], Any]) -> None:
    x = make(X)
    for i in range(-24, 24):
        assert x.item(i) == X.item(i)
    assert x.item(1, 2, 3) == x.item((1, -1, 3)) == x.item(np.int64(1), fx.asarray(2), -1) == X[1, 2, 3]
    assert type(x.item(3)) is float and fx.asarray(4).item() == 4 and fx.asarray(4).item(0) == 4
    for bad in ((24,), (-25,), (0, 0), (0, 0, 4), (0, 0, 0, 0)):
        with pytest.raises(OutOfBoundsError, match="item: there is no element"):
            x.item(*bad)
    refusal(ArgumentError, "item: an index must be an int, got 1.5", of=lambda: x.item(1.5))
    refusal(ConcretizationError, "x.item(i)", of=lambda: jit(lambda x: x.item(0))(x))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("decimals", [-3, -1, 0, 1, 2, 5])
def test_round_to_decimals(decimals: int, dtype: str) -> None:
    x = (np.random.default_rng(1).normal(size=200) * 1000).astype(dtype)
    x[:6] = [0.5, 1.5, 2.5, 0.125, 125.0, 1500.0]
    for rounded in (fx.round(x, decimals), round(fx.asarray(x), decimals), fx.asarray(x).round(decimals)):
        assert np.array_equal(rounded, np.round(x, decimals)) and rounded.dtype == dtype
    assert np.array_equal(jit(lambda x: fx.round(x, decimals))(x), np.round(x, decimals))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint32"])
def test_round_to_tens(dtype: str) -> None:
    x = np.arange(0 if dtype[0] == "u" else -120, 120, dtype=dtype)
    for places in (-1, -2):
        expected = [int(round(int(i), places)) for i in x]
        assert fx.round(x, places).tolist() == jit(lambda x, n=places: fx.round(x, n))(x).tolist() == expected
    assert fx.round(x, 3).tolist() == fx.round(x).tolist() == x.tolist()


def test_round_where_the_power_of_ten_is_too_large() -> None:
    huge = [1.5e308, -1.5e308, np.inf, -np.inf, np.nan, 0.0]
    np.testing.assert_array_equal(fx.round(np.asarray(huge), 5), huge)
    assert fx.round(fx.asarray(0.123, dtype=fx.float16), 5).item() == fx.asarray(0.123, dtype=fx.float16).item()
    refusal(ArgumentError, "10**400 does not fit float64", of=lambda: fx.round(1.5, 400))
    refusal(ArgumentError, "10**3 does not fit int8", of=lambda: fx.round(fx.asarray(1, dtype=fx.int8), -3))
    refusal(ArgumentError, "round: decimals must be an int, got 1.5", of=lambda: fx.round(1.5, 1.5))
    assert grad(lambda x: fx.round(x, 2))(1.234).item() == 0.0


EINSUMS: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
    ("ij,jk->ik", ((2, 1), (3, 4))),
    ("ij,jk->ik", ((2, 3), (1, 4))),
    ("ij,jk", ((1, 1), (3, 4))),
    ("ij,ij->ij", ((1, 3), (2, 3))),
    ("ij,ij->ij", ((1, 3), (2, 1))),
    ("ij,ij->", ((1, 3), (2, 1))),
    ("ij,ij,ij->j", ((1, 3), (2, 1), (1, 1))),
    ("i,i->i", ((1,), (3,))),
    ("i,i", ((1,), (3,))),
    ("ii,i->i", ((1, 1), (3,))),
    ("bij,bjk->bik", ((1, 2, 3), (5, 3, 4))),
    ("...ij,...jk->...ik", ((1, 2, 1), (5, 3, 4))),
    ("ab,bc,cd->ad", ((2, 1), (3, 1), (4, 5))),
]


@pytest.mark.parametrize(("spec", "sizes"), EINSUMS, ids=str)
def test_einsum_broadcasts_sizes_of_one(spec: str, sizes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=size) for size in sizes]
    labels = spec.split("->", maxsplit=1)[0].split(",")
    whole: dict[str, int] = {}
    for label, size in zip(labels, sizes, strict=True):
        for c, d in zip(label.replace("...", "."), size, strict=True):
            whole[c] = max(whole.get(c, 1), d)
    spread = [
        np.broadcast_to(a, [whole[c] for c in label.replace("...", ".")])
        for a, label in zip(arrays, labels, strict=True)
    ]
    expected = np.einsum(
        spec, *[s if label != "ii" else a * np.ones(1) for s, a, label in zip(spread, arrays, labels, strict=True)]
    )
    np.testing.assert_allclose(fx.einsum(spec, *arrays), expected, rtol=1e-12)
    np.testing.assert_allclose(jit(lambda *xs: fx.einsum(spec, *xs))(*arrays), expected, rtol=1e-12)
    slopes = grad(lambda xs: fx.sum(fx.einsum(spec, *xs)))(tuple(map(fx.asarray, arrays)))
    assert [slope.shape for slope in slopes] == list(sizes)


def test_einsum_refuses_sizes_that_differ() -> None:
    refusal(ShapeError, "index 'i' is 1 and 3 in 'ii'", of=lambda: fx.einsum("ii", fx.ones((1, 3))))
    refusal(ShapeError, "index 'j' is 2 and 3", of=lambda: fx.einsum("ij,jk", fx.ones((1, 2)), fx.ones((3, 1))))


def test_iteration_makes_one_element_at_a_time() -> None:
    start = time.perf_counter()
    x = fx.arange(2_000_000)
    elements = iter(x)
    assert [next(elements).item() for _ in range(3)] == [0, 1, 2]
    assert time.perf_counter() - start < 1.0
    first, *_, last = fx.asarray(X)
    assert first.tolist() == X[0].tolist() and last.tolist() == X[1].tolist()
    assert [row.tolist() for row in fx.asarray(X[0])] == X[0].tolist() and list(fx.zeros((0, 3))) == []
    assert jit(lambda x: sum(row[0] for row in x))(X[0]).item() == X[0, :, 0].sum()
    refusal(ArgumentError, "cannot be iterated over", of=lambda: iter(fx.asarray(1.0)))


def test_weak_references() -> None:
    found: list[object] = []

    def seen(x: Any) -> Any:
        found.append(weakref.ref(x)() is x)
        return x * 2.0

    for transform in (lambda f: f, jit, grad, vmap, handlers.make_jaxpr):
        transform(seen)(fx.asarray(1.0) if transform is not vmap else fx.ones(2))
    assert found == [True] * 5
    x = fx.ones(3)
    gone: list[object] = []
    reference, values = weakref.ref(x, gone.append), weakref.WeakValueDictionary({"x": x})
    assert reference() is x and values["x"] is x
    del x
    gc.collect()
    assert reference() is None and gone == [reference] and not values
