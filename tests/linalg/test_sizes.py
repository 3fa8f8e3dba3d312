"""Linear algebra of no elements."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import effects as fx
from effects import linalg
from lowering import jit


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 3, 0), (0, 2, 3), (2, 0, 3), (0, 0)], ids=str)
def test_factors_of_no_elements_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    for full in (True, False):
        expected = np.linalg.svd(x, full_matrices=full)
        for run in (lambda f: f, jit):
            actual = cast(Any, run)(lambda x, full=full: linalg.svd(x, full_matrices=full))(fx.asarray(x))
            for a, b in zip(actual, expected, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 0, 3), (0, 0)], ids=str)
def test_norms_of_no_elements_are_zero(shape: tuple[int, ...]) -> None:
    x = fx.zeros(shape)
    kinds: list[Any] = ["fro", "nuc", 1, 2, np.inf]
    for kind in kinds:
        found = linalg.matrix_norm(x, ord=kind)
        np.testing.assert_array_equal(found, np.zeros(shape[:-2]))
    for power in (1, 2, 3, np.inf):
        assert float(linalg.vector_norm(x, ord=power)) == 0
