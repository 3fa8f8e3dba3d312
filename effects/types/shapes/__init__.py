"""Array-shape rules: one function per rule, from the shapes of the operands to the shape of the result.

One file per family. A rule raises `ShapeError` for what is ill-shaped, and is remembered by its arguments.
Nothing here imports numpy or jaxlib.
"""

from effects.errors import ShapeError
from effects.types.shapes.axes import (
    Axes,
    as_axes,
    check_axes,
    expand_dims,
    matrix_transpose,
    moveaxis_perm,
    normalize_axes,
    normalize_axis,
    normalize_perm,
    permute_dims,
    squeeze,
    swapaxes_perm,
)
from effects.types.shapes.broadcasting import (
    broadcast,
    broadcast_all,
    broadcast_in_dim,
    broadcast_named,
    broadcast_to,
)
from effects.types.shapes.contraction import (
    AxisPairs,
    TensordotAxes,
    dot_general,
    matmul,
    tensordot,
    tensordot_axes,
    vecdot,
)
from effects.types.shapes.convolution import Layout, Window, convolution, dilated
from effects.types.shapes.dims import Ints, show, static_shape
from effects.types.shapes.einsum import einsum, einsum_terms, ellipsis_label
from effects.types.shapes.gathering import gather
from effects.types.shapes.joining import PadConfig, concat, pad, split_bounds, stack
from effects.types.shapes.ordering import along, sort, top_k
from effects.types.shapes.pooling import cuts, pool
from effects.types.shapes.reduction import argreduce, reduce
from effects.types.shapes.reshaping import reshape
from effects.types.shapes.slicing import (
    BasicIndex,
    Index,
    basic_index,
    dynamic_slice,
    dynamic_update_slice,
    strided_slice,
)

__all__ = [
    "Axes",
    "AxisPairs",
    "BasicIndex",
    "Index",
    "Ints",
    "Layout",
    "PadConfig",
    "ShapeError",
    "TensordotAxes",
    "Window",
    "along",
    "argreduce",
    "as_axes",
    "basic_index",
    "broadcast",
    "broadcast_all",
    "broadcast_in_dim",
    "broadcast_named",
    "broadcast_to",
    "check_axes",
    "concat",
    "convolution",
    "cuts",
    "dilated",
    "dot_general",
    "dynamic_slice",
    "dynamic_update_slice",
    "einsum",
    "einsum_terms",
    "ellipsis_label",
    "expand_dims",
    "gather",
    "matmul",
    "matrix_transpose",
    "moveaxis_perm",
    "normalize_axes",
    "normalize_axis",
    "normalize_perm",
    "pad",
    "permute_dims",
    "pool",
    "reduce",
    "reshape",
    "show",
    "sort",
    "split_bounds",
    "squeeze",
    "stack",
    "static_shape",
    "strided_slice",
    "swapaxes_perm",
    "tensordot",
    "tensordot_axes",
    "top_k",
    "vecdot",
]
