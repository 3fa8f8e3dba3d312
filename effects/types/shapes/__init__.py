"""Array-shape rules: one function per rule, from the shapes of the operands to the shape of the result.

One file per family. A rule raises `ShapeError` for what is ill-shaped, and is remembered by its arguments.
Nothing here imports numpy or jaxlib.
"""

from effects.errors import ShapeError as ShapeError
from effects.types.shapes.axes import (
    Axes as Axes,
    as_axes as as_axes,
    check_axes as check_axes,
    expand_dims as expand_dims,
    matrix_transpose as matrix_transpose,
    moveaxis_perm as moveaxis_perm,
    normalize_axes as normalize_axes,
    normalize_axis as normalize_axis,
    normalize_perm as normalize_perm,
    permute_dims as permute_dims,
    squeeze as squeeze,
    swapaxes_perm as swapaxes_perm,
)
from effects.types.shapes.broadcasting import (
    broadcast as broadcast,
    broadcast_all as broadcast_all,
    broadcast_in_dim as broadcast_in_dim,
    broadcast_named as broadcast_named,
    broadcast_to as broadcast_to,
)
from effects.types.shapes.contraction import (
    AxisPairs as AxisPairs,
    TensordotAxes as TensordotAxes,
    dot_general as dot_general,
    matmul as matmul,
    tensordot as tensordot,
    tensordot_axes as tensordot_axes,
    vecdot as vecdot,
)
from effects.types.shapes.convolution import (
    Layout as Layout,
    Window as Window,
    convolution as convolution,
    dilated as dilated,
)
from effects.types.shapes.dims import Ints as Ints, show as show, static_shape as static_shape
from effects.types.shapes.einsum import einsum as einsum, einsum_terms as einsum_terms, ellipsis_label as ellipsis_label
from effects.types.shapes.gathering import gather as gather
from effects.types.shapes.joining import (
    PadConfig as PadConfig,
    concat as concat,
    pad as pad,
    split_bounds as split_bounds,
    stack as stack,
)
from effects.types.shapes.ordering import along as along, sort as sort, top_k as top_k
from effects.types.shapes.pooling import cuts as cuts, pool as pool
from effects.types.shapes.reduction import argreduce as argreduce, reduce as reduce
from effects.types.shapes.reshaping import reshape as reshape
from effects.types.shapes.slicing import (
    BasicIndex as BasicIndex,
    Index as Index,
    basic_index as basic_index,
    dynamic_slice as dynamic_slice,
    dynamic_update_slice as dynamic_update_slice,
    strided_slice as strided_slice,
)
