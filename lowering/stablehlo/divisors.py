"""Common divisors: a private function of the module for each shape, as many steps as the pair takes that needs most."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.functions import arithmetic, elementwise, logic, reduction
from effects.operations.elementwise import Binary
from effects.program.chain import ROOT, installed
from effects.program.jaxpr import Atom, Jaxpr
from effects.runtime.caches import memoised
from effects.runtime.names import transformation
from effects.types.avals import ShapedArray
from handlers.stage import stage
from lowering.stablehlo.context import Value
from lowering.stablehlo.scope import TYPES, Scope


def common_divisor(op: Binary[Atom], x: Value, y: Value, out: ShapedArray, scope: Scope) -> Value:
    return scope.builder.call(scope.functions.symbol(_program(out), "gcd"), [TYPES[out]], [x, y])[0]


@memoised
def _program(aval: ShapedArray) -> Jaxpr:
    with installed(ROOT):
        program, captured = stage(lambda x, y: [_divisor(x, y)], [aval, aval], "gcd")
    assert not captured, "it is made of its arguments and of numbers"
    return program


def _divisor(x: Array, y: Array) -> Array:
    """By Euclid's algorithm."""
    zero = constant_like(0, x)

    def step(pair: tuple[Array, Array]) -> tuple[Array, Array]:
        divisor, rest = pair
        done = rest == zero
        left = arithmetic.remainder(divisor, logic.where(done, constant_like(1, rest), rest))
        return logic.where(done, divisor, rest), logic.where(done, zero, left)

    divisor: Array = transformation("while_loop")(lambda pair: reduction.any(pair[1] != zero), step, (x, y))[0]
    return elementwise.abs(divisor)
