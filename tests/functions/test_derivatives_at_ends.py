"""Derivatives at numbers that are huge, tiny, infinite, NaN or ties: never a clean number for a NaN, nor a zero for
what overflowed in between. The oracle are closed forms in numbers of more digits and a wider range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from scipy import special

import effects as fx
from effects.errors import ConcretizationError
from handlers import grad, jvp, stop_gradient
from lowering import jit

type _Form = Callable[[Any], Any]

_NAN, _INF = float("nan"), float("inf")
_LN2, _LN10, _PI = np.log(np.longdouble(2)), np.log(np.longdouble(10)), np.longdouble("3.14159265358979323846")


def _bell(x: Any) -> Any:
    return 2 / np.sqrt(_PI) * np.exp(-x * x)


def _slope(x: Any) -> Any:
    """Of the logistic function."""
    return 1 / (2 + np.exp(x) + np.exp(-x))


def _steep(x: Any) -> Any:
    return np.exp(special.erfinv(x.astype(float)) ** 2) * np.pi**0.5 / 2


# Of each function its first two derivatives, and how far relative to its greatest slope they may be off.
FORMS: Final[dict[str, tuple[_Form, _Form]]] = {
    "abs": (np.sign, lambda x: 0 * x),
    "acos": (lambda x: -1 / np.sqrt((1 - x) * (1 + x)), lambda x: -x / ((1 - x) * (1 + x)) ** 1.5),
    "acosh": (lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)), lambda x: -x / (np.sqrt(x - 1) * np.sqrt(x + 1)) ** 3),
    "asin": (lambda x: 1 / np.sqrt((1 - x) * (1 + x)), lambda x: x / ((1 - x) * (1 + x)) ** 1.5),
    "asinh": (lambda x: 1 / np.hypot(x, 1), lambda x: -x / np.hypot(x, 1) ** 3),
    "atan": (lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    "atanh": (
        lambda x: np.where(np.abs(x) > 1, np.nan, 1 / ((1 - x) * (1 + x))),
        lambda x: np.where(np.abs(x) > 1, np.nan, 2 * x / ((1 - x) * (1 + x)) ** 2),
    ),
    "cbrt": (lambda x: 1 / (3 * np.cbrt(x) ** 2), lambda x: -2 / (9 * np.cbrt(x) ** 5)),
    "cosh": (np.sinh, np.cosh),
    "digamma": (
        lambda x: np.where(x > 1e9, 1 / x + 0.5 / x**2, np.nan),
        lambda x: np.where(x > 1e9, -1 / x**2 - 1 / x**3, np.nan),
    ),
    "erf": (_bell, lambda x: -2 * x * _bell(x)),
    "erfc": (lambda x: -_bell(x), lambda x: 2 * x * _bell(x)),
    "erf_inv": (_steep, lambda x: 2 * special.erfinv(x.astype(float)) * _steep(x) ** 2),
    "exp": (np.exp, np.exp),
    "exp2": (lambda x: np.exp2(x) * _LN2, lambda x: np.exp2(x) * _LN2**2),
    "expm1": (np.exp, np.exp),
    "log": (lambda x: 1 / (np.sqrt(x) ** 2), lambda x: -1 / (np.sqrt(x) ** 4)),
    "log10": (lambda x: 1 / (np.sqrt(x) ** 2 * _LN10), lambda x: -1 / (np.sqrt(x) ** 4 * _LN10)),
    "log1p": (lambda x: 1 / np.sqrt(1 + x) ** 2, lambda x: -1 / np.sqrt(1 + x) ** 4),
    "log2": (lambda x: 1 / (np.sqrt(x) ** 2 * _LN2), lambda x: -1 / (np.sqrt(x) ** 4 * _LN2)),
    "logistic": (_slope, lambda x: -np.tanh(x / 2) * _slope(x)),
    "reciprocal": (lambda x: -1 / x**2, lambda x: 2 / x**3),
    "rsqrt": (lambda x: -0.5 / np.sqrt(x) ** 3, lambda x: 0.75 / np.sqrt(x) ** 5),
    "sinh": (np.cosh, np.sinh),
    "sqrt": (lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 / np.sqrt(x) ** 3),
    "square": (lambda x: 2 * x, lambda x: 2 + 0 * x),
    "tan": (lambda x: 1 / np.cos(x) ** 2, lambda x: 2 * np.tan(x) / np.cos(x) ** 2),
    "tanh": (lambda x: 1 / np.cosh(x) ** 2, lambda x: -2 * np.tanh(x) / np.cosh(x) ** 2),
}
SIZES: Final[dict[type[fx.DType], list[float]]] = {
    fx.float64: [1e-300, 1e-160, 1e-10, 0.3, 0.99, 1.5, 10.0, 40.0, 1e3, 1e10, 1e154, 1e160, 1e300, 1.7e308],
    fx.float32: [1e-37, 1e-20, 1e-5, 0.3, 0.99, 1.5, 10.0, 40.0, 1e3, 1e10, 1e19, 1e20, 1e37, 3e38],
}


def _first(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: grad(lambda v: fx.sum(f(v)))(x)


@pytest.mark.parametrize("dtype", SIZES, ids=str)
@pytest.mark.parametrize("name", FORMS)
def test_functions_of_one_argument(name: str, dtype: type[fx.DType]) -> None:
    positive = np.asarray(SIZES[dtype], dtype.dtype)
    x = np.concatenate([positive, -positive])
    f = getattr(fx, name)
    limits = np.finfo(dtype.dtype)
    with np.errstate(all="ignore"):
        expected = [form(x.astype(np.longdouble)) for form in FORMS[name]]
        value = np.asarray(f(fx.asarray(x)))
    bounded = name in ("erf", "erfc", "logistic", "tanh")  # their slopes are products that lose digits next to 0

    def slopes(v: fx.Array) -> list[fx.Array]:
        return [_first(f)(v), _first(_first(f))(v), jvp(f, (v,), (fx.ones_like(v),))[1]]

    for g in (slopes, jit(slopes)):
        *actual, ahead = g(fx.asarray(x))
        np.testing.assert_array_equal(np.isnan(np.asarray(ahead)), np.isnan(np.asarray(actual[0])))
        for got, right in zip(actual, expected, strict=True):
            host = np.asarray(got).astype(np.longdouble)
            assert not np.isfinite(host[np.isnan(value)]).any(), f"{x[np.isnan(value)]}: {host[np.isnan(value)]}"
            with np.errstate(all="ignore"):
                inside = np.isfinite(right) & ~np.isnan(value) & (np.abs(right) < limits.max)
            tolerance = 4 * limits.eps if bounded else float(limits.smallest_normal) * 8
            np.testing.assert_allclose(host[inside], right[inside], rtol=100 * float(limits.eps), atol=tolerance)


@pytest.mark.parametrize(
    ("name", "at_minus", "at_plus"),
    [
        ("abs", -1, 1),
        ("acosh", _NAN, 0),
        ("asinh", 0, 0),
        ("atan", 0, 0),
        ("atanh", _NAN, _NAN),
        ("cbrt", 0, 0),
        ("cosh", -_INF, _INF),
        ("digamma", None, 0),
        ("erf", 0, 0),
        ("exp", 0, _INF),
        ("exp2", 0, _INF),
        ("expm1", 0, _INF),
        ("lgamma", None, _INF),
        ("log", _NAN, 0),
        ("log1p", _NAN, 0),
        ("log2", _NAN, 0),
        ("logistic", 0, 0),
        ("reciprocal", 0, 0),
        ("rsqrt", _NAN, 0),
        ("sin", _NAN, _NAN),
        ("sinh", _INF, _INF),
        ("sqrt", _NAN, 0),
        ("square", -_INF, _INF),
        ("tan", _NAN, _NAN),
        ("tanh", 0, 0),
    ],
)
def test_limits_of_slopes(name: str, at_minus: float | None, at_plus: float) -> None:
    f = _first(getattr(fx, name))
    for g in (f, jit(f)):
        low, high, none = np.asarray(g(fx.asarray([-np.inf, np.inf, np.nan])))
        assert np.array_equal(high, at_plus, equal_nan=True)
        assert at_minus is None or np.array_equal(low, at_minus, equal_nan=True)
        assert np.isnan(none)


ENDS: Final = [0.0, 1e-300, -1e-200, 0.5, -3.0, 1e160, -1e300, _INF, -_INF, _NAN]


@pytest.mark.parametrize("name", ["atan2", "hypot", "logaddexp", "maximum", "minimum"])
def test_slopes_of_what_is_nan_are(name: str) -> None:
    x, y = [fx.asarray(v.ravel()) for v in np.meshgrid(ENDS, ENDS)]
    f = getattr(fx, name)
    both = grad(lambda x, y: fx.sum(f(x, y)), (0, 1))
    for g in (both, jit(both)):
        value = np.isnan(np.asarray(f(x, y)))
        for slope in g(x, y):
            assert np.isnan(np.asarray(slope)[value]).all()


@pytest.mark.parametrize(
    ("name", "x", "y", "expected"),
    [
        ("atan2", 1e-200, 1e-200, (5e199, -5e199)),
        ("atan2", 1e200, -1e200, (-5e-201, -5e-201)),
        ("atan2", _INF, 1.0, (0.0, 0.0)),
        ("atan2", 1.0, -_INF, (0.0, 0.0)),
        ("atan2", 0.0, 0.0, (_NAN, _NAN)),
        ("hypot", 1e300, 1e300, (0.5**0.5, 0.5**0.5)),
        ("hypot", _INF, 1.0, (1.0, 0.0)),
        ("hypot", 1.0, -_INF, (0.0, -1.0)),
        ("hypot", 0.0, 0.0, (0.0, 0.0)),
        ("maximum", 1.0, 1.0, (0.5, 0.5)),
        ("maximum", _INF, _INF, (0.5, 0.5)),
        ("maximum", _NAN, 1.0, (_NAN, _NAN)),
        ("minimum", 1.0, _NAN, (_NAN, _NAN)),
        ("minimum", -_INF, 1.0, (1.0, 0.0)),
        ("logaddexp", 1e300, 1e300, (0.5, 0.5)),
        ("logaddexp", -1e300, 1e300, (0.0, 1.0)),
        ("remainder", 1.0, 0.1, (1.0, -9.0)),
        ("remainder", 1.0, 0.0, (_NAN, _NAN)),
        ("divide", 1e300, 1e-300, (1e300, -_INF)),
        ("pow", 1e300, 0.5, (5e-151, 1e150 * float(np.log(1e300)))),
    ],
)
def test_functions_of_two_arguments(name: str, x: float, y: float, expected: tuple[float, float]) -> None:
    f = grad(getattr(fx, name), (0, 1))
    for g in (f, jit(f)):
        actual = [v.item() for v in g(x, y)]
        np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (fx.max, [_NAN, 1.0, 2.0], [_NAN] * 3),
        (fx.min, [1.0, 2.0, _NAN], [_NAN] * 3),
        (fx.max, [_INF, 1.0, _INF], [0.5, 0.0, 0.5]),
        (fx.min, [_INF, _INF], [0.5, 0.5]),
        (fx.max, [-_INF, -_INF], [0.5, 0.5]),
        (fx.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
        (fx.prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
        (fx.prod, [_NAN, 1.0, 2.0], [2.0, _NAN, _NAN]),
        (fx.prod, [1e200, 1e-200, 1e200], [1.0, _INF, 1.0]),
        (fx.logsumexp, [1e300, 1e300, -1e300], [0.5, 0.5, 0.0]),
        (fx.logsumexp, [_NAN, 1.0], [_NAN, _NAN]),
        (fx.logsumexp, [-_INF, -_INF], [0.0, 0.0]),
        (lambda x: fx.logsumexp(x, b=np.array([1.0, 0.0, -1.0])), [2.0, 900.0, 2.0 - math.log(2)], [2.0, 0.0, -1.0]),
        (lambda b: fx.logsumexp(np.array([2.0, 3.0]), b=b), [1.0, 0.0], [1.0, math.e]),
        (lambda b: fx.logsumexp(np.zeros(2), b=b, return_sign=True)[0], [1.0, -3.0], [-0.5, -0.5]),
        (lambda b: fx.logsumexp(np.zeros(2), b=b, return_sign=True)[1], [1.0, -1.0], [0.0, 0.0]),
        (fx.var, [_NAN, 1.0], [_NAN, _NAN]),
        (fx.std, [_INF, 1.0], [_NAN, _NAN]),
        (lambda x: fx.clip(x, _NAN, 2.0)[0], [1.0], [_NAN]),
        (lambda x: fx.clip(x, 0.0, 2.0)[0], [_NAN], [_NAN]),
        (lambda x: fx.softmax(x)[0], [_NAN, 1.0], [_NAN, _NAN]),
    ],
)
def test_functions_of_arrays(f: Callable[..., Any], x: list[float], expected: list[float]) -> None:
    for g in (grad(f), jit(grad(f))):
        np.testing.assert_allclose(np.asarray(g(fx.asarray(x))), expected, rtol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("f", [fx.max, fx.min])
def test_only_lines_with_nan_are_nan(f: Callable[..., Any], axis: int | None) -> None:
    x = np.asarray([[_NAN, 1.0, 2.0], [3.0, 3.0, 1.0]])
    for keepdims in (False, True):
        g = grad(lambda x, keepdims=keepdims: fx.sum(f(x, axis=axis, keepdims=keepdims)))
        for h in (g, jit(g)):
            slope = np.asarray(h(fx.asarray(x)))
            nan = np.broadcast_to(np.isnan(x).any(axis=axis, keepdims=True), x.shape)
            np.testing.assert_array_equal(np.isnan(slope), nan)
            np.testing.assert_allclose(np.nansum(slope), np.sum(~nan) / (3 if axis == 1 else 2 if axis == 0 else 6))


@pytest.mark.parametrize("name", ["asinh", "atan", "atanh", "asin", "acos", "log", "log1p", "sqrt"])
def test_complex_numbers_whose_squares_overflow(name: str) -> None:
    x = 3e200 - 4e200j
    expected = {
        "asinh": 1 / x,
        "log": 1 / x,
        "log1p": 1 / x,
        "sqrt": 0.5 / np.sqrt(np.complex128(x)),
        "asin": -1j / x,
        "acos": 1j / x,
    }.get(name, 0j)

    def f(z: fx.Array) -> Any:
        return jvp(getattr(fx, name), (z,), (fx.ones_like(z),))[1]

    for g in (f, jit(f)):
        np.testing.assert_allclose(g(fx.asarray(x)).item(), expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("f", "of"),
    [
        (fx.asin, lambda x: 1 / np.sqrt((1 - x) * (1 + x))),
        (fx.acos, lambda x: -1 / np.sqrt((1 - x) * (1 + x))),
        (fx.atanh, lambda x: 1 / ((1 - x) * (1 + x))),
    ],
    ids=["asin", "acos", "atanh"],
)
def test_slopes_next_to_poles(f: Callable[..., Any], of: _Form, dtype: type[np.floating[Any]]) -> None:
    for steps in (1, 3, 1000):
        x = dtype(1 - steps * np.finfo(dtype).eps)
        for g in (grad(f), jit(grad(f))):
            np.testing.assert_allclose(
                g(fx.asarray(x)).item(), float(of(np.longdouble(x))), rtol=3 * np.finfo(dtype).eps
            )


@pytest.mark.parametrize(
    ("f", "x", "second"),
    [
        (fx.cbrt, 0.0, -_INF),
        (fx.cbrt, -0.0, _INF),
        (fx.cbrt, _INF, 0.0),
        *[(f, x, 0.0) for f in (fx.erf, fx.erfc) for x in (_INF, -_INF, 1.7e308, -1.7e308)],
        *[(f, _NAN, _NAN) for f in (fx.cbrt, fx.erf, fx.erfc)],
    ],
)
def test_second_slopes_at_ends(f: Callable[..., Any], x: float, second: float) -> None:
    def forward(x: Any) -> Any:
        return jvp(lambda x: jvp(f, (x,), (1.0,))[1], (x,), (1.0,))[1]

    for g in (grad(grad(f)), forward):
        for h in (g, jit(g)):
            np.testing.assert_equal(h(x).item() + 0.0, second)


def test_whole_quotients_have_no_slope() -> None:
    def quotient(x: fx.Array, y: fx.Array) -> fx.Array:
        return fx.floor_divide(x, y)

    slopes = grad(quotient, argnums=(0, 1))
    for x in (0.0, 7.5, _INF, -_INF):
        for y in (0.0, -0.0, 2.0, -_INF):
            for g in (slopes, jit(slopes)):
                assert [slope.item() for slope in g(fx.asarray(x), fx.asarray(y))] == [0.0, 0.0], (x, y)


@pytest.mark.parametrize(
    "lossy", [lambda s: fx.arange(s, 3.0), lambda s: fx.arange(0.0, 3.0, s), lambda s: fx.arange(s, 3.0, s)]
)
def test_a_range_does_not_lose_a_derivative(lossy: _Form) -> None:
    def total(x: Any) -> Any:
        return fx.sum(lossy(x))

    for f in (total, jit(total)):
        with pytest.raises(ConcretizationError, match="arange: st"):
            grad(f)(1.0)
    assert grad(lambda x: x * total(stop_gradient(x)))(1.0) == total(1.0)


def test_the_end_of_a_range_has_no_derivative() -> None:
    assert grad(lambda s: s * fx.sum(fx.arange(s)))(3.0) == 3.0  # it decides how many there are, and nothing else
    between: _Form = lambda n: fx.sum(fx.arange(n, n + 2))
    assert jvp(lambda n, x: x * between(n), (1, 2.0), (None, 1.0))[1] == 3.0
