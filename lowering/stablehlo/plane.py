"""Lengths and angles in the plane, and their derivatives."""

from __future__ import annotations

import math

import numpy as np

from effects.operations.elementwise import Binary
from effects.program.jaxpr import Atom, Literal
from effects.types import promotion
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.patterns import negative, pattern_of, with_sign
from lowering.stablehlo.scope import TYPES, Scope


def hypot(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """√(x² + y²), by XLA's absolute value of a complex number, which does not overflow; ∞ if a part is infinite."""
    whole = out.with_dtype(promotion.complex_of(out.dtype))
    size = scope.op("stablehlo.abs", TYPES[out], (scope.op("stablehlo.complex", TYPES[whole], (x, y)),))
    infinite = scope.fill(out, math.inf)
    either = scope.do("or", *[compared("EQ", scope.do("abs", part), infinite, out, scope) for part in (x, y)])
    return scope.do("select", either, infinite, size)


def atan2(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """The angle of (x, y), with the sign of x read from its bits, since XLA takes a subnormal x for negative."""
    angle = scope.do("abs", scope.do("atan2", scope.do("abs", x), y))
    return scope.do("select", negative(x, out, scope), scope.do("negate", angle), angle)


def along(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """x / √(x² + y²), with the length of the ordered pair, so that XLA computes it once for both derivatives."""
    of = scope.do
    whole, infinite = out.with_dtype(promotion.complex_of(out.dtype)), scope.fill(out, math.inf)
    parts = of("abs", x), of("abs", y)
    pair = scope.op("stablehlo.complex", TYPES[whole], (of("maximum", *parts), of("minimum", *parts)))
    length = scope.op("stablehlo.abs", TYPES[out], (pair,))
    size = of("maximum", length, scope.fill(out, float(np.finfo(out.dtype.dtype).tiny)))
    far = of("and", compared("EQ", parts[0], infinite, out, scope), compared("LT", parts[1], infinite, out, scope))
    return of("select", far, with_sign(scope.fill(out, 1), x, out, scope), of("divide", x, size))


def turn(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    """u / (u² + v²) · s of the parts u = xs and v = ys, s being the power of two that makes the greater one about 1:
    nothing overflows or vanishes, and nothing is rounded by that.
    """
    of, one = scope.do, scope.fill(out, 1)
    if type(op.x) is Literal and op.x.value.host == 1:  # where the square overflows, this is 0
        return of("divide", one, of("add", one, of("multiply", y, y)))
    pattern = pattern_of(out)
    infinite, tiny = [
        scope.fill(pattern, int(out.dtype.dtype.type(v).view(pattern.dtype.dtype)))
        for v in (math.inf, np.finfo(out.dtype.dtype).tiny)
    ]
    greater = of("maximum", *[of("and", scope.bits(v, pattern), infinite) for v in (x, y)])
    scale = scope.bits(of("maximum", of("subtract", infinite, greater), tiny), out)
    part, other = of("multiply", x, scale), of("multiply", y, scale)
    squares = of("add", of("multiply", part, part), of("multiply", other, other))
    far = compared("EQ", squares, scope.fill(out, math.inf), out, scope)
    quotient = of("select", far, with_sign(scope.fill(out, 0), x, out, scope), of("divide", part, squares))
    return of("multiply", quotient, scale)
