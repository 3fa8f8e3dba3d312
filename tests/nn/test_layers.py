"""Initialisers beside jax's numbers and their moments; parts of layers beside NumPy, in every precision and order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, ShapeError
from handlers import grad, vmap
from lowering import jit

init, nn, KEY = fx.nn.initializers, fx.nn, fx.random.key(0)

JAX: Final[dict[str, tuple[Any, tuple[int, ...], Any]]] = {
    "he_normal": (
        init.he_normal(),
        (2, 3),
        [[1.6552032232, 1.9494074583, -0.4691488445], [-0.0853015557, 0.1909914911, -1.0375028849]],
    ),
    "glorot_uniform": (
        init.glorot_uniform(),
        (2, 3),
        [[0.9807893038, 1.0485160351, -0.3674309552], [-0.0686439648, 0.1531185061, -0.7328462005]],
    ),
}


@pytest.mark.parametrize("name", JAX)
def test_numbers_are_those_of_jax(name: str) -> None:
    draw, shape, expected = JAX[name]
    for f in (draw, jit(draw, static_argnums=(1, 2))):
        np.testing.assert_allclose(f(KEY, shape, "float32"), np.asarray(expected, np.float32), rtol=4e-7)


FANS: Final = {"fan_in": 3 * 3 * 20, "fan_out": 3 * 3 * 40, "fan_avg": 270, "fan_geo_avg": 9 * np.sqrt(800)}


@pytest.mark.parametrize("distribution", ["truncated_normal", "normal", "uniform"])
@pytest.mark.parametrize("mode", FANS)
def test_the_variance_is_the_scale_over_the_fan(mode: Any, distribution: Any) -> None:
    x = np.asarray(init.variance_scaling(3.0, mode, distribution)(KEY, (3, 3, 20, 40)))
    assert abs(x.mean()) < 4 * x.std() / np.sqrt(x.size)
    np.testing.assert_allclose(x.var(), 3.0 / FANS[mode], rtol=0.05)
    turned = init.variance_scaling(3.0, mode, distribution, in_axis=0, out_axis=1, batch_axis=2)(KEY, (20, 40, 7, 9))
    np.testing.assert_allclose(np.asarray(turned).var(), 3.0 / FANS[mode], rtol=0.05)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_orthogonal_rows_or_columns(axis: int) -> None:
    x = np.moveaxis(np.asarray(init.orthogonal(2.0, axis)(KEY, (4, 3, 5))), axis, -1).reshape(-1, (4, 3, 5)[axis])
    small = x if x.shape[0] <= x.shape[1] else x.T
    np.testing.assert_allclose(small @ small.T, 4 * np.eye(len(small)), atol=1e-13)
    kernel = init.delta_orthogonal()(KEY, (4, 5, 2, 3))
    np.testing.assert_allclose(np.asarray(kernel[1, 2] @ kernel[1, 2].T), np.eye(2), atol=1e-14)
    assert np.count_nonzero(np.asarray(kernel)) == 6


def test_initialisers_of_nothing_and_of_every_float() -> None:
    for draw in (init.he_normal(), init.orthogonal(), init.normal(), init.uniform(), init.constant(2.0)):
        for dtype in (fx.bfloat16, fx.float16, fx.float32, fx.float64):
            assert draw(KEY, (0, 3), dtype).shape == (0, 3)
            assert draw(KEY, (2, 3), dtype).dtype is dtype
    with fx.default_float("float32"):
        assert {str(draw(KEY, (2,)).dtype) for draw in (init.constant(1), init.normal(), init.zeros)} == {"float32"}


def _standard(x: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


@pytest.mark.parametrize("axis", [-1, (0, 2), None])
def test_standardize_counts_what_the_mask_holds_for(axis: Any) -> None:
    rng = np.random.default_rng(3)
    x, mean, variance = rng.normal(size=(3, 4, 5)), rng.normal(size=(4, 1)), rng.random(5)
    where = (rng.random(x.shape) < 0.7) | (np.arange(5) == 2)
    counted = np.ma.MaskedArray(x, ~where)
    centre, spread = [np.asarray(f(axis=axis, keepdims=True)) for f in (counted.mean, counted.var)]
    for f in (nn.standardize, jit(nn.standardize, static_argnums=(1, 4))):
        np.testing.assert_allclose(f(x, axis, where=where), (x - centre) / np.sqrt(spread + 1e-5), rtol=1e-12)
        np.testing.assert_allclose(
            f(x, axis, mean, variance, 0.5), np.asarray((x - mean) / np.sqrt(variance + 0.5)), rtol=1e-12
        )
    around = np.mean((x - mean) ** 2, axis, keepdims=True)
    np.testing.assert_allclose(nn.standardize(x, axis, mean), (x - mean) / np.sqrt(around + 1e-5), rtol=1e-12)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_standardize_has_derivatives_beside_infinities_that_do_not_count(bad: float) -> None:
    x, where, factors = np.array([3.0, 1.0, 2.0, 4.0]), np.array([False, True, True, True]), np.arange(4.0)

    def loss(x: Any) -> Any:
        return fx.sum(nn.standardize(x, where=where) * factors, where=where)

    expected, beside = grad(loss)(x), np.where(where, x, bad)
    assert expected[0] == 0 and fx.any(expected != 0)
    np.testing.assert_array_equal(nn.standardize(beside, where=where)[0], bad)
    for f in (loss, jit(loss)):
        np.testing.assert_allclose(grad(f)(beside), expected, rtol=1e-14)


@pytest.mark.parametrize("dtype", [fx.float64, fx.float32, fx.bfloat16])
@pytest.mark.parametrize("compiled", [False, True])
def test_batch_norm_over_several_batches(dtype: Any, compiled: bool) -> None:
    rng = np.random.default_rng(4)
    kind = fx.float64 if dtype is fx.float64 else fx.float32
    eps = 8 * float(fx.finfo(dtype).eps)
    statistics = nn.BatchStatistics(fx.zeros(3, dtype=kind), fx.ones(3, dtype=kind))
    norm = jit(nn.batch_norm, static_argnums=(2, 3, 4)) if compiled else nn.batch_norm
    mean, variance = np.zeros(3), np.ones(3)
    batches = [fx.asarray(rng.normal(2.0, [1.0, 2.0, 3.0], (4, 5, 3)), dtype=dtype) for _ in range(3)]
    for x in batches:
        wide = np.asarray(x.astype("float64"))
        y, statistics = norm(x, statistics, True, 0.75, 1e-3)
        assert y.dtype is dtype and statistics.mean.dtype is kind
        np.testing.assert_allclose(y.astype("float64"), _standard(wide, (0, 1), 1e-3), atol=eps, rtol=eps)
        mean = 0.75 * mean + 0.25 * wide.mean((0, 1))
        variance = 0.75 * variance + 0.25 * wide.var((0, 1))
    tight = 8 * float(fx.finfo(kind).eps)
    np.testing.assert_allclose(statistics.mean, mean, rtol=tight)
    np.testing.assert_allclose(statistics.variance, variance, rtol=tight)
    y, after = norm(batches[0], statistics, False, 0.75, 1e-3)
    np.testing.assert_array_equal(after, statistics)
    expected = (np.asarray(batches[0].astype("float64")) - mean) / np.sqrt(variance + 1e-3)
    np.testing.assert_allclose(y.astype("float64"), expected, atol=eps, rtol=eps)


@pytest.mark.parametrize("dtype", [fx.float64, fx.float32, fx.bfloat16])
def test_norms(dtype: Any) -> None:
    x = fx.asarray(np.random.default_rng(0).normal(size=(2, 5, 4, 6)), dtype=dtype)
    wide = np.asarray(x.astype(fx.float64))
    split = wide.reshape(2, 5, 4, 3, 2)
    expected = _standard(split, (1, 2, 4), 1e-5).reshape(wide.shape)
    eps = float(fx.finfo(dtype).eps)
    for f in (nn.group_norm, jit(nn.group_norm, static_argnums=1)):
        np.testing.assert_allclose(np.asarray(f(x, 3).astype(fx.float64)), expected, atol=4 * eps, rtol=4 * eps)
    power = wide / np.sqrt((wide**2).mean((1, 3), keepdims=True) + 1e-6)
    result = nn.rms_norm(x, axis=(1, 3))
    assert result.dtype is dtype
    np.testing.assert_allclose(np.asarray(result.astype(fx.float64)), power, atol=4 * eps, rtol=4 * eps)


def test_norms_have_derivatives_and_lanes() -> None:
    x = fx.asarray(np.random.default_rng(1).normal(size=(3, 2, 4)))
    first = nn.BatchStatistics(fx.zeros(4), fx.ones(4))
    for f in (lambda x: nn.group_norm(x, 2), nn.rms_norm, lambda x: nn.batch_norm(x, first, True)[0]):
        direction = fx.cos(fx.arange(24.0)).reshape(3, 2, 4)
        h = 1e-5

        def total(x: Any, f: Any = f) -> fx.Array:
            return fx.sum(f(x) * fx.sin(x))

        slope = fx.sum(grad(total)(x) * direction)
        differences = (total(x + h * direction) - total(x - h * direction)) / (2 * h)
        np.testing.assert_allclose(slope, differences, rtol=1e-8)
        np.testing.assert_allclose(vmap(f)(x[None]), f(x)[None], rtol=1e-14)


def test_dropout_keeps_the_mean() -> None:
    x = fx.ones((400, 50), dtype=fx.float32)
    y = nn.dropout(KEY, x, 0.25)
    np.testing.assert_allclose(np.unique(np.asarray(y)), np.asarray([0.0, 1 / 0.75], np.float32))
    assert abs(float(fx.mean(y)) - 1) < 0.02
    np.testing.assert_array_equal(jit(nn.dropout, static_argnums=2)(KEY, x, 0.25), y)
    np.testing.assert_array_equal(nn.dropout(KEY, x, 0.0), x)
    np.testing.assert_allclose(grad(lambda x: fx.sum(nn.dropout(KEY, x, 0.25)))(x), y)
    spoiled = nn.dropout(KEY, x * fx.nan, 0.25)
    assert set(np.unique(np.asarray(fx.isnan(spoiled)) == (np.asarray(y) != 0))) == {True}
    lanes = vmap(lambda key: nn.dropout(key, fx.ones(8), 0.5))(fx.random.split(KEY, 5))
    assert len({tuple(np.asarray(lane)) for lane in lanes}) > 1


V: Final = fx.ones(3)
STATISTICS: Final = nn.BatchStatistics(fx.zeros(3), fx.ones(3))


def test_windows_without_places() -> None:
    assert init.delta_orthogonal()(KEY, (0, 1, 2)).shape == (0, 1, 2)


REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "a vector has no fan": (
        ShapeError,
        lambda: init.he_normal()(KEY, (3,)),
        r"he_normal: a shape of \[3\] has no axis -2",
    ),
    "integers": (DTypeError, lambda: init.he_normal()(KEY, (3, 2), "int32"), "real floating point"),
    "a key for a size": (
        ArgumentError,
        lambda: init.he_normal(KEY, (3, 4)),  # type: ignore[arg-type]  # the mistake
        r"he_normal: in_axis must be an int, got Key.*: he_normal\(\)\(key, shape\)",
    ),
    "a shape for a key": (
        ArgumentError,
        lambda: init.glorot_uniform()((3, 4), KEY),  # type: ignore[arg-type]  # the mistake
        r"glorot_uniform: key must be a key, got \(3, 4\)",
    ),
    "a key last": (
        ArgumentError,
        lambda: nn.dropout(fx.ones(3), 0.5, KEY),  # type: ignore[arg-type]  # the mistake
        r"write dropout\(key, x, rate\)",
    ),
    "nothing for a key": (ArgumentError, lambda: init.zeros(None, (3,)), "zeros: key must be a key, got None"),  # type: ignore[arg-type]  # the mistake
    "an infinite slope": (ArgumentError, lambda: nn.leaky_relu(1.0, fx.inf), "negative_slope must be finite, got inf"),
    "another mode": (ArgumentError, lambda: init.variance_scaling(1.0, "fan", "normal"), "mode must be 'fan_in'"),  # type: ignore[arg-type]  # the mistake
    "a negative deviation": (ArgumentError, lambda: init.normal(-1.0), "stddev must be finite and at least 0"),
    "an orthogonal vector": (ShapeError, lambda: init.orthogonal()(KEY, (3,)), "two axes"),
    "more inputs than outputs": (
        ShapeError,
        lambda: init.delta_orthogonal()(KEY, (3, 4, 2)),
        "as many outputs or more",
    ),
    "groups that do not divide": (
        ShapeError,
        lambda: nn.group_norm(fx.ones((2, 3, 4)), 3),
        "do not divide the last axis",
    ),
    "celu of no width": (ArgumentError, lambda: nn.celu(V, 0), "alpha must be another number than 0"),
    "a negative epsilon": (
        ArgumentError,
        lambda: nn.standardize(V, epsilon=-1.0),
        "epsilon must be finite and at least",
    ),
    "one of rms_norm": (ArgumentError, lambda: nn.rms_norm(V, epsilon=-1e-9), "epsilon must be finite and at least 0"),
    "a mean that broadens": (
        ShapeError,
        lambda: nn.standardize(V, mean=fx.ones((2, 3))),
        "mean, .* does not broadcast",
    ),
    "statistics of others": (
        ShapeError,
        lambda: nn.batch_norm(fx.ones((2, 4)), STATISTICS, True),
        "not one for each channel",
    ),
    "a pair": (ArgumentError, lambda: nn.batch_norm(V, (V, V), True), "must be BatchStatistics"),  # type: ignore[arg-type]  # the mistake
    "no batch": (ShapeError, lambda: nn.batch_norm(V, STATISTICS, True), "elements besides the channels"),
    "a decay": (ArgumentError, lambda: nn.batch_norm(V, STATISTICS, False, 1.5), "decay must be from 0 to 1"),
    "an unknown rate": (
        ConcretizationError,
        lambda: jit(nn.dropout)(KEY, V, 0.5),
        r"rate must be known: .* Mark the argument static \(static_argnums\)",
    ),
    "everything dropped": (ArgumentError, lambda: nn.dropout(KEY, fx.ones(3), 1.0), "rate must be at least 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()
