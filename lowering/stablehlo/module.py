"""From a program to a module of StableHLO: `main`, and one private function for each distinct program it calls.

Programs of one structure are equal, and are emitted once. Pending programs are in a list, without recursion, so that
programs may be nested deeply.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from types import CodeType
from typing import Final, final

from jaxlib.mlir import ir

from effects.arrays.concrete import Device
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr
from effects.runtime.cpython.source import Location, current_location
from handlers.host_effects import with_callbacks_ordered
from lowering.choices import with_choices_made_once
from lowering.constant_folding import with_numbers_folded
from lowering.emission import Layout
from lowering.stablehlo.builder import Attributes, Builder, donation
from lowering.stablehlo.context import CURRENT, Value, named_location, writing
from lowering.stablehlo.functions import MAIN, Functions, identifier
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope
from lowering.stablehlo.shardy import sharding_attribute


@final
class Locations:
    """The locations of one module, each worked out once.

    Code objects are compared by identity, since the program keeps them alive and comparing is slow.
    """

    __slots__ = ("_known", "_lines")

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], ir.Location] = {}
        self._lines: dict[int, tuple[list[int], list[int]]] = {}

    def locate(self, source_location: Location | None, operation: str) -> ir.Location:
        """The location of an equation with this operation."""
        if source_location is None:
            return CURRENT.unknown
        code, offset = source_location[:2]
        key = (id(code), offset, operation)
        try:
            return self._known[key]
        except KeyError:
            line = self._line(code, offset)
            location = self._known[key] = named_location(
                code.co_filename, line, f"{code.co_name.strip('<>')}/{operation}"
            )
            return location

    def _line(self, code: CodeType, offset: int) -> int:
        table = self._lines.get(id(code))
        if table is None:
            spans = [(start, line) for start, _, line in code.co_lines() if line is not None]
            table = self._lines[id(code)] = ([start for start, _ in spans], [line for _, line in spans])
        starts, lines = table
        return lines[max(bisect_right(starts, offset) - 1, 0)] if lines else code.co_firstlineno


@final
class Module:
    """An emitted program.

    >>> import effects as fx
    >>> from effects.operations.elementwise import Unary, UnaryKind
    >>> from handlers.stage import stage
    >>> program, _ = stage(lambda x: [fx.perform(Unary(UnaryKind.SIN, x))], [fx.ShapedArray((3,), fx.float32)])
    >>> print(emit(program, "f").text())
    module @f {
      func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
        %0 = stablehlo.sine %arg0 : tensor<3xf32>
        return %0 : tensor<3xf32>
      }
    }
    <BLANKLINE>
    """

    __slots__ = ("_builder", "callbacks", "depth", "devices", "donations", "on_cpu")

    def __init__(self, builder: Builder, functions: Functions, donations: dict[int, int | None]) -> None:
        self._builder = builder
        self.donations: Final = donations
        """The donated inputs, with the result that takes the memory of each; None if no result does."""
        self.callbacks: Final = functions.callbacks
        """The Python functions that the program calls by number."""
        self.devices: Final = frozenset(functions.devices)
        """Devices on which the program places its values."""
        self.on_cpu: Final = frozenset(functions.on_cpu)  # library functions that only the CPU has
        self.depth: Final = functions.depth()
        """Nesting depth of calls. XLA recurses over them when it compiles: 600 fit in the usual stack of 8 MiB."""

    @property
    def ir(self) -> ir.Module:
        """The MLIR module, which `lowering.pjrt.compile_module` takes."""
        return self._builder.module

    def text(self, *, locations: bool = False) -> str:
        """The StableHLO text; with the user's source lines if `locations`."""
        return self._builder.text(locations=locations)

    def bytecode(self) -> bytes:
        """MLIR bytecode, source lines included."""
        return self._builder.bytecode()

    def verify(self) -> str | None:
        """None for a well-formed module, otherwise what MLIR says is wrong with it."""
        return self._builder.verify()


