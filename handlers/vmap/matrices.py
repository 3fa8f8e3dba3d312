"""Batching of functions of whole matrices: lanes are one more axis in front."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.manipulation import movement
from effects.functions.products.matrices import in_columns, of_columns
from effects.operations.matrices import LeastSquares, MatrixFunction, PseudoInverse, UnitaryFactor
from effects.program.chain import perform
from handlers.vmap.rules import RULES, Batched, Lanes, materialized, on_last_axes, size_of

RULES.rule(MatrixFunction, UnitaryFactor)(on_last_axes)


@RULES.rule(PseudoInverse)
def batch_pseudo_inverse(op: PseudoInverse[Batched]) -> Lanes:
    size = size_of(op)
    return perform(PseudoInverse(materialized(op.x, size), _shares(op.share, op.x, size))), (True, True)


def _shares(share: Batched, matrix: Batched, size: int) -> Array:
    """The shares, one for all matrices or one for each."""
    if not (share.batched or share.aval.ndim):
        return share.value
    shares = materialized(share, size)
    lanes = matrix.aval.shape[:-2]
    if share.aval.ndim == len(lanes):
        return shares
    return movement.broadcast_to(movement.expand_dims(shares, tuple(range(1, 1 + len(lanes)))), (size, *lanes))


@RULES.rule(LeastSquares)
def batch_least_squares(op: LeastSquares[Batched]) -> Lanes:
    size = size_of(op)
    if op.a.aval.ndim == 2 and not (op.a.batched or op.share.batched):
        x, rank, s = perform(LeastSquares(op.a.value, in_columns(op.b.value), op.share.value))
        return (of_columns(x, op.b.value), rank, s), (True, False, False)
    a, b = materialized(op.a, size), materialized(op.b, size)
    return perform(LeastSquares(a, b, _shares(op.share, op.a, size))), (True,) * 3
