"""The table of cases: sample operands for every operation and kind, which go through all handlers."""

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

__all__ = ["CASES", "Case"]
