"""Elementwise operations by NumPy's ufuncs, corrected where XLA's semantics differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.elementwise import (
    Binary,
    BinaryKind,
    Clamp,
    Compare,
    CompareKind,
    Convert,
    Select,
    Unary,
    UnaryKind,
)
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from handlers.evaluate import complex_functions
from handlers.evaluate.choices import chosen, clamped
from handlers.evaluate.erf_inv import erf_inv
from handlers.evaluate.rules import RULES, result
from handlers.evaluate.threefry import threefry

type _Function = Callable[..., npt.NDArray[np.generic]]

_U, _B, _C = UnaryKind, BinaryKind, CompareKind


def _rounded_once(f: _Function) -> _Function:
    """A function of several operations, on narrow floats computed in float32; NumPy's own functions do that."""

    def rounded(*xs: Host) -> Host:
        dtype = xs[0].dtype
        if dtype.itemsize > 2 or dtype.kind in "iu":
            return f(*xs)
        return f(*[x.astype(np.float32) for x in xs]).astype(dtype)

    return rounded


def _scipys(name: str) -> _Function:
    """A function of SciPy's, which is loaded when it is first called."""

    @cache
    def function() -> Any:
        return getattr(import_module("scipy.special"), name)

    return _rounded_once(lambda x: np.asarray(function()(x)))


@_rounded_once
def _logistic(x: Host) -> Host:
    one = x.dtype.type(1)
    out: Host = one / (one + np.exp(-x))
    return out


def _sign(x: Host) -> Host:
    out: Host = np.sign(x, out=...)
    return out if x.dtype.kind in "iu" else np.add(out, x.dtype.type(0), out=out)  # to make 0 of -0


_signed: Final = _rounded_once(np.copysign)


def _copy_sign(x: Host, y: Host) -> Host:
    """Floats without -0 (`fnuz`) would make NaN of it; their one NaN has no sign and counts as positive."""
    if x.dtype.name.endswith("fnuz"):
        y = np.where(np.isnan(y), y.dtype.type(1), y)
    return _signed(x, y)


def _exp2(x: Host) -> Host:
    """Exact for whole numbers, where NumPy misses some powers in float32 by a digit."""
    out: Host = np.exp2(x, out=...)
    if x.dtype == np.float32:
        _in_float64(np.exp2, x, np.equal(np.rint(x, out=...), x), out)
    return out


def _log10(x: Host) -> Host:
    """Exact for powers of ten, where NumPy misses most of them in float32 by a digit."""
    out: Host = np.log10(x, out=...)
    if x.dtype == np.float32:
        rounded = np.rint(out, out=...)
        np.abs(np.subtract(out, rounded, out=rounded), out=rounded)
        _in_float64(np.log10, x, np.less(rounded, np.float32(1e-5)), out)
    return out


def _in_float64(f: np.ufunc, x: Host, where: Host, out: Host) -> None:
    """Write what f gives in float64 there."""
    if where.any():
        out[where] = f(x[where], dtype=np.float64)


def _by_dtype(real: _Function, of_complex: _Function) -> _Function:
    """One function for real numbers and another one for complex numbers."""
    return lambda *xs: of_complex(*xs) if xs[0].dtype.kind == "c" else real(*xs)


@_rounded_once
def _rsqrt(x: Host) -> Host:
    out: Host = x.dtype.type(1) / np.sqrt(x)
    return out


