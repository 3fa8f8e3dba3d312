"""Pooling against a loop over windows in NumPy; ties, infinities and NaN; layouts; what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import nn
from handlers import grad, hessian, jvp, vmap
from lowering import jit

type Host = np.ndarray[tuple[int, ...], np.dtype[Any]]
type Pairs = Sequence[tuple[int, int]]

_RNG: Final = np.random.default_rng(5)
type Function = Callable[[fx.Array], fx.Array]


def _as_it_is(f: Function) -> Function:
    return f


POOLS: Final[dict[str, Callable[..., fx.Array]]] = {
    "max": nn.max_pool,
    "avg": nn.avg_pool,
    "avg_inside": lambda x, *args, **options: nn.avg_pool(x, *args, count_include_pad=False, **options),
}
_INSIDE: Final[dict[str, Callable[[Host, int], Any]]] = {
    "max": lambda found, size: found.max(initial=-np.inf),
    "avg": lambda found, size: found.sum() / size,
    "avg_inside": lambda found, size: found.sum() / found.size if found.size else np.nan,
}


def _loop(
    pool: str, x: Host, sizes: Sequence[int], strides: Sequence[int], around: Pairs, holes: Sequence[int]
) -> Host:
    """Each window's elements that are there, one window after the other."""
    spatial = x.shape[2:]
    reaches = [(k - 1) * d + 1 for k, d in zip(sizes, holes, strict=True)]
    counts = [(n + sum(p) - r) // s + 1 for n, p, r, s in zip(spatial, around, reaches, strides, strict=True)]
    out = np.empty((*x.shape[:2], *counts))
    for at in np.ndindex(*out.shape):
        axes = []
        for i, n in enumerate(spatial):
            first = at[i + 2] * strides[i] - around[i][0]
            axes.append([p for p in range(first, first + reaches[i], holes[i]) if 0 <= p < n])
        out[at] = _INSIDE[pool](x[at[:2]][np.ix_(*axes)], int(np.prod(sizes)))
    return out


_CALLS: Final[list[tuple[tuple[int, ...], Any, dict[str, Any], tuple[Any, ...]]]] = [
    ((2, 3, 8), 2, {}, ((2,), (2,), ((0, 0),), (1,))),
    ((2, 1, 9), 3, {"strides": 2, "padding": 1}, ((3,), (2,), ((1, 1),), (1,))),
    ((1, 2, 9), 3, {"strides": 2, "padding": "same"}, ((3,), (2,), ((1, 1),), (1,))),
    ((1, 2, 8), 3, {"strides": 2, "padding": "same"}, ((3,), (2,), ((0, 1),), (1,))),
    ((1, 2, 8), 3, {"strides": 2, "padding": "same_lower"}, ((3,), (2,), ((1, 0),), (1,))),
    ((1, 2, 9), 2, {"strides": 1, "dilation": 3}, ((2,), (1,), ((0, 0),), (3,))),
    ((1, 1, 3), 2, {"padding": ((4, 1),)}, ((2,), (2,), ((4, 1),), (1,))),
    ((2, 2, 6, 5), (2, 3), {}, ((2, 3), (2, 3), ((0, 0), (0, 0)), (1, 1))),
    ((1, 2, 6, 5), (3, 2), {"strides": (2, 1), "padding": "SAME"}, ((3, 2), (2, 1), ((0, 1), (0, 1)), (1, 1))),
    ((1, 1, 6, 6), 2, {"strides": 1, "dilation": (2, 1)}, ((2, 2), (1, 1), ((0, 0), (0, 0)), (2, 1))),
    ((1, 1, 6, 6), 2, {"strides": 2, "padding": ((1, 0), (-1, 2))}, ((2, 2), (2, 2), ((1, 0), (-1, 2)), (1, 1))),
    ((1, 2, 4, 5, 3), 2, {"strides": (2, 1, 1)}, ((2, 2, 2), (2, 1, 1), ((0, 0),) * 3, (1, 1, 1))),
    ((1, 1, 7, 7), 7, {"padding": 3, "strides": 5}, ((7, 7), (5, 5), ((3, 3), (3, 3)), (1, 1))),
    ((0, 2, 4), 2, {}, ((2,), (2,), ((0, 0),), (1,))),
]


@pytest.mark.parametrize(("shape", "window", "options", "expected"), _CALLS)
@pytest.mark.parametrize("pool", POOLS)
def test_values(pool: str, shape: tuple[int, ...], window: Any, options: dict[str, Any], expected: Any) -> None:
    x = _RNG.normal(size=shape)

    def f(x: fx.Array) -> fx.Array:
        return POOLS[pool](x, window, **options)

    loop = _loop(pool, x, *expected)
    for g in (f, jit(f), lambda v: vmap(f)(v[None])[0]):
        np.testing.assert_allclose(np.asarray(g(fx.asarray(x))), loop, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("options", [{}, {"strides": 1}, {"strides": (2, 1), "padding": "same"}, {"dilation": 2}])
@pytest.mark.parametrize("pool", POOLS)
def test_derivatives(pool: str, options: dict[str, Any]) -> None:
    x, t, w = [fx.asarray(_RNG.normal(size=(2, 2, 5, 6))) for _ in range(3)]

    def f(x: fx.Array) -> fx.Array:
        return POOLS[pool](x, (3, 2), **options)

    def scalar(x: fx.Array) -> fx.Array:
        return fx.sum(fx.sin(f(x)) * fx.sin(f(x * w)))

    step = 1e-6
    _, slope = jvp(f, (x,), (t,))
    np.testing.assert_allclose(slope, (f(x + step * t) - f(x - step * t)) / (2 * step), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(fx.sum(grad(scalar)(x) * t), jvp(scalar, (x,), (t,))[1], rtol=1e-11)
    np.testing.assert_allclose(jit(grad(scalar))(x), grad(scalar)(x), rtol=1e-11, atol=1e-13)
    _, second = jvp(grad(scalar), (x,), (t,))
    ahead, behind = grad(scalar)(x + step * t), grad(scalar)(x - step * t)
    np.testing.assert_allclose(second, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(grad(lambda x: fx.sum(grad(scalar)(x) * t))(x), second, rtol=1e-10, atol=1e-12)


def test_hessian_of_a_mean_of_squares() -> None:
    x = fx.asarray(_RNG.normal(size=(1, 1, 4)))
    found = hessian(lambda x: fx.sum(nn.avg_pool(x, 2) ** 2))(x)
    pair = np.full((2, 2), 0.5)
    np.testing.assert_allclose(np.asarray(found).reshape(4, 4), np.kron(np.eye(2), pair), rtol=1e-13)


def test_equal_elements_share_the_derivative() -> None:
    x = fx.asarray([[[0.0, 0.0, -1.0, 2.0, 2.0, 2.0]]])
    for transform in (_as_it_is, jit):
        np.testing.assert_array_equal(
            np.asarray(transform(grad(lambda x: fx.sum(nn.max_pool(x, 3, strides=1))))(x))[0, 0],
            [0.5, 0.5, 0.0, 1 + 0.5 + 1 / 3, 0.5 + 1 / 3, 1 / 3],
        )


def test_one_window_over_all_is_a_reduction() -> None:
    x = fx.asarray([[[1.0, 3.0, 3.0, -fx.inf, 0.0]]])
    np.testing.assert_array_equal(grad(lambda x: fx.sum(nn.max_pool(x, 5)))(x), grad(lambda x: fx.max(x))(x))
    np.testing.assert_array_equal(grad(lambda x: fx.sum(nn.avg_pool(x, 5)))(x), grad(lambda x: fx.mean(x))(x))


def test_nothing_but_minus_infinity_and_nothing_at_all() -> None:
    x = fx.asarray([[[-fx.inf, -fx.inf, 1.0, 2.0]]])
    for transform in (_as_it_is, jit):
        f = transform(lambda x: nn.max_pool(x, 2, padding=((2, 0),)))
        np.testing.assert_array_equal(f(x), [[[-np.inf, -np.inf, 2.0]]])
        slope = transform(grad(lambda x: fx.sum(nn.max_pool(x, 2, padding=((2, 0),)))))(x)
        np.testing.assert_array_equal(slope, [[[0.5, 0.5, 0.0, 1.0]]])  # nothing goes to what is beyond the ends
    whole = fx.asarray([[[3, -7]]], dtype=fx.int8)
    np.testing.assert_array_equal(nn.max_pool(whole, 2, padding=((2, 0),)), [[[-128, 3]]])
    assert nn.max_pool(whole, 2).dtype is fx.int8
    assert np.isnan(np.asarray(nn.avg_pool(x, 2, padding=((2, 0),), count_include_pad=False)))[0, 0].tolist() == [
        True,
        False,
        False,
    ]


def test_nan_comes_through_and_its_window_has_no_slope() -> None:
    x = fx.asarray([[[1.0, fx.nan, 3.0, 4.0]]])
    for transform in (_as_it_is, jit):
        np.testing.assert_array_equal(transform(lambda x: nn.max_pool(x, 2))(x), [[[np.nan, 4.0]]])
        slope = transform(grad(lambda x: fx.sum(nn.max_pool(x, 2))))(x)
        np.testing.assert_array_equal(slope, [[[np.nan, np.nan, 0.0, 1.0]]])


@pytest.mark.parametrize("numbers", ["NHWC", "HWNC", "CNWH"])
@pytest.mark.parametrize("pool", POOLS)
def test_layouts(pool: str, numbers: str) -> None:
    x = _RNG.normal(size=(2, 3, 6, 5))
    order = ["NCHW".index(letter) for letter in numbers]
    sizes = {"H": 3, "W": 2}
    window = tuple([sizes[letter] for letter in numbers if letter in sizes])
    actual = POOLS[pool](fx.asarray(x.transpose(order)), window, padding="same", dimension_numbers=numbers)
    expected = np.asarray(POOLS[pool](fx.asarray(x), (3, 2), padding="same"))
    np.testing.assert_allclose(actual, expected.transpose(order), rtol=1e-12)


@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16, fx.float8_e4m3fn, fx.float8_e5m2])
@pytest.mark.parametrize("pool", POOLS)
def test_narrow_floats_are_rounded_once(pool: str, dtype: type[fx.dtypes.DType]) -> None:
    x = fx.astype(fx.asarray(_RNG.uniform(0.5, 2, size=(1, 2, 9))), dtype)
    options: dict[str, Any] = {"strides": 2, "padding": 1}
    wide = fx.astype(POOLS[pool](fx.astype(x, fx.float32), 4, **options), dtype)
    for transform in (_as_it_is, jit):
        np.testing.assert_array_equal(transform(lambda x: POOLS[pool](x, 4, **options))(x), wide)


def test_means_of_integers_and_complex_numbers() -> None:
    assert nn.avg_pool(fx.asarray([[[1, 2, 4, 6]]]), 2).tolist() == [[[1.5, 5.0]]]
    assert nn.avg_pool(fx.asarray([[[1j, 2.0]]]), 2).tolist() == [[[1 + 0.5j]]]


_X: Final = fx.zeros((1, 2, 4, 4))
_REFUSED: Final[list[tuple[Any, dict[str, Any], type[fx.EffaxError], str]]] = [
    ((_X, 5), {}, fx.ShapeError, r"max_pool: the window spans \[1, 1, 5, 5\], more than there is"),
    ((_X, (2, 2, 2)), {}, fx.ArgumentError, "max_pool: window must have an entry for each of 2 axes"),
    ((_X, 0), {}, fx.ArgumentError, "max_pool: window must be positive, got 0"),
    ((_X, 2), {"strides": 0}, fx.ArgumentError, "max_pool: strides must be positive"),
    ((_X, 2), {"dilation": 1.5}, fx.ArgumentError, "max_pool: dilation must be an int, got 1.5"),
    ((_X, 2), {"padding": "half"}, fx.ArgumentError, "padding must be 'same', 'same_lower' or 'valid', got 'half'"),
    ((_X, 2), {"padding": ((1, 2, 3), 0)}, fx.ArgumentError, "an entry of padding must be a number or a pair"),
    ((_X, 2), {"dimension_numbers": "NHW"}, fx.ArgumentError, "a letter for each axis, N, C and others"),
    ((_X, 2), {"dimension_numbers": "NHC"}, fx.ShapeError, "'NHC' has 3 letters for float64"),
    ((_X, 2), {"dimension_numbers": "NHHC"}, fx.ArgumentError, "a letter for each axis"),
    (
        (fx.zeros((4, 4)), 2),
        {},
        fx.ShapeError,
        r"must have a batch, .*; add those that it lacks, as x\[None, None\]",
    ),
    ((fx.zeros(3), 2), {}, fx.ShapeError, "max_pool: x must have a batch, features and spatial axes"),
    ((fx.zeros((1, 1, 2), dtype=fx.bool), 2), {}, fx.DTypeError, "max_pool: x must be of real numbers"),
    ((fx.zeros((1, 1, 2), dtype=fx.complex64), 2), {}, fx.DTypeError, "max_pool: x must be of real numbers"),
]


@pytest.mark.parametrize(("args", "options", "error", "match"), _REFUSED)
def test_refused(args: Any, options: dict[str, Any], error: type[fx.EffaxError], match: str) -> None:
    with pytest.raises(error, match=match) as caught:
        nn.max_pool(*args, **options)
    assert caught.value.source is not None and caught.value.source.file == __file__
