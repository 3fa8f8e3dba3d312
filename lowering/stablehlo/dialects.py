"""New MLIR contexts with the dialects of programs, and modules read in a context of their own."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import (
    builtin,  # noqa: F401  # or MLIR's C++ imports it while a module is written, where an interrupt ends the process
    chlo,
    func,  # noqa: F401  # as builtin
    sdy,
    stablehlo,
)


def empty_context() -> ir.Context:
    """A context that loads dialects as modules need them, in 0.2 ms; all of them take 2 ms."""
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    stablehlo.register_dialect(context)
    chlo.register_dialect(context)
    sdy.register_dialect(context)
    return context


def operations_in(root: ir.Operation) -> Iterator[ir.Operation]:
    """The operations inside of one, each after those inside of it, and last the operation itself.

    MLIR's own walk turns an interrupt in the function that it calls into a RuntimeError.
    """
    for region in root.regions:
        for block in region:
            for each in block.operations:
                yield from operations_in(each.operation)
    yield root


def read_module(bytecode: bytes) -> ir.Module:
    """The module in a context of its own.

    XLA loads dialects into the context of what it compiles, which must not happen on several threads in one context.
    """
    return ir.Module.parse(bytecode, context=empty_context())
