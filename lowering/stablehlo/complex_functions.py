"""Functions of a complex argument where XLA's own do not have the values of the definition.

They are computed from real functions, with C's values at infinities and NaN, as the Array API standard says. XLA's
inverse functions are kept, but they do not tell -0 from 0 on branch cuts: they are computed on one side of the cut and
reflected, f(x̄) = conj f(x).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from effects.operations.elementwise import Binary, Unary, UnaryKind
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.parts import Parts
from lowering.stablehlo.scope import TYPES, Scope

type _Pair = tuple[Value, Value]

_U = UnaryKind
_REFLECTED: Final = {
    **{kind: f"chlo.{kind.value}" for kind in (_U.ACOS, _U.ACOSH, _U.ASIN, _U.ASINH)},
    _U.SQRT: "stablehlo.sqrt",
}


def _reflected(kind: UnaryKind, a: Value, b: Value, p: Parts) -> _Pair:
    """The function, computed on the side of the cut where the part that changes sign is positive, and reflected.

    That is the real part for asinh, whose cut is on the imaginary axis, and the imaginary part for the others.
    """
    odd = kind is _U.ASINH
    cut = a if odd else b
    side = (p.size(a), b) if odd else (a, p.size(b))
    real, imag = p.split(p.complex_op(_REFLECTED[kind], *side))
    turned = real if odd else imag
    turned = p.where(p.negative(cut), p.minus(turned), turned)
    return (turned, imag) if odd else (real, turned)


def _inverse(kind: UnaryKind, a: Value, b: Value, p: Parts) -> _Pair:
    """An inverse function. A part of the result that depends on one part of x alone is a number beside a NaN."""
    real, imag = _reflected(kind, a, b, p)
    lost = p.either(p.both(p.is_nan(a), p.is_finite(b)), p.both(p.is_nan(b), p.is_finite(a)))
    real, imag = [p.where(lost, p.fill(math.nan), v) for v in (real, imag)]
    if kind is _U.ASINH:
        return real, p.where(p.both(p.is_zero(b), p.is_nan(a)), b, imag)
    alone = p.both(p.is_zero(a), p.is_nan(b))
    right_angle = p.fill(math.pi / 2)
    if kind is _U.ACOSH:
        return real, p.where(alone, right_angle, imag)
    return p.where(alone, a if kind is _U.ASIN else right_angle, real), imag


def _root(a: Value, b: Value, p: Parts) -> _Pair:
    real, imag = _reflected(_U.SQRT, a, b, p)
    infinite, nan = p.fill(math.inf), p.fill(math.nan)
    high, endless = p.is_infinite(b), p.both(p.is_infinite(a), p.is_nan(b))
    left = p.negative(a)
    real = p.where(endless, p.where(left, nan, infinite), real)
    imag = p.where(endless, p.where(left, infinite, nan), imag)
    return p.where(high, infinite, real), p.where(high, b, imag)


def _exp(a: Value, b: Value, p: Parts, factor: float = 1.0) -> _Pair:
    """factor · eᵃ · (cos b + i sin b), in steps where eᵃ alone overflows."""
    limit = 700.0 if p.part.dtype is dtypes.float64 else 80.0
    large = p.compare("GT", a, p.fill(limit))
    height = p.of("stablehlo.exponential", p.where(large, p.minus(a, p.fill(limit)), a))
    scale = p.where(large, p.fill(factor * math.exp(limit)), p.fill(factor))
    real, imag = [p.times(p.times(height, p.of(f"stablehlo.{name}", b)), scale) for name in ("cosine", "sine")]
    zero, infinite = p.fill(0), p.fill(math.inf)
    undirected = p.logical_not(p.is_finite(b))
    nothing = p.both(undirected, p.compare("EQ", a, p.fill(-math.inf)))
    endless = p.both(undirected, p.compare("EQ", a, infinite))
    real = p.where(nothing, zero, p.where(endless, infinite, real))
    imag = p.where(nothing, zero, imag)
    return real, p.where(p.is_zero(b), b, imag)


def _expm1(a: Value, b: Value, p: Parts) -> _Pair:
    """The real part is (eᵃ - 1) cos b - 2 sin²(b/2), unless that cancels."""
    real, imag = _exp(a, b, p)
    half = p.of("stablehlo.sine", p.times(b, p.fill(0.5)))
    direct = p.times(p.of("stablehlo.exponential_minus_one", a), p.of("stablehlo.cosine", b))
    direct = p.minus(direct, p.times(p.fill(2), p.times(half, half)))
    near = p.compare("LT", p.size(a), p.fill(40))
    real = p.where(near, direct, p.minus(real, p.fill(1)))
    return p.where(p.is_zero(real), p.fill(0), real), imag


def _sinh(a: Value, b: Value, p: Parts) -> _Pair:
    """sinh a · cos b + i cosh a · sin b."""
    far, (real, imag) = p.compare("GT", p.size(a), p.fill(40)), _exp(p.size(a), b, p, 0.5)
    near_real = p.product(p.of("chlo.sinh", a), p.of("stablehlo.cosine", b))
    near_imag = p.product(p.of("stablehlo.sine", b), p.of("chlo.cosh", a))
    real = p.where(p.negative(a), p.minus(real), real)
    return p.where(far, real, near_real), p.where(far, imag, near_imag)


def _cosh(a: Value, b: Value, p: Parts) -> _Pair:
    """cosh a · cos b + i sinh a · sin b."""
    far, (real, imag) = p.compare("GT", p.size(a), p.fill(40)), _exp(p.size(a), b, p, 0.5)
    near_real = p.times(p.of("chlo.cosh", a), p.of("stablehlo.cosine", b))
    near_imag = p.product(p.of("chlo.sinh", a), p.of("stablehlo.sine", b))
    imag = p.where(p.negative(a), p.minus(imag), imag)
    return p.where(far, real, near_real), p.where(far, imag, near_imag)


def _sin(a: Value, b: Value, p: Parts) -> _Pair:
    """-i sinh(ix)"""
    imag, real = _sinh(b, a, p)
    return real, imag


def _cos(a: Value, b: Value, p: Parts) -> _Pair:
    """cosh(ix)"""
    return _cosh(p.minus(b), a, p)


def _tan(a: Value, b: Value, p: Parts) -> _Pair:
    """XLA's tangent, with a part of zero where the argument's is."""
    real, imag = p.split(p.complex_op("stablehlo.tan", a, b))
    return p.where(p.is_zero(a), a, real), p.where(p.is_zero(b), b, imag)


def _tanh(a: Value, b: Value, p: Parts) -> _Pair:
    """Tangent as `_tan`; the zero beside ±1 has the sign of the argument's imaginary part, whatever angle that is."""
    real, imag = p.split(p.complex_op("stablehlo.tanh", a, b))
    beside = p.where(p.is_infinite(a), p.signed(imag, b), imag)
    return p.where(p.is_zero(a), a, real), p.where(p.is_zero(b), b, beside)


