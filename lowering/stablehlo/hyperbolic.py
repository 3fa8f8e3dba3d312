"""cosh and sinh by e^(|x|/2), squared: XLA's e^(|x| - log 2) loses digits as |x| grows."""

from __future__ import annotations

from effects.operations.elementwise import Unary
from effects.program.jaxpr import Atom
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.patterns import with_sign
from lowering.stablehlo.scope import Scope


def _halves(size: Value, out: ShapedArray, scope: Scope) -> tuple[Value, Value]:
    """e^|x| / 2, which overflows only if the function does, and e^-|x| / 2."""
    half = scope.fill(out, 0.5)
    root = scope.do("exponential", scope.do("multiply", size, half))
    above = scope.do("multiply", scope.do("multiply", half, root), root)
    return above, scope.do("divide", half, scope.do("multiply", root, root))


def cosh(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.do("add", *_halves(scope.do("abs", x), out, scope))


def sinh(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """sinh x; below 1, where the difference would cancel, as (s + s / (s + 1)) / 2 with s = e^|x| - 1."""
    of = scope.do
    size, one = of("abs", x), scope.fill(out, 1)
    excess = of("exponential_minus_one", size)
    near = of("add", excess, of("divide", excess, of("add", excess, one)))
    far = of("subtract", *_halves(size, out, scope))
    is_near = compared("LT", size, one, out, scope)
    return with_sign(of("select", is_near, of("multiply", near, scope.fill(out, 0.5)), far), x, out, scope)
