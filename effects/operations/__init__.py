"""The operations: one file per family, one class per regular family or per structural operation.

An operation is data with a type rule. What it means lives in the handlers; how it is called (promotion, argument
checking) in `effects.functions`.

    from effects import operations as ops       # ops.Unary, ops.UnaryKind.SIN, ops.Reshape, …: what handlers tell apart
"""

from effects.operations.contraction import DotGeneral
from effects.operations.creation import Iota
from effects.operations.elementwise import (
    Binary,
    BinaryKind,
    Clamp,
    Compare,
    CompareKind,
    Convert,
    Select,
    Unary,
    UnaryKind,
)
from effects.operations.higher_order import Call, Cond
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.movement import Broadcast, Concat, Flip, Pad, PermuteDims, Reshape
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind

REARRANGING = (Broadcast, Concat, Flip, Pad, PermuteDims, Reshape, Slice)
"""The operations that move elements and change none: each acts on the parts of most carriers as on arrays."""

__all__ = [
    "REARRANGING",
    "ArgReduce",
    "ArgReduceKind",
    "Binary",
    "BinaryKind",
    "Broadcast",
    "Call",
    "Clamp",
    "Compare",
    "CompareKind",
    "Concat",
    "Cond",
    "Convert",
    "DotGeneral",
    "DynamicSlice",
    "DynamicUpdateSlice",
    "Flip",
    "Iota",
    "Pad",
    "PermuteDims",
    "Reduce",
    "ReduceKind",
    "Reshape",
    "Select",
    "Slice",
    "Unary",
    "UnaryKind",
]
