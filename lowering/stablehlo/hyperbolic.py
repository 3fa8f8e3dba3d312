"""cosh and sinh by e^(|x|/2), squared: XLA's e^(|x| - log 2) loses digits as |x| grows."""

from __future__ import annotations

from effects.operations.elementwise import Unary
from effects.program.jaxpr import Atom
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.patterns import with_sign
from lowering.stablehlo.scope import TYPES, Scope


def _halves(size: Value, out: ShapedArray, scope: Scope) -> tuple[Value, Value]:
    """e^|x| / 2, which overflows only if the function does, and e^-|x| / 2."""
    half = scope.fill(out, 0.5)
    root = scope.op("stablehlo.exponential", TYPES[out], (scope.op("stablehlo.multiply", TYPES[out], (size, half)),))
    shared = scope.op("stablehlo.multiply", TYPES[out], (half, root))
    whole = scope.op("stablehlo.multiply", TYPES[out], (root, root))
    return (
        scope.op("stablehlo.multiply", TYPES[out], (shared, root)),
        scope.op("stablehlo.divide", TYPES[out], (half, whole)),
    )


def cosh(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    size = scope.op("stablehlo.abs", TYPES[out], (x,))
    return scope.op("stablehlo.add", TYPES[out], _halves(size, out, scope))


def sinh(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """sinh x; below 1, where the difference would cancel, as (s + s / (s + 1)) / 2 with s = e^|x| - 1."""

    def of(name: str, *values: Value) -> Value:
        return scope.op(f"stablehlo.{name}", TYPES[out], values)

    size, one = of("abs", x), scope.fill(out, 1)
    excess = of("exponential_minus_one", size)
    near = of("add", excess, of("divide", excess, of("add", excess, one)))
    far = of("subtract", *_halves(size, out, scope))
    is_near = compared("LT", size, one, out, scope)
    return with_sign(of("select", is_near, of("multiply", near, scope.fill(out, 0.5)), far), x, out, scope)
