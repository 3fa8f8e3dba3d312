"""`float64_origins`: the operations by which a program of narrower dtypes begins to compute in float64."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, final, overload

from effects.arguments import counted
from effects.arrays.array import Array
from effects.program.chain import Performed, perform
from effects.program.operation import Operation
from effects.runtime.cpython.source import Source, current_location, user_location
from effects.types.avals import ShapedArray
from effects.types.dtypes import complex128, float64
from handlers.stateful.operations import OperationHandler

_WIDE: Final = frozenset({float64, complex128})


def _is_wide(aval: ShapedArray) -> bool:
    """Return True if the array widens the dtypes it meets, which Python numbers do not."""
    return aval.dtype in _WIDE and not aval.weak_type


@final
@dataclass(frozen=True, slots=True)
class Float64Origin:
    """An operation with a result of float64 (or complex128) and no such operand, and the user's line."""

    operation: str
    operands: tuple[ShapedArray, ...]
    result: ShapedArray
    source: Source | None

    def __str__(self) -> str:
        operands_text = f" of {', '.join(map(str, self.operands))}" if self.operands else ""
        return f"{self.operation} gives {self.result}{operands_text}" + (f"\n  at {self.source}" if self.source else "")


@final
class Float64Origins(Sequence[Float64Origin]):
    """The operations that `float64_origins` has recorded so far, each operation of a line once; as text, a list."""

    def __init__(self) -> None:
        self._origins_by_text: Final[dict[str, Float64Origin]] = {}

    @overload
    def __getitem__(self, index: int) -> Float64Origin: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Float64Origin, ...]: ...
    def __getitem__(self, index: int | slice) -> Float64Origin | tuple[Float64Origin, ...]:
        return tuple(self._origins_by_text.values())[index]

    def __len__(self) -> int:
        return len(self._origins_by_text)

    def __iter__(self) -> Iterator[Float64Origin]:
        return iter(tuple(self._origins_by_text.values()))

    def add(self, origin: Float64Origin) -> None:
        self._origins_by_text.setdefault(str(origin), origin)

    def __repr__(self) -> str:
        return "\n".join([f"{counted(len(self), 'origin')} of float64", *map(str, self)])


@final
class _Origins(OperationHandler):
    origins: Float64Origins

    def interpret(self, op: Operation[Array], /) -> Performed:
        performed = perform(op)
        results = [x.aval for x in (performed if isinstance(performed, tuple) else (performed,)) if _is_wide(x.aval)]
        operands = tuple([x.aval for x in op.operands])
        if results and not any(map(_is_wide, operands)):
            location = current_location.get() or user_location(3)
            self.origins.add(Float64Origin(op.name, operands, results[0], Source(*location) if location else None))
        return performed


@contextmanager
def float64_origins() -> Iterator[Float64Origins]:
    """A block that records which operations introduce float64, with your lines.

    They are the operations with a result of float64 or complex128 and no such operand: a conversion where an array of
    float64 meets another one, a quotient of integers, an array made without a dtype. Operations inside jitted
    functions, branches, loops and derivatives are recorded. `asarray` of NumPy arrays and lists is not an operation, so
    it is not recorded; these arrays appear where they meet others. Python numbers take the dtype of the other operand.

    >>> import effects as fx
    >>> x = fx.ones(3, dtype=fx.float32)
    >>> with float64_origins() as origins:
    ...     y = x * 2.0 + fx.arange(3) / 2
    >>> [(origin.operation, origin.operands, origin.result) for origin in origins]
    [('convert', (int64[3],), float64[3]), ('convert', (int64[],), float64[])...]
    """
    origins = Float64Origins()
    with _Origins(origins):
        yield origins
