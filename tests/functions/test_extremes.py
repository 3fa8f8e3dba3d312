"""Functions made of several operations, where these meet ends of floating point or kinks of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import hessian
from lowering import jit


@pytest.mark.parametrize("f", [fx.floor_divide, jit(fx.floor_divide)], ids=["eager", "compiled"])
def test_whole_quotients_that_are_large(f: Callable[..., fx.Array]) -> None:
    assert f(9007199254740991.0, 1.0).item() == 9007199254740991.0
    x, y = np.float32(707704.0), np.float32(0.1)
    assert f(x, y).item() == np.floor_divide(x, y) == 7077039.0


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("f", "expected"), [(fx.log2, np.log2), (fx.log10, np.log10), (fx.exp2, np.exp2)])
def test_bases_of_complex_numbers(f: Callable[..., Any], expected: Callable[..., Any], compiled: bool) -> None:
    x = np.array([0.0, 1.0, -2.0j, 3.0 + 4.0j, complex(-np.inf, 1.0)])
    with np.errstate(all="ignore"):
        right = expected(x)
    actual = (jit(f) if compiled else f)(fx.asarray(x))
    np.testing.assert_allclose(np.asarray(actual).view(np.float64), right.view(np.float64), rtol=1e-12)


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan, 0.0, 2.0])
def test_nothing_is_multiplied_by_nothing(x: float) -> None:
    assert fx.all(fx.full(2, x) ** 0 == 1) and fx.all(jit(lambda x: x**0)(fx.full(2, x)) == 1)


@pytest.mark.parametrize(
    ("f", "x", "y", "second"),
    [
        (fx.logaddexp, 0.0, 0.0, [[0.25, -0.25], [-0.25, 0.25]]),
        (fx.logaddexp, -3.0, -3.0, [[0.25, -0.25], [-0.25, 0.25]]),
        (fx.hypot, 0.0, 2.0, [[0.5, 0.0], [0.0, 0.0]]),
        (fx.hypot, -2.0, 0.0, [[0.0, 0.0], [0.0, 0.5]]),
        (fx.hypot, 1.0, -1.0, [[8**-0.5, 8**-0.5], [8**-0.5, 8**-0.5]]),
    ],
)
def test_second_derivatives_of_smooth_functions(
    f: Callable[..., Any], x: float, y: float, second: list[list[float]]
) -> None:
    found = hessian(f, (0, 1))(fx.asarray(x), fx.asarray(y))
    np.testing.assert_allclose(np.asarray(found), second, rtol=1e-12)


@pytest.mark.parametrize("dtype", [fx.float64, fx.float32, fx.bfloat16, fx.float16], ids=str)
@pytest.mark.parametrize("compiled", [False, True])
def test_whole_powers_and_logarithms_are_exact(dtype: type[fx.DType], compiled: bool) -> None:
    run: Callable[[Any], Any] = jit if compiled else lambda f: f
    limits = fx.finfo(dtype)
    low, high = [int(np.frexp(float(end))[1]) - 1 for end in (limits.smallest_normal, limits.max)]
    whole = np.arange(low, high + 1).astype(dtype.dtype)
    whole = whole[whole.astype(np.float64) == np.arange(low, high + 1)]  # what the dtype has of them
    powers = np.exp2(whole.astype(np.float64)).astype(dtype.dtype)
    np.testing.assert_array_equal(np.asarray(run(fx.exp2)(fx.asarray(whole))), powers)
    np.testing.assert_array_equal(np.asarray(run(fx.log2)(fx.asarray(powers))), whole)
    if dtype in (fx.float64, fx.float32):
        tens = [n for n in range(-307, 309) if limits.smallest_normal <= 10.0**n <= limits.max]
        powers = np.asarray([float(f"1e{n}") for n in tens], dtype.dtype)
        np.testing.assert_array_equal(np.asarray(run(fx.log10)(fx.asarray(powers))), tens)


@pytest.mark.parametrize("name", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)])
@pytest.mark.parametrize("compiled", [False, True])
def test_integers_divided_by_nothing(name: str, compiled: bool) -> None:
    dtype = np.dtype(name)
    limits = np.iinfo(dtype)
    x = fx.asarray(np.array([limits.min, limits.min // 2, 0, 1, 7, limits.max], dtype))
    quotient, rest = [jit(f) if compiled else f for f in (fx.floor_divide, fx.remainder)]
    assert fx.all(quotient(x, fx.zeros_like(x)) == ~fx.zeros_like(x))
    assert fx.all(rest(x, fx.zeros_like(x)) == x)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("compiled", [False, True])
def test_complex_powers_that_vanish_or_overflow(dtype: type[np.complexfloating[Any, Any]], compiled: bool) -> None:
    parts = [0.0, 1.5, -2.0, 1e5, -1e10, 1e18]
    z = np.array([complex(a, b) for a in parts for b in parts], dtype)
    x, y = z[np.abs(z) > 2][:, None], z[None, np.abs(z) > 2]
    size = (y.astype(np.clongdouble) * np.log(x.astype(np.clongdouble))).real
    found = (jit(fx.pow) if compiled else fx.pow)(fx.asarray(x), fx.asarray(y))
    lengths = np.abs(np.asarray(found))
    assert np.sum(size < -1e4) > 50 and np.sum(size > 1e4) > 50
    assert np.all(lengths[size < -1e4] == 0) and np.all(np.isinf(lengths[size > 1e4]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("f", "exact"), [(fx.cosh, np.cosh), (fx.sinh, np.sinh)])
def test_hyperbolic_functions_keep_their_digits_up_to_the_overflow(
    f: Callable[..., Any], exact: Callable[..., Any], compiled: bool, dtype: type[np.floating]
) -> None:
    largest = np.log(np.finfo(dtype).max) + 0.69
    sizes = np.concatenate([np.linspace(0, largest, 20001), np.geomspace(np.finfo(dtype).tiny * 2, 1, 2001)])
    x = np.concatenate([sizes, -sizes]).astype(dtype)
    right = exact(x.astype(np.longdouble)) if np.finfo(np.longdouble).eps < 1e-18 else exact(x.astype(np.float64))
    actual = np.asarray((jit(f) if compiled else f)(fx.asarray(x)))
    assert np.all(np.abs(actual - right) <= 4.5 * np.spacing(np.abs(right).astype(dtype)))
    ends = np.asarray((jit(f) if compiled else f)(fx.asarray([np.inf, -np.inf, 0.0, -0.0, np.nan], dtype=dtype)))
    np.testing.assert_array_equal(ends, exact(np.array([np.inf, -np.inf, 0.0, -0.0, np.nan])))
    np.testing.assert_array_equal(np.signbit(ends[2:4]), np.signbit(exact(np.array([0.0, -0.0]))))
