"""What eager linear algebra makes of matrices without a result, and of results without room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import effects as fx
from effects import linalg


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_one_lane_without_a_result_is_an_error(dtype: str) -> None:
    x = fx.asarray([[[2, 0], [0, 2]], [[1, 1], [1, 1]], [[np.nan, 0], [0, 1]]], dtype=np.dtype(dtype))
    fails: list[tuple[Callable[..., object], fx.Array]] = [
        (linalg.cholesky, fx.concat([x[:1], -x[:1]])),
        (linalg.inv, x[:2]),
        (linalg.svd, x[::2]),
        (linalg.svdvals, x[::2]),
        (linalg.eig, x[::2]),
        (linalg.eigvals, x[::2]),
    ]
    for f, given in fails:
        with pytest.raises(fx.LinearAlgebraError):
            f(given)
    sign, logarithm = linalg.slogdet(x)
    np.testing.assert_array_equal(sign, np.asarray([1, 0, np.nan], dtype))
    np.testing.assert_array_equal(logarithm, [np.log(4).astype(logarithm.aval.dtype.dtype), -np.inf, np.nan])


@pytest.mark.filterwarnings("error")
def test_what_overflows_is_infinity_without_a_warning() -> None:
    large = np.diag([1e200, 2e200])
    np.testing.assert_allclose(linalg.eigvalsh(large), [1e200, 2e200])
    np.testing.assert_allclose(np.sort(np.asarray(linalg.eigvals(large)).real), [1e200, 2e200])
    assert np.isnan(np.asarray(linalg.eigvalsh(np.diag([np.inf + 0j, 1])))).all()
    assert float(linalg.det(np.diag([1e30, 1e30]).astype("float32"))) == np.inf
    assert np.isinf(np.asarray(linalg.inv(np.diag([1e-45, 1]).astype("float32")))).any()
