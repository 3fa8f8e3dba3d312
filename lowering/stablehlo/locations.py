"""The user's source lines as MLIR locations, which XLA's messages and profiles show."""

from __future__ import annotations

from bisect import bisect_right
from types import CodeType
from typing import final

from jaxlib.mlir import ir

from effects.runtime.source import Place
from lowering.stablehlo.context import CURRENT, location, named_location


@final
class Locations:
    """The locations of one module, each worked out once; `named` ones stay through partitioning.

    Code objects are told apart by identity: the program keeps them alive, and comparing them is slow.
    """

    __slots__ = ("_known", "_lines", "_named")

    def __init__(self, *, named: bool = False) -> None:
        self._named = named
        self._known: dict[tuple[int, int], ir.Location] = {}
        self._lines: dict[int, tuple[list[int], list[int]]] = {}

    def locate(self, place: Place | None) -> ir.Location:
        """The location of an equation."""
        if place is None:
            return CURRENT.unknown
        code, offset = place
        key = (id(code), offset)
        try:
            return self._known[key]
        except KeyError:
            line = self._line(code, offset)
            found = location(code.co_filename, line)
            if self._named:
                found = named_location(code.co_filename, line, code.co_name.strip("<>"))
            self._known[key] = found
            return found

    def _line(self, code: CodeType, offset: int) -> int:
        table = self._lines.get(id(code))
        if table is None:
            spans = [(start, line) for start, _, line in code.co_lines() if line is not None]
            table = self._lines[id(code)] = ([start for start, _ in spans], [line for _, line in spans])
        starts, lines = table
        return lines[max(bisect_right(starts, offset) - 1, 0)] if lines else code.co_firstlineno