_OF_NUMPY: Final[tuple[UnaryKind | BinaryKind, ...]] = (
    *(_U.ACOS, _U.ACOSH, _U.ASIN, _U.ASINH, _U.ABS, _U.ATAN, _U.ATANH, _U.CBRT, _U.CEIL, _U.CONJ, _U.COS),
    *(_U.COSH, _U.EXP, _U.FLOOR, _U.LOG, _U.LOG2, _U.SIN, _U.SINH, _U.SQRT, _U.TAN, _U.TRUNC),
    *(_B.ADD, _B.ATAN2, _B.GCD, _B.HYPOT),
)
"""Operations whose ufuncs NumPy has under their names."""
UFUNCS: Final[dict[UnaryKind | BinaryKind | CompareKind, np.ufunc]] = {
    **{kind: getattr(np, kind.value) for kind in _OF_NUMPY},
    _U.IS_FINITE: np.isfinite,
    _U.NEG: np.negative,
    _U.NOT: np.invert,
    _U.ROUND: np.rint,
    _U.SIGN_BIT: np.signbit,
    _B.AND: np.bitwise_and,
    _B.MAX: np.maximum,
    _B.MIN: np.minimum,
    _B.MUL: np.multiply,
    _B.NEXT_AFTER: np.nextafter,
    _B.OR: np.bitwise_or,
    _B.SHIFT_LEFT: np.left_shift,
    _B.SHIFT_RIGHT: np.right_shift,
    _B.SUB: np.subtract,
    _B.XOR: np.bitwise_xor,
    _C.EQ: np.equal,
    _C.GE: np.greater_equal,
    _C.GT: np.greater,
    _C.LE: np.less_equal,
    _C.LT: np.less,
    _C.NE: np.not_equal,
}


def _div(x: Host, y: Host) -> Host:
    if x.dtype.kind == "c":
        return complex_functions.divide(x, y)
    if x.dtype.kind not in "iu":
        return np.true_divide(x, y, out=...)
    quotient = _floor_divide(x, y)
    up = np.less(quotient, 0) & (quotient * y != x) & (y != 0)
    out: Host = np.add(quotient, up, dtype=x.dtype)
    return out


@_rounded_once
def _floor_divide(x: Host, y: Host) -> Host:
    quotient: Host = np.floor_divide(x, y, out=...)
    if x.dtype.kind in "iu":
        zero = y == 0
        return np.where(zero, np.asarray(-1).astype(x.dtype), quotient) if zero.any() else quotient
    if np.isfinite(quotient + y).all():
        return quotient
    ordinary = np.isfinite(x) & np.isfinite(y) & (y != 0)
    return np.where(ordinary, quotient, np.floor(np.true_divide(x, y)))


@_rounded_once
def _rem(x: Host, y: Host) -> Host:
    rest: Host = np.remainder(x, y, out=...)
    if x.dtype.kind not in "iu":
        return rest
    zero = y == 0
    return np.where(zero, x, rest) if zero.any() else rest


def _pow(x: Host, y: Host) -> Host:
    if x.dtype.kind == "f" and y.size == 1 and y.item() == 0.5:
        root = np.add(np.power(x, y), x.dtype.type(0))  # NumPy takes the root, which is -0 for -0 and NaN for -∞
        return np.where(np.isneginf(x), -x, root)
    if x.dtype.kind != "i":
        return complex_functions.power(x, y) if x.dtype.kind == "c" else np.power(x, y)
    negative = y < 0
    powers = np.power(x, np.where(negative, y.dtype.type(0), y))
    unit = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0)).astype(x.dtype)
    return np.where(negative, unit, powers)


@_rounded_once
def _along(x: Host, y: Host) -> Host:
    size: Host = np.hypot(x, y, out=...)
    out: Host = np.true_divide(x, size, out=size)
    if np.isfinite(out).all():
        return out
    out = np.where((x == 0) & (y == 0), x, out)
    return np.where(np.isinf(x) & np.isfinite(y), np.sign(x), out)


@_rounded_once
def _turn(x: Host, y: Host) -> Host:
    size: Host = np.hypot(x, y, out=...)
    out = np.true_divide(np.true_divide(x, size, out=...), size, out=...)
    if np.isfinite(out).all():
        return out
    return np.where(np.isinf(size) & ~np.isnan(x) & ~np.isnan(y), np.copysign(out.dtype.type(0), x), out)


@_rounded_once
def _scale(x: Host, y: Host) -> Host:
    return np.ldexp(x, y.astype(np.int32))


@_rounded_once
def _share(x: Host, y: Host) -> Host:
    half = x.dtype.type(0.5)
    out: Host = np.heaviside(np.subtract(x, y), half, out=...)
    return np.where(x == y, half, out) if np.isnan(out).any() else out


def _complex(x: Host, y: Host) -> Host:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), np.result_type(x, np.complex64))
    out.real = x
    out.imag = y
    return out


