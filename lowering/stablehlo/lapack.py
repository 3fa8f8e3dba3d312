"""`Lapack`: calls of LAPACK, which only the CPU has, in the programs to which other operations are lowered.

LAPACK's matrices are column-major, so XLA is asked for that layout of operands and results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from jaxlib.mlir import ir

from effects.arrays.array import Array
from effects.operations.solving import PRECISIONS
from effects.program.chain import perform
from effects.program.jaxpr import Atom, Var
from effects.program.operation import Multiple, Operation, operation
from effects.types import dtypes
from effects.types.avals import ShapedArray, Typed
from effects.types.dtypes import DType
from lowering.pjrt.lapack import register_lapack
from lowering.stablehlo.context import CURRENT, Attribute, Value, array, i32, interned, parsed, string
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_LETTERS: Final[dict[type[DType], str]] = {
    dtypes.float32: "s",
    dtypes.float64: "d",
    dtypes.complex64: "c",
    dtypes.complex128: "z",
}
assert {dtypes.real_of(dtype) for dtype in _LETTERS} == set(PRECISIONS)


@operation
class Lapack[V](Multiple[V]):
    """The results of a function of LAPACK for each lane; operand i has `ranks[i]` axes in a lane: a matrix or a vector.

    The first results take the memory of the donated operands `donated`, in order.
    """

    function: str
    arguments: tuple[tuple[str, str], ...]
    lanes: int
    donated: tuple[int, ...]
    results: tuple[ShapedArray, ...]
    xs: tuple[V, ...]

    @property
    def name(self) -> str:
        return self.function

    def types(self: Lapack[Typed]) -> tuple[ShapedArray, ...]:
        return self.results


def call(
    function: str,
    xs: Sequence[Array],
    results: Sequence[ShapedArray],
    donated: tuple[int, ...] = (0,),
    **arguments: str,
) -> tuple[Array, ...]:
    """The results, of these types, of a function of LAPACK; `letters` are its options.

    The first operand is a matrix for each lane. Some functions have another name for complex numbers.
    """
    target = f"lapack_{_LETTERS[xs[0].aval.dtype]}{function}_ffi"
    lanes = results[-1].ndim if results[-1].dtype is dtypes.int32 else xs[0].aval.ndim - 2
    return perform(Lapack(target, tuple(arguments.items()), lanes, donated, tuple(results), tuple(xs)))


@RULES.rule(Lapack)
def lower_lapack(op: Lapack[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    register_lapack()
    scope.functions.on_cpu.add(op.function)
    written = ", ".join([f"{name} = {ord(letter)} : ui8" for name, letter in op.arguments])
    alias = (
        "#stablehlo.output_operand_alias<output_tuple_indices = [{}], operand_index = {}, operand_tuple_indices = []>"
    )
    several = len(outs) > 1
    attributes = {
        "call_target_name": string(op.function),
        "api_version": i32(4),
        "backend_config": parsed(f"{{{written}}}"),
        "operand_layouts": array(tuple([_in_columns(x.aval.ndim, op.lanes) for x in op.xs])),
        "result_layouts": array(tuple([_in_columns(x.aval.ndim, op.lanes) for x in outs])),
        "output_operand_aliases": array(
            tuple([parsed(alias.format(out if several else "", x)) for out, x in enumerate(op.donated)])
        ),
    }
    results = [TYPES[out.aval] for out in outs]
    return scope.builder.ops("stablehlo.custom_call", results, [scope[x] for x in op.xs], attributes)


@interned
def _in_columns(rank: int, lanes: int) -> Attribute:
    """The layout with column-major matrices in each lane; vectors and numbers as they are."""
    order = list(range(rank - 1, -1, -1))
    if rank - lanes == 2:
        order[0], order[1] = order[1], order[0]
    index = ir.IndexType.get(context=CURRENT.context)
    return ir.DenseIntElementsAttr.get(np.array(order, np.int64), shape=(rank,), type=index, context=CURRENT.context)


def by_program[O: Operation[Atom]](
    program: Callable[[O], Callable[..., Sequence[Array]]],
) -> Callable[[O, tuple[Var, ...], Scope], list[Value]]:
    """The rule of an operation that is lowered to a program of others: `program` gives its function of arrays."""

    def lower(op: O, outs: tuple[Var, ...], scope: Scope) -> list[Value]:
        avals = [out.aval for out in outs]
        if not any([aval.size for aval in avals]):
            return [scope.fill(aval, 0) for aval in avals]
        operands = op.operands
        values, operand_avals = [scope[x] for x in operands], [x.aval for x in operands]
        return scope.call(program(op), op.name, values, operand_avals, (type(op), op.params))

    return lower
