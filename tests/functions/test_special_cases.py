"""The special cases of the Python Array API standard, evaluated and compiled.

Where the standard leaves a sign or a value open, the two agree all the same, but for signs of zero.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import jit

_INF, _NAN, _PI = math.inf, math.nan, math.pi
_C = complex

OF_C: Final = ("acos", "acosh", "asinh", "atanh", "cosh", "exp", "log", "log1p", "sinh", "sqrt", "tanh")
"""Functions whose special cases are those of C's standard, which Python and NumPy have as well."""
CASES: Final[dict[str, list[tuple[complex, complex]]]] = {
    "expm1": [
        (_C(-0.0, 0), _C(0, 0)),
        (_C(2, _INF), _C(_NAN, _NAN)),
        (_C(_INF, 0), _C(_INF, 0)),
        (_C(-_INF, 2), _C(-1, 0)),
        (_C(_INF, 2), _C(-_INF, _INF)),
        (_C(-_INF, _INF), _C(-1, 0)),
        (_C(_INF, _INF), _C(_INF, _NAN)),
        (_C(-_INF, _NAN), _C(-1, 0)),
        (_C(_INF, _NAN), _C(_INF, _NAN)),
        (_C(_NAN, 0), _C(_NAN, 0)),
        (_C(_NAN, 2), _C(_NAN, _NAN)),
    ],
    "sign": [
        (_C(-0.0, 0), _C(0, 0)),
        (_C(_INF, 2), _C(1, 0)),
        (_C(-2, _INF), _C(0, 1)),
        (_C(_NAN, 2), _C(_NAN, _NAN)),
        (_C(-_INF, _NAN), _C(_NAN, _NAN)),
        (_C(1.7e308, 1.7e308), _C(0.5**0.5, 0.5**0.5)),
    ],
    "abs": [(_C(_INF, _NAN), _INF), (_C(_NAN, _INF), _INF), (_C(_NAN, 2), _NAN), (_C(3e300, 4e300), 5e300)],
    "reciprocal": [(_C(_INF, _INF), 0), (_C(_INF, 2), 0)],
}


def _of_c(name: str, z: complex) -> complex:
    """The values of Python and NumPy: NumPy's alone where Python raises, or has 0 + NaN·i by an older standard."""
    with np.errstate(all="ignore"):
        value = complex(getattr(np, name)(z))
    if hasattr(cmath, name) and (z.real or not math.isnan(z.imag)):
        with suppress(ValueError, OverflowError):
            _agree(value, getattr(cmath, name)(z))
    return value


_NUMBERS: Final = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.0, _INF, -_INF, _NAN)
_PLANE: Final = [_C(x, y) for x in _NUMBERS for y in _NUMBERS if math.copysign(1, y) > 0]


def _agree(actual: Any, expected: complex) -> None:
    """A zero and an ∞ beside NaN may have any sign."""
    for part, right in ((np.real(actual), np.real(expected)), (np.imag(actual), np.imag(expected))):
        size, other = (part, right) if np.isfinite(right) and right else (np.abs(part), np.abs(right))
        np.testing.assert_allclose(size, other, rtol=1e-6)


@pytest.mark.parametrize("dtype", [fx.complex64, fx.complex128], ids=str)
@pytest.mark.parametrize("name", [*OF_C, *CASES])
def test_complex_numbers(name: str, dtype: type[fx.DType]) -> None:
    fits = np.finfo(dtype.dtype).max
    table = [(z, _of_c(name, z)) for z in _PLANE] if name in OF_C else CASES[name]
    table = [(x, y) for x, y in table if not fits < np.abs(x.real) < _INF]
    x = np.asarray([x for x, _ in table], dtype.dtype)
    f = getattr(fx, name)
    for g in (f, jit(f)):
        values = zip(g(fx.asarray(x)), g(fx.asarray(np.conj(x))), table, strict=True)
        for actual, mirrored, (given, expected) in values:
            _agree(actual.item(), expected)
            if not np.isnan(given.imag):
                _agree(mirrored.item(), np.conj(actual.item()))


