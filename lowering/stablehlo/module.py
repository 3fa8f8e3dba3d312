"""From a program to a module of StableHLO: `main`, and one private function for each distinct program it calls.

Bodies are interned, so identity tells which programs are the same. They are emitted from a list of what is still to
do, never by recursion: how deeply programs are nested does not matter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import CodeType
from typing import final

from jaxlib.mlir import ir

from effects.array import Array
from effects.jaxpr import Jaxpr
from effects.source import Source
from lowering.stablehlo.builder import Builder
from lowering.stablehlo.context import UNKNOWN, Value, location
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import TYPES, Scope


@final
class Module:
    """An emitted program.

    >>> import effects as fx
    >>> from effects.avals import ShapedArray
    >>> from effects.operations.elementwise import Unary, UnaryKind
    >>> from effects.chain import perform
    >>> from handlers.stage import stage
    >>> program, _ = stage(lambda x: [perform(Unary(UnaryKind.SIN, x))], [ShapedArray((3,), fx.float32)])
    >>> print(emit(program, "f").text())
    module @f {
      func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
        %0 = stablehlo.sine %arg0 : tensor<3xf32>
        return %0 : tensor<3xf32>
      }
    }
    <BLANKLINE>
    """

    __slots__ = ("_builder",)

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

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


def emit(jaxpr: Jaxpr, name: str, donated: Sequence[bool] = ()) -> Module:
    """The module whose `main` takes the inputs of `jaxpr` in order and returns its outputs.

    `donated[i]` says that the memory of input i may be taken over: by the first output of its type that no other
    input has, else by whatever XLA finds. Raises MissingRule for an operation that has no lowering.
    """
    builder = Builder(identifier(name))
    functions = Functions()
    locations = _Locations()
    inputs = [TYPES[v.aval] for v in jaxpr.inputs]
    parameters = builder.open_function("main", inputs, public=True, donated=_donations(jaxpr, donated))
    _emit_body(jaxpr, Scope(builder, functions), parameters, locations)
    for body, symbol in functions.pending():
        parameters = builder.open_function(symbol, [TYPES[v.aval] for v in body.inputs])
        _emit_body(body, Scope(builder, functions), parameters, locations)
    return Module(builder)


def _emit_body(jaxpr: Jaxpr, scope: Scope, parameters: list[Value], locations: _Locations) -> None:
    scope.update(zip(jaxpr.inputs, parameters, strict=True))
    builder = scope.builder
    locate = locations.locate
    for eqn in jaxpr.eqns:
        builder.location = locate(eqn.source)
        op = eqn.op
        outs = eqn.outs
        result = RULES[type(op)](op, outs, scope)
        if type(result) is list:
            scope.update(zip(outs, result, strict=True))
        else:
            scope[outs[0]] = result  # type: ignore[assignment]  # what is no list is one value
    builder.close_function([scope[atom] for atom in jaxpr.outputs])


def _donations(jaxpr: Jaxpr, donated: Sequence[bool]) -> dict[int, int | None]:
    if not any(donated):
        return {}
    free: dict[object, list[int]] = {}
    for index in reversed(range(len(jaxpr.outputs))):
        free.setdefault(TYPES[jaxpr.outputs[index].aval], []).append(index)
    taken: dict[int, int | None] = {}
    for index, (var, given) in enumerate(zip(jaxpr.inputs, donated, strict=True)):
        if given:
            fitting = free.get(TYPES[var.aval])
            taken[index] = fitting.pop() if fitting else None
    return taken


@final
class Functions:
    """The private functions of a module: one for each distinct body that is called in it."""

    __slots__ = ("_names", "_staged", "_symbols", "_waiting")

    def __init__(self) -> None:
        self._symbols: dict[Jaxpr, str] = {}
        self._names: dict[str, int] = {"main": 0}
        self._waiting: list[tuple[Jaxpr, str]] = []
        self._staged: dict[Hashable, tuple[Jaxpr, list[Array]]] = {}

    def staged(self, key: Hashable, stage: Callable[[], tuple[Jaxpr, list[Array]]]) -> tuple[Jaxpr, list[Array]]:
        """`stage()`, done once for each `key` in this module."""
        if key not in self._staged:
            self._staged[key] = stage()
        return self._staged[key]

    def symbol(self, body: Jaxpr, label: str) -> str:
        """The name of the function that computes `body`; asking for it has the function emitted."""
        found = self._symbols.get(body)
        if found is None:
            found = self._symbols[body] = self._unique(identifier(label))
            self._waiting.append((body, found))
        return found

    def _unique(self, name: str) -> str:
        unique = name
        while unique in self._names:
            self._names[name] = count = self._names.get(name, 0) + 1
            unique = f"{name}_{count}"
        self._names[unique] = 0
        return unique

    def pending(self) -> Iterator[tuple[Jaxpr, str]]:
        """The functions that are still to be emitted, those included that are asked for meanwhile."""
        done = 0
        while done < len(self._waiting):
            yield self._waiting[done]
            done += 1


def identifier(name: str) -> str:
    """`name` as a symbol that StableHLO text can show without quotes.

    >>> identifier("<lambda>"), identifier("3d step")
    ('lambda', '_3d_step')
    """
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "f"
    return f"_{plain}" if plain[0].isdigit() else plain


@final
class _Locations:
    """Source lines as MLIR locations, each worked out once. Code objects are told apart by identity: the program keeps
    them alive, and comparing them is slow.
    """

    __slots__ = ("_known", "_lines")

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], ir.Location] = {}
        self._lines: dict[int, tuple[list[int], list[int]]] = {}

    def locate(self, source: Source | None) -> ir.Location:
        if source is None:
            return UNKNOWN
        code, offset = source
        key = (id(code), offset)
        try:
            return self._known[key]
        except KeyError:
            found = self._known[key] = location(code.co_filename, self._line(code, offset))
            return found

    def _line(self, code: CodeType, offset: int) -> int:
        table = self._lines.get(id(code))
        if table is None:
            spans = [(start, line) for start, _, line in code.co_lines() if line is not None]
            table = self._lines[id(code)] = ([start for start, _ in spans], [line for _, line in spans])
        starts, lines = table
        return lines[max(bisect_right(starts, offset) - 1, 0)] if lines else code.co_firstlineno
