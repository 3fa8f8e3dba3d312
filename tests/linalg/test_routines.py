"""Routines of LAPACK that are called without NumPy: in each precision, and what there is where they have no name."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg

import effects as fx
from effects import linalg
from effects.arrays import routines
from effects.runtime.caches import RECENT, Cache
from lowering import jit

type Matrix = npt.NDArray[Any]

DTYPES = ("float32", "float64", "complex64", "complex128")
NAMES = ("getrf", "trsm", "potrs", "gtsv", "geqrf", "gees")


@pytest.fixture
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that does not say its routines' names."""
    monkeypatch.setattr(routines, "_LIBRARY", None)
    monkeypatch.setattr(routines, "_idle", Cache(RECENT))


def matrix(m: int, n: int, dtype: str, seed: int = 0) -> Matrix:
    """Numbers around zero, in rows of which every second one is left out."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, 2 * n)) + (1j * rng.normal(size=(m, 2 * n)) if dtype.startswith("c") else 0)
    return x.astype(dtype)[:, ::2]


def close(found: object, expected: object, dtype: str) -> None:
    """Equal to rounding."""
    tolerance = 2e-4 if dtype in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tolerance, atol=tolerance)


def test_the_library_names_its_routines() -> None:
    for dtype in map(np.dtype, DTYPES):
        for name in (*NAMES, "ungqr" if dtype.kind == "c" else "orgqr"):
            assert routines._calling(dtype, name) is not None, f"NumPy has moved {name}: programs are called, slower"
    assert routines._calling(np.dtype("float16"), "getrf") is None


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 3), (3, 5), (40, 70), (70, 40), (0, 2), (2, 0), (2, 3, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors(shape: tuple[int, ...], dtype: str) -> None:
    x = matrix(shape[-2], shape[-1], dtype) if len(shape) == 2 else np.stack([matrix(3, 3, dtype, i) for i in range(2)])
    before = x.copy()
    for complete in (False, True):
        expected = np.linalg.qr(x, "complete" if complete else "reduced")
        for a, b in zip(routines.qr(complete, x), expected, strict=True):
            assert a.dtype == x.dtype
            close(a, b, dtype)
    parts, found = routines.lu_parts(x), routines.lu(x)
    if len(shape) == 2 and x.size:
        assert parts is not None and found is not None
        for a, b in zip(parts, scipy.linalg.lu(x), strict=True):
            close(a, b, dtype)
        close((parts[1] @ parts[2]), x[found[1]], dtype)
    else:
        assert parts is None and found is None
    np.testing.assert_array_equal(x, before)


@pytest.mark.usefixtures("unnamed")
def test_without_names() -> None:
    x = matrix(3, 3, "float64")
    assert (
        routines.lu(x) is None and routines.schur(x.astype(complex)) is None and routines.cho_solve(True, x, x) is None
    )
    for a, b in zip(routines.qr(False, x), np.linalg.qr(x), strict=True):
        np.testing.assert_array_equal(a, b)
    check_solutions(2, "float64")


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions(n: int, dtype: str) -> None:
    check_solutions(n, dtype)


def check_solutions(n: int, dtype: str) -> None:
    """Of each kind of system, for vectors and columns, by the equation."""
    x = matrix(n, n, dtype) + 2 * n * np.eye(n, dtype=dtype)
    factor = np.linalg.cholesky(x @ x.conj().T)
    turns: tuple[tuple[Literal["N", "T", "C"], Matrix], ...] = (("N", x), ("T", x.T), ("C", x.conj().T))
    for b in (x[0], x[:, :1], x.T):
        for turn, of in turns:
            for lower in (False, True):
                triangle = np.tril(x) if lower else np.triu(x)
                turned = {"N": triangle, "T": triangle.T, "C": triangle.conj().T}[turn]
                found = linalg.solve_triangular(fx.asarray(x), fx.asarray(b), trans=turn, lower=lower)
                close(turned @ np.asarray(found), b, dtype)
                ones = linalg.solve_triangular(x / 9 / n, b, trans=turn, lower=lower, unit_diagonal=True)
                close(ones, scipy.linalg.solve_triangular(x / 9 / n, b, turn, lower, unit_diagonal=True), dtype)
            close(of @ np.asarray(linalg.lu_solve(linalg.lu_factor(fx.asarray(x)), b, trans=turn)), b, dtype)
        close(factor @ factor.conj().T @ np.asarray(linalg.cho_solve((factor, True), b)), b, dtype)
        close(factor @ factor.conj().T @ np.asarray(linalg.cho_solve((factor.conj().T, False), b)), b, dtype)
    diagonals = (x[0], x[-1] + 9, np.flip(x[0]))
    between = np.diag(diagonals[1]) + np.diag(diagonals[0][1:], -1) + np.diag(diagonals[2][:-1], 1) if n > 1 else None
    found = linalg.tridiagonal_solve(*diagonals, x.T)
    close((np.diag(diagonals[1]) if between is None else between) @ np.asarray(found), x.T, dtype)
    t, z = linalg.schur(fx.asarray(x))
    close(z @ t @ z.mT.conj() if dtype.startswith("c") else z @ t @ z.mT, x, dtype)
    close(np.asarray(z).conj().T @ np.asarray(z), np.eye(n), dtype)


def test_what_is_not_finite_is_what_programs_make_of_it() -> None:
    nan, one = fx.asarray([[np.nan, 1.0], [2.0, 3.0]]), fx.ones((2, 2))
    singular = fx.asarray([[1.0, 2.0], [0.0, 0.0]])
    cases: tuple[tuple[Callable[..., object], tuple[fx.Array, ...]], ...] = (
        (linalg.lu, (nan,)),
        (linalg.lu_factor, (nan,)),
        (linalg.schur, (nan,)),
        (linalg.solve_triangular, (singular, one)),
        (linalg.solve_triangular, (nan, one)),
        (lambda c, b: linalg.cho_solve((c, False), b), (singular, one)),
        (lambda c, b: linalg.lu_solve((c, fx.asarray([1, 0])), b), (singular, one)),
        (lambda d, b: linalg.tridiagonal_solve(d[0], d[1], d[0], b), (singular, one)),
    )
    for f, xs in cases:
        for a, b in zip(fx.tree_leaves(f(*xs)), fx.tree_leaves(jit(f)(*xs)), strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_order_that_is_none_is_that_of_programs() -> None:
    x, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([1.0, 2.0])
    for order in ([0, 0], [0, -1], [1, 2]):
        rows = np.array(order, np.int32)
        given = (fx.asarray(x), fx.asarray(rows))
        np.testing.assert_array_equal(linalg.lu_solve(given, b), jit(linalg.lu_solve)(given, b))


def test_results_are_memory_of_their_own() -> None:
    x, y = matrix(4, 4, "float64"), matrix(4, 4, "float64", 1)
    first = [*(routines.lu(x) or ()), *(routines.lu_parts(x) or ()), *routines.qr(False, x)]
    first += routines.schur(x.astype(complex)) or ()
    before = [part.copy() for part in first]
    for f in (routines.lu, routines.lu_parts):
        f(y)
    routines.schur(y.astype(complex))
    routines.qr(False, y)
    for a, b in zip(first, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_only_small_calls_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routines, "_idle", Cache(RECENT))
    routines.qr(True, matrix(300, 1, "float64"))
    routines.qr(False, matrix(1, 900, "float64"))
    routines.triangular_solve(True, "N", False, np.eye(2), np.ones((2, 600)))
    routines.lu(matrix(40, 40, "float64"))
    kept = [part for idle in routines._idle.recent.values() for call in idle for part in (*call.given, *call.results)]
    assert [part.shape for part in kept] == [(1, 900), (1, 1), (1, 900)]


def test_threads_do_not_meet() -> None:
    xs = [matrix(n, n, "float64", n) for n in range(1, 30)] * 4
    one_by_one = [routines.lu_parts(x) for x in xs]
    with ThreadPoolExecutor(8) as pool:
        for found, expected in zip(pool.map(routines.lu_parts, xs), one_by_one, strict=True):
            assert found is not None and expected is not None
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_array_equal(a, b)
