"""The table of cases: sample operands for every operation and kind, read by every grid of tests.

`CASES` go through all handlers. `VALUES` are samples of further dtypes and of special values (NaN, infinities, signed
zeros, the ends of the integers), for what computes: evaluation against compiled code.
"""

from tests.cases import (
    checkpoint,
    choice,
    convolution,
    elementwise,
    folding,
    fourier,
    gathering,
    higher_order,
    indexing,
    loops,
    matrices,
    movement,
    ordering,
    pooling,
    sharding,
    special,
    values,
)
from tests.cases.case import Case

CASES: tuple[Case, ...] = (
    *elementwise.CASES,
    *choice.CASES,
    *movement.CASES,
    *indexing.CASES,
    *gathering.CASES,
    *folding.CASES,
    *convolution.CASES,
    *fourier.CASES,
    *matrices.CASES,
    *ordering.CASES,
    *pooling.CASES,
    *special.CASES,
    *higher_order.CASES,
    *loops.CASES,
    *checkpoint.CASES,
    *sharding.CASES,
)
VALUES: tuple[Case, ...] = values.CASES

__all__ = ["CASES", "VALUES", "Case"]
