"""Folds over windows by StableHLO's operation."""

from __future__ import annotations

from typing import NamedTuple

from effects.operations.reduction import ReduceKind
from effects.types import shapes
from effects.types.avals import ShapedArray
from effects.types.shapes import Ints, Window
from lowering.stablehlo.builder import Region
from lowering.stablehlo.context import Value, i64_table, i64s
from lowering.stablehlo.reduction import FOLDS
from lowering.stablehlo.scope import TYPES, Scope


class Shaped(NamedTuple):
    """A value with its type."""

    value: Value
    aval: ShapedArray


def folded(kind: ReduceKind, nothing: complex, x: Shaped, sizes: Ints, window: Window, scope: Scope) -> Shaped:
    """x folded over windows, with `nothing` as the value of padding."""
    out = x.aval.with_shape(shapes.pool("window", x.aval.shape, sizes, window))
    attributes = {
        "window_dimensions": i64s(sizes),
        "window_strides": i64s(window.strides),
        "base_dilations": i64s(window.x_dilation),
        "window_dilations": i64s(window.kernel_dilation),
        "padding": i64_table(window.padding, 2),
    }
    one = ShapedArray((), x.aval.dtype)
    region = Region((TYPES[one],) * 2, lambda pair: [scope.op(FOLDS[kind], TYPES[one], pair)])
    operands = (x.value, scope.fill(one, nothing))
    (value,) = scope.builder.ops("stablehlo.reduce_window", (TYPES[out],), operands, attributes, (region,))
    return Shaped(value, out)
