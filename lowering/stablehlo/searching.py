"""Places of elements, by programs: by halving, by counting what comes before."""

from __future__ import annotations

import math
from collections.abc import Callable

from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert, scalar
from effects.functions import arithmetic, creation, cumulative, elementwise, logic, movement
from effects.functions.searching import comes_before
from effects.operations.gathering import Bounds, Gather
from effects.operations.movement import Pad
from effects.operations.searching import Insertion, Nonzero
from effects.operations.sorting import Order, Sort
from effects.program.chain import perform
from effects.program.jaxpr import Atom
from effects.types import dtypes
from lowering.stablehlo.lapack import by_program
from lowering.stablehlo.rules import RULES


@RULES.rule(Insertion)
@by_program
def lower_insertion(op: Insertion[Atom]) -> Callable[[Array, Array], list[Array]]:
    """By halving; complex numbers, which are not compared otherwise, are sorted together with the line."""
    place = _merged if issubclass(op.line.aval.dtype, dtypes.Complex) else _halved
    return lambda line, values: [place(line, values, op.before)]


def _halved(line: Array, values: Array, before: bool) -> Array:
    batch, n = line.aval.ndim - 1, line.aval.shape[-1]
    place: Array = movement.broadcast_to(scalar(0, dtypes.int64), values.aval.shape)
    step = 1 << n.bit_length() >> 1
    while step:
        ahead = place + step
        at = arithmetic.minimum(ahead - 1, n - 1)
        there = perform(Gather((batch,), batch, 0, Bounds.CLIP, 0, line, (at,)))
        passed = comes_before(there, values) if before else elementwise.bitwise_invert(comes_before(values, there))
        place = logic.where(logic.logical_and(ahead <= n, passed), ahead, place)
        step //= 2
    return place


def _merged(line: Array, values: Array, before: bool) -> Array:
    """By counting the elements of `line` on the way through all in order."""
    *lead, n = line.aval.shape
    last = len(lead)
    wanted = math.prod(values.aval.shape[last:])
    flat = movement.reshape(values, (*lead, wanted))
    everything = movement.concat([flat, line] if before else [line, flat], axis=last)
    order = perform(Order(last, False, (everything,)))
    of_line = order >= wanted if before else order < n
    _, counted = perform(Sort(1, last, False, (order, cumulative.cumsum(of_line, last))))
    start = 0 if before else n
    return movement.reshape(movement.cut(counted, last, start, start + wanted), values.aval.shape)


@RULES.rule(Nonzero)
@by_program
def lower_nonzero(op: Nonzero[Atom]) -> Callable[[Array], list[Array]]:
    """By sorting the places themselves, those of zeros being past the end."""

    def places(x: Array) -> list[Array]:
        batch = x.aval.ndim - op.rank
        lead, sizes = x.aval.shape[:batch], x.aval.shape[batch:]
        n = math.prod(sizes)
        mask = elementwise.astype(movement.reshape(x, (*lead, n)), dtypes.bool_)
        own = creation.iota(dtypes.int32 if n < 2**31 else dtypes.int64, (*lead, n), batch)
        (ordered,) = perform(Sort(1, batch, False, (logic.where(mask, own, constant_like(n, own)),)))
        more = (*[(0, 0, 0)] * batch, (0, op.size - n, 0))
        flat = convert(perform(Pad(more, ordered, scalar(n, own.aval.dtype))), dtypes.int64)
        rest, along = flat, []
        for size in sizes[:0:-1]:
            along.append(arithmetic.remainder(rest, max(size, 1)))
            rest = arithmetic.floor_divide(rest, max(size, 1))
        return [logic.where(flat < n, place, op.fill) for place in (rest, *along[::-1])]

    return places
