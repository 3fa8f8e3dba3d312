"""Compiled programs against eager ones beside NaN, infinities, signed zeros and the ends of dtypes, where what XLA's
simplifier takes for equal is not: constants that are summed or multiplied up, quotients of quotients, choices for
products with bools.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.types.dtypes import DType
from handlers import cond, grad, jvp, scan, vjp, vmap
from lowering import jit
from tests.stablehlo.agreement import rounded

type Term = Callable[[Any, Any, Any, float], Any]
"""A value by x and y, which have a shape, s, which is a number, and the greatest number of the dtype."""

FLOATS: Final = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
TERMS: Final[dict[str, Term]] = {
    "a bool times": lambda x, y, s, m: (x > 1) * fx.log(y),
    "times a bool": lambda x, y, s, m: y * fx.astype(x == s, x.dtype) * x,
    "a bool over": lambda x, y, s, m: (x > 1) / fx.astype(s > 1, x.dtype),
    "plus 0": lambda x, y, s, m: x + 0.0,
    "minus -0": lambda x, y, s, m: x - (-0.0),
    "minus 0": lambda x, y, s, m: 0.0 + (x - 0.0),
    "constants added": lambda x, y, s, m: (x + m) + m,
    "constants subtracted": lambda x, y, s, m: (x - m / 2) + m / 2,
    "from constants": lambda x, y, s, m: (m / 2 - x) + m / 2,
    "constants multiplied": lambda x, y, s, m: (x * (m / 2)) * (m / 4),
    "products of constants": lambda x, y, s, m: (x * m) * (y * m),
    "constants and rows": lambda x, y, s, m: (x * 2) * (s * 0.75),
    "the mean of two": lambda x, y, s, m: 0.5 * x + 0.5 * y,
    "over constants": lambda x, y, s, m: x / m / m,
    "over 0": lambda x, y, s, m: x / 0.0 + x / -0.0,
    "over one number": lambda x, y, s, m: x / s,
    "quotients over": lambda x, y, s, m: x / y / s,
    "over quotients": lambda x, y, s, m: x / (y / x),
    "quotients of quotients": lambda x, y, s, m: (x / y) / (4 * s / x),
    "over a power": lambda x, y, s, m: x / fx.abs(y) ** 2.5,
    "over a root": lambda x, y, s, m: x / fx.sqrt(y),
    "log of a power": lambda x, y, s, m: fx.log(x**2.5),
    "log of a root": lambda x, y, s, m: fx.log(fx.rsqrt(x)),
    "exp times exp": lambda x, y, s, m: fx.exp(x) * fx.exp(y) / fx.exp(s),
    "roots of squares": lambda x, y, s, m: fx.sqrt(x * x) + fx.sqrt(fx.abs(y)) * fx.sqrt(fx.abs(y)),
    "size not below 0": lambda x, y, s, m: fx.abs(x) >= 0,
    "0 not above squares": lambda x, y, s, m: fx.less_equal(0.0, y * y),
    "x from x": lambda x, y, s, m: x - x + (y - y),
    "x over x": lambda x, y, s, m: x / x,
    "0 times": lambda x, y, s, m: x * 0.0 + fx.zeros_like(x) * y,
    "there and back": lambda x, y, s, m: x - (x + y),
    "turned twice": lambda x, y, s, m: fx.negative(fx.negative(x)) - (0.0 - y),
    "powers": lambda x, y, s, m: fx.stack([x**0, x**1, x**2, x**-1, x**0.5, 1.0**x]).max(axis=0),
    "itself": lambda x, y, s, m: fx.equal(x, x) & fx.less_equal(y, y) | fx.not_equal(x, x),
}


def ends(dtype: type[DType]) -> list[float]:
    far = fx.finfo(dtype).max
    return [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.0, np.inf, -np.inf, np.nan, far, -far, far / 2, 1.25]


def alike(got: Any, expected: Any, what: str, digits: int = 16) -> None:
    """Equal but for last digits, subnormal numbers and what NaN has for a sign."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape, what
    if got.dtype.kind == "b":
        np.testing.assert_array_equal(got, expected, what)
        return
    limits = fx.finfo(got.dtype)
    got, expected = [
        np.where(np.abs(v) < 2 * limits.smallest_normal, np.copysign(0.0, v), v)
        for v in (got.astype(np.float64), expected.astype(np.float64))
    ]
    np.testing.assert_allclose(got, expected, digits * limits.eps, 0, err_msg=what)
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got)[there], np.signbit(expected)[there], f"sign of {what}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_compiled_terms_are_the_eager_ones(dtype: type[DType]) -> None:
    x, y = [np.ascontiguousarray(v).ravel() for v in np.meshgrid(*[rounded(ends(dtype), dtype)] * 2)]
    far = fx.finfo(dtype).max

    def f(x: Any, y: Any, s: Any) -> list[Any]:
        return [term(x, y, s, far) for term in TERMS.values()]

    def one_by_one(x: Any, y: Any, s: Any) -> list[Any]:
        return vmap(lambda y, x: f(x, y, s))(y, x)

    for s in (far, 2.0, -3.0):
        given = [fx.asarray(v) for v in (x, y, rounded([s], dtype)[0])]
        expected = f(*given)
        for way in (f, one_by_one) if s == far else (f,):
            for name, got, wanted in zip(TERMS, jit(way)(*given), expected, strict=True):
                alike(got, wanted, f"{name}, {way.__name__}, s = {s}")


