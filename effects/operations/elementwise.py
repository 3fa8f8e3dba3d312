"""Elementwise operations. Operands of different shapes broadcast as in NumPy.

The operands of `Binary`, `Compare` and `Clamp` have one dtype, and so have the two cases of `Select`; the public
functions promote. A function of narrow floats (`dtypes.NARROW`) is that of float32, rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from effects.errors import DTypeError
from effects.program.operation import Kind, Single, operation
from effects.types import dtypes, promotion
from effects.types.avals import ShapedArray, Typed
from effects.types.dtypes import DType
from effects.types.shapes import broadcast, broadcast_all


class UnaryKind(Kind):
    """The functions of one argument; the value is the printed name."""

    ABS = "abs"
    ACOS = "acos"
    ACOSH = "acosh"
    ASIN = "asin"
    ASINH = "asinh"
    ATAN = "atan"
    ATANH = "atanh"
    BIT_COUNT = "bit_count"
    CBRT = "cbrt"
    CEIL = "ceil"
    CONJ = "conj"
    COS = "cos"
    COSH = "cosh"
    ERF = "erf"
    ERFC = "erfc"
    ERF_INV = "erf_inv"
    EXP = "exp"
    EXP2 = "exp2"
    EXPM1 = "expm1"
    FLOOR = "floor"
    IMAG = "imag"
    IS_FINITE = "is_finite"
    LOG = "log"
    LOG10 = "log10"
    LOG1P = "log1p"
    LOG2 = "log2"
    LOGISTIC = "logistic"
    NEG = "neg"
    NOT = "not"
    REAL = "real"
    ROUND = "round"
    RSQRT = "rsqrt"
    SIGN = "sign"
    SIGN_BIT = "sign_bit"
    SIN = "sin"
    SINH = "sinh"
    SQRT = "sqrt"
    TAN = "tan"
    TANH = "tanh"
    TRUNC = "trunc"


class BinaryKind(Kind):
    """The functions of two arguments of one dtype.

    `ABOVE` is x where it is not less than y, else NaN. `ALONG` is x / √(x² + y²), the slope of `HYPOT`: its limit where
    one of the two is infinite, 0 at the origin. `DIV` on integers truncates toward zero; `FLOOR_DIV` and `REM`, which
    belong together, are Python's, and those of integers by 0 are -1 and x. `GCD` is the greatest number that divides
    both |x| and |y|. Shifts by the width or more give 0 (all sign bits for the arithmetic shift). `COMPLEX` makes a
    complex number of its two parts. `COPY_SIGN` is the size of x with the sign of y. `HYPOT` is √(x² + y²) without
    overflow in between. `SCALE` is x · 2ʸ for whole y, rounded once; it is linear in x, and not differentiated in y.
    `SHARE` is the slope of `MAX`: 1 where x is greater, ½ where it is y, 0 where it is less, NaN beside NaN. `THREEFRY`
    is the block cipher Threefry-2x32 of 20 rounds (Salmon and others, 2011): the pair of words y, the high one first,
    under the key x, both uint64. `TURN` is x / (x² + y²), by which the angle turns: 0 where one of the two is infinite,
    NaN at the origin.
    """

    ABOVE = "above"
    ADD = "add"
    ALONG = "along"
    AND = "and"
    ATAN2 = "atan2"
    COMPLEX = "complex"
    COPY_SIGN = "copy_sign"
    DIV = "div"
    FLOOR_DIV = "floor_div"
    GCD = "gcd"
    HYPOT = "hypot"
    MAX = "max"
    MIN = "min"
    MUL = "mul"
    NEXT_AFTER = "next_after"
    OR = "or"
    POW = "pow"
    REM = "rem"
    SCALE = "scale"
    SHARE = "share"
    SHIFT_LEFT = "shift_left"
    SHIFT_RIGHT = "shift_right"
    SUB = "sub"
    THREEFRY = "threefry"
    TURN = "turn"
    XOR = "xor"


class CompareKind(Kind):
    """The comparisons. A NaN differs from everything, itself included."""

    EQ = "eq"
    GE = "ge"
    GT = "gt"
    LE = "le"
    LT = "lt"
    NE = "ne"


def _any(dtype: type[DType]) -> bool:
    return True


def _number(dtype: type[DType]) -> bool:
    return issubclass(dtype, dtypes.Num)


def _real_number(dtype: type[DType]) -> bool:
    return issubclass(dtype, dtypes.Integer | dtypes.Floating)


def _integral(dtype: type[DType]) -> bool:
    return issubclass(dtype, dtypes.Integer) or dtype is dtypes.bool_


def _integer(dtype: type[DType]) -> bool:
    return issubclass(dtype, dtypes.Integer)


def _word_pair(dtype: type[DType]) -> bool:
    return dtype is dtypes.uint64


def _floating(dtype: type[DType]) -> bool:
    return issubclass(dtype, dtypes.Floating)


def _ordered(dtype: type[DType]) -> bool:
    return not issubclass(dtype, dtypes.Complex)


_EXPECTED: Final[dict[Callable[[type[DType]], bool], str]] = {
    _number: "a number",
    _real_number: "a real number",
    _integral: "an integer or bool",
    _integer: "an integer",
    _floating: "real floating point",
    _ordered: "anything but complex",
    _word_pair: "uint64",
    dtypes.is_inexact: "real or complex floating point",
}

_U, _B = UnaryKind, BinaryKind
_UNARY_TAKES: Final[dict[UnaryKind, Callable[[type[DType]], bool]]] = {
    **dict.fromkeys((_U.ABS, _U.SIGN, _U.NEG), _number),
    **dict.fromkeys((_U.CBRT, _U.CEIL, _U.ERF, _U.ERFC, _U.ERF_INV, _U.FLOOR, _U.ROUND), _floating),
    **dict.fromkeys((_U.EXP2, _U.IS_FINITE, _U.LOG10, _U.LOG2, _U.SIGN_BIT, _U.TRUNC), _floating),
    **{_U.BIT_COUNT: _integer, _U.NOT: _integral},
    **dict.fromkeys((_U.REAL, _U.IMAG, _U.CONJ), lambda dtype: issubclass(dtype, dtypes.Complex)),
}
_BINARY_TAKES: Final = {
    **dict.fromkeys((_B.ADD, _B.MUL), _any),
    **dict.fromkeys((_B.SUB, _B.DIV, _B.POW), _number),
    **dict.fromkeys((_B.MAX, _B.MIN), _ordered),
    **dict.fromkeys((_B.FLOOR_DIV, _B.REM), _real_number),
    **dict.fromkeys((_B.ABOVE, _B.ALONG, _B.ATAN2, _B.COMPLEX, _B.COPY_SIGN, _B.HYPOT, _B.NEXT_AFTER), _floating),
    **dict.fromkeys((_B.SCALE, _B.SHARE, _B.TURN), _floating),
    **dict.fromkeys((_B.AND, _B.OR, _B.XOR), _integral),
    **dict.fromkeys((_B.GCD, _B.SHIFT_LEFT, _B.SHIFT_RIGHT), _integer),
    _B.THREEFRY: _word_pair,
}


def _refuse(name: str, takes: Callable[[type[DType]], bool], *avals: ShapedArray) -> DTypeError:
    expected = _EXPECTED.get(takes, "complex numbers")
    conditions = "put comparisons in parentheses, (x > 0) & (y < 1), or " if takes is _integral and avals[1:] else ""
    return DTypeError(f"{name} takes {expected}, got {' and '.join(map(str, avals))}; {conditions}convert with astype")


def same_dtype(name: str, *avals: ShapedArray) -> type[DType]:
    """The common dtype of `avals`; raises DTypeError if they differ."""
    if any(aval.dtype is not avals[0].dtype for aval in avals):
        raise DTypeError(f"{name} takes operands of one dtype, got {' and '.join(map(str, avals))}")
    return avals[0].dtype


@operation
class Unary[V](Single[V]):
    """out[i] = kind(x[i]). `ABS`, `REAL`, `IMAG` of complex numbers are real; `IS_FINITE`, `SIGN_BIT` give bools."""

    kind: UnaryKind
    x: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Unary[Typed]) -> ShapedArray:
        return _unary_type(self.kind, self.x.aval)


def _unary_type(kind: UnaryKind, x: ShapedArray) -> ShapedArray:
    name, takes = kind.value, _UNARY_TAKES.get(kind, dtypes.is_inexact)
    if not takes(x.dtype):
        raise _refuse(name, takes, x)
    if kind in (UnaryKind.ABS, UnaryKind.REAL, UnaryKind.IMAG):
        return x.with_dtype(dtypes.real_of(x.dtype))
    return ShapedArray(x.shape, dtypes.bool_) if kind in (UnaryKind.IS_FINITE, UnaryKind.SIGN_BIT) else x


@operation
class Binary[V](Single[V]):
    """out[i] = kind(x[i], y[i])."""

    kind: BinaryKind
    x: V
    y: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Binary[Typed]) -> ShapedArray:
        return _binary_type(self.kind, self.x.aval, self.y.aval)


def _binary_type(kind: BinaryKind, x: ShapedArray, y: ShapedArray) -> ShapedArray:
    dtype = same_dtype(kind.value, x, y)
    takes = _BINARY_TAKES[kind]
    if not takes(dtype):
        raise _refuse(kind.value, takes, x, y)
    if kind is BinaryKind.COMPLEX:
        dtype = promotion.complex_of(dtype)
    return ShapedArray(broadcast(x.shape, y.shape), dtype, x.weak_type and y.weak_type)


@operation
class Compare[V](Single[V]):
    """out[i] = x[i] kind y[i], a bool. Complex numbers have equality only."""

    kind: CompareKind
    x: V
    y: V

    @property
    def name(self) -> str:
        return self.kind.printed

    def types(self: Compare[Typed]) -> ShapedArray:
        return _compare_type(self.kind, self.x.aval, self.y.aval)


def _compare_type(kind: CompareKind, x: ShapedArray, y: ShapedArray) -> ShapedArray:
    dtype = same_dtype(kind.value, x, y)
    if kind not in (CompareKind.EQ, CompareKind.NE) and not _ordered(dtype):
        raise _refuse(kind.value, _ordered, x, y)
    return ShapedArray(broadcast(x.shape, y.shape), dtypes.bool_)


@operation
class Select[V](Single[V]):
    """out[i] = x[i] where pred[i], else y[i]."""

    name = "select"
    pred: V
    x: V
    y: V

    def types(self: Select[Typed]) -> ShapedArray:
        pred, x, y = self.pred.aval, self.x.aval, self.y.aval
        dtype = same_dtype("select", x, y)
        if pred.dtype is not dtypes.bool_:
            raise DTypeError(f"select takes a bool condition, got {pred}; compare or convert with astype(bool)")
        return ShapedArray(broadcast_all((pred.shape, x.shape, y.shape)), dtype, x.weak_type and y.weak_type)


@operation
class Clamp[V](Single[V]):
    """out[i] = min(max(x[i], low[i]), high[i]); NaN where any of the three is NaN."""

    name = "clamp"
    low: V
    x: V
    high: V

    def types(self: Clamp[Typed]) -> ShapedArray:
        low, x, high = self.low.aval, self.x.aval, self.high.aval
        dtype = same_dtype("clamp", low, x, high)
        if not _ordered(dtype):
            raise _refuse("clamp", _ordered, low, x, high)
        shape = broadcast_all((low.shape, x.shape, high.shape))
        return ShapedArray(shape, dtype, low.weak_type and x.weak_type and high.weak_type)


@operation
class Convert[V](Single[V]):
    """out[i] = x[i] as `dtype`.

    Special cases: float to integer truncates toward zero, saturates at the ends, and NaN gives 0; to bool asks for
    "not zero"; complex to real drops the imaginary part; narrowing integers wraps.
    """

    name = "convert"
    dtype: type[DType]
    weak_type: bool
    x: V

    def types(self: Convert[Typed]) -> ShapedArray:
        return ShapedArray(self.x.aval.shape, self.dtype, self.weak_type)
