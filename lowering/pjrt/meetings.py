"""Which programs with collectives the processes have called, in which order.

Processes meet in collectives, which take whatever comes: where two processes call different programs, they compute with
wrong numbers, or wait for ever. So each remembers what it has called, and `lowering.distributed` compares.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NamedTuple, final

KINDS: Final = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast"
_MEETING: Final = re.compile(rf"= (\(?.*?\)?) ({KINDS})(?:-start)?\(")
_GROUPS: Final = re.compile(r"(?:replica_groups|source_target_pairs|dimensions)=[^ ]*")
_FOLD: Final = re.compile(r"to_apply=%?([\w.-]+)")
_COMPUTATION: Final = re.compile(r"^%?([\w.-]+) \(.*\{$")
_ROOT: Final = re.compile(r"ROOT .*? = \S+ ([\w-]+)\(")
_LAYOUT: Final = re.compile(r"\{[^}]*\}")
_NAME: Final = re.compile(r"HloModule (?:jit_)?([^\s,]+)")
_REMEMBERED: Final = 1 << 16


class Call(NamedTuple):
    """The last of so many calls; `digest` is of all of them, and `name` its own."""

    number: int
    digest: str
    name: str


@final
class Calls:
    """The calls of programs in which all processes meet, the latest of which are remembered."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._recent: Final[deque[Call]] = deque([Call(0, "", "")], _REMEMBERED)

    @property
    def last(self) -> Call:
        return self._recent[-1]

    def add(self, program: str, name: str) -> None:
        """One more call."""
        with self._lock:
            before = self.last
            digest = blake2b((before.digest + program).encode(), digest_size=8).hexdigest()
            self._recent.append(Call(before.number + 1, digest, name))

    def at(self, number: int) -> Call | None:
        """The call of this number; None for one that has not been, or is forgotten."""
        with self._lock:
            place = len(self._recent) - 1 - (self.last.number - number)
            return self._recent[place] if 0 <= place < len(self._recent) else None

    def remembering[**P, R](self, launch: Callable[P, R], text: str) -> Callable[P, R]:
        """`launch` of a program, given as HLO; itself where nobody meets in it."""
        meetings = _meetings(text)
        if not meetings:
            return launch
        found = _NAME.match(text)
        name = "a program" if found is None else repr(found[1])
        program, (kind, types, _, fold) = f"{name} {meetings}", meetings[0]
        name = f"{name} ({' '.join([kind, *([fold] if fold else []), _LAYOUT.sub('', types)])})"

        def launched(*args: P.args, **kwargs: P.kwargs) -> R:
            self.add(program, name)
            return launch(*args, **kwargs)

        return launched


def _meetings(text: str) -> list[tuple[str, str, tuple[str, ...], str]]:
    """What processes have to agree on: of each collective its kind, types, groups and what it folds with."""
    meetings: list[tuple[str, str, tuple[str, ...], str]] = []
    folds: dict[str, str] = {}
    here = ""
    for line in text.splitlines():
        if opened := _COMPUTATION.match(line):
            here = opened[1]
        elif root := _ROOT.search(line):
            folds[here] = root[1]
        if found := _MEETING.search(line):
            fold = _FOLD.search(line)
            meetings.append((found[2], found[1], tuple(_GROUPS.findall(line)), "" if fold is None else fold[1]))
    return [(kind, types, groups, folds.get(fold, "")) for kind, types, groups, fold in meetings]
