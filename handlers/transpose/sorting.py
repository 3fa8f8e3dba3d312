"""Transpose of sorting: what was moved by the keys is moved back."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions import creation
from effects.operations.sorting import Sort
from effects.program.chain import perform
from effects.types import dtypes
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Sort)
def transpose_sort(op: Sort[Array], cts: Cotangents) -> Cotangents:
    keys = op.xs[: op.num_keys]
    if any([is_linear(key) for key in keys]):
        raise not_linear(op)
    there = {i: ct for i, (x, ct) in enumerate(zip(op.xs, cts, strict=True)) if ct is not None and is_linear(x)}
    if not there:
        return (None,) * len(op.xs)
    positions = creation.iota(dtypes.int64, keys[0].aval.shape, op.axis)
    *_, came_from = perform(Sort(op.num_keys, op.axis, op.descending, (*keys, positions)))
    _, *back = perform(Sort(1, op.axis, False, (came_from, *there.values())))
    returned = dict(zip(there, back, strict=True))
    return tuple([returned.get(i) for i in range(len(op.xs))])
