"""Slices by NumPy. The ellipsis at the end of an index keeps arrays of rank 0 arrays."""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType

from effects.arrays.concrete import Concrete, concrete
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES


@RULES.rule(Slice)
def evaluate_slice(op: Slice[Concrete]) -> Performed:
    key: tuple[slice | EllipsisType, ...] = (*map(slice, op.start, op.limit, op.strides), ...)
    return concrete(op.x.host[key], op.types())


def _window(starts: Sequence[Concrete], sizes: Sequence[int], shape: Sequence[int]) -> tuple[slice | EllipsisType, ...]:
    firsts = [min(max(int(start.host), 0), n - size) for start, size, n in zip(starts, sizes, shape, strict=True)]
    return (*[slice(first, first + size) for first, size in zip(firsts, sizes, strict=True)], ...)


@RULES.rule(DynamicSlice)
def evaluate_dynamic_slice(op: DynamicSlice[Concrete]) -> Performed:
    aval = op.types()
    x = op.x.host
    return concrete(x[_window(op.starts, op.sizes, x.shape)], aval)


@RULES.rule(DynamicUpdateSlice)
def evaluate_dynamic_update_slice(op: DynamicUpdateSlice[Concrete]) -> Performed:
    aval = op.types()
    out = op.x.host.copy()
    update = op.update.host
    out[_window(op.starts, update.shape, out.shape)] = update
    return concrete(out, aval)