def _logarithm(a: Value, b: Value, p: Parts) -> _Pair:
    real, imag = p.split(p.complex_op("stablehlo.log", a, b))
    return p.where(p.either(p.is_infinite(a), p.is_infinite(b)), p.fill(math.inf), real), p.signed(imag, b)


def _log1p(a: Value, b: Value, p: Parts) -> _Pair:
    """XLA's function, except next to -1, where it loses the real part since squares underflow."""
    real, imag = p.split(p.complex_op("stablehlo.log_plus_one", a, b))
    distance = p.length(p.plus(a, p.fill(1)), b)
    near = p.compare("LT", distance, p.fill(0.25))
    real = p.where(near, p.of("stablehlo.log", distance), real)
    return p.where(p.either(p.is_infinite(a), p.is_infinite(b)), p.fill(math.inf), real), p.signed(imag, b)


def _atanh(a: Value, b: Value, p: Parts) -> _Pair:
    """log|(1 + x) / (1 - x)| / 2 and half of that quotient's angle, in the first quadrant and reflected."""
    x, y, one = p.size(a), p.size(b), p.fill(1)
    left, right = p.plus(one, x), p.minus(one, x)
    distance = p.length(right, y)  # from the pole
    ratio = p.times(p.over(x, distance), p.over(p.fill(4), distance))
    real = p.times(p.fill(0.25), p.of("stablehlo.log_plus_one", ratio))
    logs = [p.of("stablehlo.log", v) for v in (p.length(left, y), distance)]
    near = p.compare("LT", distance, p.fill(0.5))
    real = p.where(near, p.times(p.fill(0.5), p.minus(*logs)), real)
    height = p.times(p.fill(0.5), p.minus(p.times(left, right), p.times(y, y)))
    imag = p.times(p.fill(0.5), p.of("stablehlo.atan2", y, height))
    wide, high = p.is_infinite(a), p.is_infinite(b)
    vanishes = p.either(p.is_zero(a), p.either(wide, high))
    upright = p.either(high, p.both(wide, p.logical_not(p.is_nan(b))))
    real, imag = p.where(vanishes, p.fill(0), real), p.where(upright, p.fill(math.pi / 2), imag)
    return p.signed(real, a), p.signed(imag, b)


