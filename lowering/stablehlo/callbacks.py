"""Callbacks: custom calls of Python, by their number among the module's.

XLA's CPU runtime makes the NumPy arrays and takes the results, in row-major layout. That it has a side effect keeps a
call where it is and as often as it is.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxlib.mlir import ir

from effects.operations.callbacks import Callback
from effects.program.jaxpr import Atom, Var
from lowering.stablehlo.context import CURRENT, Attribute, Value, array, boolean, i32, parsed, string
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@RULES.rule(Callback)
def lower_callback(op: Callback[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    attributes = {
        "call_target_name": string("xla_ffi_python_cpu_callback"),
        "api_version": i32(4),
        "has_side_effect": boolean(True),
        "backend_config": parsed(f"{{index = {scope.functions.callback(op.function)} : ui64}}"),
        "operand_layouts": array(tuple([_row_major(v.aval.ndim) for v in op.operands_])),
        "result_layouts": array(tuple([_row_major(v.aval.ndim) for v in outs])),
    }
    operands = [scope[v] for v in op.operands_]
    return scope.builder.ops("stablehlo.custom_call", [TYPES[v.aval] for v in outs], operands, attributes)


@cache
def _row_major(rank: int) -> Attribute:
    minor_to_major = np.arange(rank - 1, -1, -1, dtype=np.int64)
    index = ir.IndexType.get(context=CURRENT.context)
    return ir.DenseIntElementsAttr.get(minor_to_major, shape=(rank,), type=index, context=CURRENT.context)
