"""Rows that are repeated, computed once: XLA computes what is cheap again for each element that reads it."""

from __future__ import annotations

import math
from typing import Final

from jaxlib.mlir import ir

from lowering.stablehlo.context import shape_of
from lowering.stablehlo.cpu.folding import KEPT, symbol_of
from lowering.stablehlo.cpu.traits import traits_of
from lowering.stablehlo.dialects import operations_in

_LONG_TO_COMPUTE: Final = 1 << 14
"""So many elements take longer than one more loop over a row."""


def compute_rows_once(module: ir.Operation) -> None:
    """Keep rows in memory that are computed element by element and then repeated; numbers are in a register anyway."""
    for broadcast in [op for op in operations_in(module) if op.name == "stablehlo.broadcast_in_dim"]:
        (row,), repeated = broadcast.operands, shape_of(broadcast.results[0])
        along = ir.DenseI64ArrayAttr(broadcast.attributes["broadcast_dimensions"])
        is_row = len(repeated) - 1 in list(along) and shape_of(row)[-1] == repeated[-1] > 1
        at_top = symbol_of(broadcast.parent) != ""  # in the loop over rows it would be kept once for each
        if is_row and at_top and math.prod(repeated) >= max(_LONG_TO_COMPUTE, 8 * math.prod(shape_of(row))):
            maker = row.owner
            while not isinstance(maker, ir.Block) and maker.name == "stablehlo.reshape":
                maker = maker.operands[0].owner
            if not isinstance(maker, ir.Block) and traits_of(maker.name).is_light:
                ip = ir.InsertionPoint(broadcast)
                barrier = ir.Operation.create(KEPT, [row.type], [row], loc=broadcast.location, ip=ip)
                broadcast.operands[0] = barrier.result
