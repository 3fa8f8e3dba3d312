"""Cumulative operations on long lines: folds of blocks, cumulative folds of these, then all elements.

XLA would fold the elements of a block again for each position in it, without vector instructions. Here the elements at
the same position in all blocks are a strided slice, and slices are folded as arrays, in loops that XLA vectorises. A
block has few rows of few elements: XLA fuses up to fifteen uses of a slice and concatenates eight arrays in one loop,
and stores what is beyond that in memory. This takes longer to compile.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate, batched
from typing import Final, final

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.operations.cumulative import CumulativeKind
from effects.operations.movement import Pad
from effects.operations.reduction import ReduceKind, identity
from effects.program.chain import perform
from effects.types.avals import ShapedArray
from effects.types.dtypes import Complex, DType, Inexact
from lowering.stablehlo.context import Value, shape_of
from lowering.stablehlo.scope import Scope

_K = CumulativeKind
_ROW: Final = 8
_BLOCKS: Final = {rows * row: (rows, row) for rows in (3, 4, 5) for row in (5, 6, 7, _ROW)}
"""Rows and row length of blocks, by their size. Best are blocks that fill a line, without a rest."""

AS_REDUCTION: Final = {
    _K.MAX: ReduceKind.MAX,
    _K.MIN: ReduceKind.MIN,
    _K.PROD: ReduceKind.PROD,
    _K.SUM: ReduceKind.SUM,
}


def neutral(kind: CumulativeKind, dtype: type[DType]) -> complex:
    """Neutral element of a fold; for sums -0, since 0 + -0 is 0."""
    if kind is _K.SUM and issubclass(dtype, Inexact):
        return complex(-0.0, -0.0) if issubclass(dtype, Complex) else -0.0
    return identity(AS_REDUCTION[kind], dtype)


_TWO: Final[dict[CumulativeKind, Callable[[Array, Array], Array]]] = {
    _K.MAX: fx.maximum,
    _K.MIN: fx.minimum,
    _K.PROD: fx.multiply,
    _K.SUM: fx.add,
}


@final
@dataclasses.dataclass(frozen=True, slots=True)
class Lines:
    """The lines of arrays of type `x` along an axis; elements that do not fill a block are folded last."""

    kind: CumulativeKind
    axis: int
    reverse: bool
    x: ShapedArray

    @property
    def short(self) -> bool:
        return self.x.shape[self.axis] <= _ROW

    @property
    def ragged(self) -> bool:
        """True if blocks do not fill the lines."""
        return self._over != 0

    @property
    def _length(self) -> int:
        return self.x.shape[self.axis]

    @property
    def _block(self) -> tuple[int, int]:
        """Number of rows and of elements of a row in a block."""
        n = self._length
        fitting = [size for size in _BLOCKS if n % size == 0]
        if fitting:
            return _BLOCKS[max(fitting)]
        return (4 if n > 4 * _ROW else 1), _ROW

    @property
    def _over(self) -> int:
        return self._length % math.prod(self._block)

    def of_short(self, x: Array) -> Array:
        parts = [self._part(x, i, i + 1) for i in range(self._length)]
        return fx.concat(self._folds(parts), axis=self.axis)

    def totals(self, x: Array) -> Array:
        """The folds of blocks, from their ends: XLA would store steps that they share with `placed`."""
        parts = [part for row in self._slices(x) for part in row]
        return reduce(_TWO[self.kind], parts if self.reverse else parts[::-1])

    def after_nothing(self, ends: Array) -> Array:
        """The folds before each block, and after all of them."""
        pads = [(0, 0, 0)] * ends.aval.ndim
        pads[self.axis] = (0, 1, 0) if self.reverse else (1, 0, 0)
        dtype = ends.aval.dtype
        return perform(Pad(tuple(pads), ends, scalar(neutral(self.kind, dtype), dtype)))

    def left_over(self, x: Array) -> Array:
        n, over = self._length, self._over
        return self._part(x, 0, over) if self.reverse else self._part(x, n - over, n)

    def placed(self, x: Array, before: Array, rest: Array | None = None) -> Array:
        """The folds of all elements; `rest` has those of the elements that do not fill a block."""
        fold, after = _TWO[self.kind], self.axis + 1
        blocks = before.aval.shape[self.axis] - 1
        low, high = self._part(before, 0, blocks), self._part(before, 1, blocks + 1)
        start, end = (high, low) if self.reverse else (low, high)
        rows = []
        for row in self._slices(x)[:: -1 if self.reverse else 1]:
            folds = [fold(start, inside) for inside in self._folds(row)]
            start = folds[0 if self.reverse else -1]
            rows.append(folds)
        rows[-1][0 if self.reverse else -1] = end
        stacks = [fx.stack(row, axis=after) for row in rows[:: -1 if self.reverse else 1]]
        shape = (*x.aval.shape[: self.axis], self._length - self._over, *x.aval.shape[after:])
        out = fx.reshape(fx.stack(stacks, axis=after), shape)
        if rest is None:
            return out
        all_before = self._part(before, 0, 1) if self.reverse else self._part(before, blocks, blocks + 1)
        rest = fold(all_before, rest)
        return fx.concat([rest, out] if self.reverse else [out, rest], axis=self.axis)

    def _part(self, x: Array, start: int, stop: int, step: int = 1) -> Array:
        return x[(*(slice(None),) * self.axis, slice(start, stop, step))]

    def _slices(self, x: Array) -> list[list[Array]]:
        """For each row of blocks the slices of its elements."""
        rows, row = self._block
        start, stop = (self._over, self._length) if self.reverse else (0, self._length - self._over)
        places = range(start, start + rows * row)
        return [[self._part(x, place, stop, rows * row) for place in some] for some in batched(places, row)]

    def _folds(self, parts: Sequence[Array]) -> list[Array]:
        fold = _TWO[self.kind]
        return list(accumulate(parts[::-1], fold))[::-1] if self.reverse else list(accumulate(parts, fold))


def in_blocks(lines: Lines, x: Value, scope: Scope) -> Value:
    """The folds of all lines. The folds of blocks are stored, or XLA would compute them again for each use."""

    def called(program: Callable[..., Array], *operands: tuple[Value, ShapedArray]) -> tuple[Value, ShapedArray]:
        values, avals = zip(*operands, strict=True)
        key = (lines, program.__name__)
        (value,) = scope.call(lambda *xs: [program(*xs)], lines.kind.value, values, avals, key)
        return value, lines.x.with_shape(shape_of(value))

    def kept(x: Value, aval: ShapedArray) -> tuple[Value, ShapedArray]:
        return scope.barrier(x), aval

    def below(x: Value, aval: ShapedArray) -> tuple[Value, ShapedArray]:
        return kept(in_blocks(dataclasses.replace(lines, x=aval), x, scope), aval)

    elements = x, lines.x
    if lines.short:
        return called(lines.of_short, elements)[0]
    before = kept(*called(lines.after_nothing, below(*kept(*called(lines.totals, elements)))))
    rest = [below(*called(lines.left_over, elements))] if lines.ragged else []
    return called(lines.placed, elements, before, *rest)[0]
