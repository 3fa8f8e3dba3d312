"""Numbers next to zero: what looks at bits keeps them, also where XLA's arithmetic takes them for zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from handlers import grad, jvp
from lowering import jit

FLOATS: Final = [d for d in dtypes.ALL if issubclass(d, dtypes.Floating)]
WIDE: Final = [d for d in FLOATS if d.dtype.itemsize > 1]


def _numbers(dtype: type[dtypes.DType]) -> Any:
    """Ends, zeros, the numbers beside them, NaN with both signs."""
    small = np.nextafter(np.zeros(2, dtype.dtype), np.asarray([1, -1], dtype.dtype))
    limits = fx.finfo(dtype)
    ends = [limits.max, -limits.max, limits.smallest_normal, -limits.smallest_normal, limits.smallest_normal * 0.5]
    rest = np.asarray([0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan, -np.nan, *ends]).astype(dtype.dtype)
    return np.concatenate([small, rest])


def _bits(x: Any) -> Any:
    host = np.asarray(x)
    nan = np.isnan(host)
    return np.where(nan, 0, host.view(f"u{host.dtype.itemsize}")), nan


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sign_is_read_from_bits(dtype: type[dtypes.DType]) -> None:
    x = _numbers(dtype)
    for f in (fx.signbit, jit(fx.signbit)):
        np.testing.assert_array_equal(np.asarray(f(fx.asarray(x))), np.signbit(x))


@pytest.mark.parametrize("dtype", WIDE, ids=str)
@pytest.mark.parametrize(("f", "expected"), [(fx.copysign, np.copysign), (fx.nextafter, np.nextafter)])
def test_pairs_by_bits(dtype: type[dtypes.DType], f: Callable[..., Any], expected: Callable[..., Any]) -> None:
    x, y = np.meshgrid(_numbers(dtype), _numbers(dtype))
    with np.errstate(over="ignore"):
        right = _bits(expected(x, y))
    for g in (f, jit(f)):
        for a, b in zip(_bits(g(fx.asarray(x), fx.asarray(y))), right, strict=True):
            np.testing.assert_array_equal(a, b)


KEEPING: Final[dict[str, Callable[[Any], Any]]] = {
    "abs": fx.abs,
    "negative": fx.negative,
    "where": lambda x: fx.where(fx.isnan(x), 0, x),
    "flip": fx.flip,
    "concat": lambda x: fx.concat([x, x]),
    "isfinite": fx.isfinite,
    "isnan": fx.isnan,
    "complex": lambda x: fx.imag(fx.complex(x, x)),
    "reshape": lambda x: fx.reshape(x, (-1, 1)),
}


@pytest.mark.parametrize("name", KEEPING)
@pytest.mark.parametrize("dtype", [fx.float32, fx.float64], ids=str)
def test_what_moves_numbers_keeps_them(name: str, dtype: type[dtypes.DType]) -> None:
    x = fx.asarray(_numbers(dtype))
    f = KEEPING[name]
    for a, b in zip(_bits(jit(f)(x)), _bits(f(x)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_roots_of_what_counts_as_zero() -> None:
    x = fx.asarray([1e-45, -1e-45, 1e-40, 8.0], dtype=fx.float32)
    np.testing.assert_allclose(np.asarray(jit(fx.cbrt)(x)), [0.0, 0.0, 0.0, 2.0], rtol=0, atol=1e-37)


def _taken_apart(x: Any, powers: Any) -> list[Any]:
    gaps = fx.spacing(x) if x.dtype.dtype.itemsize > 1 else x  # NumPy has none of float8
    return [fx.ldexp(x[:, None], powers), *fx.frexp(x), *fx.modf(x), gaps]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_what_numbers_are_made_of(dtype: type[dtypes.DType]) -> None:
    x = _numbers(dtype)
    powers = np.asarray([0, 1, -1, 3, -3, 10, -10, 24, -24, 60, -149, 300, -1000, 2000, -2100, 2**31 - 1, -(2**31)])
    wide = x.astype("float32") if x.dtype.itemsize < 4 else x
    with np.errstate(all="ignore"):
        mantissas, exponents = np.frexp(wide)
        exponents = np.where(np.isfinite(wide), exponents, 0)
        gaps = np.nextafter(np.abs(x), np.asarray(np.inf, x.dtype)) - np.abs(x) if x.dtype.itemsize > 1 else x
        gaps = np.where(x < 0, -gaps, gaps) if x.dtype.itemsize > 1 else x
        floats = [np.ldexp(wide[:, None], powers.astype("int32")), mantissas, *np.modf(wide), gaps]
        expected = [host.astype(x.dtype) for host in floats]
    for f in (_taken_apart, jit(_taken_apart)):
        product, mantissa, exponent, *rest = f(fx.asarray(x), powers)
        np.testing.assert_array_equal(np.asarray(exponent), exponents)
        for got, right in zip([product, mantissa, *rest], expected, strict=True):
            for a, b in zip(_bits(got), _bits(right), strict=True):
                np.testing.assert_array_equal(a, b)


def test_products_with_powers_of_two_are_linear() -> None:
    x = fx.asarray([0.0, 5e-324, 1.5, -3.0])
    np.testing.assert_array_equal(
        grad(lambda x: fx.sum(fx.ldexp(x, np.asarray([3, 3, -2, 0]))))(x), [8.0, 8.0, 0.25, 1.0]
    )
    slopes = jit(lambda x: jvp(lambda x: fx.frexp(x)[0], (x,), (fx.ones(4),))[1])(x)
    np.testing.assert_array_equal(slopes, [1.0, np.inf, 0.5, 0.25])
