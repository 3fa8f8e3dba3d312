"""The order in which processes have called programs with collectives.

Collectives do not check what they receive: if two processes call different programs, they compute with wrong numbers,
or wait without end. So each process records its calls, and `lowering.distributed` compares them. The processes that
have devices of a mesh are a group, and each group has an order of its own.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NamedTuple, final

COLLECTIVE_KINDS: Final = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast"
_COLLECTIVE: Final = re.compile(rf"= (\(?.*?\)?) ({COLLECTIVE_KINDS})(?:-start)?\(")
_GROUPS: Final = re.compile(r"(?:replica_groups|source_target_pairs|dimensions)=(?:mesh.*? \{.*?\}|[^ ]*)")
_REDUCTION: Final = re.compile(r"to_apply=%?([\w.-]+)")
_COMPUTATION: Final = re.compile(r"^%?([\w.-]+) \(.*\{$")
_ROOT: Final = re.compile(r"ROOT .*? = \S+ ([\w-]+)\(")
_LAYOUT: Final = re.compile(r"\{[^}]*\}")
_NAME: Final = re.compile(r"HloModule (?:jit_)?([^\s,]+)")
_KEPT: Final = 1 << 16


type Group = tuple[int, ...]
"""The numbers of the processes that have devices of a mesh, ascending."""


class Call(NamedTuple):
    """A call of a program: its number, the digest of all calls up to it, and the program's name."""

    number: int
    digest: str
    name: str


NO_CALL: Final = Call(0, "", "")


@final
class Calls:
    """The calls of programs with collectives; for each group the latest ones are remembered."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._recent: Final[dict[Group, deque[Call]]] = {}

    def last(self) -> dict[Group, Call]:
        """The last call in each group."""
        with self._lock:
            return {group: recent[-1] for group, recent in self._recent.items()}

    def add(self, group: Group, program: str, name: str) -> None:
        """Record a call."""
        with self._lock:
            recent = self._recent.setdefault(group, deque([NO_CALL], _KEPT))
            previous = recent[-1]
            digest = blake2b((previous.digest + program).encode(), digest_size=8).hexdigest()
            recent.append(Call(previous.number + 1, digest, name))

    def at(self, group: Group, number: int) -> Call | None:
        """The call of this number; None for one that has not happened, or is too old."""
        with self._lock:
            recent = self._recent.get(group, (NO_CALL,))
            position = len(recent) - 1 - (recent[-1].number - number)
            return recent[position] if 0 <= position < len(recent) else None

    def recording[**P, R](self, group: Group, launch: Callable[P, R], text: str, source: str) -> Callable[P, R]:
        """`launch` of a program over devices of a group; unchanged where it has no collectives.

        `text` is its HLO, and `source` its StableHLO, since programs with equal collectives may differ elsewhere.
        """
        collectives = _collectives_in(text)
        if not collectives:
            return launch
        match = _NAME.match(text)
        name = "a program" if match is None else repr(match[1])
        program = blake2b(f"{name} {collectives} {source}".encode(), digest_size=8).hexdigest()
        kind, types, _, fold = collectives[0]
        name = f"{name} ({' '.join([kind, *([fold] if fold else []), _LAYOUT.sub('', types)])})"

        def launched(*args: P.args, **kwargs: P.kwargs) -> R:
            self.add(group, program, name)
            return launch(*args, **kwargs)

        return launched


def _collectives_in(text: str) -> list[tuple[str, str, tuple[str, ...], str]]:
    """The collectives in which processes must agree: the kind, types, groups and reduction of each."""
    collectives: list[tuple[str, str, tuple[str, ...], str]] = []
    reductions: dict[str, str] = {}
    computation = ""
    for line in text.splitlines():
        if opened := _COMPUTATION.match(line):
            computation = opened[1]
        elif root := _ROOT.search(line):
            reductions[computation] = root[1]
        if match := _COLLECTIVE.search(line):
            reduction = _REDUCTION.search(line)
            collectives.append(
                (match[2], match[1], tuple(_GROUPS.findall(line)), "" if reduction is None else reduction[1])
            )
    return [(kind, types, groups, reductions.get(reduction, "")) for kind, types, groups, reduction in collectives]
