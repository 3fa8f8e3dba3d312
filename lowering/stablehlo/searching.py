"""Searches for positions of elements, by programs."""

from __future__ import annotations

import math
from collections.abc import Callable

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, scalar
from effects.functions.elementwise import logic
from effects.functions.ordering.searching import comes_before
from effects.operations.gathering import Bounds, Gather
from effects.operations.movement import Pad
from effects.operations.sorting import Insertion, Nonzero, Sort
from effects.program.chain import perform
from effects.program.jaxpr import Atom
from effects.types import dtypes
from lowering.stablehlo.lapack import by_program
from lowering.stablehlo.rules import RULES


@RULES.rule(Insertion)
@by_program
def lower_insertion(op: Insertion[Atom]) -> Callable[[Array, Array], list[Array]]:
    """Positions for insertion, by bisection."""

    def places(line: Array, values: Array) -> list[Array]:
        n = line.aval.shape[-1]
        place: Array = fx.broadcast_to(scalar(0, dtypes.int64), values.aval.shape)
        step = 1 << n.bit_length() >> 1
        while step:
            candidate = place + step
            index = fx.minimum(candidate - 1, n - 1)
            element = perform(Gather((op.batch,), op.batch, 0, Bounds.CLIP, 0, line, (index,)))
            is_before = comes_before(element, values) if op.before else ~comes_before(values, element)
            place = logic.where((candidate <= n) & is_before, candidate, place)
            step //= 2
        return [place]

    return places


@RULES.rule(Nonzero)
@by_program
def lower_nonzero(op: Nonzero[Atom]) -> Callable[[Array], list[Array]]:
    """Positions of nonzero elements, by sorting: zeros get a position past the end, so that they come last."""

    def places(x: Array) -> list[Array]:
        batch = x.aval.ndim - op.rank
        lead, sizes = x.aval.shape[:batch], x.aval.shape[batch:]
        n = math.prod(sizes)
        mask = fx.astype(fx.reshape(x, (*lead, n)), dtypes.bool_)
        positions = fx.iota(dtypes.int32 if n < 2**31 else dtypes.int64, (*lead, n), batch)
        (sorted_positions,) = perform(
            Sort(1, batch, False, (logic.where(mask, positions, constant_like(n, positions)),))
        )
        config = (*[(0, 0, 0)] * batch, (0, op.size - n, 0))
        flat = convert(perform(Pad(config, sorted_positions, scalar(n, positions.aval.dtype))), dtypes.int64)
        remaining, indices = flat, []
        for size in sizes[:0:-1]:
            indices.append(fx.remainder(remaining, max(size, 1)))
            remaining = fx.floor_divide(remaining, max(size, 1))
        return [logic.where(flat < n, place, op.fill) for place in (remaining, *indices[::-1])]

    return places
