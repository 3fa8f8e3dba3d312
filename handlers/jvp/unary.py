"""Derivatives of functions of one argument x: the tangent of the result y, from x, y and the tangent t of x.

Functions that are not holomorphic (abs, real, imag, conj) are differentiated as functions of two real variables. Where
a function has a kink (abs) or jumps (sign, round), the derivative is the mean of the one-sided ones: 0.

Factors are written so that they neither overflow nor cancel where the derivative is representable, and so that the
derivative is NaN where the value is. A NaN must meet the tangent in a product: a choice between the two would be
transposed to a clean zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import effects.functions.elementwise.unary as fn
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert
from effects.functions.elementwise import arithmetic, logic, transcendental
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind, Select, Unary, UnaryKind
from effects.program.chain import perform
from effects.types import dtypes
from handlers.jvp.rules import Tangent

type _UnaryTangent = Callable[[Array, Array, Array], Tangent]

_U = UnaryKind


def times(t: Array, factor: Array) -> Array:
    """The product of a tangent and a factor of the same dtype, which needs no promotion."""
    return perform(Binary(BinaryKind.MUL, t, factor))


def minus(t: Array) -> Array:
    return perform(Unary(UnaryKind.NEG, t))


def _none(x: Array, y: Array, t: Array) -> None:
    """No tangent: the function is piecewise constant."""


def _abs(x: Array, y: Array, t: Array) -> Array:
    if is_complex(x):
        return fn.real(fn.conj(fn.sign(x)) * t)
    return t * fn.sign(x)


def _sign(x: Array, y: Array, t: Array) -> Tangent:
    if not is_complex(x):
        return None
    size = fn.abs(x)
    safe = logic.where(size == 0, 1, size)
    along = fn.real(fn.conj(y) * t)
    return logic.where(size == 0, constant_like(0, x), (t - y * _as(along, x)) / _as(safe, x))


def _as(x: Array, like: Array) -> Array:
    return fn.astype(x, like.aval.dtype)


def is_complex(x: Array) -> bool:
    return issubclass(x.aval.dtype, dtypes.Complex)


def _inside(x: Array) -> Array:
    """`x`, and NaN where it is negative, outside of the domain of a logarithm."""
    return x if is_complex(x) else perform(Binary(BinaryKind.ABOVE, x, constant_like(0, x)))


def clean(y: Array) -> Array:
    """1, and NaN where `y` is NaN."""
    return perform(Select(perform(Compare(CompareKind.NE, y, y)), constant_like(math.nan, y), constant_like(1, y)))


def _rest(x: Array) -> Array:
    """1 - x²; near 1 as a product, since the difference would cancel. Near 0 the slope of the product would."""
    near = perform(Compare(CompareKind.GT, fn.abs(x), constant_like(0.5, x)))
    return perform(Select(near, (1 - x) * (1 + x), 1 - x * x))


def _root(x: Array) -> Array:
    """1 / √(1 - x²); of two factors for complex numbers, whose squares may overflow."""
    if is_complex(x):
        return times(transcendental.rsqrt(1 - x), transcendental.rsqrt(1 + x))
    return transcendental.rsqrt(_rest(x))


def _asinh(x: Array, y: Array, t: Array) -> Array:
    if is_complex(x):
        rotated = x * constant_like(1j, x)
        return t * (transcendental.rsqrt(1 - rotated) * transcendental.rsqrt(1 + rotated))
    return t / arithmetic.hypot(x, constant_like(1, x))


def _atan(x: Array, y: Array, t: Array) -> Array:
    if is_complex(x):
        rotated = x * constant_like(1j, x)
        return t / (1 - rotated) / (1 + rotated)
    return times(t, perform(Binary(BinaryKind.TURN, constant_like(1, x), x)))


def _atanh(x: Array, y: Array, t: Array) -> Array:
    return t / (1 - x) / (1 + x) if is_complex(x) else t / _inside(_rest(x))


def gauss(x: Array) -> Array:
    """exp(-x²), with slopes that are 0 where it is 0 in every dtype: x² would overflow."""
    near = logic.clip(x, -30, 30)
    return transcendental.exp(-near * near)


_TWO_OVER_SQRT_PI: Final = 1.1283791670955126
_LOG_2: Final = 0.6931471805599453
_LOG_10: Final = 2.302585092994046


def _unary() -> dict[UnaryKind, _UnaryTangent]:
    """The table of rules: type checkers would take long for it, and skip the bodies of functions in libraries."""
    return {
        _U.ABS: _abs,
        _U.ACOS: lambda x, y, t: times(t, minus(_root(x))),
        _U.ACOSH: lambda x, y, t: t * transcendental.rsqrt(x - 1) * transcendental.rsqrt(x + 1),
        _U.ASIN: lambda x, y, t: times(t, _root(x)),
        _U.ASINH: _asinh,
        _U.ATAN: _atan,
        _U.ATANH: _atanh,
        _U.BIT_COUNT: _none,
        _U.CBRT: lambda x, y, t: t / y / y / 3,
        _U.CEIL: _none,
        _U.CONJ: lambda x, y, t: fn.conj(t),
        _U.COS: lambda x, y, t: times(t, minus(transcendental.sin(x))),
        _U.COSH: lambda x, y, t: times(t, transcendental.sinh(x)),
        _U.ERF: lambda x, y, t: t * (_TWO_OVER_SQRT_PI * gauss(x)),
        _U.ERFC: lambda x, y, t: t * (-_TWO_OVER_SQRT_PI * gauss(x)),
        _U.ERF_INV: lambda x, y, t: t * (transcendental.exp(y * y) / _TWO_OVER_SQRT_PI),
        _U.EXP: lambda x, y, t: times(t, y),
        _U.EXP2: lambda x, y, t: t * (_LOG_2 * y),
        _U.EXPM1: lambda x, y, t: times(t, transcendental.exp(x)),
        _U.FLOOR: _none,
        _U.IMAG: lambda x, y, t: fn.imag(t),
        _U.IS_FINITE: _none,
        _U.LOG: lambda x, y, t: t / _inside(x),
        _U.LOG10: lambda x, y, t: t / _inside(x) / _LOG_10,
        _U.LOG2: lambda x, y, t: t / _inside(x) / _LOG_2,
        _U.LOG1P: lambda x, y, t: t / _inside(x + 1),
        _U.LOGISTIC: lambda x, y, t: times(t, (y * (1 - y))),
        _U.NEG: lambda x, y, t: minus(t),
        _U.NOT: _none,
        _U.REAL: lambda x, y, t: fn.real(t),
        _U.ROUND: _none,
        _U.RSQRT: lambda x, y, t: times(t, (-0.5 * y / x)),
        _U.SIGN: _sign,
        _U.SIGN_BIT: _none,
        _U.SIN: lambda x, y, t: times(t, transcendental.cos(x)),
        _U.SINH: lambda x, y, t: times(t, transcendental.cosh(x)),
        _U.SQRT: lambda x, y, t: times(t, 0.5 * transcendental.rsqrt(x)),
        _U.TAN: lambda x, y, t: t * (1 + y * y),
        _U.TANH: lambda x, y, t: times(t, (1 - y * y)),
        _U.TRUNC: _none,
    }


UNARY: Final = _unary()
_DIFFERENCES: Final = frozenset(
    (_U.ACOS, _U.ASIN, _U.ATAN, _U.ATANH, _U.ERF, _U.ERFC, _U.ERF_INV, _U.LOGISTIC, _U.TANH)
)
"""The functions whose factors cancel, overflow or magnify roundings of their argument."""


def tangent(kind: UnaryKind, x: Array, y: Array, t: Array) -> Tangent:
    """The tangent of y = kind(x). For narrow floats, factors that cancel are computed in float32 and rounded once."""
    if x.aval.dtype not in dtypes.NARROW or kind not in _DIFFERENCES:
        return UNARY[kind](x, y, t)
    aval = x.aval
    wide = convert(x, dtypes.float32, aval.weak_type)
    factor = UNARY[kind](wide, perform(Unary(kind, wide)), constant_like(1, wide))
    assert factor is not None, "these functions are smooth"
    return times(t, convert(factor, aval.dtype, aval.weak_type))
