"""`Table`: a report of a program, a row for each entry with its number of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, overload

from effects.arguments import counted
from effects.runtime.pictures import Pictured


class Sized(Protocol):
    """A row."""

    @property
    def bytes(self) -> int: ...


@dataclass(frozen=True)
class Table[Row: Sized](Sequence[Row], Pictured):
    """A report with rows, each of which is `one` of something; its repr is the table."""

    one: ClassVar[str]
    rows: tuple[Row, ...]

    @property
    def bytes(self) -> int:
        """Total of the rows' bytes; rows in loops count once."""
        return sum([row.bytes for row in self.rows])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.rows), f"{counted(len(self.rows), self.one)}, {self.bytes} bytes"])

    __repr__ = __str__
