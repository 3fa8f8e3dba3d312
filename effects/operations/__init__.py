"""The operations: one file per family, one class per regular family or per structural operation.

An operation is data with a type rule. Its meanings live in the handlers; how it is called (promotion, argument
checking) in `effects.functions`.

    from effects import operations as ops       # ops.Unary, ops.UnaryKind.SIN, ops.Reshape, …: what handlers tell apart
"""

from effects.operations.callbacks import Callback, CallbackKind
from effects.operations.checkpoint import Checkpoint, Name
from effects.operations.collectives import (
    AllGather,
    AllReduce,
    AllReduceKind,
    AllToAll,
    AxisIndex,
    PPermute,
    ReduceScatter,
)
from effects.operations.contraction import DotGeneral
from effects.operations.convolution import Convolution
from effects.operations.creation import Band, Iota
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.custom_rules import CustomCall
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
from effects.operations.fourier import Fourier, FourierKind
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.operations.higher_order import Call, Cond
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.loops import Scan, While
from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.operations.pooling import Chosen, ChosenKind, ReduceWindow, WindowKind
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.operations.sharding import ShardMap
from effects.operations.sorting import Insertion, Nonzero, Ranked, Sort, TopK
from effects.operations.special import Special, SpecialKind

REARRANGING = (Broadcast, Concat, Constrain, Flip, Name, Pad, PermuteDims, Place, Reshape, Slice)
"""Operations that move or name elements and change none; they act on each part of most carriers."""

__all__ = [
    "REARRANGING",
    "AllGather",
    "AllReduce",
    "AllReduceKind",
    "AllToAll",
    "ArgReduce",
    "ArgReduceKind",
    "AxisIndex",
    "Band",
    "Binary",
    "BinaryKind",
    "Bitcast",
    "Bounds",
    "Broadcast",
    "Call",
    "Callback",
    "CallbackKind",
    "Checkpoint",
    "Chosen",
    "ChosenKind",
    "Clamp",
    "Compare",
    "CompareKind",
    "Concat",
    "Cond",
    "Constrain",
    "Convert",
    "Convolution",
    "Cumulative",
    "CumulativeKind",
    "CustomCall",
    "DotGeneral",
    "DynamicSlice",
    "DynamicUpdateSlice",
    "Flip",
    "Fourier",
    "FourierKind",
    "Gather",
    "Insertion",
    "Iota",
    "Name",
    "Nonzero",
    "PPermute",
    "Pad",
    "PermuteDims",
    "Place",
    "Ranked",
    "Reduce",
    "ReduceKind",
    "ReduceScatter",
    "ReduceWindow",
    "Reshape",
    "Scan",
    "Scatter",
    "ScatterKind",
    "Select",
    "ShardMap",
    "Slice",
    "Sort",
    "Special",
    "SpecialKind",
    "TopK",
    "Unary",
    "UnaryKind",
    "While",
    "WindowKind",
]
