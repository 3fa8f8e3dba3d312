"""The greatest elements have no zero with a sign, of whatever dtype and however they are found."""

from __future__ import annotations

import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from lowering import jit

SIGNED = [d for d in dtypes.ALL if issubclass(d, fx.Floating) and np.signbit(np.asarray(-0.0, d.dtype))]


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
def test_zeros_have_no_sign(dtype: type[fx.DType]) -> None:
    x = fx.asarray([-0.0, -1.0, 0.0, -0.0], dtype=dtype)
    for values, places in (fx.top_k(x, 3), jit(lambda x: fx.top_k(x, 3))(x)):
        assert not np.signbit(np.asarray(values)).any() and places.tolist() == [0, 2, 3]
        assert values.dtype is dtype
