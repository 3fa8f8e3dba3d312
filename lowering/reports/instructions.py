"""The instructions of a compiled program, read from its HLO text: what each computes and moves, and the user's line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple, final

import numpy as np

TYPE: Final = re.compile(r"\b((pred|[a-z]+\d+\w*)\[([\d,]*)\])")
"""Pattern of an array's type: all of it, its dtype, its sizes."""
COMPUTATION: Final = re.compile(r"^(?:ENTRY )?%?([\w.-]+) \(.*\{$")
"""Pattern of the first line of a computation."""
_CALLED: Final = re.compile(r"(?:calls|to_apply|body|condition|true_computation|false_computation)=%?([\w.-]+)")
_BRANCHES: Final = re.compile(r"branch_computations=\{(.*?)\}")
_INSTRUCTION: Final = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (.*?) ([a-z][\w-]*)\((.*?)\)(.*)$")
_FRAME: Final = re.compile(r"stack_frame_id=(\d+)")
_OPERAND: Final = re.compile(r"%([\w.-]+)")
_TARGET: Final = re.compile(r'custom_call_target="([^"]+)"')
_FREE: Final = frozenset({"parameter", "constant", "broadcast", "bitcast", "tuple", "get-tuple-element", "iota"})


class SourceLine(NamedTuple):
    """A line of the user's program, its function, and the operation."""

    function: str
    operation: str
    file: str
    line: int


@final
@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: its operations (`kind`), the bytes that it reads and writes, the computations that it `calls`."""

    kind: str
    bytes: int
    calls: tuple[str, ...]
    computation: str
    source: SourceLine | None

    def __str__(self) -> str:
        if self.source is None:
            return self.kind
        file = re.split(r"[/\\]", self.source.file)[-1]
        return f"{self.kind} in {self.source.function} ({file}:{self.source.line})"


def instructions(text: str) -> dict[str, Instruction]:
    """The instructions of a program by name.

    Instructions that XLA inserts have no line, and get that of the computation they run, or else of the instruction
    that reads them.
    """
    frames = source_lines(text)
    lines, computation = dict[str, tuple[re.Match[str], str]](), ""
    for line in text.splitlines():
        if opened := COMPUTATION.match(line):
            computation = opened[1]
        elif match := _INSTRUCTION.match(line):
            lines[match[1]] = match, computation
    kinds, known = dict[str, list[str]](), dict[str, SourceLine]()
    for match, where in lines.values():
        if match[3] not in _FREE:
            kinds.setdefault(where, []).append(match[3])
        if (frame := _FRAME.search(match[5])) and (place := frames.get(int(frame[1]))):
            known[match[1]] = place
            known.setdefault(where, place)
    written = {name: _bytes_of(match[2]) for name, (match, _) in lines.items()}
    result = dict[str, Instruction]()
    for name, (match, where) in reversed(lines.items()):  # readers come later
        inner, operands = called(match[5]), _OPERAND.findall(match[4])
        place = next((known[name_] for name_ in (name, *inner) if name_ in known), None)
        if place is not None:
            for operand in operands:
                known.setdefault(operand, place)
        size = written[name] + sum([written.get(operand, 0) for operand in operands])
        result[name] = Instruction(
            _kind(match, [k for computation_ in inner for k in kinds.get(computation_, [])]), size, inner, where, place
        )
    return dict(reversed(result.items()))


def module_name(text: str) -> str:
    """The name of a program."""
    return text.split(maxsplit=2)[1].rstrip(",")


def called(attributes: str) -> tuple[str, ...]:
    """The computations that an instruction runs."""
    branches = [name.strip(" %") for names in _BRANCHES.findall(attributes) for name in names.split(",")]
    return (*branches, *_CALLED.findall(attributes))


def source_lines(text: str) -> dict[int, SourceLine]:
    """The user's line of every stack frame in the program."""
    files, names = [
        {int(n): name for n, name in re.findall(r'^(\d+) "(.*)"$', _section(text, section), re.MULTILINE)}
        for section in ("FileNames", "FunctionNames")
    ]
    lines = re.findall(
        r"^(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)", _section(text, "FileLocations"), re.MULTILINE
    )
    at = dict[int, SourceLine]()
    for n, file, name, line in lines:
        function, _, operation = names[int(name)].rpartition("/")
        at[int(n)] = SourceLine(function, operation, files[int(file)], int(line))
    frames = re.findall(r"^(\d+) \{file_location_id=(\d+)", _section(text, "StackFrames"), re.MULTILINE)
    return {int(n): at[int(place)] for n, place in frames}


def type_bytes(dtype: str, sizes: str) -> int:
    """The bytes of an array, of its dtype and sizes as HLO writes them."""
    bits = re.search(r"\d+", dtype)
    size = 1 if bits is None else max(int(bits[0]) // 8, 1)
    return size * int(np.prod([int(n) for n in sizes.split(",") if n], dtype=int))


def _bytes_of(types: str) -> int:
    return sum([type_bytes(dtype, sizes) for _, dtype, sizes in TYPE.findall(types)])


def _kind(match: re.Match[str], fused: list[str]) -> str:
    """Kind of an instruction: for a fusion the operations in it, for a call to a library its name."""
    if match[3] == "custom-call" and (target := _TARGET.search(match[5])):
        return target[1]
    if match[3] != "fusion" or not fused:
        return match[3]
    distinct = list(dict.fromkeys(fused))
    return ", ".join(distinct[-3:]) if len(distinct) <= 3 else f"… {', '.join(distinct[-3:])}"


def _section(text: str, name: str) -> str:
    return text.partition(f"\n{name}\n")[2].partition("\n\n")[0]
