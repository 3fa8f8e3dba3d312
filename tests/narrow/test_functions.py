"""Functions of narrow floats, on all of their values: evaluated and compiled alike, and float64's rounded once.

Where float32 takes a value next to the middle between two of the narrow dtype to the other side, the result is the
neighbour: one step is allowed, once in a thousand values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pytest
import scipy.special

import effects as fx
from effects import Array
from effects.types.dtypes import DType
from lowering import jit
from tests.narrow.rounding import DTYPES, Function, Host, Oracle, assert_within, host, random, rounded, steps, wide

UNARY: Final[dict[str, tuple[Function, Oracle]]] = {
    "abs": (fx.abs, np.abs),
    "acos": (fx.acos, np.arccos),
    "acosh": (fx.acosh, np.arccosh),
    "asin": (fx.asin, np.arcsin),
    "asinh": (fx.asinh, np.arcsinh),
    "atan": (fx.atan, np.arctan),
    "atanh": (fx.atanh, np.arctanh),
    "cbrt": (fx.cbrt, np.cbrt),
    "ceil": (fx.ceil, np.ceil),
    "clip": (lambda x: fx.clip(x, -1, 1), lambda x: np.clip(x, -1, 1)),
    "cos": (fx.cos, np.cos),
    "cosh": (fx.cosh, np.cosh),
    "deg2rad": (fx.deg2rad, np.deg2rad),
    "digamma": (lambda x: fx.digamma(fx.maximum(x, 2)), lambda x: scipy.special.digamma(np.maximum(x, 2))),
    "erf": (fx.erf, scipy.special.erf),
    "erfc": (fx.erfc, scipy.special.erfc),
    "erf_inv": (fx.erf_inv, scipy.special.erfinv),
    "exp": (fx.exp, np.exp),
    "exp2": (fx.exp2, np.exp2),
    "expm1": (fx.expm1, np.expm1),
    "floor": (fx.floor, np.floor),
    "lgamma": (lambda x: fx.lgamma(fx.maximum(x, 4)), lambda x: scipy.special.gammaln(np.maximum(x, 4))),
    "log": (fx.log, np.log),
    "log10": (fx.log10, np.log10),
    "log1p": (fx.log1p, np.log1p),
    "log2": (fx.log2, np.log2),
    "logistic": (fx.logistic, scipy.special.expit),
    "negative": (fx.negative, np.negative),
    "positive": (fx.positive, np.positive),
    "pow 3.5": (lambda x: fx.pow(x, 3.5), lambda x: x**3.5),
    "rad2deg": (fx.rad2deg, np.rad2deg),
    "reciprocal": (fx.reciprocal, lambda x: 1 / x),
    "round": (fx.round, np.rint),
    "rsqrt": (fx.rsqrt, lambda x: 1 / np.sqrt(x)),
    "sign": (fx.sign, np.sign),
    "sin": (fx.sin, np.sin),
    "sinh": (fx.sinh, np.sinh),
    "sqrt": (fx.sqrt, np.sqrt),
    "square": (fx.square, np.square),
    "tan": (fx.tan, np.tan),
    "tanh": (fx.tanh, np.tanh),
    "trunc": (fx.trunc, np.trunc),
}
BINARY: Final[dict[str, tuple[Function, Oracle]]] = {
    "add": (fx.add, np.add),
    "atan2": (fx.atan2, np.arctan2),
    "divide": (fx.divide, np.divide),
    "floor_divide": (fx.floor_divide, lambda x, y: np.where(np.isinf(x) | np.isinf(y), x / y, x // y)),
    "hypot": (fx.hypot, np.hypot),
    "logaddexp": (fx.logaddexp, np.logaddexp),
    "maximum": (fx.maximum, np.maximum),
    "minimum": (fx.minimum, np.minimum),
    "multiply": (fx.multiply, np.multiply),
    "pow": (fx.pow, np.power),
    "remainder": (fx.remainder, np.remainder),
    "subtract": (fx.subtract, np.subtract),
}
_SPECIAL: Final = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -3.0, 1e-3, 30.0, 400.0, -400.0, np.inf, -np.inf, np.nan]


def every_value(dtype: type[DType]) -> Host:
    """All values that XLA does not take for zero: those of float16 and float8 are numbers of float32 like others."""
    bits = 8 * dtype.dtype.itemsize
    values = np.arange(2**bits, dtype=f"u{bits // 8}").view(dtype.dtype)
    return values[~_subnormal(values) & ~np.isnan(wide(values))]


def every_pair(dtype: type[DType]) -> list[Host]:
    """All pairs of special values, and 20,000 others."""
    draw = np.random.default_rng(3)
    special = np.meshgrid(rounded(_SPECIAL, dtype), rounded(_SPECIAL, dtype))
    near = rounded(draw.normal(0, 3, (2, 10_000)), dtype)
    values = every_value(dtype)
    anywhere = draw.choice(values[~(np.abs(wide(values)) < 1e-30)], (2, 10_000))  # of which no remainder is subnormal
    return [np.concatenate([a.ravel(), b, c]) for a, b, c in zip(special, near, anywhere, strict=True)]


def _subnormal(values: Host) -> Host:
    """In float32, or at the end."""
    size = np.abs(wide(values))
    return (size > 0) & (size <= float(fx.finfo(fx.float32).smallest_normal))


def check(functions: dict[str, tuple[Function, Oracle]], arguments: Sequence[Host], dtype: type[DType]) -> None:
    def all_of_them(*xs: Array) -> list[Array]:
        return [function(*xs) for function, _ in functions.values()]

    given = [fx.asarray(x) for x in arguments]
    for (name, (function, oracle)), by_jit in zip(functions.items(), jit(all_of_them)(*given), strict=True):
        with np.errstate(all="ignore"):
            expected = rounded(oracle(*[wide(x) for x in arguments]), dtype)
        evaluated, compiled = host(function(*given)), host(by_jit)
        normal = ~_subnormal(expected)  # others may be zero
        shown = [x[normal] for x in arguments]
        for result, how in ((evaluated, "evaluated"), (compiled, "compiled")):
            assert_within(1, result[normal], expected[normal], f"{name} of {dtype}, {how}", shown)
        share = float((steps(evaluated, compiled)[normal] > 0).mean())
        assert share < (1e-3 if dtype.dtype.itemsize == 2 else 1e-2), f"{name} of {dtype}: {share:.1%} differ, compiled"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_functions_of_one_argument(dtype: type[DType]) -> None:
    check(UNARY, [every_value(dtype)], dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_functions_of_two_arguments(dtype: type[DType]) -> None:
    check(BINARY, every_pair(dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_is_fused_is_rounded_between(dtype: type[DType]) -> None:
    """Operations that round once give the same bits in one program as one by one; but a product that is added to
    something may be rounded with the sum, by processors that have instructions for it.
    """

    def programs(x: Array, y: Array) -> list[Array]:
        return [
            fx.prod(1 + (x - y) / 4, axis=0),
            (x * y) @ (x + y).T,
            fx.astype(x * y, fx.float32) - fx.astype(x, fx.float32),
            fx.sum((x * x + y) * x - y, axis=1),
            ((x * 3 + 1) / 7 - y) * x,
            fx.maximum(x * y - x / 3, fx.abs(x - y) * 5),
        ]

    def rounded_with_sums(x: Array, y: Array) -> list[Array]:
        of: Callable[[Array], Array] = lambda value: fx.astype(value, dtype)
        a, b = fx.astype(x, fx.float64), fx.astype(y, fx.float64)
        square = fx.astype(of(a * a + b), fx.float64)
        return [
            *programs(x, y)[:3],
            fx.sum(of(square * a - b), axis=1),
            (of(a * 3 + 1) / 7 - y) * x,
            fx.maximum(of(a * b - fx.astype(x / 3, fx.float64)), fx.abs(x - y) * 5),
        ]

    x, y = random(dtype, 9, 30), random(dtype, 9, 30, seed=1)
    expected = zip(programs(x, y), rounded_with_sums(x, y), strict=True)
    for (one_by_one, with_sums), fused in zip(expected, jit(programs)(x, y), strict=True):
        same = [host(fused) == host(value) for value in (one_by_one, with_sums)]
        assert float((same[0] | same[1]).mean()) > 0.99  # but for the order of sums, and then one step
        nearer = one_by_one if same[0].mean() > same[1].mean() else with_sums
        np.testing.assert_allclose(wide(host(fused)), wide(host(nearer)), rtol=float(fx.finfo(dtype).eps))
