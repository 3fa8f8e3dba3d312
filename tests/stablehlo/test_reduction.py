"""Reductions and positions of extremes, lowered."""

from __future__ import annotations

import numpy as np
import pytest

from effects import dtypes
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.types.dtypes import DType
from tests.stablehlo.agreement import COMPLEX, REAL, agree, sample, well_typed


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_reduction(dtype: type[DType]) -> None:
    x = np.resize(np.roll(np.concatenate([sample(dtype)[:7], sample(dtype)[:6]]), 3), (2, 3, 4))
    folded = ((), (1,), (0, 2), (0, 1, 2))
    cases = [(Reduce(kind, axes, 0, kept), [x]) for kind in ReduceKind for axes in folded for kept in (False, True)]
    agree(*[(op, hosts) for op, hosts in cases if well_typed(op, hosts)])


@pytest.mark.parametrize("dtype", [dtypes.float64, dtypes.float32, dtypes.float16, dtypes.bfloat16], ids=str)
def test_reductions_of_special_values_and_of_many(dtype: type[DType]) -> None:
    special = [[1.0, np.nan, 3.0], [np.inf, 1.0, -np.inf], [-0.0, 0.0, -0.0], [np.inf, np.inf, 2.0]]
    many = np.resize([1.1, 0.9, 1.2, 0.8], (2, 50)) * np.linspace(1.0, 0.9, 50)
    kinds = (ReduceKind.MAX, ReduceKind.MIN, ReduceKind.SUM, ReduceKind.PROD)
    agree(*[(Reduce(kind, (1,), 0), [np.array(x, dtype.dtype)]) for kind in kinds for x in (special, many)])


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.int8, dtypes.uint16, dtypes.float16], ids=str)
def test_reductions_of_nothing(dtype: type[DType]) -> None:
    kinds = (ReduceKind.MAX, ReduceKind.MIN, ReduceKind.SUM, ReduceKind.PROD)
    agree(*[(Reduce(kind, (0,), 0), [np.zeros((0, 2), dtype.dtype)]) for kind in kinds])


def test_narrow_floats_are_summed_in_float32() -> None:
    x = np.ones(5000, np.float16)
    agree((Reduce(ReduceKind.SUM, (0,), 0), [x]), exact=True)


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d not in COMPLEX], ids=str)
@pytest.mark.parametrize("kind", list(ArgReduceKind), ids=lambda kind: str(kind.value))
def test_positions_of_extremes(kind: ArgReduceKind, dtype: type[DType]) -> None:
    x = sample(dtype)
    rows = np.stack([np.roll(x, shift) for shift in range(4)])
    nan = np.where(np.isnan(rows.astype(np.float64)), dtype.dtype.type(1), rows) if dtype in REAL else rows
    agree(*[(ArgReduce(kind, axis, 0), [a]) for axis in (0, 1) for a in (rows, nan)])