FUNCTIONS: Final[dict[UnaryKind | BinaryKind, _Function]] = {
    _U.IMAG: lambda x: x.imag.copy(),
    _U.BIT_COUNT: lambda x: np.bitwise_count(x.view(f"u{x.itemsize}")).astype(x.dtype),  # NumPy counts those of |x|
    _U.EXP2: _exp2,
    _U.ERF: _scipys("erf"),
    _U.ERFC: _scipys("erfc"),
    _U.ERF_INV: _rounded_once(erf_inv),
    _U.EXPM1: _by_dtype(np.expm1, complex_functions.expm1),
    _U.LOG10: _log10,
    _U.LOG1P: _by_dtype(np.log1p, complex_functions.log1p),
    _U.LOGISTIC: _by_dtype(_logistic, complex_functions.logistic),
    _U.REAL: lambda x: x.real.copy(),
    _U.RSQRT: _by_dtype(_rsqrt, complex_functions.rsqrt),
    _U.SIGN: _by_dtype(_sign, complex_functions.sign),
    _U.TANH: _by_dtype(np.tanh, complex_functions.tanh),
    _B.ALONG: _along,
    _B.ABOVE: lambda x, y: np.where(np.less(x, y), x.dtype.type(np.nan), x),
    _B.COMPLEX: _complex,
    _B.COPY_SIGN: _copy_sign,
    _B.DIV: _div,
    _B.FLOOR_DIV: _floor_divide,
    _B.POW: _pow,
    _B.REM: _rem,
    _B.SCALE: _scale,
    _B.SHARE: _share,
    _B.THREEFRY: threefry,
    _B.TURN: _turn,
}


@RULES.rule(Unary)
def evaluate_unary(op: Unary[Concrete]) -> Performed:
    kind = op.kind
    ufunc = UFUNCS.get(kind)
    if ufunc is not None:
        return concrete(quiet.run(ufunc, op.x.host, out=...), op.types())
    return result(quiet.run(FUNCTIONS[kind], op.x.host), op.types())


@RULES.rule(Binary)
def evaluate_binary(op: Binary[Concrete]) -> Performed:
    kind = op.kind
    ufunc = UFUNCS.get(kind)
    if ufunc is not None:
        return concrete(quiet.run(ufunc, op.x.host, op.y.host, out=...), op.types())
    return result(quiet.run(FUNCTIONS[kind], op.x.host, op.y.host), op.types())


@RULES.rule(Compare)
def evaluate_compare(op: Compare[Concrete]) -> Performed:
    return concrete(quiet.run(UFUNCS[op.kind], op.x.host, op.y.host, out=...), op.types())


@RULES.rule(Select)
def evaluate_select(op: Select[Concrete]) -> Performed:
    return concrete(chosen(op.pred.host, op.x.host, op.y.host), op.types())


@RULES.rule(Clamp)
def evaluate_clamp(op: Clamp[Concrete]) -> Performed:
    return concrete(quiet.run(clamped, op.low.host, op.x.host, op.high.host), op.types())


@RULES.rule(Convert)
def evaluate_convert(op: Convert[Concrete]) -> Performed:
    return concrete(quiet.run(_converted, op.x.host, op.dtype), op.types())


def _converted(x: Host, dtype: type[dtypes.DType]) -> Host:
    if x.dtype.kind == "c" and not issubclass(dtype, dtypes.Complex | dtypes.bool_):
        x = x.real
    if issubclass(dtype, dtypes.Integer) and x.dtype.kind not in "iub":
        return _saturated(x, dtype)
    return x.astype(dtype.dtype)


def _saturated(x: Host, dtype: type[dtypes.DType]) -> Host:
    """Float to integer: toward zero, to the nearest end outside the range, NaN to 0."""
    limits = np.iinfo(dtype.dtype)
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    if x.size and wide.min() >= float(limits.min) and wide.max() < 2.0 ** (limits.max.bit_length()):
        return wide.astype(dtype.dtype)
    wide = x.astype(np.float64)
    inside = np.where(np.isnan(wide), 0.0, np.trunc(wide))
    low, high = float(limits.min), float(limits.max)
    converted = np.where((inside >= low) & (inside < high), inside, 0.0).astype(dtype.dtype)
    return np.where(inside >= high, limits.max, np.where(inside < low, limits.min, converted)).astype(dtype.dtype)
