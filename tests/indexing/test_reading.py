"""`x[key]` is NumPy's: at once, compiled, batched; and its derivative is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import effects as fx
from effects import Array
from effects.errors import EffaxError, OutOfBoundsError
from handlers import grad, jvp, make_jaxpr, vjp, vmap
from lowering import jit
from tests.indexing.keys import Key, arrays_and_keys, host

every = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
compiled = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def same(actual: fx.Array, expected: Any) -> None:
    assert actual.shape == expected.shape == np.asarray(actual).shape
    np.testing.assert_array_equal(np.asarray(actual), expected)


def read(x: Any, key: Key) -> Any:
    """What NumPy reads; None where it refuses the key."""
    try:
        return np.asarray(x[key])
    except (IndexError, ValueError):
        return None


@every
@given(arrays_and_keys(wrong=True))
def test_at_once(case: tuple[Any, Key]) -> None:
    x, key = case
    expected = read(x, key)
    try:
        actual = fx.asarray(x)[key]
    except EffaxError:
        assert expected is None or expected.size == 0  # where nothing is read NumPy takes masks that do not fit
        return
    assert expected is not None, "NumPy refuses it"
    same(actual, expected)


@compiled
@given(arrays_and_keys())
def test_compiled(case: tuple[Any, Key]) -> None:
    x, key = case
    expected = read(x, key)
    if expected is not None and expected.size:
        same(jit(lambda a: a[key])(x), expected)


def _traced(key: Key) -> tuple[Any, list[Any]]:
    """The key as a function of the positions in it, and these."""
    entries = key if isinstance(key, tuple) else (key,)
    given = [
        np.asarray(e)
        for e in entries
        if isinstance(e, list | np.ndarray | np.integer) and np.asarray(e).dtype.kind == "i"
    ]

    def made(arrays: Any) -> Key:
        following = iter(arrays)
        found = [
            next(following) if isinstance(e, list | np.ndarray | np.integer) and np.asarray(e).dtype.kind == "i" else e
            for e in entries
        ]
        return tuple(found)

    return made, given


@compiled
@given(arrays_and_keys())
def test_positions_that_are_not_known(case: tuple[Any, Key]) -> None:
    x, key = case
    expected = read(x, key)
    made, given = _traced(key)
    if expected is None or not given or not expected.size:
        return
    same(jit(lambda a, *arrays: a[made(arrays)])(x, *given), expected)


@every
@given(arrays_and_keys(), st.integers(0, 2))
def test_batches_are_loops(case: tuple[Any, Key], which: int) -> None:
    x, key = case
    made, given = _traced(key)
    if read(x, key) is None or (which and not given) or any(g.size == 0 for g in given):
        return
    xs = np.stack([x, 2 * x, -x]) if which != 1 else x
    lanes = [np.stack([g, np.roll(g, 1), np.flip(g)]) if which else g for g in given]
    axes = (0 if which != 1 else None, *[0 if which else None] * len(given))
    actual = vmap(lambda a, *arrays: a[made(arrays)], in_axes=axes)(fx.asarray(xs), *lanes)
    loop = [(xs[n] if which != 1 else x)[made([g[n] if which else g for g in lanes])] for n in range(3)]
    same(actual, np.stack(loop))


@every
@given(arrays_and_keys())
def test_derivatives(case: tuple[Any, Key]) -> None:
    x, key = case
    expected = read(x, key)
    if expected is None:
        return
    t = np.cos(x) if x.ndim else np.asarray(0.5)
    values, slopes = jvp(lambda a: a[key], (x,), (t,))
    same(values, expected)
    same(slopes, np.asarray(t[key]))
    ct = np.sin(1.0 + np.arange(expected.size)).reshape(expected.shape)
    _, pull = vjp(lambda a: a[key], x)
    adjoint = np.zeros_like(x)
    np.add.at(adjoint, key, ct)
    np.testing.assert_allclose(np.asarray(pull(ct)[0]), adjoint, rtol=1e-13, atol=1e-13)


X = fx.asarray(host((4, 3, 2)))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_positions_of_every_dtype(dtype: str) -> None:
    x = np.arange(300.0)
    places = np.array([0, 5, 100, 127], dtype)
    back = (np.array([-1, -128]).astype(dtype)) if dtype.startswith("i") else places
    for i in (places, back):
        same(fx.asarray(x)[i], x[i])
        same(jit(lambda a, j: a[j])(x, i), x[i])
        same(jit(lambda a, j: a[j])(x, i[0]), np.asarray(x[i[0]]))
        same(vmap(lambda a, j: a[j], in_axes=(None, 0))(fx.asarray(x), i), x[i])


def test_lists_are_arrays() -> None:
    same(X[[0, 2]], np.asarray(X)[[0, 2]])
    same(X[[True, False, True, False]], np.asarray(X)[[True, False, True, False]])
    same(X[[]], np.asarray(X)[[]])
    same(X[[[0, 1], [2, 3]], 1], np.asarray(X)[[[0, 1], [2, 3]], 1])


def test_masks_of_known_values_stay_masks_where_programs_are_written() -> None:
    mask = np.array([True, False, True, True])
    same(jit(lambda x: x[mask])(X), np.asarray(X)[mask])
    same(vmap(lambda x: x[mask], in_axes=1, out_axes=1)(X), np.asarray(X)[mask])


OPS: Final[dict[str, tuple[Callable[[Array, Array], Array], list[str]]]] = {
    "slice": (lambda x, i: x[1:3], ["slice"]),
    "int": (lambda x, i: x[1], ["slice", "reshape"]),
    "negative step": (lambda x, i: x[::-1], ["flip"]),
    "part of all": (lambda x, i: x[1, ..., 0:2], ["slice", "reshape"]),
    "everything": (lambda x, i: x[...], []),
    "array": (lambda x, i: x[i], ["gather"]),
    "array and slice": (lambda x, i: x[:, i], ["gather"]),
    "array and part": (lambda x, i: x[1:, i], ["slice", "gather"]),
}


@pytest.mark.parametrize("what", OPS)
def test_programs_have_no_more_operations_than_needed(what: str) -> None:
    f, names = OPS[what]
    program = make_jaxpr(f)(X, fx.asarray([0, 1]))
    assert [eqn.op.name for eqn in program.eqns] == names


def test_one_position_is_compiled_to_a_slice() -> None:
    position: Any = jit(lambda x, i: x[i, 1])
    text = position.lower(X, fx.asarray(2)).as_text()
    assert "dynamic_slice" in text and "gather" not in text
    part: Any = jit(lambda x: x[1:, ::-1])
    assert "gather" not in part.lower(X).as_text()


def test_slices_of_each_lane_may_overlap_in_what_they_have_in_common() -> None:
    starts = np.array([0, 1, 1, 3])
    x = np.asarray(X)

    def total(x: Array) -> Array:
        parts = vmap(lambda s: fx.dynamic_slice(x, (s, 0, 1), (2, 3, 1)))(fx.asarray(starts))
        return fx.sum(parts * fx.arange(1.0, 5.0)[:, None, None, None])

    expected = np.zeros_like(x)
    for weight, start in zip([1.0, 2.0, 3.0, 4.0], np.minimum(starts, 2), strict=True):
        expected[start : start + 2, :, 1:2] += weight
    same(grad(total)(X), expected)
    same(jit(grad(total))(X), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (0, 0), (4, 0)])
def test_a_mask_without_elements_chooses_nothing(shape: tuple[int, ...]) -> None:
    """An axis of it may have size 0 whatever that of x is; nothing of it is unknown."""
    mask = np.zeros(shape, bool)
    expected = np.asarray(X)[mask]
    same(X[mask], expected)
    same(jit(lambda x, m: x[m])(X, mask), expected)
    same(jit(lambda x, m: x.at[m].set(1.0))(X, mask), np.asarray(X))
    same(X.at[mask].set(1.0), np.asarray(X))


@pytest.mark.parametrize("key", [1, -2, np.array([1]), np.array([0, -2])], ids=str)
@pytest.mark.parametrize("shape", [(0, 1), (0, 3, 1), (2, 0, 1)])
def test_out_of_bounds_where_nothing_is_read(shape: tuple[int, ...], key: Any) -> None:
    with pytest.raises(OutOfBoundsError, match="is out of bounds for axis"):
        fx.zeros(shape)[..., key]
    with pytest.raises(OutOfBoundsError, match="is out of bounds for axis"):
        fx.zeros(shape).take(key, axis=-1)


@pytest.mark.parametrize(
    "key", [range(2), range(0), (range(1), slice(1, 3)), (range(2), range(2)), [[]], ([[], []],)], ids=str
)
def test_ranges_and_lists_of_nothing_are_positions(key: Any) -> None:
    expected = np.asarray(X)[key]
    same(X[key], expected)
    same(jit(lambda x: x[key])(X), expected)
    same(X.at[key].get(), expected)
    written = np.array(X)
    written[key] = 7.0
    same(X.at[key].set(7.0), written)
    if not isinstance(key, tuple):
        same(fx.take(X, key, axis=1), np.take(np.asarray(X), np.array(key, int), axis=1))
