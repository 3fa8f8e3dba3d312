"""Functions of elements, folds and scans give the same at once and compiled, in every dtype, where numbers are special.

What is made of few operations is compared with NumPy elsewhere; here all functions of an array, or of two, are one
program for each dtype. Numbers that XLA takes for zero (subnormal ones) are neither given nor compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.errors import EffaxError
from lowering import jit

type Function = Callable[..., Any]

_UNARY: Final = (
    *("abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "bitwise_count", "bitwise_invert", "cbrt"),
    *("ceil", "conj", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fix"),
    *("floor", "frexp", "imag", "iscomplex", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "lgamma"),
    *("log", "log10", "log1p", "log2", "logical_not", "logistic", "modf", "nan_to_num", "negative", "positive"),
    *("rad2deg", "real", "reciprocal", "rint", "round", "rsqrt", "sign", "signbit", "sin", "sinc", "sinh", "sqrt"),
    *("square", "tan", "tanh", "trunc"),
)
_BINARY: Final = (
    *("add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("copysign", "divide", "divmod", "equal", "floor_divide", "fmax", "fmin", "fmod", "gcd", "greater"),
    *("greater_equal", "heaviside", "hypot", "isclose", "lcm", "less", "less_equal", "logical_and"),
    *("logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder"),
    "subtract",
)
_FOLDS: Final = (
    *("all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "nanmax", "nanmean", "nanmin"),
    *("nanprod", "nansum", "prod", "ptp", "std", "sum", "var", "cummax", "cummin", "cumulative_prod"),
    *("cumulative_sum", "diff", "sort", "argsort"),
)
"""Each with NaN, infinities of both signs and zeros among few numbers, so that no order of summation matters."""

_COMPLEX: Final = (dtypes.complex64, dtypes.complex128)  # whose powers are angles as large as the exponents are
_LARGE: Final = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 10.0, 100.0, 1e3, 1e5, 1e10, 2**31, 2**53]


def _host(dtype: type[dtypes.DType]) -> Any:
    """Special numbers of a dtype."""
    if dtype is dtypes.bool_:
        return np.array([True, False])
    if issubclass(dtype, dtypes.Integer):
        limits = fx.iinfo(dtype)
        small = [0, 1, 2, 3, 7, 8, 31, 63, 100, limits.max, limits.max - 1, limits.max // 2, limits.min, limits.min + 1]
        return np.array([*small, *[-n for n in (1, 2, 3, 7, 100) if limits.min < 0]], dtype.dtype)
    limits_of = fx.finfo(dtypes.real_of(dtype))
    ends = [limits_of.eps, 1 + limits_of.eps, limits_of.max, limits_of.max / 2, limits_of.max**0.5]
    line = np.array([*_LARGE, *ends, np.inf, np.nan], limits_of.dtype.dtype)
    line = np.concatenate([line, -line])
    if not issubclass(dtype, dtypes.Complex):
        return line
    parts = line[[0, 1, 2, 5, 8, 19, 20, 21, 23, 24, 40]]
    found = np.empty((len(parts), len(parts)), dtype.dtype)
    found.real, found.imag = parts[:, None], parts
    return found.ravel()


def _lines(dtype: type[dtypes.DType]) -> list[Any]:
    """Few numbers, of which the special ones are alone, so that no order of summation matters; and none at all."""
    x = _host(dtype)
    if not issubclass(dtype, dtypes.Inexact):
        return [x[:0], x[:1], x]
    special = [[], [-0.0], [1.5, -0.0, 2.0, 0.0, 1.5], [1.0, np.nan, 2.0], [np.inf, 1.0], [-np.inf, 2.0, np.inf]]
    return [np.array(line, dtype.dtype) for line in special]


def _programs(dtype: type[dtypes.DType]) -> tuple[Callable[..., dict[str, Any]], list[Any]]:
    """All functions that take the dtype, as one, and what to call it with."""
    x = _host(dtype)
    pairs = [np.ascontiguousarray(side).ravel() for side in np.meshgrid(x, x)]
    given = [fx.asarray(host) for host in (x, *pairs, *_lines(dtype))]
    unary = [n for n in _UNARY if _taken(n, given[0])]
    binary = [n for n in _BINARY if _taken(n, *given[1:3]) and not (n == "pow" and dtype in _COMPLEX)]
    folds = [(n, i) for n in _FOLDS for i in range(3, len(given)) if _taken(n, given[i])]

    def program(*xs: Any) -> dict[str, Any]:
        return {
            **{name: getattr(fx, name)(xs[0]) for name in unary},
            **{name: getattr(fx, name)(xs[1], xs[2]) for name in binary},
            **{f"{name} of {_lines(dtype)[i - 3]}": getattr(fx, name)(xs[i]) for name, i in folds},
        }

    return program, given


def _taken(name: str, *xs: Any) -> bool:
    """Whether a function takes arrays of this dtype as they are: integers of which it makes floats are float64."""
    try:
        result = fx.tree_leaves(getattr(fx, name)(*xs))
    except EffaxError:
        return False
    return dtypes.is_inexact(xs[0].dtype) or not any([dtypes.is_inexact(r.dtype) for r in result])


def _apart(a: Any, b: Any) -> Any:
    """How many units in the last place lie between results, and infinitely many where only one is a number."""
    if a.dtype.kind in "biu":
        return np.where(a == b, 0.0, np.inf)
    real = np.finfo(a.dtype)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(a / 4), np.abs(b / 4))  # the greatest complex numbers are longer than there are floats
        unit = np.spacing(np.maximum(size, real.smallest_normal))
        near = np.where(size <= real.smallest_normal, 0.0, np.abs(a / 4 - b / 4) / unit)
        if a.dtype.kind == "c":  # where one part is NaN, the other says little
            return np.where(np.isfinite(a) != np.isfinite(b), np.inf, np.where(np.isfinite(a), near, 0.0))
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.nan_to_num(near, nan=np.inf))


_DTYPES: Final = [
    pytest.param(d, marks=pytest.mark.slow if dtypes.is_inexact(d) else ())
    for d in dtypes.ALL
    if d not in dtypes.NARROW  # of which tests/narrow compares all values
]


@pytest.mark.parametrize("dtype", _DTYPES, ids=str)
def test_at_once_and_compiled(dtype: type[dtypes.DType]) -> None:
    program, given = _programs(dtype)
    at_once, compiled = program(*given), jit(program)(*given)
    for name, first in at_once.items():
        for a, b in zip(fx.tree_leaves(first), fx.tree_leaves(compiled[name]), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), name
            apart = _apart(np.asarray(a), np.asarray(b))
            assert not apart.size or apart.max() <= 8, f"{name} of {dtype}: {a} and {b}, {apart}"
