"""Users' operations: their own `lower`, or else a private function of what their `evaluate` performs.

`lower(self, builder)` is called on the operation over StableHLO values. `builder` is the module's `Builder`:
`builder.op(name, result_type, operands, attributes)` emits one operation, `builder.results` are the types of the
results to return (those of `types`), `value.type` is the type of an operand, and `lowering.stablehlo.context` makes
other types and attributes. What `lower` returns is one value, or a tuple for an operation with several results.
Each operation is verified where it is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxlib.mlir import ir

from effects.arguments import describe
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.errors import ArgumentError, ConcretizationError, IllTyped, MissingRule
from effects.operations.higher_order import same_types
from effects.program.chain import ROOT, installed
from effects.program.custom import CustomOp
from effects.program.jaxpr import Atom, Jaxpr, Var
from effects.types.avals import ShapedArray
from handlers.contracts import checked_evaluate
from handlers.stage import stage
from lowering.stablehlo.context import LARGEST_CONSTANT, Type, Value
from lowering.stablehlo.scope import TYPES, Lowered, Scope, one_or_all


def lower_custom(op: CustomOp[Atom], outs: tuple[Var, ...], scope: Scope) -> Lowered:
    """The values of the results of `op`.

    Raises MissingRule when it has no `lower` and its `evaluate` is not written with the functions of `effects`.
    """
    if type(op).lower is not CustomOp.lower:
        builder, types = scope.builder, tuple([TYPES[out.aval] for out in outs])
        builder.results, builder.owner = types, op.name
        try:
            return _checked(op, types, one_or_all(op.map(scope.__getitem__).lower(builder)))
        finally:
            builder.results, builder.owner = (), ""
    if type(op).evaluate is CustomOp.evaluate:
        op.lower(scope.builder)  # raises the error that says what to write
    return _lower_evaluate(op, outs, scope)


def _checked(op: CustomOp[Atom], types: Sequence[Type], values: list[Value]) -> list[Value]:
    """Result of `lower`; IllTyped when it is not a value of each of these types."""
    for value in values:
        if not isinstance(value, ir.Value):
            raise IllTyped(
                f"{op.name}.lower(self, builder) must return a StableHLO value, as builder.op(…) does, or a tuple of "
                f"them for several results, got {describe(value)}"
            )
    if [value.type for value in values] != list(types):
        listed = ", ".join([str(value.type) for value in values]) or "nothing"
        raise IllTyped(
            f"{op.name}.lower(self, builder) must return {', '.join(map(str, types))}, as types(self) says, got "
            f"{listed}"
        )
    return values


def _lower_evaluate(op: CustomOp[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    key = (type(op), op.params, tuple([v.aval for v in op.operands]))
    body, captured = scope.functions.staged(key, lambda: _stage_evaluate(op))
    actual, expected = body.out_avals, tuple([out.aval for out in outs])
    if not same_types(actual, expected):
        raise IllTyped(f"{op.name}: types(self) says {_listed(expected)}, but evaluate(self) gives {_listed(actual)}")
    constants = [_constant(value, op, scope) for value in captured]
    symbol = scope.functions.symbol(body, op.name, staged=True)
    return scope.builder.call(
        symbol, [TYPES[aval] for aval in actual], [*constants, *map(scope.__getitem__, op.operands)]
    )


def _stage_evaluate(op: CustomOp[Atom]) -> tuple[Jaxpr, list[Array]]:
    def evaluate(*args: Array) -> Sequence[Array]:
        remaining = iter(args)
        on_arrays = op.map(lambda _: next(remaining))
        assert isinstance(on_arrays, CustomOp)
        results = checked_evaluate(on_arrays, on_arrays.evaluate())
        return results if isinstance(results, tuple) else (results,)

    try:
        with installed(ROOT):
            body, captured = stage(evaluate, [v.aval for v in op.operands], op.name)
    except ConcretizationError as error:
        raise MissingRule(
            f"{op.name} has no lowering to StableHLO yet: evaluate(self) needs the elements of an array, which are not "
            f"known while compiling; write the method `lower(self, builder)` of {op.name}, or evaluate(self) with "
            "functions of `effects` only"
        ) from error
    return body, captured


def _constant(value: Array, op: CustomOp[Atom], scope: Scope) -> Value:
    known = value.known()
    if not isinstance(known, Concrete):
        raise ArgumentError(f"{op.name}: evaluate(self) uses {value.aval}, a value of a trace; make it an operand")
    if known.aval.size > LARGEST_CONSTANT:
        raise ArgumentError(
            f"{op.name}: evaluate(self) uses an array of {known.aval.size} elements that is no operand; a program "
            f"holds at most {LARGEST_CONSTANT} of them: make it an operand of {op.name}"
        )
    return scope.builder.constant(known.fetch())


def _listed(avals: tuple[ShapedArray, ...]) -> str:
    return ", ".join(map(str, avals))
