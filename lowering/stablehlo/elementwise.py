"""Elementwise operations: operands are broadcast to the shape of the result, then one StableHLO operation each.

Where StableHLO lacks a dtype, or means something else by it than `handlers.evaluate`, the functions below say what is
emitted instead. Float8 values are computed with in float32 and rounded, as `ml_dtypes` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from effects import dtypes
from effects.avals import ShapedArray
from effects.dtypes import DType
from effects.jaxpr import Atom, Var
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
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import Value, comparison_direction, comparison_type
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_U, _B = UnaryKind, BinaryKind

NAMES: Final[dict[UnaryKind | BinaryKind, str]] = {
    _U.ABS: "stablehlo.abs",
    _U.ACOS: "chlo.acos",
    _U.ACOSH: "chlo.acosh",
    _U.ASIN: "chlo.asin",
    _U.ASINH: "chlo.asinh",
    _U.ATAN: "chlo.atan",
    _U.ATANH: "chlo.atanh",
    _U.CBRT: "stablehlo.cbrt",
    _U.CEIL: "stablehlo.ceil",
    _U.CONJ: "chlo.conj",
    _U.COS: "stablehlo.cosine",
    _U.COSH: "chlo.cosh",
    _U.DIGAMMA: "chlo.digamma",
    _U.ERF: "chlo.erf",
    _U.ERFC: "chlo.erfc",
    _U.EXP: "stablehlo.exponential",
    _U.EXPM1: "stablehlo.exponential_minus_one",
    _U.FLOOR: "stablehlo.floor",
    _U.IMAG: "stablehlo.imag",
    _U.IS_FINITE: "stablehlo.is_finite",
    _U.LGAMMA: "chlo.lgamma",
    _U.LOG: "stablehlo.log",
    _U.LOG1P: "stablehlo.log_plus_one",
    _U.LOGISTIC: "stablehlo.logistic",
    _U.NEG: "stablehlo.negate",
    _U.NOT: "stablehlo.not",
    _U.REAL: "stablehlo.real",
    _U.ROUND: "stablehlo.round_nearest_even",
    _U.RSQRT: "stablehlo.rsqrt",
    _U.SIGN: "stablehlo.sign",
    _U.SIN: "stablehlo.sine",
    _U.SINH: "chlo.sinh",
    _U.SQRT: "stablehlo.sqrt",
    _U.TAN: "stablehlo.tan",
    _U.TANH: "stablehlo.tanh",
    _B.ADD: "stablehlo.add",
    _B.AND: "stablehlo.and",
    _B.ATAN2: "stablehlo.atan2",
    _B.COMPLEX: "stablehlo.complex",
    _B.DIV: "stablehlo.divide",
    _B.MAX: "stablehlo.maximum",
    _B.MIN: "stablehlo.minimum",
    _B.MUL: "stablehlo.multiply",
    _B.NEXT_AFTER: "chlo.next_after",
    _B.OR: "stablehlo.or",
    _B.POW: "stablehlo.power",
    _B.REM: "stablehlo.remainder",
    _B.SHIFT_LEFT: "stablehlo.shift_left",
    _B.SUB: "stablehlo.subtract",
    _B.XOR: "stablehlo.xor",
}


def _unsigned_sign(x: Value, aval: ShapedArray, scope: Scope) -> Value:
    positive = scope.op("stablehlo.compare", TYPES[_bits(aval)], (x, scope.fill(aval, 0)), comparison("NE", aval.dtype))
    return scope.convert(positive, aval)


def _bits(aval: ShapedArray) -> ShapedArray:
    return ShapedArray(aval.shape, dtypes.bool_)


def comparison(direction: str, dtype: type[DType]) -> Attributes:
    """The attributes of `stablehlo.compare`."""
    return {
        "comparison_direction": comparison_direction(direction),
        "compare_type": comparison_type(dtype.dtype),
    }


# -- one operand ---------------------------------------------------------------------------------------------------


@RULES.rule(Unary)
def lower_unary(op: Unary[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    aval = op.x.aval
    special = _UNARY_SPECIAL.get((op.kind, aval.dtype))
    if special is not None:
        return special(op.kind, scope[op.x], aval, outs[0].aval, scope)
    return scope.op(NAMES[op.kind], TYPES[outs[0].aval], (scope[op.x],))


type _UnaryRule = Callable[[UnaryKind, Value, ShapedArray, ShapedArray, Scope], Value]


def _unary_in_float32(kind: UnaryKind, x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope) -> Value:
    wide = aval.with_dtype(dtypes.float32)
    if kind is _U.IS_FINITE:
        return scope.op(NAMES[kind], TYPES[out], (scope.convert(x, wide),))
    return scope.convert(scope.op(NAMES[kind], TYPES[wide], (scope.convert(x, wide),)), out)


_UNARY_SPECIAL: Final[dict[tuple[UnaryKind, type[DType]], _UnaryRule]] = {
    **{(kind, dtype): _unary_in_float32 for kind in UnaryKind for dtype in FLOAT8},
    **{
        (_U.ABS, dtype): lambda kind, x, aval, out, scope: x
        for dtype in (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
    },
    **{
        (_U.SIGN, dtype): lambda kind, x, aval, out, scope: _unsigned_sign(x, aval, scope)
        for dtype in (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
    },
}


# -- two operands --------------------------------------------------------------------------------------------------


@RULES.rule(Binary)
def lower_binary(op: Binary[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    kind = op.kind
    x = op.x
    y = op.y
    out = outs[0].aval
    shape = out.shape
    left = scope[x] if x.aval is out else scope.spread(x, shape)
    right = scope[y] if y.aval is out else scope.spread(y, shape)
    special = _BINARY_SPECIAL.get((kind, x.aval.dtype))
    if special is not None:
        return special(op, left, right, out, scope)
    return scope.op(NAMES[kind], TYPES[out], (left, right))


type _BinaryRule = Callable[[Binary[Atom], Value, Value, ShapedArray, Scope], Value]


def _binary_in_float32(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    wide = ShapedArray(out.shape, dtypes.float32)
    return scope.convert(scope.op(NAMES[op.kind], TYPES[wide], (scope.convert(x, wide), scope.convert(y, wide))), out)


def _complex_of_float32(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    wide = ShapedArray(out.shape, dtypes.float32)
    return scope.op(NAMES[op.kind], TYPES[out], (scope.convert(x, wide), scope.convert(y, wide)))


def _shift_right(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    signed = issubclass(out.dtype, dtypes.Signed)
    name = "stablehlo.shift_right_arithmetic" if signed else "stablehlo.shift_right_logical"
    return scope.op(name, TYPES[out], (x, y))


def _complex_power(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """0 to a power with a positive real part is 0, where XLA's exp(y log(x)) is NaN."""
    bits, part = TYPES[_bits(out)], out.with_dtype(dtypes.real_of(out.dtype))
    zero = scope.fill(out, 0)
    real = scope.op("stablehlo.real", TYPES[part], (y,))
    of_zero = scope.op("stablehlo.compare", bits, (x, zero), comparison("EQ", out.dtype))
    positive = scope.op("stablehlo.compare", bits, (real, scope.fill(part, 0)), comparison("GT", part.dtype))
    vanishes = scope.op("stablehlo.and", bits, (of_zero, positive))
    power = scope.op(NAMES[_B.POW], TYPES[out], (x, y))
    return scope.op("stablehlo.select", TYPES[out], (vanishes, zero, power))


