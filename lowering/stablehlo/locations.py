"""The user's source lines as MLIR locations, with the names of functions, for XLA's messages and profiles."""

from __future__ import annotations

from bisect import bisect_right
from types import CodeType
from typing import final

from jaxlib.mlir import ir

from effects.runtime.cpython.source import Location
from lowering.stablehlo.context import CURRENT, named_location


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
