"""What NumPy has no function for is one compiled program where values are known, not one for each of its operations."""

from __future__ import annotations

import numpy as np
import pytest

import effects as fx
from effects import linalg
from lowering.backend import XlaBackend


def test_what_numpy_lacks_is_one_program_where_values_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []
    monkeypatch.setattr(XlaBackend, "execute", lambda self, op: executed.append(op.name))
    x, b = fx.asarray([[4.0, 1.0], [1.0, 3.0]]), fx.asarray([1.0, 2.0])
    np.testing.assert_allclose(np.asarray(linalg.solve_triangular(x, b)), [1 / 12, 2 / 3], rtol=1e-15)
    np.testing.assert_allclose(
        np.asarray(linalg.cho_solve((fx.asarray([[2.0, 0.0], [0.5, 1.0]]), True), b)), [-0.1875, 1.75]
    )
    p, lower, upper = linalg.lu(x)
    np.testing.assert_allclose(np.asarray(p @ lower @ upper), np.asarray(x), rtol=1e-15)
    np.testing.assert_allclose(np.asarray(linalg.lu_solve(linalg.lu_factor(x), b)), [1 / 11, 7 / 11], rtol=1e-15)
    np.testing.assert_allclose(np.asarray(linalg.tridiagonal_solve(b, fx.asarray([4.0, 3.0]), b, b)), [0.1, 0.6])
    t, z = linalg.schur(x)
    np.testing.assert_allclose(np.asarray(z @ t @ z.mT), np.asarray(x), rtol=1e-15)
    np.testing.assert_allclose(np.asarray(linalg.expm(fx.zeros((2, 2)))), np.eye(2))
    assert executed == []
