"""The module for known sizes, from one with open sizes.

It equals the module of the function itself for these sizes, operation by operation, so that XLA compiles both alike. So
nothing is simplified here: repeated computations and calls stay.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

from effects.types.avals import ShapedArray
from lowering.pjrt.portable import portable_artifact
from lowering.stablehlo.context import CURRENT, Attribute, Type, i32, writing
from lowering.stablehlo.functions import MAIN
from lowering.stablehlo.portable import named, read
from lowering.stablehlo.scope import TYPES

stablehlo.register_stablehlo_passes()

COMPOSITE: Final = "stablehlo.composite"
_IMPLEMENTED: Final = re.compile(r"(chlo\.\w+)\.impl(_\d+)?")
"""Names of StableHLO's functions for CHLO operations, such as `chlo.erf`, which XLA may compute in its own way."""
_PASSES: Final = "builtin.module(stablehlo-refine-shapes,func.func(stablehlo-canonicalize-dynamism))"


def refined(artifact: bytes, inputs: Sequence[ShapedArray]) -> bytes:
    """The artifact for inputs of these types, from one with open sizes; ValueError if they do not fit."""
    with writing(), CURRENT.unknown:
        module = read(artifact)
        main = next(f for f in module.body if named(f) == MAIN)
        types = [TYPES[aval] for aval in inputs]
        block = main.operation.regions[0].blocks[0]
        start = ir.InsertionPoint.at_block_begin(block)
        openings: list[ir.Operation] = []
        for argument, kind in zip(block.arguments, types, strict=True):
            before = argument.type
            if before != kind:
                argument.set_type(kind)
                openings.append(ir.Operation.create("stablehlo.convert", [before], [argument], ip=start))
                argument.replace_all_uses_except(openings[-1].result, openings[-1])
        results = ir.FunctionType(ir.TypeAttr(main.operation.attributes["function_type"]).value).results
        main.operation.attributes["function_type"] = function_type(types, results)
        try:
            PassManager.parse(_PASSES, CURRENT.context).run(module.operation)
        except ir.MLIRError as error:
            raise ValueError(str(error)) from None
        _close(module)
        return portable_artifact(bytecode(module))


def _close(module: ir.Module) -> None:
    """Remove the operations that left sizes open, and restore operations of CHLO from functions.

    Raises ValueError if a value still has an unknown size.
    """
    for operation in list(walked(module.operation)):
        for value in operation.results:
            if isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape:
                raise ValueError(f"the sizes of the arguments do not say those of {operation.name}")
        if operation.name == "stablehlo.convert" and operation.operands[0].type == operation.result.type:
            operation.result.replace_all_uses_with(operation.operands[0])
            operation.erase()
        elif operation.name == "func.call":
            callee = operation.attributes["callee"]
            if (of := _IMPLEMENTED.fullmatch(str(ir.FlatSymbolRefAttr(callee).value))) and len(operation.results) == 1:
                of_composite = {
                    "name": ir.StringAttr.get(of[1], CURRENT.context),
                    "decomposition": callee,
                    "version": i32(1),
                }
                at = ir.InsertionPoint(operation)
                composite = ir.Operation.create(
                    COMPOSITE, [operation.result.type], operation.operands, of_composite, ip=at
                )
                operation.result.replace_all_uses_with(composite.result)
                operation.erase()


def bytecode(module: ir.Module) -> bytes:
    """A module as MLIR bytecode."""
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    return stream.getvalue()


def function_type(inputs: Sequence[Type], results: Sequence[Type]) -> Attribute:
    """The attribute with the type of a function."""
    return ir.TypeAttr.get(ir.FunctionType.get(inputs, results, context=CURRENT.context), context=CURRENT.context)


def walked(operation: ir.Operation) -> Iterator[ir.Operation]:
    """An operation and all operations in its regions, in order."""
    yield operation
    for region in operation.regions:
        for block in region.blocks:
            for inside in block.operations:
                yield from walked(inside.operation)
