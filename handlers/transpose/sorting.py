"""Transpose of sorting: values that were moved by the keys are moved back."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.operations.sorting import Order, Sort
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Sort)
def transpose_sort(op: Sort[Array], cts: Cotangents) -> Cotangents:
    keys = op.xs[: op.num_keys]
    if any([is_linear(key) for key in keys]):
        raise not_linear(op)
    present = {i: ct for i, (x, ct) in enumerate(zip(op.xs, cts, strict=True)) if ct is not None and is_linear(x)}
    if not present:
        return (None,) * len(op.xs)
    came_from = perform(Order(op.axis, op.descending, keys))
    _, *back = perform(Sort(1, op.axis, False, (came_from, *present.values())))
    returned = dict(zip(present, back, strict=True))
    return tuple([returned.get(i) for i in range(len(op.xs))])
