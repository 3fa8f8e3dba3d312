"""Loops: each is one `stablehlo.while`, whose regions call the functions of the loop's programs.

A scan carries its position, its carry and the arrays that it fills; a step slices `xs` and writes its results in place.
Regions use constants of the loop from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from effects.operations.loops import Scan, While
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64s
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_BOOL = ShapedArray((), dtypes.bool_)


@RULES.rule(While)
def lower_while(op: While[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    carry_avals = op.body.in_avals[len(op.body_consts) :]
    types = [TYPES[aval] for aval in carry_avals]
    init = [scope[v] for v in op.init]
    condition_consts = [scope[v] for v in op.condition_consts]
    body_consts = [scope[v] for v in op.body_consts]
    condition = scope.functions.symbol(op.condition, "condition")
    body = scope.functions.symbol(op.body, "body")

    def holds(carry: list[Value]) -> list[Value]:
        return scope.builder.call(condition, [TYPES[_BOOL]], [*condition_consts, *carry])

    def step(carry: list[Value]) -> list[Value]:
        return scope.builder.call(body, types, [*body_consts, *carry])

    if any(aval.size for aval in carry_avals):
        return scope.builder.ops("stablehlo.while", types, init, None, [Region(types, holds), Region(types, step)])
    # XLA crashes on a loop whose carry has no elements: this one carries its condition.
    carried = [TYPES[_BOOL]]

    def again(_: list[Value]) -> list[Value]:
        step(init)
        return holds(init)

    scope.builder.ops(
        "stablehlo.while", carried, holds(init), None, [Region(carried, lambda on: on), Region(carried, again)]
    )
    return init


@RULES.rule(Scan)
def lower_scan(op: Scan[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    return _Scan(op, scope).loop()


class _Scan:
    """Emission of one scan. The constructor emits everything that its regions use from outside."""

    def __init__(self, op: Scan[Atom], scope: Scope) -> None:
        self.op, self.scope = op, scope
        # XLA multiplies positions by strides in their own type: a narrow one is faster, as long as it cannot overflow.
        self.index = ShapedArray((), dtypes.int32 if op.length <= np.iinfo(np.int32).max else dtypes.int64)
        self.body = scope.functions.symbol(op.body, "body")
        self.consts = [scope[v] for v in op.consts]
        self.xs = [scope[v] for v in op.xs]
        self.slices = [v.aval for v in op.body.inputs[len(op.consts) + op.carried :]]
        self.results = op.body.out_avals
        self.stacked = [aval.with_shape((op.length, *aval.shape)) for aval in self.results[op.carried :]]
        self.zero = self.constant(0)

    def constant(self, value: int) -> Value:
        return self.scope.fill(self.index, value)

    def loop(self) -> list[Value]:
        """The last carry and the filled arrays: a loop over rounds of `unroll` steps, then the remaining steps."""
        op, scope = self.op, self.scope
        state = [*[scope[v] for v in op.init], *[scope.fill(aval, 0) for aval in self.stacked]]
        rounds, rest = divmod(op.length, op.unroll)
        if rounds > 1:
            end, stride = self.constant(rounds * op.unroll), self.constant(op.unroll)
            last = self.constant(op.length - 1)
            within = [self.constant(k) for k in range(op.unroll)]
            types = [TYPES[self.index], *[value.type for value in state]]

            def more(values: list[Value]) -> list[Value]:
                return [compared("LT", values[0], end, self.index, scope)]

            def round_(values: list[Value]) -> list[Value]:
                step, inner = values[0], values[1:]
                for k in range(op.unroll):
                    at = step if k == 0 else scope.do("add", step, within[k])
                    inner = self.step(scope.do("subtract", last, at) if op.reverse else at, inner)
                return [scope.do("add", step, stride), *inner]

            regions = [Region(types, more), Region(types, round_)]
            state = scope.builder.ops("stablehlo.while", types, (self.zero, *state), None, regions)[1:]
        else:
            rest = op.length
        for number in range(op.length - rest, op.length):
            state = self.step(self.constant(op.length - 1 - number if op.reverse else number), state)
        return state

    def step(self, at: Value, state: Sequence[Value]) -> list[Value]:
        """The carry and the arrays after one call of the body at position `at`."""
        op, scope = self.op, self.scope
        carry, filled = state[: op.carried], state[op.carried :]
        slices = [self.cut(x, aval, at) for x, aval in zip(self.xs, self.slices, strict=True)]
        stepped = scope.builder.call(self.body, [TYPES[aval] for aval in self.results], [*self.consts, *carry, *slices])
        written = [
            self.write(array, value, aval, at)
            for array, value, aval in zip(filled, stepped[op.carried :], self.results[op.carried :], strict=True)
        ]
        return [*stepped[: op.carried], *written]

    def starts(self, aval: ShapedArray, at: Value) -> list[Value]:
        return [at, *[self.zero] * aval.ndim]

    def cut(self, x: Value, aval: ShapedArray, at: Value) -> Value:
        sizes = (1, *aval.shape)
        row = self.scope.op(
            "stablehlo.dynamic_slice",
            TYPES[aval.with_shape(sizes)],
            (x, *self.starts(aval, at)),
            {"slice_sizes": i64s(sizes)},
        )
        return self.scope.reshape(row, aval)

    def write(self, array: Value, value: Value, aval: ShapedArray, at: Value) -> Value:
        row = self.scope.reshape(value, aval.with_shape((1, *aval.shape)))
        return self.scope.with_part(array, row, self.starts(aval, at))
