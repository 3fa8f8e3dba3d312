"""Callbacks: custom calls of Python, by their number among the module's.

Over a mesh a callback in a program over blocks is called once per device. Elsewhere the first device calls it once,
with whole operands, and sends the results. XLA's CPU runtime converts to NumPy arrays and back, in row-major layout.
Since a call is marked as a side effect, XLA does not move, drop or repeat it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxlib.mlir import ir

from effects.errors import DeviceError
from effects.operations.callbacks import Callback
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import CURRENT, Attribute, Value, array, boolean, i32, parsed, string
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.shardy import per_value, sharding_attribute


@RULES.rule(Callback)
def lower_callback(op: Callback[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    layout, manual = scope.functions.layout, scope.functions.manual
    if manual is not None and manual.has_auto:
        raise DeviceError(
            f"{op.describe()} in a shard_map along {', '.join(map(repr, manual.axes))} of {manual.mesh}: Python is "
            "called where no axis of the mesh, or every one, is one of blocks; leave axis_names out"
        )
    attributes = {
        "call_target_name": string("xla_ffi_python_cpu_callback"),
        "api_version": i32(4),
        "has_side_effect": boolean(True),
        "backend_config": parsed(f"{{index = {scope.functions.callback(op.function)} : ui64}}"),
        "operand_layouts": array(tuple([_row_major(v.aval.ndim) for v in op.operands_])),
        "result_layouts": array(tuple([_row_major(v.aval.ndim) for v in outs])),
    }
    operands, types = [scope[v] for v in op.operands_], [TYPES[v.aval] for v in outs]
    if layout is None or manual is not None:
        return scope.builder.ops("stablehlo.custom_call", types, operands, attributes)
    mesh = scope.functions.mesh(layout.mesh)
    alone = per_value(scope.functions.mesh(None), ((),) * max(len(outs), 1))
    operands = [_whole(x, v, mesh, scope) for x, v in zip(operands, op.operands_, strict=True)]
    results = scope.builder.ops("stablehlo.custom_call", types, operands, {**attributes, "sdy.sharding": alone})
    return [_whole(x, v, mesh, scope) for x, v in zip(results, outs, strict=True)]


def _whole(x: Value, atom: Atom, mesh: str, scope: Scope) -> Value:
    """The same value, whole on every device."""
    attributes = {"sharding": sharding_attribute(mesh, ((),) * atom.aval.ndim)}
    return scope.op("sdy.sharding_constraint", TYPES[atom.aval], (x,), attributes)


@cache
def _row_major(rank: int) -> Attribute:
    minor_to_major = np.arange(rank - 1, -1, -1, dtype=np.int64)
    index = ir.IndexType.get(context=CURRENT.context)
    return ir.DenseIntElementsAttr.get(minor_to_major, shape=(rank,), type=index, context=CURRENT.context)
