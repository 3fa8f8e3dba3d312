"""Contractions, lowered."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import dtypes
from effects.operations.contraction import DotGeneral
from effects.types.dtypes import DType
from handlers import grad
from lowering import jit
from tests.stablehlo.agreement import F32, agree


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_dot_general_in_every_dtype(dtype: type[DType]) -> None:
    rng = np.random.default_rng(0)
    low = 0 if issubclass(dtype, dtypes.Unsigned | dtypes.bool_) else -2
    x = rng.integers(low, 3, (2, 3, 4)).astype(dtype.dtype)
    y = rng.integers(low, 3, (2, 4, 5)).astype(dtype.dtype)
    agree(
        (DotGeneral(((2,), (1,)), ((0,), (0,)), 0, 1), [x, y]),
        (DotGeneral(((1,), (0,)), ((), ()), 0, 1), [x[0], y[0]]),
        (DotGeneral(((0, 2), (0, 1)), ((), ()), 0, 1), [x, y]),
        (DotGeneral(((), ()), ((0,), (0,)), 0, 1), [x, y]),
        (DotGeneral(((0,), (0,)), ((), ()), 0, 1), [x[0, 0], y[0, :, 0]]),
    )


def test_dots_over_nothing_are_zero() -> None:
    agree((DotGeneral(((1,), (0,)), ((), ()), 0, 1), [np.zeros((2, 0), F32), np.zeros((0, 3), F32)]))


def test_narrow_dots_accumulate_widely() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40, 40)).astype(np.float16)
    agree((DotGeneral(((1,), (0,)), ((), ()), 0, 1), [x, y]))


def test_gradients_by_weights_are_products_of_a_left_operand_in_memory() -> None:
    """XLA would move the cotangent, or compute the activation once more, column by column."""
    w, x = np.ones((64, 32), F32), np.ones((2, 32, 64), F32)
    slope: Any = grad(lambda w, x: fx.sum(fx.sin(x * 2) @ w))
    text = jit(slope).lower(w, x).as_text()
    barriers = re.findall(r"(%\S+) = stablehlo.optimization_barrier %\S+ : tensor<2x32x64xf32>", text)
    products = re.findall(r"dot_general (%\S+), %\S+ contracting_dims = \[0, 1\] x \[0, 1\]", text)
    assert products and barriers == products
    assert "stablehlo.transpose" not in text
