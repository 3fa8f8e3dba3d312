"""Programs run by the interpreter that comes with StableHLO's specification, in place of XLA's compiler.

It takes a hundredth of the time, and is a second opinion on what is written down: for tests of what programs mean. What
it has no words for is compiled without LLVM's optimisations, as are the programs of tests that compute too much for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast, final

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

from effects import dtypes
from effects.types.dtypes import DType
from lowering.pjrt import Buffer, BufferType, Compilation, Device, Executable, compile_module, fetch, put
from lowering.pjrt.protocols import RawExecutable

stablehlo.register_stablehlo_passes()

_ELEMENTS: Final = {"i1", "f32", "f64", *(f"{sign}i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}
"""Types of elements that attributes are made of, and give."""
INTERPRETABLE: Final[set[type[DType]]] = {
    dtype
    for dtype in dtypes.ALL
    if dtype is dtypes.bool_ or issubclass(dtype, dtypes.Integer) or dtype in (dtypes.float32, dtypes.float64)
}
"""The dtypes with such elements."""
_PRODUCT_OF_NOTHING: Final = "stablehlo.dot_general of nothing"  # where it aborts the process
_ORDER_OF_FLOATS: Final = "stablehlo.sort by floats"  # where what it compares with NaN is nowhere
_CALL: Final = "func.call"
_COMPILED: Final = {
    _PRODUCT_OF_NOTHING,
    _ORDER_OF_FLOATS,
    "stablehlo.cholesky",
    "stablehlo.custom_call",
    "stablehlo.fft",
    "stablehlo.triangular_solve",
}
"""Operations that the interpreter does not know."""
_IN_PART: Final = {"stablehlo.dot_general", "stablehlo.sort"}
_UNOPTIMISED: Final = ("xla_backend_optimization_level", 0)


@final
class _Results:
    def __init__(self, buffers: list[Buffer]) -> None:
        self._buffers = buffers

    def consume_with_handlers[T](self, handlers: Sequence[Callable[[Buffer], T]], /) -> list[T]:
        return [handler(buffer) for handler, buffer in zip(handlers, self._buffers, strict=True)]


@final
class Interpreted:
    """Stands where an executable of XLA does, which is asked for what it alone knows."""

    def __init__(
        self,
        module: ir.Module,
        inputs: Sequence[ir.Type],
        outputs: Sequence[BufferType],
        device: Device,
        compiled: Callable[[], Executable],
    ) -> None:
        self._module, self._inputs, self._outputs, self._device = module, inputs, outputs, device
        self._compiled = compiled

    def __getattr__(self, name: str) -> object:
        return getattr(self._compiled().raw, name)

    def execute_sharded(self, buffers: Sequence[Buffer], /, *, with_tokens: bool = False) -> _Results:
        assert not with_tokens
        with self._module.context, ir.Location.unknown():
            given = [
                ir.DenseElementsAttr.get(np.ascontiguousarray(host), type=element, shape=host.shape)
                for host, element in zip(map(fetch, buffers), self._inputs, strict=True)
            ]
            hosts = [np.array(ir.DenseElementsAttr(found)) for found in stablehlo.eval_module(self._module, given)]
        return _Results([put(host, kind, self._device) for host, kind in zip(hosts, self._outputs, strict=True)])

    def get_parameter_shardings(self) -> None:
        return None

    def get_output_shardings(self) -> None:
        return None


def _elements(types: Sequence[ir.Type]) -> list[ir.Type]:
    return [ir.ShapedType(of).element_type for of in types]


def _operations(module: ir.Module) -> set[str]:
    names: set[str] = set()

    def add(op: ir.Operation) -> ir.WalkResult:
        types = [ir.ShapedType(x.type) for x in op.operands] if op.name in _IN_PART else []
        if op.name == "stablehlo.dot_general" and any(0 in of.shape for of in types):
            names.add(_PRODUCT_OF_NOTHING)
        elif op.name == "stablehlo.sort" and isinstance(types[0].element_type, ir.FloatType):
            names.add(_ORDER_OF_FLOATS)
        names.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(add)
    return names


def _spelled_out(module: ir.Module) -> tuple[ir.Module, set[str]]:
    """The module without operations of CHLO, which are short for others, and what its operations are."""
    names = _operations(module)
    if not any(name.startswith("chlo.") or name == _CALL for name in names):
        return module, names
    with module.context, ir.Location.unknown():
        plain = ir.Module.create()
        for function in module.body.operations:
            plain.body.append(function.operation.clone())
        PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(plain.operation)
        _share_calls(plain)
    return plain, _operations(plain)


def _share_calls(module: ir.Module) -> None:
    """Call each function once with the same operands: derivatives of derivatives call the lower ones often."""
    for function in module.body.operations:
        for block in [block for region in function.regions for block in region.blocks]:
            first: dict[tuple[str, tuple[ir.Value[Any], ...]], ir.OpView] = {}
            for op in [op for op in block.operations if op.operation.name == _CALL]:
                same = first.setdefault((str(op.attributes["callee"]), tuple(op.operands)), op)
                if same is not op:
                    for result, value in zip(op.results, same.results, strict=True):
                        result.replace_all_uses_with(value)
                    op.operation.erase()


def unoptimised(compilation: Compilation) -> Executable:
    """`lowering.pjrt.compile_module`, where XLA does what it does and LLVM translates without optimisations."""
    return compile_module(replace(compilation, options=(_UNOPTIMISED, *compilation.options)))


def interpreted(compilation: Compilation) -> Executable:
    """`lowering.pjrt.compile_module`, which hands the module to the interpreter if it can."""
    placement, outputs = compilation.placement, compilation.outputs
    if isinstance(placement, Device) and not compilation.callbacks and not compilation.options:
        plain, operations = _spelled_out(cast("ir.Module", compilation.module))
        (main,) = [f for f in plain.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == "main"]
        kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
        taken, given = _elements(kind.inputs), _elements(kind.results)
        if {str(element) for element in (*taken, *given)} <= _ELEMENTS and not operations & _COMPILED:
            raw = Interpreted(plain, taken, outputs, placement, partial(unoptimised, compilation))
            return Executable(cast("RawExecutable", raw), compilation)
    return unoptimised(compilation)
