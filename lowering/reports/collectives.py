"""Collectives of a compiled program over a mesh, as a table: `collectives`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final, final

import numpy as np

from effects.arguments import refusal
from effects.arrays.mesh import Mesh
from effects.runtime.tables import Table
from lowering.pjrt.collective_order import COLLECTIVE_KINDS
from lowering.pjrt.mesh import groups_of
from lowering.reports.instructions import COMPUTATION, TYPE, called, source_lines, type_bytes
from lowering.stages import Compiled, Lowered


@final
@dataclass(frozen=True)
class Collective:
    """One operation between devices.

    `kind` is XLA's name of it: `all-reduce`, `all-gather`, `reduce-scatter`, `all-to-all`, `collective-permute`.
    `types` and `bytes` are those that a device receives; `axes` are the axes of the mesh along which devices
    communicate, None for other groups. `looped` tells that it is in a loop. `file` and `line` are the user's, if known;
    for what the partitioner inserted, those of the operation that needs it.
    """

    kind: str
    types: tuple[str, ...]
    bytes: int
    axes: tuple[str, ...] | None
    looped: bool
    file: str | None
    line: int | None

    def __str__(self) -> str:
        along = "between some devices" if self.axes is None else f"along {', '.join(map(repr, self.axes))}"
        times = ", in a loop" if self.looped else ""
        at = "" if self.file is None else f"  at {self.file}:{self.line}"
        return f"{self.kind}  {', '.join(self.types)}  {self.bytes} bytes  {along}{times}{at}"


@final
class Collectives(Table[Collective]):
    """The table of `collectives`: a row per operation, its repr the table to read."""

    one = "collective"


def collectives(program: Lowered | Compiled) -> Collectives:
    """Table of the collectives in a program: for each the kind, bytes, axes of the mesh, and the user's line.

    A program that is only lowered is compiled for it. The table shows XLA's result: sums may have been joined, or a sum
    and a split have become one `reduce-scatter`.

    Raises ArgumentError for what is no program.

    >>> import effects as fx
    >>> from lowering import lower
    >>> collectives(lower(fx.sin, fx.zeros(3)))
    0 collectives, 0 bytes
    """
    if isinstance(program, Lowered):
        program = program.compile()
    if not isinstance(program, Compiled):
        raise refusal("collectives", "program", "a lowered or a compiled program, jit(f).lower(x)", program)
    text, mesh = program.as_text(), program.mesh
    return Collectives(()) if mesh is None else Collectives(tuple(_rows(text, mesh)))


_INSTRUCTION: Final = re.compile(rf"= (\(?.*?\)?) ({COLLECTIVE_KINDS})(-start)?\(")
_GROUPS: Final = re.compile(
    r"(?:replica_groups|source_target_pairs)="
    r"(\{\{[\d,{}]*\}\}|mesh\[.*?\] \{.*?\}|\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?)"
)
_FRAME: Final = re.compile(r"stack_frame_id=(\d+)")


def _rows(text: str, mesh: Mesh) -> Iterator[Collective]:
    frames, loop_computations, computation = source_lines(text), _in_loops(text), ""
    for line in text.splitlines():
        if opened := COMPUTATION.match(line):
            computation = opened[1]
        match = _INSTRUCTION.search(line)
        if match is None:
            continue
        types = TYPE.findall(match[1])
        if match[3] and match[2] in ("all-gather", "collective-permute"):  # operand, result, internal buffers
            types = types[1:2]
        frame = _FRAME.search(line)
        source = None if frame is None else frames.get(int(frame[1]))
        yield Collective(
            match[2],
            tuple([text_ for text_, _, _ in types]),
            sum([type_bytes(dtype, dims) for _, dtype, dims in types]),
            _axes(line, mesh, pairs=match[2] == "collective-permute"),
            computation in loop_computations,
            None if source is None else source.file,
            None if source is None else source.line,
        )


def _axes(line: str, mesh: Mesh, *, pairs: bool) -> tuple[str, ...] | None:
    """The axes along which the devices of an operation's groups differ."""
    match = _GROUPS.search(line)
    if match is None:
        return tuple(mesh.axes) if "replica_groups={}" in line else None
    groups = _groups(match[1])
    coordinates = np.array(list(np.ndindex(*mesh.axes.values()))).reshape(len(mesh.devices), -1)
    if pairs:
        moved = np.any([coordinates[a] != coordinates[b] for a, b in groups], axis=0)
        return tuple([name for name, differs in zip(mesh.axes, moved, strict=True) if differs])
    for count in range(len(mesh.axes) + 1):
        for names in combinations(mesh.axes, count):
            if set(map(frozenset, groups_of(mesh, names))) == set(map(frozenset, groups)):
                return names
    return None


def _groups(text: str) -> list[list[int]]:
    """Groups of devices from HLO text: listed, along (parts of) axes, or as a reshaped and transposed iota."""
    if text.startswith("{"):
        return [[int(n) for n in group.split(",") if n] for group in re.findall(r"\{([\d,]*)\}", text[1:-1])]
    if text.startswith("mesh"):
        return _groups_along(text)
    shape, sizes, *order = [[int(n) for n in part.split(",")] for part in re.findall(r"[\d,]+", text)]
    devices = np.arange(int(np.prod(sizes))).reshape(sizes)
    rows: list[list[int]] = (devices.transpose(order[0]) if order else devices).reshape(shape).tolist()
    return rows


def _groups_along(text: str) -> list[list[int]]:
    """Groups of devices along axes or parts of them: in `mesh['a'=4,'b'=2] {'b','a':(1)2}` the slower half of `a`."""
    axes, _, along = text.partition("] {")
    sizes = {name: int(size) for name, size in re.findall(r"'([^']*)'=(\d+)", axes)}
    coordinates = dict(zip(sizes, np.indices(list(sizes.values())).reshape(len(sizes), -1), strict=True))
    group_coordinates = dict(coordinates)
    for name, before, part in re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", along):
        parts = int(part or sizes[name])
        stride = sizes[name] // (int(before or 1) * parts)
        group_coordinates[name] = group_coordinates[name] - coordinates[name] // stride % parts * stride
    groups: dict[tuple[int, ...], list[int]] = {}
    for device, group in enumerate(zip(*[indices.tolist() for indices in group_coordinates.values()], strict=True)):
        groups.setdefault(group, []).append(device)
    return list(groups.values())


def _in_loops(text: str) -> set[str]:
    runs: dict[str, set[str]] = {}
    looped: set[str] = set()
    computation = ""
    for line in text.splitlines():
        if opened := COMPUTATION.match(line):
            computation = opened[1]
        inner = set(called(line))
        runs.setdefault(computation, set()).update(inner)
        if " while(" in line:
            looped |= inner
    pending = list(looped)
    while pending:
        more = runs.get(pending.pop(), set()) - looped
        looped |= more
        pending += more
    return looped