INTEGERS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "squares below 0": lambda x, y: x * x < 0,
    "0 above squares": lambda x, y: fx.greater(0, x * x),
    "squares not below 0": lambda x, y: y * y >= 0,
    "0 not above squares": lambda x, y: fx.less_equal(0, y * y),
    "sizes of squares": lambda x, y: fx.abs(x * x),
    "sizes below 0": lambda x, y: fx.abs(x) < 0,
    "squares divided by": lambda x, y: x // (y * y),
    "rest by squares": lambda x, y: x % (y * y),
    "constants multiplied": lambda x, y: x * 3 * 5 + y * 5,
    "itself": lambda x, y: x - x + x // x + x % x,
    "by powers of two": lambda x, y: x // 4 + x % 8 + (y << 3) - (x >> 1),
    "quotients of itself": lambda x, y: fx.maximum(x // x, y // y) ** 3 + fx.minimum(y // y, x // x),
    "there and back": lambda x, y: (x - (x + y)) * 3,
}


@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.int32, dtypes.int64, dtypes.uint16], ids=str)
def test_compiled_terms_of_integers_are_the_eager_ones(dtype: type[DType]) -> None:
    limits = np.iinfo(dtype.dtype.name)
    numbers = np.array([0, 1, 2, 3, 7, limits.max, limits.min, limits.max // 2 + 1, limits.max - 1], dtype.dtype)
    root = np.array([int(limits.max**0.5) + 1, int(limits.max**0.5) * 2, -3]).astype(dtype.dtype)
    x, y = np.meshgrid(*[np.concatenate([numbers, root])] * 2)

    def f(x: Any, y: Any) -> list[Any]:
        return [term(x, y) for term in INTEGERS.values()]

    given = fx.asarray(x), fx.asarray(y)
    for name, got, expected in zip(INTEGERS, jit(f)(*given), f(*given), strict=True):
        np.testing.assert_array_equal(got, expected, name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_quotients_are_the_eager_ones(dtype: type[np.complexfloating]) -> None:
    parts = [0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan]
    x = fx.asarray(np.array([complex(a, b) for a in parts for b in parts], dtype))

    def f(x: Any) -> list[Any]:
        means = fx.mean(fx.stack([x, x[::-1]], axis=1), axis=1)
        return [
            x / 2,
            x / 2j,
            x / 0.0,
            x / (x / x[::-1]),
            x / x / 1e30 / 1e30,
            means,
            (x + 1e30) - 1e30,
            fx.equal(x, x) * x,
        ]

    for number, values in enumerate(zip(jit(f)(x), f(x), strict=True)):
        got, expected = [np.asarray(v).view(dtypes.real_of(v.dtype).dtype) for v in values]
        alike(got, expected, str(number))


@pytest.mark.filterwarnings("ignore")
def test_terms_in_loops_branches_and_derivatives() -> None:
    far = fx.finfo(fx.float32).max
    x = fx.asarray(rounded(ends(dtypes.float32), dtypes.float32))
    held = [term for name, term in TERMS.items() if "log" not in name and "exp" not in name and name != "itself"]

    def summed(x: Any, s: Any) -> list[Any]:
        return [term(x, x[::-1], s, far) * 1.0 for term in held]

    def slopes(x: Any, s: Any) -> Any:
        return vmap(grad(lambda x: (x > 1) * fx.log(x) + fx.abs(x) * (x >= 0) + x / s / s))(x)

    ways: list[Callable[[Any, Any], Any]] = [
        lambda x, s: scan(lambda s, x: (s, summed(fx.stack([x, x]), s)), s, x)[1],
        lambda x, s: cond(s > 1, summed, lambda x, s: [v * 0 for v in summed(x, s)], x, s),
        lambda x, s: [slopes(x, s)],
    ]
    for way in ways:
        s = fx.asarray(np.float32(2))
        for number, (got, expected) in enumerate(zip(jit(way)(x, s), way(x, s), strict=True)):
            alike(got, expected, str(number))


OPERATIONS: Final[tuple[Callable[..., Any], ...]] = (
    *(lambda x, c, before: x * c, lambda x, c, before: c * x, lambda x, c, before: x / c, lambda x, c, before: c / x),
    *(lambda x, c, before: x - c, lambda x, c, before: c + x, lambda x, c, before: (x > c) * before),
    *(lambda x, c, before: -x, lambda x, c, before: abs(x), lambda x, c, before: fx.where(x >= c, x, before)),
    *(lambda x, c, before: x * x, lambda x, c, before: before / x, lambda x, c, before: x / before),
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_random_terms_are_the_eager_ones(dtype: type[DType]) -> None:
    rng = random.Random(str(dtype))
    limits = fx.finfo(dtype)
    numbers = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.0, limits.max / 2, None]
    x, s = fx.asarray(rounded(ends(dtype), dtype)), fx.asarray(rounded([2.0], dtype)[0])
    chains = [[(rng.choice(OPERATIONS), rng.choice(numbers)) for _ in range(4)] for _ in range(80)]

    def values(chain: list[Any], x: Any, s: Any) -> list[Any]:
        values = [s, x]
        for operation, number in chain:
            values.append(operation(values[-1], s if number is None else number, values[-2]))
        return values

    compiled = jit(lambda x, s: [values(chain, x, s)[-1] for chain in chains])(x, s)
    for number, (got, chain) in enumerate(zip(compiled, chains, strict=True)):
        expected = [np.asarray(v).astype(np.float64) for v in values(chain, x, s)]
        normal = [np.broadcast_to((v == 0) | ~(np.abs(v) < limits.smallest_normal), x.shape) for v in expected]
        held = np.all(normal, axis=0)
        alike(np.asarray(got)[held], expected[-1].astype(dtype.dtype)[held], f"chain {number}", 64)


def test_small_arrays_in_unrolled_loops_are_what_was_stored() -> None:
    """LLVM's value numbering takes another one's elements where the loops of three lanes of 3 by 3 are unrolled."""
    offset = fx.diag(fx.asarray([1.0, 3.0, 6.0]))

    def values(x: Any) -> Any:
        y = fx.pow(fx.abs(x), x)
        return fx.linalg.eigvalsh(offset + fx.outer(y, y))

    def slope(x: Any) -> Any:
        return vjp(values, x)[1](fx.cos(x))[0]

    def along(x: Any, lanes: Any) -> Any:
        return vmap(lambda t: jvp(slope, (x,), (t,))[1])(lanes)

    x, lanes = fx.asarray([0.5, 0.7, 1.1]), fx.asarray(np.random.default_rng(3).standard_normal((3, 3)))
    np.testing.assert_allclose(jit(along)(x, lanes), along(x, lanes), rtol=1e-13, atol=1e-13)
