"""Functions whose results have as many elements as values say: counted at once, asked for where values are unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects.errors import ConcretizationError
from handlers import grad, jvp, vmap
from lowering import jit

_X: Final = np.array([[3.0, 0.0, -1.0, 3.0], [0.0, 2.0, 3.0, np.nan]])
_OTHER: Final = np.array([2.0, 3.0, 3.0, 8.0])
SINGLE: Final[dict[str, Callable[..., Any]]] = {
    "nonzero": np.nonzero,
    "flatnonzero": np.flatnonzero,
    "argwhere": np.argwhere,
    "unique": np.unique,
    "unique_values": lambda x: np.unique(x, equal_nan=False),  # NumPy's own are in no order
    "unique_counts": np.unique_counts,
    "unique_inverse": np.unique_inverse,
    "unique_all": np.unique_all,
}
TWO: Final = ("intersect1d", "setdiff1d", "setxor1d", "union1d")


def _same(actual: Any, expected: Any) -> None:
    leaves = fx.tree_leaves(actual)
    wanted = list(expected) if isinstance(expected, tuple) else [expected]
    for a, e in zip(leaves, wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(a), e)
        assert np.asarray(a).dtype == np.asarray(e).dtype


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("x", [_X, _X[:, :0], _X[:1, :1], np.zeros(3), _X > 1, _X[0].astype("int8")], ids=repr)
def test_counted_at_once(name: str, x: np.ndarray) -> None:
    _same(getattr(fx, name)(fx.asarray(x)), SINGLE[name](x))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(6, 2, 3), (4, 0, 2), (0, 1, 2)], ids=str)
def test_unique_along_an_axis(axis: int, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(0, 2, shape)
    asked: Any = {"return_index": True, "return_inverse": True, "return_counts": True}
    _same(fx.unique(fx.asarray(x), axis=axis, **asked), np.unique(x, axis=axis, **asked))
    _same(np.unique(fx.asarray(x), axis=axis), np.unique(x, axis=axis))


def test_unique_along_an_axis_of_a_known_size() -> None:
    rows = fx.asarray([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [np.nan, 0.0]])
    found = jit(lambda x: fx.unique(x, axis=0, size=4, fill_value=np.array([7, 8])))(rows)
    _same(found, np.array([[0.0, 1.0], [1.0, 2.0], [np.nan, 0.0], [7.0, 8.0]]))
    nans = np.full((2, 1), np.nan)
    for x in (nans, nans[:, 0]):
        _same(fx.unique(x, axis=0), np.unique(x, axis=0))


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("x", [_X[0], _X[0, :0], _X[0].astype("int8")], ids=repr)
def test_two_sets_at_once(name: str, x: np.ndarray) -> None:
    _same(getattr(fx, name)(fx.asarray(x), fx.asarray(_OTHER)), getattr(np, name)(x, _OTHER))


@pytest.mark.parametrize("name", [*SINGLE, *TWO])
def test_size_is_asked_for(name: str) -> None:
    def f(x: Any) -> Any:
        return getattr(fx, name)(x, x) if name in TWO else getattr(fx, name)(x)

    for transformed in (jit(f), vmap(f)):
        with pytest.raises(ConcretizationError, match=rf"{name}: .* size="):
            transformed(fx.asarray(_X))


@pytest.mark.parametrize("name", TWO)
def test_the_argument_that_is_not_known_is_named(name: str) -> None:
    function, known = getattr(fx, name), fx.asarray(_OTHER)

    def first(given: Any) -> Any:
        return function(given, known)

    def second(given: Any) -> Any:
        return function(known, given)

    for argument, f in (("x1", first), ("x2", second)):
        with pytest.raises(ConcretizationError, match=rf"values of {argument}, .*: argument given of {f.__name__}"):
            jit(f)(fx.asarray(_X))


def test_rank_0() -> None:
    assert fx.argwhere(5).shape == (1, 0)
    assert fx.argwhere(0).shape == (0, 0)
    with pytest.raises(fx.ShapeError, match="nonzero: x must have at least one axis"):
        fx.nonzero(5)


def test_derivatives_move_with_values() -> None:
    x = fx.asarray([2.0, -1.0, 2.5, 0.5])
    weighted: Callable[[fx.Array], fx.Array] = lambda x: fx.sum(
        fx.unique_values(x, size=3) * fx.asarray([1.0, 10.0, 100.0])
    )
    slope = grad(weighted)(x)
    np.testing.assert_array_equal(np.asarray(slope), [100.0, 1.0, 0.0, 10.0])
    assert jvp(lambda x: fx.sum(fx.unique_values(x)), (x,), (fx.ones(4),))[1].item() == 4.0


def test_numbers_that_are_counted() -> None:
    numbers = fx.asarray([1, 4, 1])
    _same(fx.bincount(numbers), np.bincount([1, 4, 1]))
    _same(fx.bincount(numbers, minlength=7), np.bincount([1, 4, 1], minlength=7))
    _same(fx.bincount(fx.zeros((0,), dtype=fx.int64)), np.bincount(np.zeros(0, int)))
    assert fx.segment_sum(fx.ones(3), numbers).shape == (5,)
    for kind in ("uint8", "uint64"):
        few = np.array([1, 4, 1], kind)
        _same(fx.bincount(fx.asarray(few)), np.bincount([1, 4, 1]))
        assert fx.bincount(few[:0]).shape == (0,) and fx.segment_sum(fx.ones(3), few).tolist() == [0, 2, 0, 0, 1]
    with pytest.raises(fx.ArgumentError, match="bincount: x must not be negative"):
        fx.bincount(fx.asarray([1, -1]))
    with pytest.raises(ConcretizationError, match=r"bincount: .* length="):
        jit(fx.bincount)(numbers)
    with pytest.raises(ConcretizationError, match=r"segment_sum: .* num_segments="):
        jit(fx.segment_sum)(fx.ones(3), numbers)


def test_what_cannot_be_a_quantile() -> None:
    for q in (1.5, -0.1, np.nan):
        with pytest.raises(fx.ArgumentError, match=r"quantile: q must be in \[0, 1\]"):
            fx.quantile(fx.ones(3), q)
    with pytest.raises(fx.ShapeError, match=r"median: x, .* has no elements over axis 1"):
        fx.median(fx.ones((3, 0)), axis=1)
    for edges in ([1.0, 0.0], [0.0, np.nan, 1.0]):
        with pytest.raises(fx.ArgumentError, match="histogram: bins must be at least two edges in ascending order"):
            fx.histogram(fx.ones(3), fx.asarray(edges))


def test_quantiles_are_differentiated_by_their_share() -> None:
    x = fx.asarray([4.0, 1.0, 2.0])
    assert grad(lambda q: fx.quantile(x, q))(0.75).item() == pytest.approx(4.0)
    assert jit(lambda q: fx.quantile(x, q))(0.75).item() == pytest.approx(3.0)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "int64"])
def test_repetition_by_counts(dtype: str) -> None:
    rng = np.random.default_rng(3)
    cases: list[tuple[int | None, Any, int]] = []
    expected: list[Any] = []
    for axis in (None, 0, -1):
        n = _X.size if axis is None else _X.shape[axis]
        for few in (rng.integers(0, 4, n), np.zeros(n), np.array([2]), np.array(2)):
            counts = few.astype(dtype)
            repeated = np.repeat(_X, counts.astype(int), axis)
            _same(fx.repeat(_X, fx.asarray(counts), axis), repeated)
            _same(fx.repeat(_X, counts.tolist(), axis), repeated)
            size = repeated.shape[axis or 0]
            last = np.take(_X.reshape(-1) if axis is None else _X, [-1, -1], axis or 0)
            cases += [(axis, counts, length) for length in (size, size // 2, size + 2)]
            expected += [
                repeated,
                np.take(repeated, range(size // 2), axis or 0),
                np.concatenate([repeated, last], axis or 0),
            ]

    def program(x: Any, asked: Any) -> Any:
        known = [fx.repeat(x, counts, axis) for axis, counts, _ in cases[::3]]
        return known, [fx.repeat(x, c, axis, size=size) for (axis, _, size), c in zip(cases, asked)]

    known, sized = jit(program)(_X, [counts for _, counts, _ in cases])
    for found, right in zip([*known, *sized], [*expected[::3], *expected], strict=True):
        _same(found, right)


def test_repetition_by_counts_of_each_lane_and_its_derivative() -> None:
    counts = np.array([[2, 0, 1, 1], [1, 3, 0, 0]])
    x = np.nan_to_num(_X)
    _same(vmap(lambda x, c: fx.repeat(x, c, size=4))(x, counts), np.stack([np.repeat(*p) for p in zip(x, counts)]))
    found = grad(lambda x: fx.sum(fx.repeat(x, counts[0]) ** 2))(fx.asarray(x[0]))
    np.testing.assert_allclose(found, 2 * x[0] * counts[0])


def test_counts_that_repeat_nothing_properly() -> None:
    for error, words, counts in (
        (fx.ShapeError, r"one count for each of 4 elements, got int64\[2\]", [1, 2]),
        (fx.ShapeError, r"got int64\[1,4\]", [[1, 1, 1, 1]]),
        (fx.ArgumentError, "must not be negative, got -3", [1, -3, 0, 0]),
        (fx.ArgumentError, "repeats must be an int or a vector of integers", [1.0, 2.0, 3.0, 4.0]),
    ):
        with pytest.raises(error, match=f"repeat: .*{words}"):
            fx.repeat(_X[0], counts)  # type: ignore[arg-type]  # some are wrong
    with pytest.raises(ConcretizationError, match=r"repeat: .* size="):
        jit(lambda c: fx.repeat(_X[0], c))(fx.asarray([1, 2, 3, 4]))
    with pytest.raises(fx.ShapeError, match="no elements along axis 0"):
        fx.repeat(fx.zeros(0), 1, size=2)


@pytest.mark.parametrize("range_", [None, (0.0, 1.0)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "uint8", "int16", "int64"])
def test_bins_on_a_grid_are_those_of_numpy(dtype: str, range_: tuple[float, float] | None) -> None:
    x = np.random.default_rng(0).normal(size=2000).round(1)
    given = np.abs(x * 10 if dtype[0] in "iu" else x).astype(dtype)
    counts, edges = np.histogram(given, 10, range=range_)
    compiled = jit(fx.histogram, static_argnames=("bins", "range"))
    for f in (fx.histogram, compiled) if range_ is None else (fx.histogram,):
        found = f(given, bins=10, range=range_)
        _same(found[0], counts)
        assert found[1].dtype == edges.dtype
        _same(found[1], edges)
    whole = np.arange(255, dtype="uint8")
    _same(jit(fx.histogram)(whole)[0], np.histogram(whole)[0])


def test_edges_of_what_is_not_finite_are_refused() -> None:
    for x in ([1.0, np.nan], [1.0, np.inf]):
        for f in (fx.histogram, fx.histogram_bin_edges):
            with pytest.raises(fx.ArgumentError, match="NaN or infinite elements"):
                f(fx.asarray(x))
        assert fx.histogram(fx.asarray(x), range=(0.0, 2.0))[0].sum() == 1
        assert fx.histogram(fx.asarray(x), bins=fx.asarray([0.0, 1.0, 2.0]))[0].tolist() == [0, 1]


def test_multiples_overflow_as_in_numpy() -> None:
    x = np.arange(-128, 128).astype("int8")
    _same(fx.lcm(x[:, None], x), np.lcm(x[:, None], x))


def test_beginnings_of_folds_are_numbers_of_the_dtype() -> None:
    for x, init in ((fx.ones(3, dtype="int64"), 0.5), (fx.ones(3, dtype="bool"), 2)):
        with pytest.raises(fx.ArgumentError, match=r"reduce: init must be a number of (int64|bool), as x has, got"):
            fx.reduce(x, init, fx.add)
    with pytest.raises(fx.ArgumentError, match=r"reduce_window: init must be a number of int64, as x has, got 0.5"):
        fx.reduce_window(fx.ones((2, 2), dtype=int), 0.5, fx.add, 2)
    assert fx.reduce(fx.ones(3, dtype="float32"), 0.1, fx.add) == np.float32(3.1)


def _greatest(a: Any, b: Any) -> Any:
    return tuple([fx.where((a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1])), i, j) for i, j in zip(a, b, strict=True)])


@pytest.mark.parametrize("axis", [0, (2, 1), None])
def test_several_arrays_reduced_together(axis: Any) -> None:
    x = np.random.default_rng(0).integers(0, 4, (3, 4, 5)).astype(float)
    places = np.arange(60).reshape(x.shape)

    def f(x: Any) -> Any:
        return fx.reduce((x, places), (-1.0, -1), _greatest, axis=axis, keepdims=True)

    greatest = x.max(axis, keepdims=True)
    first = np.where(x == greatest, places, 99).min(axis, keepdims=True)
    ways: list[Callable[[Any], Any]] = [f, jit(f), lambda x: [part[0] for part in vmap(f)(x[None])]]
    for run in ways:
        np.testing.assert_array_equal(run(fx.asarray(x))[0], greatest)
        np.testing.assert_array_equal(run(fx.asarray(x))[1], first)
    np.testing.assert_array_equal(grad(lambda x: fx.asarray(fx.sum(f(x)[0])))(fx.asarray(x)), np.isin(places, first))


def test_several_arrays_are_checked() -> None:
    x = fx.ones((2, 3))
    calls: list[tuple[str, Callable[[], object]]] = [
        ("x must be an array, or a tuple", lambda: fx.reduce((), (), _greatest)),
        ("init must be a tuple of as many numbers", lambda: fx.reduce((x, x), cast("Any", 0.0), _greatest)),
        ("must have one shape", lambda: fx.reduce((x, x[0]), (0.0, 0.0), _greatest)),
        ("fn must return 2 arrays", lambda: fx.reduce((x, x), (0.0, 0.0), lambda a, b: (a[0],))),
        ("fn must return what it takes", lambda: fx.reduce((x, x), (0.0, 0.0), lambda a, b: (a[0], a[1] > 0))),
    ]
    for match, call in calls:
        with pytest.raises(fx.EffaxError, match=match):
            call()


def test_elements_apart_under_a_window() -> None:
    x = np.random.default_rng(1).normal(size=(3, 4))
    apart = np.zeros((7, 10))
    apart[::3, ::3] = x
    ours = fx.reduce_window(x, 0.0, fx.add, (2, 3), (1, 2), 1, x_dilation=3)
    np.testing.assert_allclose(ours, fx.window_sum(apart, (2, 3), (1, 2), 1))
