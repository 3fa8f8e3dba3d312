"""Type of a table rule's operation, for the type checker: an operation that may be of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from effects.program.operation import Operation

if TYPE_CHECKING:
    from effects import operations as ops
    from effects.operations.cumulative import Cumulative

    class AnyOperation[V](
        ops.Unary[V],
        ops.Binary[V],
        ops.Compare[V],
        ops.Select[V],
        ops.Clamp[V],
        ops.Convert[V],
        ops.Bitcast[V],
        ops.Reduce[V],
        ops.ArgReduce[V],
        ops.ReduceWindow[V],
        ops.Chosen[V],
        Cumulative[V],
        ops.DotGeneral[V],
        ops.Broadcast[V],
        ops.Reshape[V],
        ops.PermuteDims[V],
        ops.Flip[V],
        ops.Concat[V],
        ops.Constrain[V],
        ops.Place[V],
        ops.Pad[V],
        ops.Slice[V],
        ops.DynamicSlice[V],
        ops.DynamicUpdateSlice[V],
        ops.Name[V],
    ):
        """An operation that may be of any kind, on operands `V`: `op.x`, `op.y`, `op.axes`, whatever it has.

        So one rule can serve many kinds. A rule can also be annotated with one kind, as `op: Unary[V]`.
        """

        name: Any  # each has its own
        kind: Any
else:
    AnyOperation = Operation
