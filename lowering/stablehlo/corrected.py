"""The StableHLO operation of each elementwise function, and rules for functions where XLA's values differ.

`NAMES` has the operations. `CORRECTED_UNARY` and `CORRECTED_BINARY` have, by function and dtype, rules where XLA lacks
the dtype or gives other values than `handlers.evaluate`. Functions of narrow floats are computed in float32 and rounded
once; for float8, which XLA does not compute with, all of them are.

Two differences remain. The sign of a zero from `maximum` and `minimum` is XLA's, to which 0 is greater than -0; NumPy's
dtypes do not agree on it, and the Array API standard leaves it open. And on CPUs arithmetic and comparisons take
subnormal numbers for zero; operations that move, choose or read bits keep them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from effects.operations.elementwise import Binary, BinaryKind, Unary, UnaryKind
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from lowering.stablehlo.complex_functions import COMPLEX_UNARY, complex_power
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.cpu.doubles import in_double
from lowering.stablehlo.division import (
    common_divisor,
    floored,
    floored_integers,
    remainder,
    truncated,
    truncated_integers,
)
from lowering.stablehlo.exact import absolute, added, complex_divided, divided, multiplied, opaque, subtracted
from lowering.stablehlo.hyperbolic import cosh, sinh
from lowering.stablehlo.patterns import copy_sign, next_after, scaled, scaling, sign_bit
from lowering.stablehlo.plane import along, atan2, hypot, turn
from lowering.stablehlo.powers import float_power, integer_power
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope
from lowering.stablehlo.threefry import threefry

_U, _B = UnaryKind, BinaryKind
_STABLEHLO: Final[tuple[UnaryKind | BinaryKind, ...]] = (
    *(_U.ABS, _U.CBRT, _U.CEIL, _U.FLOOR, _U.IMAG, _U.IS_FINITE, _U.LOG, _U.LOGISTIC, _U.NOT),
    *(_U.REAL, _U.RSQRT, _U.SIGN, _U.SQRT, _U.TAN, _U.TANH),
    *(_B.ADD, _B.AND, _B.ATAN2, _B.COMPLEX, _B.OR, _B.SHIFT_LEFT, _B.XOR),
)
_CHLO: Final[tuple[UnaryKind | BinaryKind, ...]] = (
    *(_U.ACOS, _U.ACOSH, _U.ASIN, _U.ASINH, _U.ATAN, _U.ATANH, _U.CONJ, _U.ERF, _U.ERFC),
    *(_U.ERF_INV, _B.NEXT_AFTER),
)
NAMES: Final[dict[UnaryKind | BinaryKind, str]] = {
    **{kind: f"stablehlo.{kind.value}" for kind in _STABLEHLO},
    **{kind: f"chlo.{kind.value}" for kind in _CHLO},
    _U.BIT_COUNT: "stablehlo.popcnt",
    _U.COS: "stablehlo.cosine",
    _U.EXP: "stablehlo.exponential",
    _U.EXPM1: "stablehlo.exponential_minus_one",
    _U.LOG1P: "stablehlo.log_plus_one",
    _U.NEG: "stablehlo.negate",
    _U.ROUND: "stablehlo.round_nearest_even",
    _U.SIN: "stablehlo.sine",
    _B.DIV: "stablehlo.divide",
    _B.MAX: "stablehlo.maximum",
    _B.MIN: "stablehlo.minimum",
    _B.MUL: "stablehlo.multiply",
    _B.POW: "stablehlo.power",
    _B.SUB: "stablehlo.subtract",
}

_FNUZ: Final = {dtypes.float8_e4m3b11fnuz, dtypes.float8_e4m3fnuz, dtypes.float8_e5m2fnuz}

type _UnaryRule = Callable[[Unary[Atom], Value, ShapedArray, Scope], Value]
type _BinaryRule = Callable[[Binary[Atom], Value, Value, ShapedArray, Scope], Value]


def _unary_in_float32(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    wide = out.with_dtype(dtypes.float32)
    if op.kind is _U.IS_FINITE:
        return scope.op(NAMES[op.kind], TYPES[out], (scope.convert(x, wide),))
    rule = CORRECTED_UNARY.get((op.kind, dtypes.float32), _by_name)
    return scope.convert(rule(op, scope.convert(x, wide), wide, scope), out)


def _by_name(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.op(NAMES[op.kind], TYPES[out], (x,))


def _log(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.op(NAMES[op.kind], TYPES[out], (opaque(x, out, scope),))


_BASES: Final = {_U.LOG2: 2, _U.LOG10: 10}


def _power_of_two(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """2ˣ as 2ⁿ · exp(log(2) · (x - n)) with n = floor(x), so that whole powers are exact.

    Where the result is subnormal, n is that of the least normal number. XLA's power is exact, too, and takes five times
    as long.
    """
    of = scope.do
    limits = np.finfo(out.dtype.dtype)
    low, high = scope.fill(out, limits.minexp - limits.nmant - 2), scope.fill(out, limits.maxexp)  # 2 ** high overflows
    within = of("clamp", low, x, high)
    integral = of("maximum", of("floor", within), scope.fill(out, int(limits.minexp)))
    rest = of("multiply", of("subtract", within, integral), scope.fill(out, math.log(2)))
    return of("multiply", of("exponential", rest), scaling(integral, out, scope))


def _log_to_base(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """log(x) / log(base), where results within rounding of an integer are that integer."""
    of = scope.do
    logarithm = of("log", opaque(x, out, scope))
    quotient = of("divide", logarithm, scope.fill(out, math.log(_BASES[op.kind])))
    nearest = of("round_nearest_even", quotient)
    distance = of("abs", of("subtract", quotient, nearest))
    digit = 2 * float(np.finfo(out.dtype.dtype).eps)
    bound = of("multiply", of("abs", nearest), scope.fill(out, digit))
    near = compared("LE", distance, bound, out, scope)
    return of("select", near, nearest, quotient)


def _sign(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """The sign; 0 for -0, too."""
    zero = scope.fill(out, 0)
    vanishes = compared("EQ", x, zero, out, scope)
    return scope.do("select", vanishes, zero, scope.op(NAMES[op.kind], TYPES[out], (x,)))


def _cube_root(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """The cube root; subnormal numbers, for which XLA gives -6e-16, are returned unchanged."""
    vanishes = compared("EQ", x, scope.fill(out, 0), out, scope)
    return scope.do("select", vanishes, x, scope.op(NAMES[op.kind], TYPES[out], (x,)))


def _unsigned_abs(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return x


def _unsigned_sign(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.convert(compared("NE", x, scope.fill(out, 0), out, scope), out)


def _binary_in_float32(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    wide = ShapedArray(out.shape, dtypes.float32)
    rule = CORRECTED_BINARY.get((op.kind, dtypes.float32), _pair_by_name)
    return scope.convert(rule(op, scope.convert(x, wide), scope.convert(y, wide), wide, scope), out)


def _pair_by_name(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.op(NAMES[op.kind], TYPES[out], (x, y))


def _next_fnuz(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The next float of dtypes with one zero: the step up from the last negative number gives the bits of NaN."""
    wide = out.with_dtype(dtypes.float32)
    following = scope.op(NAMES[op.kind], TYPES[out], (x, y))
    number, bound, result = [scope.convert(v, wide) for v in (x, y, following)]
    ordered = scope.do("and", *[compared("EQ", v, v, wide, scope) for v in (number, bound)])
    crossed = scope.do("and", compared("NE", result, result, wide, scope), ordered)
    return scope.do("select", crossed, scope.fill(out, 0), following)


