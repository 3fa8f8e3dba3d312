"""Modules of StableHLO as portable artifacts, and artifacts as functions of other modules."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager

from effects.errors import DeviceError
from effects.program.jaxpr import Atom, Var
from effects.types.avals import ShapedArray
from lowering.pjrt.lapack import lapack_targets, register_lapack
from lowering.pjrt.portable import portable_artifact
from lowering.programs.artifact import Artifact, Run
from lowering.stablehlo.context import CURRENT, Value, writing
from lowering.stablehlo.dialects import operations_in
from lowering.stablehlo.functions import MAIN, identifier
from lowering.stablehlo.module import Module
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope

_LAPACK: Final = "lapack_"
_ORDER: Final = "LayoutConstraint"
"""XLA's custom call for a value in a memory layout."""


def newest() -> str:
    """The newest version of StableHLO that can be read."""
    return str(stablehlo.get_current_version())


def portable(module: Module, *, lines: bool = False) -> bytes:
    """The artifact of a module. Unless `lines`, the user's lines are removed, from the module too."""
    if not lines:
        without_lines(module.ir)
    return portable_artifact(module.bytecode())


def without_lines(module: ir.Module) -> None:
    """Take the user's lines out of a module."""
    PassManager.parse("builtin.module(strip-debuginfo)", module.context).run(module.operation)


def refused(artifact: bytes, inputs: Sequence[ShapedArray], outputs: Sequence[ShapedArray]) -> str | None:
    """The problem of an artifact that cannot run as a program of these types; None if it can."""
    with writing():
        try:
            module = _read_silently(artifact)
        except ValueError:
            return f"its StableHLO is not to be read by this jaxlib, which reads version {newest()}"
        main = next((f for f in module.body if named(f) == MAIN), None)
        expected = ir.FunctionType.get(
            [TYPES[aval] for aval in inputs], [TYPES[aval] for aval in outputs], context=CURRENT.context
        )
        if main is None or main.operation.attributes["function_type"] != ir.TypeAttr.get(
            expected, context=CURRENT.context
        ):
            return f"its StableHLO has no function main of the type {expected}"
        called = targets(module) - {_ORDER}
        if others := sorted([target for target in called if not target.startswith(_LAPACK)]):
            return f"it calls {', '.join(others)}, which is no part of StableHLO"
        if unknown := sorted(called - lapack_targets() if called else ()):
            return f"it calls {', '.join(unknown)} of LAPACK, which this jaxlib does not have"
        return None


def read(artifact: bytes) -> ir.Module:
    """The module of an artifact; ValueError for other data."""
    return stablehlo.deserialize_portable_artifact(CURRENT.context, artifact)


def _read_silently(artifact: bytes) -> ir.Module:
    """The same, with no word on stderr."""
    handler = CURRENT.context.attach_diagnostic_handler(lambda _: True)
    try:
        return read(artifact)
    finally:
        handler.detach()  # type: ignore[attr-defined]  # the stub has the wrong type


def named(function: ir.OpView | ir.Operation) -> str:
    """Name of a function."""
    return str(ir.StringAttr(function.operation.attributes["sym_name"]).value)


def targets(module: ir.Module) -> set[str]:
    """Targets of the custom calls of a module."""
    calls = [op for op in operations_in(module.operation) if op.name == "stablehlo.custom_call"]
    return {str(ir.StringAttr(op.attributes["call_target_name"]).value) for op in calls}


@RULES.rule(Run)
def lower_run(op: Run[Atom], outs: tuple[Var, ...], scope: Scope) -> list[Value]:
    """A call of the artifact's `main`; its functions are copied into the module."""
    functions = scope.functions
    if functions.layout is not None:
        raise DeviceError(
            f"{op.artifact.name} is an exported program, which runs on one device: bring its arguments to one with "
            "device_put"
        )
    symbol = functions.adopted(op.artifact, lambda: _adopt(op.artifact, scope))
    return scope.builder.call(symbol, [TYPES[out.aval] for out in outs], [scope[x] for x in op.xs])


def _adopt(artifact: Artifact, scope: Scope) -> str:
    """Copy the functions of an artifact into the module as private ones; the new name of its `main`."""
    module = read(artifact.module(scope.functions.platform))
    if called := targets(module) - {_ORDER}:
        register_lapack()
        scope.functions.on_cpu.update(called)
    functions = {named(function): function.operation for function in module.body}
    callees = {name: _callees(function) & functions.keys() for name, function in functions.items()}
    reached = _reached(MAIN, callees)
    names = {name: _fresh(f"{identifier(artifact.name)}_{name}", functions, scope) for name in reached}
    for old, new in names.items():
        ir.SymbolTable.replace_all_symbol_uses(old, new, module.operation)
        ir.SymbolTable.set_symbol_name(functions[old], new)
        ir.SymbolTable.set_visibility(functions[old], "private")
    for old, new in names.items():
        scope.functions.calls(new, [names[callee] for callee in callees[old]])
        functions[old].clone(ir.InsertionPoint(scope.builder.module.body))
    return names[MAIN]


def _reached(name: str, callees: Mapping[str, Iterable[str]]) -> list[str]:
    """A function and all that it calls, directly or not."""
    reached = [name]
    for each in reached:
        reached += sorted(set(callees[each]).difference(reached))
    return reached


def _fresh(name: str, olds: Container[str], scope: Scope) -> str:
    """A name like this one that is neither in the module nor in `olds`."""
    while (fresh := scope.functions.unique(name)) in olds:
        pass
    return fresh


def _callees(function: ir.Operation) -> set[str]:
    """The functions that a function calls, or refers to as decompositions of its operations."""
    return {
        str(ir.FlatSymbolRefAttr(op.attributes[key]).value)
        for op in operations_in(function)
        for key in ("callee", "decomposition")
        if key in op.attributes
    }
