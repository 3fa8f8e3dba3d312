"""Linear algebra of NaN, of infinity and of zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import effects as fx
from effects import linalg
from lowering import jit


def test_eigenvalues_of_nan_and_infinity_are_nan_in_their_lane() -> None:
    x = fx.asarray([[[np.nan, 1.0], [1.0, 2.0]], [[np.inf, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]])
    runs: list[Callable[[Any], fx.Array]] = [
        linalg.eigvalsh,
        jit(linalg.eigvalsh),
        lambda x: linalg.eigh(x).eigenvalues,
    ]
    for run in runs:
        np.testing.assert_array_equal(run(x), [[np.nan, np.nan], [np.nan, np.nan], [2.0, 3.0]])
    assert all([np.isnan(np.asarray(part)).all() for part in (*linalg.eigh(x[0]), *linalg.slogdet(x[0]))])


def test_zeros() -> None:
    zeros = fx.zeros((2, 2))
    conditions: list[Callable[[Any], fx.Array]] = [
        linalg.cond,
        jit(linalg.cond),
        lambda x: linalg.cond(x, -2),
        lambda x: linalg.cond(x, 1),
    ]
    for f in conditions:
        assert float(f(zeros)) == np.inf
    np.testing.assert_array_equal(linalg.sqrtm(zeros), zeros)
    half = fx.asarray([[4.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(linalg.sqrtm(half) @ linalg.sqrtm(half), half)