_BINARY_SPECIAL: Final[dict[tuple[BinaryKind, type[DType]], _BinaryRule]] = {
    **{(kind, dtype): _binary_in_float32 for kind in BinaryKind for dtype in FLOAT8},
    **{(_B.NEXT_AFTER, dtype): _binary_in_float32 for dtype in FLOAT8},
    **{(_B.COMPLEX, dtype): _complex_of_float32 for dtype in FLOAT8 | {dtypes.float16, dtypes.bfloat16}},
    **{(_B.SHIFT_RIGHT, dtype): _shift_right for dtype in dtypes.ALL if issubclass(dtype, dtypes.Integer)},
    **{(_B.POW, dtype): _complex_power for dtype in (dtypes.complex64, dtypes.complex128)},
}


@RULES.rule(Compare)
def lower_compare(op: Compare[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    x, y = scope.spread(op.x, out.shape), scope.spread(op.y, out.shape)
    dtype = op.x.aval.dtype
    if dtype in FLOAT8:
        dtype = dtypes.float32
        wide = ShapedArray(out.shape, dtype)
        x, y = scope.convert(x, wide), scope.convert(y, wide)
    return scope.op("stablehlo.compare", TYPES[out], (x, y), COMPARISONS[op.kind, dtype])


COMPARISONS: Final = {(kind, dtype): comparison(kind.name, dtype) for kind in CompareKind for dtype in dtypes.ALL}


# -- three operands ------------------------------------------------------------------------------------------------


@RULES.rule(Select)
def lower_select(op: Select[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    pred = scope[op.pred] if op.pred.aval.ndim == 0 else scope.spread(op.pred, out.shape)
    cases = scope.spread(op.x, out.shape), scope.spread(op.y, out.shape)
    return scope.op("stablehlo.select", TYPES[out], (pred, *cases))


@RULES.rule(Clamp)
def lower_clamp(op: Clamp[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    low, x, high = [scope.spread(v, out.shape) for v in (op.low, op.x, op.high)]
    if out.dtype in FLOAT8:
        wide = out.with_dtype(dtypes.float32)
        low, x, high = [scope.convert(v, wide) for v in (low, x, high)]
        return scope.convert(_clamped(low, x, high, wide, scope), out)
    return _clamped(low, x, high, out, scope)


def _clamped(low: Value, x: Value, high: Value, aval: ShapedArray, scope: Scope) -> Value:
    raised = scope.op("stablehlo.maximum", TYPES[aval], (x, low))
    return scope.op("stablehlo.minimum", TYPES[aval], (raised, high))


# -- conversion ----------------------------------------------------------------------------------------------------


@RULES.rule(Convert)
def lower_convert(op: Convert[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    return converted(scope[op.x], op.x.aval, outs[0].aval, scope)


def converted(x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope) -> Value:
    """`x` of type `aval` as the type `out` of the same shape."""
    source, target = aval.dtype, out.dtype
    if source is target:
        return x
    if target is dtypes.bool_:
        return _to_bool(x, aval, out, scope)
    if issubclass(source, dtypes.Complex) and not issubclass(target, dtypes.Complex):
        aval = aval.with_dtype(dtypes.real_of(source))
        return converted(scope.op("stablehlo.real", TYPES[aval], (x,)), aval, out, scope)
    if source in FLOAT8 and target is not dtypes.float32:
        wide = aval.with_dtype(dtypes.float32)
        return converted(scope.convert(x, wide), wide, out, scope)
    if issubclass(target, dtypes.Complex) and not issubclass(source, dtypes.Complex):
        part = out.with_dtype(dtypes.real_of(target))
        parts = converted(x, aval, part, scope), scope.fill(part, 0)
        return scope.op("stablehlo.complex", TYPES[out], parts)
    return scope.convert(x, out)


def _to_bool(x: Value, aval: ShapedArray, out: ShapedArray, scope: Scope) -> Value:
    if aval.dtype in FLOAT8:
        aval = aval.with_dtype(dtypes.float32)
        x = scope.convert(x, aval)
    zero = scope.fill(aval, 0)
    return scope.op("stablehlo.compare", TYPES[out], (x, zero), COMPARISONS[CompareKind.NE, aval.dtype])
