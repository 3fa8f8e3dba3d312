"""Movement, indexing and creation, lowered."""

from __future__ import annotations

import numpy as np
import pytest

from effects import dtypes
from effects.arrays.concrete import Concrete
from effects.operations.creation import Iota
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.operations.movement import Broadcast, Concat, Flip, Pad, PermuteDims, Reshape
from effects.program.chain import perform
from effects.types.dtypes import DType
from handlers.evaluate import evaluate
from tests.stablehlo.agreement import F32, I32, INTEGERS, X, agree, run, same, sample


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_movement_in_every_dtype(dtype: type[DType]) -> None:
    x = np.resize(sample(dtype), (2, 3))
    value = sample(dtype)[1:2].reshape(())
    agree(
        (Broadcast((4, 2, 3), (1, 2), 0), [x]),
        (Reshape((3, 2), 0), [x]),
        (PermuteDims((1, 0), 0), [x]),
        (Flip((1,), 0), [x]),
        (Concat(1, (0, 1)), [x, x]),
        (Pad(((1, 2, 1), (-1, 0, 0)), 0, 1), [x, value]),
        (Slice((0, 1), (2, 3), (1, 2), 0), [x]),
        exact=True,
    )


def test_movement_at_the_edges() -> None:
    empty = np.zeros((0, 4), F32)
    agree(
        (Broadcast((3, 4, 5), (0, 1), 0), [X]),
        (Broadcast((4, 3), (1, 0), 0), [X]),
        (Broadcast((3, 7), (0, 1), 0), [X[:, :1]]),
        (Broadcast((2, 2), (), 0), [np.array(3, F32)]),
        (Reshape((), 0), [np.ones((1, 1), F32)]),
        (Concat(0, (0, 1)), [empty, X]),
        (Pad(((0, 0, 3), (2, 1, 0)), 0, 1), [empty, np.array(9, F32)]),
        (Pad(((-1, 0, 1), (-4, 4, 2)), 0, 1), [X, np.array(9, F32)]),
        (Slice((0, 4), (3, 4), (2, 1), 0), [X]),
        (Flip((), 0), [X]),
        exact=True,
    )


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_dynamic_slices_clamp_their_starts(dtype: type[DType]) -> None:
    limits = np.iinfo(dtype.dtype.name)
    long = np.arange(300, dtype=F32).reshape(300, 1)
    zero = np.array(0, I32)
    update = np.full((290, 1), -1, F32)
    for first in (0, 1, 5, limits.min, limits.max):
        start = np.array(first, dtype.dtype)
        agree(
            (DynamicSlice((290, 1), 0, (1, 2)), [long, start, zero]),
            (DynamicUpdateSlice(0, 1, (2, 3)), [long, update, start, zero]),
            exact=True,
        )


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_iota(dtype: type[DType]) -> None:
    (got,) = run(lambda: [perform(Iota((2, 5), dtype, 1))])
    expected = evaluate(Iota((2, 5), dtype, 1))
    assert isinstance(expected, Concrete)
    same(got, np.ascontiguousarray(expected.host), exact=True)
