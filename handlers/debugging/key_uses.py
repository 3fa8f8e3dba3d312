"""Records of the uses of a random key, and the errors of keys used twice."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple, final

from effects.runtime.cpython.source import Location, Source


class Use(NamedTuple):
    """A range of counters, from `first` up to `end`, and the number of the `while_loop` it was used in, 0 for none."""

    first: int
    end: int
    location: Location | None
    loop: int


@final
class KeyUses:
    """The uses of a key by a cipher: those of a single counter in a dict, longer ranges in a list."""

    __slots__ = ("ranges", "single")

    def __init__(self, single: dict[int, Use], ranges: list[Use]) -> None:
        self.single = single
        self.ranges = ranges

    def copy(self) -> KeyUses:
        return KeyUses(dict(self.single), list(self.ranges))

    def merge(self, other: KeyUses) -> None:
        self.single |= other.single
        self.ranges += [use for use in other.ranges if use not in self.ranges]

    def overlapping(self, use: Use) -> Iterator[Use]:
        """The uses whose counters overlap those of this one."""
        if use.end == use.first + 1:
            if use.first in self.single:
                yield self.single[use.first]
        else:
            yield from [other for i, other in self.single.items() if use.first <= i < use.end]
        yield from [other for other in self.ranges if other.first < use.end and use.first < other.end]

    def add(self, use: Use) -> None:
        if use.end == use.first + 1:
            self.single[use.first] = use
        else:
            self.ranges.append(use)


def reuse_message(key: Hashable, first: Location | None, second: Location | None) -> str:
    name = f"the key {key:#018x}" if isinstance(key, int) else "a key"
    lines = [str(Source(*location)) if location else "an unknown line" for location in (first, second)]
    lines_text = f"at {lines[0]} and at {lines[1]}" if lines[0] != lines[1] else f"twice at {lines[0]}"
    return f"key_reuse: {name} is used {lines_text}; split it, and use each resulting key once"