@pytest.mark.parametrize("dtype", [fx.complex64, fx.complex128], ids=str)
def test_the_zero_beside_one_of_tanh_has_the_sign_of_the_imaginary_part(dtype: type[fx.DType]) -> None:
    imag = np.array([1.0, 2.0, 1e7, 1e-30, 3e38])  # of which the sine of twice is negative for some
    x = np.empty((2, 2, len(imag)), dtype.dtype)
    x.real, x.imag = np.array([[[np.inf]], [[-np.inf]]]), np.stack([imag, -imag])
    for f in (fx.tanh, jit(fx.tanh)):
        found = np.asarray(f(fx.asarray(x)))
        np.testing.assert_array_equal(found, np.sign(x.real))
        np.testing.assert_array_equal(np.signbit(found.imag), np.signbit(x.imag))


_PARTS: Final = [0.0, -0.0, 1e-30, 0.5, -1.0, 2.0, -30.0, 89.0, 1e3, -1e10, 1e19, 1e30, _INF, -_INF, _NAN]
_EVERY: Final = (*OF_C, *CASES, "asin", "atan", "cos", "sin", "tan", "log2", "log10", "exp2", "rsqrt", "logistic")


@pytest.mark.parametrize("dtype", [fx.complex64, fx.complex128], ids=str)
@pytest.mark.parametrize("name", [*_EVERY, "square", "negative", "conj", "round"])
def test_compiled_functions_of_complex_numbers_are_the_evaluated_ones(name: str, dtype: type[fx.DType]) -> None:
    large = [710.2, -1e160, 1e300, 1.7e308] if dtype is fx.complex128 else [89.2, 3e38]
    real, imag = np.meshgrid([*_PARTS, *large], [*_PARTS, *large])
    x = np.empty(real.shape, dtype.dtype)
    x.real, x.imag = real, imag
    f = getattr(fx, name)
    limits = np.finfo(dtype.dtype)
    one, other = np.asarray(f(fx.asarray(x))), np.asarray(jit(f)(fx.asarray(x)))
    for a, b in ((one.real, other.real), (one.imag, other.imag)):
        open_sign = np.isinf(a) & (np.isnan(one.real) | np.isnan(one.imag))  # ∞ beside NaN
        np.testing.assert_allclose(
            np.where(open_sign, np.abs(a), a),
            np.where(open_sign, np.abs(b), b),
            rtol=float(64 * limits.eps),
            atol=float(8 * limits.smallest_normal),
        )