def emit(
    jaxpr: Jaxpr,
    name: str,
    donated: Sequence[bool] = (),
    where: Device | Layout | None = None,
    platform: str | None = None,
    *,
    open_sizes: bool = False,
) -> Module:
    """The module whose `main` takes the inputs of `jaxpr` in order and returns its outputs.

    If `donated[i]`, the memory of input i is given to the first output of its type without a donor, else to whatever
    XLA chooses. With a layout the program is for the devices of a mesh, without `where` for any device, and with a
    platform for that, even if it is not available. Computations on numbers alone are folded, unless `open_sizes`, where
    numbers may be sizes. Raises MissingRule for an operation that has no lowering.
    """
    with writing():
        jaxpr = with_callbacks_ordered(jaxpr)
        builder, locations = Builder(identifier(name)), Locations()
        functions = Functions(where, platform, open_sizes=open_sizes)
        donations = _donations(jaxpr, donated, functions.layout)
        of_inputs, of_outputs = _attributes(functions, jaxpr, donations)
        inputs = [TYPES[v.aval] for v in jaxpr.inputs]
        parameters = builder.open_function(MAIN, inputs, public=True, of_inputs=of_inputs, of_outputs=of_outputs)
        _emit_body(jaxpr, Scope(builder, functions), parameters, locations)
        for body, symbol in functions.pending():
            builder.location = CURRENT.unknown
            parameters = builder.open_function(symbol, [TYPES[v.aval] for v in body.inputs])
            _emit_body(body, Scope(builder, functions), parameters, locations)
        for mesh, symbol in functions.meshes.items():
            builder.mesh(symbol, None if mesh is None else list(mesh.axes.items()), functions.order(mesh))
        return Module(builder, functions, donations)


def _emit_body(jaxpr: Jaxpr, scope: Scope, parameters: list[Value], locations: Locations) -> None:
    if not scope.functions.open_sizes:
        jaxpr = with_choices_made_once(dead_code_eliminated(with_numbers_folded(jaxpr)))
    scope.update(zip(jaxpr.inputs, parameters, strict=True))
    builder = scope.builder
    locate, before = locations.locate, current_location.get()
    try:
        for eqn in jaxpr.eqns:
            op = eqn.op
            builder.location = locate(eqn.place, op.name)
            current_location.set(eqn.place)  # programs that a rule stages belong there
            outs = eqn.outs
            result = RULES[type(op)](op, outs, scope)
            if type(result) is list:
                scope.update(zip(outs, result, strict=True))
            else:
                scope[outs[0]] = result  # type: ignore[assignment]  # what is no list is one value
    finally:
        current_location.set(before)
    builder.close_function([scope[atom] for atom in jaxpr.outputs])


def _attributes(
    functions: Functions, jaxpr: Jaxpr, donations: dict[int, int | None]
) -> tuple[dict[int, Attributes], dict[int, Attributes]]:
    """Attributes of the parameters and the results of `main`: donation and shardings."""
    of_inputs = {position: donation(result) for position, result in donations.items()}
    of_outputs: dict[int, Attributes] = {}
    if (layout := functions.layout) is not None:
        for atoms, shardings, attributes in (
            (jaxpr.inputs, layout.inputs, of_inputs),
            (jaxpr.outputs, layout.outputs, of_outputs),
        ):
            for position, (atom, sharding) in enumerate(zip(atoms, shardings, strict=True)):
                if sharding is not None:
                    value = sharding_attribute(functions.mesh(sharding.mesh), sharding.names(atom.aval.ndim))
                    attributes[position] = {**attributes.get(position, {}), "sdy.sharding": value}
    return of_inputs, of_outputs


def _donations(jaxpr: Jaxpr, donated: Sequence[bool], layout: Layout | None) -> dict[int, int | None]:
    if not any(donated):
        return {}
    if layout is not None:  # a result may be sharded in another way
        return {index: None for index, is_donated in enumerate(donated) if is_donated}
    free: dict[object, list[int]] = {}
    for index in reversed(range(len(jaxpr.outputs))):
        free.setdefault(TYPES[jaxpr.outputs[index].aval], []).append(index)
    receivers: dict[int, int | None] = {}
    for index, (var, is_donated) in enumerate(zip(jaxpr.inputs, donated, strict=True)):
        if is_donated:
            fitting = free.get(TYPES[var.aval])
            receivers[index] = fitting.pop() if fitting else None
    return receivers
