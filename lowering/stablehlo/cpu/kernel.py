"""Programs on few elements as one kernel: XLA takes some ten milliseconds to compile each of several."""

from __future__ import annotations

import math
from typing import Final

from jaxlib.mlir import ir

from lowering.stablehlo.context import Type
from lowering.stablehlo.cpu.folding import symbol_of
from lowering.stablehlo.functions import MAIN

_ELEMENTS_IN_KERNELS: Final = 4096
"""The most elements of arrays that one processor computes as soon as several do."""
MOST_OPERATIONS: Final = 8192
"""The most operations that LLVM compiles as one kernel as fast as in several: its time is quadratic in these."""
_MOST_VALUES: Final = 64
"""The most arguments and results of `main`, in whose number the time is quadratic as well."""
_ELEMENTS: Final = (ir.BF16Type, ir.ComplexType, ir.F16Type, ir.F32Type, ir.F64Type, ir.IntegerType)
_BODY: Final = f"{MAIN}.body"
"""Name that no other function of a module has."""
_ATTRIBUTES: Final = '{inlineable = "false", xla_cpu_small_call = "true"}'
"""A call that XLA compiles as one kernel, with all that it calls."""


def is_of_few(kind: Type) -> bool:
    """Return True for the type of an array of few elements, not of eight bits: XLA rounds some of these otherwise."""
    if not isinstance(kind, ir.RankedTensorType) or not isinstance(kind.element_type, _ELEMENTS):
        return False
    return kind.has_static_shape and math.prod(kind.shape) <= _ELEMENTS_IN_KERNELS


def takes_few(function: ir.Operation) -> bool:
    """Return True for a function whose arguments are of few elements, and not many, with its results."""
    signature = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs = list(signature.inputs)
    return all(map(is_of_few, inputs)) and len(inputs) + len(signature.results) <= _MOST_VALUES


def into_one_kernel(module: ir.Operation) -> None:
    """Make `main` of a module a call of one kernel.

    This returns its arguments as well: XLA ends the process over a kernel that reads none of one, as may come to be
    when it is simplified.
    """
    context = module.context
    (main,) = [f for f in module.regions[0].blocks[0].operations if symbol_of(f) == MAIN]
    outer = {name: main.attributes[name] for name in main.attributes}
    signature = ir.FunctionType(ir.TypeAttr(outer["function_type"]).value)
    inputs, place = list(signature.inputs), main.location
    results = [*signature.results, *inputs]
    for name in ("arg_attrs", "res_attrs"):
        if name in outer:
            del main.attributes[name]
    main.attributes["sym_name"] = ir.StringAttr.get(_BODY, context)
    main.attributes["sym_visibility"] = ir.StringAttr.get("private", context)
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results, context), context)
    block = main.regions[0].blocks[0]
    end = block.operations[len(block.operations) - 1].operation
    returned = [*end.operands, *block.arguments]
    ir.Operation.create(end.name, (), returned, None, None, 0, end.location, ir.InsertionPoint(end))
    end.erase()
    caller = ir.Operation.create("func.func", (), (), outer, None, 1, place, ir.InsertionPoint(main))
    block = caller.regions[0].blocks.append(*inputs, arg_locs=[place] * len(inputs))
    call = {
        "callee": ir.FlatSymbolRefAttr.get(_BODY, context),
        "mhlo.frontend_attributes": ir.Attribute.parse(_ATTRIBUTES, context),
    }
    inside = ir.InsertionPoint(block)
    called = ir.Operation.create("func.call", results, list(block.arguments), call, None, 0, place, inside).results
    returned = list(called)[: len(signature.results)]
    ir.Operation.create("func.return", (), returned, None, None, 0, place, inside)
