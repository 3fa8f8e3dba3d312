"""Philox-4x32: a private function of the module for each shape, which XLA makes one loop of."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.functions.elementwise.arithmetic import bitwise_right_shift
from effects.operations.philox import Philox
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from handlers.evaluate.philox import FACTORS, ROUNDS, STEPS
from lowering.stablehlo.context import Value
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Philox)
def lower_philox(op: Philox[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    """The words, stored in memory, since each reader, perhaps another cipher, would compute them again."""
    words = scope.call(_blocks, "philox4x32", [scope[x] for x in op.operands], [x.aval for x in op.operands])
    return scope.builder.ops("stablehlo.optimization_barrier", [TYPES[out.aval] for out in outs], words)


def _halves(pairs: Array) -> tuple[Array, Array]:
    """The low words and the high ones."""
    return convert(pairs, dtypes.uint32), convert(bitwise_right_shift(pairs, 32), dtypes.uint32)


def _blocks(key: Array, low: Array, high: Array) -> tuple[Array, ...]:
    (first, second), (a, b), (c, d) = _halves(key), _halves(low), _halves(high)
    for _ in range(ROUNDS):
        (b_next, above), (d_next, below) = [
            _halves(convert(x, dtypes.uint64) * factor) for x, factor in zip((c, a), reversed(FACTORS), strict=True)
        ]
        a, b, c, d = above ^ b ^ first, b_next, below ^ d ^ second, d_next
        first, second = first + STEPS[0], second + STEPS[1]
    return a, b, c, d
