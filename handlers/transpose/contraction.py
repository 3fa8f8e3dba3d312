"""Transpose of a contraction in one of its operands: the contraction of the cotangent with the other."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.operations.contraction import DotGeneral, Precision
from effects.program.chain import perform
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(DotGeneral)
def transpose_dot_general(op: DotGeneral[Array], ct: Array) -> Cotangents:
    (x_sum, y_sum), (x_batch, y_batch) = op.contracting, op.batch
    if is_linear(op.x) and not is_linear(op.y):
        return _for_operand(ct, op.x.aval.ndim, x_sum, x_batch, op.y, y_sum, y_batch, op.precision, first=True), None
    if is_linear(op.y) and not is_linear(op.x):
        return None, _for_operand(ct, op.y.aval.ndim, y_sum, y_batch, op.x, x_sum, x_batch, op.precision, first=False)
    raise not_linear(op)


def _for_operand(
    ct: Array,
    rank: int,
    summed: tuple[int, ...],
    batch: tuple[int, ...],
    other: Array,
    other_summed: tuple[int, ...],
    other_batch: tuple[int, ...],
    precision: Precision,
    *,
    first: bool,
) -> Array:
    """The cotangent of the operand with axes `summed` and `batch`; `first` is True for the left operand."""
    n_batch = len(batch)
    free = [a for a in range(rank) if a not in summed and a not in batch]
    other_free = [a for a in range(other.aval.ndim) if a not in other_summed and a not in other_batch]
    first_free_of_other = (
        n_batch + len(free) if first else n_batch
    )  # where the other operand's free axes are in the cotangent
    ct_free, ct_batch = tuple(range(first_free_of_other, first_free_of_other + len(other_free))), tuple(range(n_batch))
    # Products have the batch axes, the free axes of the first operand, then those of the second. The summed axes come
    # in the order of the other operand.
    summed_in_order_of_other = [summed[i] for i in sorted(range(len(summed)), key=lambda i: other_summed[i])]
    if [*batch, *summed_in_order_of_other, *free] == list(range(rank)):  # of weights
        return perform(DotGeneral((tuple(other_free), ct_free), (other_batch, ct_batch), other, ct, precision))
    product = perform(DotGeneral((ct_free, tuple(other_free)), (ct_batch, other_batch), ct, other, precision))
    order = [*batch, *free, *summed_in_order_of_other]
    return movement.permute_dims(product, tuple([order.index(a) for a in range(rank)]))
