"""Activations, their first two derivatives, and the limits of all three, against closed forms in more digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special
import scipy.stats

import effects as fx
from effects import nn
from effects.runtime.names import listed
from effects.types.dtypes import DType, Named
from handlers import grad, jvp, vmap
from lowering import jit

type _Form = Callable[[Any], Any]

_INF: Final = math.inf
POINTS: Final = np.array([-30.0, -7.5, -3.5, -2.5, -1.25, -0.5, -1e-3, 1e-3, 0.25, 0.75, 1.5, 2.5, 4.5, 6.5, 40.0])


def _s(x: Any) -> Any:
    return scipy.special.expit(x)


def _softplus(x: Any) -> Any:
    return np.logaddexp(x, 0)


def _mish(x: Any) -> Any:
    return x * np.tanh(_softplus(x))


def _tanh_gelu(x: Any) -> Any:
    return x * _s(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))


_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
VALUES: Final[dict[str, tuple[_Form, _Form]]] = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "relu6": (nn.relu6, lambda x: np.clip(x, 0, 6)),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
    "leaky_relu_flat": (lambda x: nn.leaky_relu(x, 0.0), lambda x: np.maximum(x, 0)),
    "hard_tanh": (nn.hard_tanh, lambda x: np.clip(x, -1, 1)),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: np.clip(x, -3, 3) / 6 + 0.5),
    "hard_silu": (nn.hard_silu, lambda x: x * (np.clip(x, -3, 3) / 6 + 0.5)),
    "elu": (lambda x: nn.elu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(np.minimum(x, 0)))),
    "selu": (nn.selu, lambda x: _SCALE * np.where(x > 0, x, _ALPHA * np.expm1(np.minimum(x, 0)))),
    "celu": (lambda x: nn.celu(x, 2), lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "sigmoid": (nn.sigmoid, _s),
    "softplus": (nn.softplus, _softplus),
    "log_sigmoid": (nn.log_sigmoid, lambda x: -_softplus(-x)),
    "silu": (nn.silu, lambda x: x * _s(x)),
    "mish": (nn.mish, _mish),
    "gelu": (nn.gelu, lambda x: x * scipy.stats.norm.cdf(x)),
    "gelu_tanh": (lambda x: nn.gelu(x, approximate=True), _tanh_gelu),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    f, expected = VALUES[name]
    for g in (f, jit(f)):
        np.testing.assert_allclose(g(fx.asarray(POINTS)), expected(POINTS), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("name", VALUES)
def test_derivatives(name: str) -> None:
    f, _ = VALUES[name]
    x, step = fx.asarray(POINTS), 1e-5
    first, second = vmap(grad(f)), vmap(grad(grad(f)))
    slopes, curvatures = first(x), second(x)
    np.testing.assert_allclose(slopes, (f(x + step) - f(x - step)) / (2 * step), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(curvatures, (first(x + step) - first(x - step)) / (2 * step), rtol=1e-5, atol=1e-8)


_RAMPS: Final = ("relu", "leaky_relu_flat", "softplus", "silu", "mish", "gelu", "gelu_tanh", "hard_silu")
# The value, and the first two derivatives, at -∞ and at ∞.
ENDS: Final[dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]]] = {
    **dict.fromkeys(_RAMPS, ((0, 0, 0), (_INF, 1, 0))),
    "relu6": ((0, 0, 0), (6, 0, 0)),
    "leaky_relu": ((-_INF, 0.2, 0), (_INF, 1, 0)),
    "hard_tanh": ((-1, 0, 0), (1, 0, 0)),
    "hard_sigmoid": ((0, 0, 0), (1, 0, 0)),
    "elu": ((-0.7, 0, 0), (_INF, 1, 0)),
    "selu": ((-_SCALE * _ALPHA, 0, 0), (_INF, _SCALE, 0)),
    "celu": ((-2, 0, 0), (_INF, 1, 0)),
    "sigmoid": ((0, 0, 0), (1, 0, 0)),
    "log_sigmoid": ((-_INF, 1, 0), (0, 0, 0)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("name", VALUES)
def test_limits(name: str, dtype: Named) -> None:
    f, _ = VALUES[name]
    largest = float(fx.finfo(dtype).max)
    at = fx.asarray([-_INF, _INF, math.nan, -largest, largest], dtype=dtype)

    def orders(x: fx.Array) -> list[fx.Array]:
        return [fx.astype(vmap(g)(x), "float64") for g in (f, grad(f), grad(grad(f)))]

    for found in (orders(at), jit(orders)(at)) if dtype == "float32" else (orders(at),):
        for order, values in enumerate(found):
            ends = [ENDS[name][0][order], ENDS[name][1][order]]
            np.testing.assert_allclose(np.asarray(values)[:2], ends, rtol=1e-2 if "16" in dtype else 1e-6)
            assert not np.isnan(np.asarray(values)[3:]).any()
        assert np.isnan(np.asarray(found[0])[2])


KINKS: Final = [
    ("relu", 0, 0),
    ("relu6", 0, 0),
    ("relu6", 6, 0),
    ("leaky_relu", 0, 0.2),
    ("hard_tanh", -1, 0),
    ("hard_tanh", 1, 0),
    ("hard_sigmoid", -3, 0),
    ("hard_sigmoid", 3, 0),
    ("hard_silu", -3, 0),
    ("hard_silu", 3, 1),
    ("elu", 0, 0.7),
    ("selu", 0, _SCALE * _ALPHA),
    ("celu", 0, 1),
]


@pytest.mark.parametrize(("name", "x", "slope"), KINKS)
def test_kinks(name: str, x: float, slope: float) -> None:
    f, _ = VALUES[name]
    assert float(grad(f)(float(x))) == pytest.approx(slope, rel=1e-14)
    assert not math.isnan(float(grad(grad(f))(float(x))))


@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16])
@pytest.mark.parametrize("name", VALUES)
def test_narrow_floats_are_rounded_once(name: str, dtype: type[DType]) -> None:
    f, expected = VALUES[name]
    x = fx.astype(fx.linspace(-8.0, 8.0, 1001), dtype)
    exact = expected(np.asarray(fx.astype(x, fx.float64))).astype(dtype.dtype).astype(np.float64)
    for g in (f, jit(f)) if dtype is fx.bfloat16 else (f,):
        actual = g(x)
        assert actual.dtype is dtype
        found = np.asarray(fx.astype(actual, fx.float64))
        assert (found == exact).mean() > 0.995
        np.testing.assert_allclose(found, exact, rtol=2 * float(fx.finfo(dtype).eps), atol=1e-7)


def test_halves_that_let_through() -> None:
    x = np.linspace(-3, 3, 24).reshape(2, 6, 2)
    np.testing.assert_allclose(nn.glu(x, axis=1), x[:, :3] * _s(x[:, 3:]), rtol=1e-14)
    assert nn.glu(fx.ones((2, 0))).shape == (2, 0)
    with pytest.raises(fx.ShapeError, match="the size of axis -1 must be even"):
        nn.glu(fx.ones(3))
    with pytest.raises(fx.ShapeError, match="glu: axis 2 is out of bounds"):
        nn.glu(fx.ones(4), axis=2)


def test_whole_numbers() -> None:
    whole = np.array([-2, 0, 3])
    assert nn.relu(whole).dtype is fx.int64 and nn.silu(whole).dtype is fx.float64
    np.testing.assert_array_equal(nn.relu(whole), [0, 0, 3])
    for f in (nn.relu, nn.silu, nn.elu, nn.gelu):
        with pytest.raises(fx.DTypeError, match="takes real numbers, got complex128"):
            f(np.ones(2, complex))


def test_rows_with_a_one() -> None:
    places = np.array([[2, 0], [-1, 5]])
    expected = (places[..., None] == np.arange(3)).astype(float)
    np.testing.assert_array_equal(nn.one_hot(places, 3), expected)
    np.testing.assert_array_equal(nn.one_hot(places, 3, axis=0), np.moveaxis(expected, -1, 0))
    assert nn.one_hot(places, 0).shape == (2, 2, 0)
    assert nn.one_hot(fx.asarray(200, dtype="uint8"), 300, dtype="bool").tolist()[200] is True
    np.testing.assert_array_equal(jit(lambda i: nn.one_hot(i, 3, dtype="int8"))(places), expected)
    with pytest.raises(fx.DTypeError, match="one_hot: x must be of integers"):
        nn.one_hot(fx.ones(3), 3)
    with pytest.raises(fx.ArgumentError, match="num_classes must not be negative"):
        nn.one_hot(places, -1)


def test_mean_0_and_variance_1() -> None:
    x = np.random.default_rng(2).normal(3, 5, size=(4, 6))
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(nn.standardize(x), expected, rtol=1e-12)
    np.testing.assert_allclose(jit(lambda v: nn.standardize(v, axis=(0, 1)))(x).mean(), 0, atol=1e-12)
    flat = grad(lambda v: fx.sum(fx.square(nn.standardize(v))))(fx.ones(3))
    np.testing.assert_allclose(flat, np.zeros(3), atol=1e-12)


def test_the_namespace_is_loaded_when_it_is_asked_for() -> None:
    assert fx.nn is nn and fx.nn.softmax is fx.softmax
    assert all(callable(getattr(nn, name)) for name in listed("effects.nn") if name != "initializers")


SMOOTH_OR_NOT: Final = (
    *("celu", "elu", "gelu", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu", "log_sigmoid", "mish", "relu"),
    *("relu6", "selu", "sigmoid", "silu", "soft_sign", "softplus", "sparse_plus", "sparse_sigmoid", "squareplus"),
)


SMOOTH: Final = ("celu", "elu", "gelu", "log_sigmoid", "mish", "selu", "sigmoid", "silu", "softplus", "squareplus")


def logaddexp_0(x: Any) -> Any:
    """The logarithm of 1 more than the exponential."""
    return fx.logaddexp(0.0, x)


def logaddexp2_0(x: Any) -> Any:
    """The same of base 2."""
    return fx.logaddexp2(0.0, x)


@pytest.mark.parametrize("name", SMOOTH_OR_NOT)
def test_nan_does_not_become_a_clean_derivative(name: str) -> None:
    f, x = getattr(fx.nn, name), fx.asarray([float("nan"), 1.5])
    forward: Callable[[Any], Any] = lambda x: jvp(f, (x,), (fx.ones(2),))[1]
    backward: Callable[[Any], Any] = grad(lambda x: fx.sum(f(x)))
    for slopes in (forward(x), backward(x), jit(forward)(x), jit(backward)(x)):
        assert np.isnan(np.asarray(slopes)).tolist() == [True, False]


@pytest.mark.parametrize("f", [*[getattr(nn, name) for name in SMOOTH], logaddexp_0, logaddexp2_0])
def test_nan_is_nan_in_every_order(f: Callable[[Any], Any]) -> None:
    for order in (f, grad(f), grad(grad(f)), grad(grad(grad(f)))):
        assert np.isnan(order(fx.nan))
