"""Numbers that devices could spoil between them: NaN in extremes, sums of narrow floats, elements in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import Mesh, collectives
from tests.errors.untyped import device_put, grad, handlers, jit

MESH: Final = Mesh({"a": 4, "b": 2})
X: Final[Any] = np.random.default_rng(0).normal(size=(16, 8))
NAN: Final[Any] = np.where(np.isin(np.arange(128).reshape(16, 8), [3, 41, 90, 127]), np.nan, X)
THIRDS: Final = np.arange(16) % 3
EVERYWHERE: Final = MESH.sharding(("a", "b"))
EXTREMES: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "max": (lambda x: fx.max(x, axis=0), lambda x: x.max(0)),
    "min": (lambda x: fx.min(x, axis=1), lambda x: x.min(1)),
    "max of all": (fx.max, np.max),
    "argmax": (lambda x: fx.argmax(x, axis=0), lambda x: x.argmax(0)),
    "argmin": (lambda x: fx.argmin(x, axis=1), lambda x: x.argmin(1)),
    "norm": (lambda x: fx.linalg.vector_norm(x, ord=np.inf, axis=0), lambda x: np.abs(x).max(0)),
    "at.max": (
        lambda x: fx.full((3, 8), -9, dtype=x.dtype).at[fx.asarray(THIRDS)].max(x),
        lambda x: [x[i::3].max(0) for i in range(3)],
    ),
    "at.min": (
        lambda x: fx.full((3, 8), 9, dtype=x.dtype).at[fx.asarray(THIRDS)].min(x),
        lambda x: [x[i::3].min(0) for i in range(3)],
    ),
    "pmax": (handlers.shard_map(lambda x: handlers.pmax(x, "a"), MESH, "a", None), lambda x: x.reshape(4, 4, 8).max(0)),
    "pmin": (
        handlers.shard_map(lambda x: handlers.pmin(x, ("a", "b")), MESH, EVERYWHERE, None),
        lambda x: x.reshape(8, 2, 8).min(0),
    ),
    "max where some axes are the partitioner's": (
        handlers.shard_map(lambda x: handlers.pmax(fx.max(x), "a"), MESH, "a", None, axis_names="a"),
        np.max,
    ),
}


@pytest.mark.parametrize("dtype", [fx.float64, fx.bfloat16, fx.float8_e4m3fnuz])
@pytest.mark.parametrize("name", EXTREMES)
def test_no_device_forgets_nan(name: str, dtype: type[fx.Floating]) -> None:
    f, by_numpy = EXTREMES[name]
    x = fx.asarray(NAN).astype(dtype)
    wanted = by_numpy(np.asarray(x).astype(np.float64))
    for run, cut in ((f, MESH.sharding("a", "b")), (jit(f), EVERYWHERE), (jit(f), MESH.sharding(None, ("a", "b")))):
        np.testing.assert_array_equal(np.asarray(run(device_put(x, cut))).astype(np.float64), wanted)


BLOCKS: Final = MESH.sharding("a")
SUMS: Final[dict[str, Callable[[Any], Any]]] = {
    "psum": handlers.shard_map(lambda x: handlers.psum(x[0], "a"), MESH, BLOCKS, None),
    "psum_scatter": handlers.shard_map(lambda x: handlers.psum_scatter(x[0], "a", tiled=True), MESH, BLOCKS, "a"),
    "sum": lambda x: fx.sum(x, axis=0),
    "dot": lambda x: fx.ones((1, 4), dtype=x.dtype) @ x,
    "at.add": lambda x: fx.zeros((1, 8), dtype=x.dtype).at[fx.zeros(4, dtype=fx.int32)].add(x),
}


@pytest.mark.parametrize("column", [[2048, 1, 1, 1], [6e4, 6e4, -6e4, 1], [1, 6e4, 6e4, -6e4], [256, 1, 1, 1]])
@pytest.mark.parametrize("name", SUMS)
def test_sums_of_narrow_floats_are_rounded_once(name: str, column: list[float]) -> None:
    for dtype in (fx.float16, fx.bfloat16):
        x = fx.asarray(np.repeat(np.asarray(column)[:, None], 8, 1)).astype(dtype)
        wanted = np.sum(np.asarray(x).astype(np.float32), axis=0).astype(np.asarray(x).dtype)
        actual = np.asarray(jit(SUMS[name])(device_put(x, BLOCKS)))
        np.testing.assert_array_equal(actual.astype(float).ravel(), wanted.astype(float))


LOOKED_UP: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "rows": (lambda x: x[fx.asarray(THIRDS)], lambda x: x[THIRDS]),
    "columns": (lambda x: fx.take(x, fx.asarray(THIRDS), axis=1), lambda x: x[:, THIRDS]),
    "elements": (lambda x: x[fx.asarray(THIRDS), fx.asarray(THIRDS)], lambda x: x[THIRDS, THIRDS]),
    "steps": (lambda x: x[1::3, ::2], lambda x: x[1::3, ::2]),
    "diagonal": (fx.linalg.diagonal, np.diagonal),
    "each its own": (
        lambda x: fx.take_along_axis(x, fx.argsort(x, axis=0, descending=True), axis=0),
        lambda x: np.take_along_axis(x, np.argsort(-x, axis=0, kind="stable"), axis=0),
    ),
}


@pytest.mark.parametrize("dtype", [fx.float64, fx.bfloat16, fx.float8_e5m2])
@pytest.mark.parametrize("name", LOOKED_UP)
def test_what_is_looked_up_keeps_its_sign(name: str, dtype: type[fx.Floating]) -> None:
    f, by_numpy = LOOKED_UP[name]
    x = fx.asarray(np.where(NAN > 1, NAN, -0.0)).astype(dtype)
    wanted = by_numpy(np.asarray(x).astype(np.float64))
    for cut in (BLOCKS, MESH.sharding("b", "a"), EVERYWHERE, MESH.sharding(None, ("a", "b"))):
        actual = np.asarray(jit(f)(device_put(x, cut))).astype(np.float64)
        np.testing.assert_array_equal(actual, wanted)
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(wanted))


def test_complex_numbers_keep_both_signs() -> None:
    x = np.full((16, 8), complex(-0.0, -0.0))
    for cut in (BLOCKS, EVERYWHERE, MESH.sharding(None, ("a", "b"))):
        found = np.asarray(jit(lambda x: x[fx.asarray(THIRDS), 1])(device_put(x, cut)))
        assert np.signbit(found.real).all() and np.signbit(found.imag).all()


def test_lookups_of_narrow_floats_send_no_wide_ones() -> None:
    table = device_put(fx.zeros((16, 8), dtype=fx.bfloat16), BLOCKS)
    (row,) = collectives(jit(lambda x, i: x[i]).lower(table, THIRDS)).rows
    assert row.bytes == 16 * 8 * 2


@pytest.mark.parametrize("step", [2, 3, 4, 5, 7])
def test_slices_in_steps(step: int) -> None:
    for size in (7, 8, 3):
        wanted = [np.sin(X[:, :size])[:, start::step] for start in range(min(size, 3))]
        taken = lambda x, size=size: [fx.sin(x[:, :size])[:, start::step] for start in range(min(size, 3))]
        back = grad(lambda x, f=taken: sum([fx.sum(fx.cumulative_sum(part, axis=1)) for part in f(x)]))
        for cut in (MESH.sharding(None, "a"), MESH.sharding("b", "a"), MESH.sharding("a", "b")):
            x = device_put(X, cut)
            for actual, part in zip(jit(taken)(x), wanted, strict=True):
                np.testing.assert_allclose(np.asarray(actual), part)
            np.testing.assert_allclose(np.asarray(jit(back)(x)), np.asarray(back(X)))