@pytest.mark.parametrize(
    ("name", "x", "y", "expected"),
    [
        *[("floor_divide", s * 0.0, t * 2.0, s * t * 0.0) for s in (1, -1) for t in (1, -1)],
        *[("floor_divide", s * 3.0, t * 0.0, s * t * _INF) for s in (1, -1) for t in (1, -1)],
        *[("floor_divide", s * _INF, t * 2.0, s * t * _INF) for s in (1, -1) for t in (1, -1)],
        *[("floor_divide", s * 2.0, t * _INF, s * t * 0.0) for s in (1, -1) for t in (1, -1)],
        *[("floor_divide", s * 2.0, t * 5.0, 0.0 if s == t else -1.0) for s in (1, -1) for t in (1, -1)],
        *[("floor_divide", x, y, _NAN) for x, y in ((0.0, 0.0), (_INF, -_INF), (_NAN, 1.0), (1.0, _NAN))],
        *[("remainder", s * 0.0, t * 2.0, t * 0.0) for s in (1, -1) for t in (1, -1)],
        *[("remainder", s * 4.0, t * 2.0, t * 0.0) for s in (1, -1) for t in (1, -1)],
        *[("remainder", s * 2.0, t * _INF, s * 2.0 if s == t else t * _INF) for s in (1, -1) for t in (1, -1)],
        *[("remainder", x, y, _NAN) for x, y in ((0.0, 0.0), (1.0, 0.0), (_INF, 1.0), (_INF, _INF), (_NAN, 1.0))],
        *[("pow", x, 0.0, 1.0) for x in (_NAN, _INF, -0.0)],
        *[("pow", x, y, 1.0) for x in (1.0, -1.0) for y in (_INF, -_INF)],
        ("pow", 1.0, _NAN, 1.0),
        *[("pow", s * 2.0, t * _INF, _INF if t > 0 else 0.0) for s in (1, -1) for t in (1, -1)],
        *[("pow", s * 0.5, t * _INF, 0.0 if t > 0 else _INF) for s in (1, -1) for t in (1, -1)],
        *[("pow", -_INF, y, v) for y, v in ((3.0, -_INF), (2.0, _INF), (2.5, _INF), (-3.0, -0.0), (-2.0, 0.0))],
        *[("pow", -0.0, y, v) for y, v in ((3.0, -0.0), (2.0, 0.0), (2.5, 0.0), (-3.0, -_INF), (-2.0, _INF))],
        ("pow", -2.0, 0.5, _NAN),
        *[("atan2", s * 0.0, t * 0.0, s * (0.0 if t > 0 else _PI)) for s in (1, -1) for t in (1, -1)],
        *[("atan2", s * _INF, t * _INF, s * (_PI / 4 if t > 0 else 3 * _PI / 4)) for s in (1, -1) for t in (1, -1)],
        *[("atan2", s * 5e-324, -1.0, s * _PI) for s in (1, -1)],
        *[("hypot", x, y, _INF) for x, y in ((_INF, _NAN), (_NAN, -_INF), (_INF, 1.0))],
        ("hypot", 3e300, 4e300, 5e300),
        ("logaddexp", _INF, -_INF, _INF),
        ("logaddexp", -_INF, -_INF, -_INF),
        ("logaddexp", _NAN, _INF, _NAN),
        ("copysign", _NAN, -1.0, _NAN),
        ("maximum", _NAN, 1.0, _NAN),
    ],
)
def test_pairs(name: str, x: float, y: float, expected: float) -> None:
    f: Callable[..., fx.Array] = getattr(fx, name)
    for g in (f, jit(f)):
        actual = float(g(x, y))
        np.testing.assert_allclose(actual, expected, rtol=1e-15)
        assert math.isnan(expected) or math.copysign(1, actual) == math.copysign(1, expected)


ZEROS: Final = ("asin", "asinh", "atan", "atanh", "cbrt", "ceil", "expm1", "floor", "log1p", "round", "sin", "sinh")


@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16, fx.float32, fx.float64], ids=str)
@pytest.mark.parametrize("name", [*ZEROS, "sqrt", "tan", "tanh", "trunc"])
def test_zeros_keep_their_sign(name: str, dtype: type[fx.DType]) -> None:
    f = getattr(fx, name)
    for g in (f, jit(f)):
        found = np.asarray(g(fx.asarray([0.0, -0.0], dtype=dtype)))
        assert not found.any() and np.signbit(found).tolist() == [False, True]


def test_sign_of_zeros_is_zero() -> None:
    for dtype in (fx.float16, fx.bfloat16, fx.float32, fx.float64, fx.complex128):
        for g in (fx.sign, jit(fx.sign)):
            found = np.asarray(g(fx.asarray([0.0, -0.0]).astype(dtype)))
            assert not found.any() and not np.signbit(found.real).any()


def test_logarithms_of_complex_sums_are_principal() -> None:
    x, y = np.array([1 + 10j, 3j, -2 - 4j]), np.array([1 + 10j, 1 + 9j, 0])
    expected = np.log(np.exp(x) + np.exp(y))
    np.testing.assert_allclose(fx.logaddexp(x, y), expected, rtol=1e-14)
    np.testing.assert_allclose(fx.logsumexp(np.stack([x, y]), axis=0), expected, rtol=1e-14)
    np.testing.assert_allclose(fx.logaddexp2(x, y), np.log(2**x + 2**y) / np.log(2), rtol=1e-14)
