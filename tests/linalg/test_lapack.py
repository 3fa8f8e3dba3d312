"""What eager linear algebra calls of NumPy: private names, which are there and give what the public functions do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import linalg
from effects.arrays import lapack
from effects.runtime.quiet import strict

PUBLIC: dict[str, Callable[..., Any]] = {
    "cholesky": np.linalg.cholesky,
    "solve": lambda x: np.linalg.solve(x, x.mT),
    "det": np.linalg.det,
    "slogdet": np.linalg.slogdet,
    "eigh": np.linalg.eigh,
    "eigvalsh": np.linalg.eigvalsh,
    "eig": np.linalg.eig,
    "eigvals": np.linalg.eigvals,
    "svd": np.linalg.svd,
    "thin_svd": partial(np.linalg.svd, full_matrices=False),
    "svdvals": np.linalg.svdvals,
}


def stack(dtype: str) -> np.ndarray:
    """Two positive definite matrices."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 3)) + (1j * rng.normal(size=(2, 3, 3)) if dtype == "complex128" else 0)
    return x @ x.mT.conj() + np.eye(3)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", PUBLIC)
def test_private_functions_are_there_and_give_what_the_public_ones_do(name: str, dtype: str) -> None:
    x, f = stack(dtype), getattr(lapack, name)
    assert isinstance(f, np.ufunc), f"NumPy has moved what {name} calls: the public function, slower, is called instead"
    found, expected = strict.run(f, x, x.mT) if name == "solve" else strict.run(f, x), PUBLIC[name](x)
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for a, b in pairs:
        np.testing.assert_array_equal(a, b)


def test_a_name_that_is_not_there_is_the_public_function() -> None:
    assert lapack._called("no_such_function", np.linalg.det) is np.linalg.det


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