def _complex_of_float32(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    wide = ShapedArray(out.shape, dtypes.float32)
    return scope.op(NAMES[op.kind], TYPES[out], (scope.convert(x, wide), scope.convert(y, wide)))


def _above(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.do("select", compared("LT", x, y, out, scope), scope.fill(out, math.nan), x)


def _share(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    result = scope.fill(out, math.nan)
    for comparison, weight in (("EQ", 0.5), ("LT", 0), ("GT", 1)):
        holds = compared(comparison, x, y, out, scope)
        result = scope.do("select", holds, scope.fill(out, weight), result)
    return result


def _shift_right(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    signed = issubclass(out.dtype, dtypes.Signed)
    name = "stablehlo.shift_right_arithmetic" if signed else "stablehlo.shift_right_logical"
    return scope.op(name, TYPES[out], (x, y))


_FLOATS: Final = [dtype for dtype in dtypes.ALL if issubclass(dtype, dtypes.Floating)]
_INTEGERS: Final = [dtype for dtype in dtypes.ALL if issubclass(dtype, dtypes.Integer)]
_COMPLEX: Final = (dtypes.complex64, dtypes.complex128)
_UNSIGNED: Final = [dtype for dtype in dtypes.ALL if issubclass(dtype, dtypes.Unsigned)]

_EXACT: Final = {_U.ABS, _U.CEIL, _U.FLOOR, _U.IS_FINITE, _U.NEG, _U.NOT, _U.ROUND, _U.SIGN, _U.TRUNC}
_ROUNDED_UNARY: Final = set(UnaryKind) - _EXACT
"""Functions of narrow floats that XLA does not round once by itself."""

CORRECTED_UNARY: Final[dict[tuple[UnaryKind, type[DType]], _UnaryRule]] = {
    **{(kind, dtype): _unary_in_float32 for kind in _ROUNDED_UNARY for dtype in dtypes.NARROW},
    **{(kind, dtype): _unary_in_float32 for kind in UnaryKind for dtype in FLOAT8},
    **{(_U.CBRT, dtypes.float32): _cube_root},
    **{(_U.SIGN, dtype): _sign for dtype in _FLOATS if dtype not in FLOAT8},
    **{(_U.COSH, dtype): cosh for dtype in (dtypes.float32, dtypes.float64)},
    **{(_U.SINH, dtype): sinh for dtype in (dtypes.float32, dtypes.float64)},
    **{(_U.EXP2, dtype): _power_of_two for dtype in (dtypes.float32, dtypes.float64)},
    **{(_U.LOG, dtypes.float32): _log},
    **{(kind, dtypes.float64): in_double for kind in (_U.LOG, _U.LOG1P)},
    **{(kind, dtype): _log_to_base for kind in _BASES for dtype in (dtypes.float32, dtypes.float64)},
    **{(_U.SIGN_BIT, dtype): sign_bit for dtype in _FLOATS},
    **{(_U.TRUNC, dtype): truncated for dtype in _FLOATS if dtype not in FLOAT8},
    **{(_U.ABS, dtype): _unsigned_abs if dtype in _UNSIGNED else absolute for dtype in _INTEGERS},
    **{(_U.SIGN, dtype): _unsigned_sign for dtype in _UNSIGNED},
    **{(kind, dtype): rule for kind, rule in COMPLEX_UNARY.items() for dtype in _COMPLEX},
}
_COMPOSED: Final[dict[BinaryKind, _BinaryRule]] = {
    _B.ALONG: along,
    _B.ATAN2: atan2,
    _B.DIV: divided,
    _B.FLOOR_DIV: floored,
    _B.HYPOT: hypot,
    _B.REM: remainder,
    _B.SCALE: scaled,
    _B.TURN: turn,
}
_CHOSEN: Final = {_B.ABOVE: _above, _B.COPY_SIGN: copy_sign, _B.SHARE: _share}
_LINEAR: Final[dict[BinaryKind, _BinaryRule]] = {_B.ADD: added, _B.MUL: multiplied, _B.SUB: subtracted}
CORRECTED_BINARY: Final[dict[tuple[BinaryKind, type[DType]], _BinaryRule]] = {
    **{(kind, dtype): rule for kind, rule in _LINEAR.items() for dtype in _FLOATS},
    **{(kind, dtype): rule for kind, rule in ((_B.ADD, added), (_B.SUB, subtracted)) for dtype in _COMPLEX},
    **{(_B.DIV, dtype): complex_divided for dtype in _COMPLEX},
    **{(kind, dtype): _binary_in_float32 for kind in (*_COMPOSED, _B.POW) for dtype in dtypes.NARROW},
    **{(kind, dtype): _binary_in_float32 for kind in BinaryKind if kind is not _B.NEXT_AFTER for dtype in FLOAT8},
    **{(_B.NEXT_AFTER, dtype): next_after for dtype in _FLOATS if dtype not in FLOAT8},
    **{(_B.NEXT_AFTER, dtype): _next_fnuz for dtype in _FNUZ},
    **{(kind, dtype): rule for kind, rule in _COMPOSED.items() for dtype in (dtypes.float32, dtypes.float64)},
    **{(_B.COMPLEX, dtype): _complex_of_float32 for dtype in dtypes.NARROW},
    **{(kind, dtype): rule for kind, rule in _CHOSEN.items() for dtype in _FLOATS if dtype not in FLOAT8},
    **{(_B.DIV, dtype): truncated_integers for dtype in _INTEGERS},
    **{(_B.FLOOR_DIV, dtype): floored_integers for dtype in _INTEGERS},
    **{(_B.GCD, dtype): common_divisor for dtype in _INTEGERS},
    **{(_B.REM, dtype): remainder for dtype in _INTEGERS},
    **{(_B.SHIFT_RIGHT, dtype): _shift_right for dtype in _INTEGERS},
    **{(_B.POW, dtype): complex_power for dtype in _COMPLEX},
    **{(_B.POW, dtype): float_power for dtype in (dtypes.float32, dtypes.float64)},
    **{(_B.POW, dtype): integer_power for dtype in _INTEGERS},
    (_B.THREEFRY, dtypes.uint64): threefry,
}
