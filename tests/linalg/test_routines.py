"""What SciPy computes of known matrices: in each precision, and as programs do."""

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
from effects.arrays.concrete import from_host
from handlers import linear_transpose, make_jaxpr, vmap
from lowering import jit
from lowering.backend import XlaBackend

type Matrix = npt.NDArray[Any]

DTYPES = ("float32", "float64", "complex64", "complex128")


def matrix(m: int, n: int, dtype: str, seed: int = 0) -> Matrix:
    """Numbers around zero, in rows of which every second one is left out."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, 2 * n)) + (1j * rng.normal(size=(m, 2 * n)) if dtype.startswith("c") else 0)
    return x.astype(dtype)[:, ::2]


def close(actual: object, expected: object, dtype: str) -> None:
    """Equal to rounding."""
    tolerance = 2e-4 if dtype in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 31])
@pytest.mark.parametrize("dtype", DTYPES)
def test_schur_forms_are_those_of_programs(n: int, dtype: str) -> None:
    """To the last bit, signs and phases included."""
    compiled = jit(linalg.schur)
    for seed in range(20):
        x = matrix(n, n, dtype, seed)
        given = fx.asarray(x + x.conj().T if seed % 3 == 0 else x)
        for a, b in zip(linalg.schur(given), compiled(given), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 3), (3, 5), (40, 70), (70, 40), (0, 2), (2, 0), (2, 3, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors(shape: tuple[int, ...], dtype: str) -> None:
    x = matrix(shape[-2], shape[-1], dtype) if len(shape) == 2 else np.stack([matrix(3, 3, dtype, i) for i in range(2)])
    before = x.copy()
    modes: tuple[Literal["reduced", "complete"], ...] = ("reduced", "complete")
    for mode in modes:
        for a, b in zip(linalg.qr(fx.asarray(x), mode), np.linalg.qr(x, mode), strict=True):
            assert np.asarray(a).dtype == x.dtype
            close(a, b, dtype)
    parts = linalg.lu(fx.asarray(x))
    p, lower, upper = scipy.linalg.lu(x)
    for a, b in zip(parts, (p if x.size else np.eye(shape[-2]), lower, upper), strict=True):
        close(a, b, dtype)
    if shape == (3, 3):
        close(parts.L @ parts.U, x[np.asarray(linalg.lu_factor(fx.asarray(x)).order)], dtype)
    np.testing.assert_array_equal(x, before)


def test_one_matrix_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(XlaBackend, "execute", lambda self, op: pytest.fail(op.name))
    check_solutions(3, "float32")
    x = fx.asarray(matrix(3, 3, "float32") + 6 * np.eye(3, dtype="float32"))
    for f in (linalg.lu, linalg.qr, linalg.svd, linalg.eig, linalg.expm, linalg.sqrtm, linalg.pinv, linalg.norm):
        f(x)


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


def test_threads_do_not_meet() -> None:
    xs = [from_host(matrix(n, n, "float64", n)) for n in range(1, 30)] * 4
    one_by_one = [linalg.lu(x) for x in xs]
    with ThreadPoolExecutor(8) as pool:
        for actual, expected in zip(pool.map(linalg.lu, xs), one_by_one, strict=True):
            for a, b in zip(actual, expected, strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 3, 8, 20])
def test_exponentials_and_roots(n: int, dtype: str) -> None:
    """Exponentials of each order and with squarings, and roots."""
    for size in (0.0, 1e-4, 0.1, 0.4, 1.0, 3.0, 20.0):
        x = (matrix(n, n, "float64", n) * size / n).astype(dtype)
        exponential = np.asarray(linalg.expm(x))
        assert exponential.dtype == dtype
        expected = scipy.linalg.expm(x.astype(np.float64))
        np.testing.assert_allclose(exponential, expected, rtol=0, atol=np.finfo(dtype).eps * 300 * abs(expected).max())
    for size in () if n > 16 else np.geomspace(1e-3, 0.25, 9) * (1.0 if dtype == "float32" else 0.064):
        y = matrix(n, n, "float64", n)
        y = (y * size / np.linalg.norm(y)).astype(dtype)
        wide = y.astype(np.longdouble)
        exact, power = np.eye(n, dtype=np.longdouble), np.eye(n, dtype=np.longdouble)
        for k in range(1, 12):
            power = power @ wide / k
            exact += power
        assert abs(np.asarray(linalg.expm(y)) - exact).max() <= np.finfo(dtype).eps * (0.6 if dtype == "float32" else 2)
    x = matrix(n, n, dtype) + 2 * n * np.eye(n, dtype=dtype)
    root = linalg.sqrtm(x)
    close(root @ root, x, dtype)


@pytest.mark.parametrize("columns", [(), (2,)])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (70, 40)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_least_squares(shape: tuple[int, int], columns: tuple[int, ...], dtype: str) -> None:
    a, b = matrix(*shape, dtype), matrix(shape[0], 2, dtype, 1)[:, : 2 if columns else 1].reshape(shape[0], *columns)
    for x in (a, np.concatenate([a[:1]] * shape[0])):
        solution, residuals, rank, values = [np.asarray(part) for part in linalg.lstsq(x, b, 1e-4)]
        expected, _, count, sizes = np.linalg.lstsq(x.astype(np.float64), b.astype(np.float64), 1e-4)
        assert solution.dtype == residuals.dtype == values.dtype == dtype and rank == count
        np.testing.assert_allclose(solution, expected, rtol=0, atol=np.finfo(dtype).eps * 3000 * abs(expected).max())
        np.testing.assert_allclose(values, sizes, rtol=0, atol=np.finfo(dtype).eps * 100 * sizes[0])
        left = (b - x @ solution) ** 2
        np.testing.assert_allclose(residuals, left.sum(axis=0).reshape(-1) if shape[0] > shape[1] else [], rtol=1e-3)


def test_least_squares_are_linear_in_what_is_wanted() -> None:
    a, b = matrix(5, 3, "float64"), matrix(2, 5, "float64", 1)
    inverse = np.linalg.pinv(a)
    (turned,) = linear_transpose(lambda b: linalg.lstsq(a, b).x, fx.ones(5))(fx.ones(3))
    close(turned, inverse.T @ np.ones(3), "float64")
    program = make_jaxpr(vmap(lambda b: linalg.lstsq(a, b).x))(b)
    (solution,) = [eqn for eqn in program.eqns if eqn.op.name == "lstsq"]
    assert [x.aval.shape for x in solution.op.operands] == [(5, 3), (5, 2), ()]
    close(vmap(lambda b: linalg.lstsq(a, b).x)(b), b @ inverse.T, "float64")
    close(
        vmap(lambda a: linalg.lstsq(a, b[0]).x)(fx.stack([a, 2 * a])), [inverse @ b[0], inverse @ b[0] / 2], "float64"
    )