def _atan(a: Value, b: Value, p: Parts) -> _Pair:
    """-i atanh(ix)"""
    imag, real = _atanh(b, a, p)
    return real, imag


def _sign(a: Value, b: Value, p: Parts) -> _Pair:
    """x / |x|, scaled so that nothing overflows; beside an infinite part a finite one counts as zero."""
    wide, high = p.is_infinite(a), p.is_infinite(b)
    endless = p.either(wide, high)
    one, zero = p.fill(1), p.fill(0)
    x = p.where(endless, p.signed(p.where(wide, one, p.times(zero, a)), a), a)
    y = p.where(endless, p.signed(p.where(high, one, p.times(zero, b)), b), b)
    large = p.compare("GT", p.of("stablehlo.maximum", p.size(x), p.size(y)), one)
    x, y = [p.times(v, p.where(large, p.fill(0.25), one)) for v in (x, y)]
    length = p.length(x, y)
    nothing = p.is_zero(length)
    return p.where(nothing, zero, p.over(x, length)), p.where(nothing, zero, p.over(y, length))


_BY_PARTS: Final[dict[UnaryKind, Callable[[Value, Value, Parts], _Pair]]] = {
    _U.ATAN: _atan,
    _U.ATANH: _atanh,
    _U.COS: _cos,
    _U.COSH: _cosh,
    _U.EXP: _exp,
    _U.EXPM1: _expm1,
    _U.LOG: _logarithm,
    _U.LOG1P: _log1p,
    _U.SIGN: _sign,
    _U.SIN: _sin,
    _U.SINH: _sinh,
    _U.SQRT: _root,
    _U.TAN: _tan,
    _U.TANH: _tanh,
}


def _by_parts(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    p = Parts(out, scope)
    real, imag = p.split(x)
    function = _BY_PARTS.get(op.kind)
    return p.join(*(_inverse(op.kind, real, imag, p) if function is None else function(real, imag, p)))


def _size(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    p = Parts(op.x.aval, scope)
    return p.length(*p.split(x))


def _inverse_root(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    p = Parts(out, scope)
    root = p.join(*_root(*p.split(x), p))
    return scope.do("divide", scope.fill(out, 1), root)


def _logistic(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """1 / (1 + e⁻ˣ), or eˣ / (1 + eˣ): of the two forms the one that does not overflow."""
    p = Parts(out, scope)
    a, b = p.split(x)
    left = p.compare("LT", a, p.fill(0))
    power = p.join(*_exp(p.where(left, a, p.minus(a)), p.where(left, b, p.minus(b)), p))
    one = scope.fill(out, 1)
    over = scope.do("select", left, power, one)
    return scope.do("divide", over, scope.do("add", one, power))


def complex_power(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """xʸ, where XLA's exp(y log(x)) is NaN for 0, and if a step overflows: 0 to a power with a positive real part is 0.

    0 to another power but 0 is NaN, as NumPy's.
    """
    part, zero = out.with_dtype(dtypes.real_of(out.dtype)), scope.fill(out, 0)
    real = scope.op("stablehlo.real", TYPES[part], (y,))
    cases = compared("EQ", x, zero, out, scope), compared("GT", real, scope.fill(part, 0), part, scope)
    vanishes = scope.do("and", *cases)
    power = scope.do("power", x, y)
    apart = [scope.do("subtract", v, v) for v in (x, y)]  # NaN for operands that are not finite
    checked = scope.do("add", power, scope.do("add", *apart))
    nan, based = compared("NE", checked, checked, out, scope), compared("NE", x, zero, out, scope)
    lost = scope.do("and", nan, based)
    power = scope.do("select", lost, _by_logarithm(x, y, out, scope), power)
    return scope.do("select", vanishes, zero, power)


def _by_logarithm(x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """eʸˡᵒᵍˣ with 0 · ∞ = 0, where XLA's product of a length and a direction is NaN; x¹ is x."""
    p = Parts(out, scope)
    length, angle = _logarithm(*p.split(x), p)
    a, b = p.split(y)
    real = p.minus(p.product(a, length), p.product(b, angle))
    power = p.join(*_exp(real, p.plus(p.product(a, angle), p.product(b, length)), p))
    same = compared("EQ", y, scope.fill(out, 1), out, scope)
    return scope.do("select", same, x, power)


COMPLEX_UNARY: Final[dict[UnaryKind, Callable[[Unary[Atom], Value, ShapedArray, Scope], Value]]] = {
    **dict.fromkeys((*_BY_PARTS, *_REFLECTED), _by_parts),
    _U.ABS: _size,
    _U.LOGISTIC: _logistic,
    _U.RSQRT: _inverse_root,
}
"""Emitters of unary operations on complex operands."""
