"""Where values are known there are shorter ways, which give what programs give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import linalg
from lowering import jit

Way = Callable[..., Any]


def agree(f: Way, *given: np.ndarray) -> None:
    """f gives arrays of the same types and values eagerly and compiled."""
    arrays = [fx.asarray(x) for x in given]
    actual, expected = f(*arrays), jit(f)(*arrays)
    parts: Way = lambda x: x if isinstance(x, tuple) else (x,)
    for a, b in zip(parts(actual), parts(expected), strict=True):
        assert a.aval is b.aval
        assert np.asarray(a).dtype == a.aval.dtype.dtype
        tolerance = 2e-5 if given[0].dtype.itemsize == 4 else 1e-12
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("trans", "unit"), [("N", False), ("T", True)])
def test_triangles_with_any_element_on_the_diagonal_or_beside_it(lower: bool, trans: Any, unit: bool) -> None:
    right = np.arange(8.0).reshape(4, 2)
    right = right[:, 0].astype(np.float32) if unit else right
    solve: Way = partial(linalg.solve_triangular, trans=trans, lower=lower, unit_diagonal=unit)
    for special in (1.0, 0.0, np.nan, np.inf):
        x = np.random.default_rng(0).normal(size=(4, 4)) + 3 * np.eye(4)
        x[1, 1] = x[2, 0] = special
        x[0, 3] = np.nan if lower else x[0, 3]  # which nobody reads
        agree(solve, x.astype(right.dtype), right)


@pytest.mark.parametrize(("shape", "rcond"), [((5, 3), None), ((3, 5), 0.5), ((4, 4), -1.0)])
def test_least_squares_of_matrices_of_any_rank(shape: tuple[int, int], rcond: float | None) -> None:
    rng = np.random.default_rng(0)
    x, b = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    solve: Way = partial(linalg.lstsq, rcond=rcond)
    if rcond is None:
        agree(solve, x, b)
        x[:, 2] = x[:, 1] - x[:, 0]
        agree(solve, x, b)
        agree(solve, 0 * x, b)
        assert [int(linalg.lstsq(y, b).rank) for y in (x, 0 * x)] == [2, 0]
    else:
        agree(solve, x.astype(np.float32), b[:, 0].astype(np.float32))


@pytest.mark.parametrize("zero", [False, True])
def test_numbers_of_one_matrix(zero: bool) -> None:
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32) * (not zero)
    functions: list[Way] = [
        linalg.norm,
        linalg.vector_norm,
        linalg.matrix_norm,
        partial(linalg.matrix_norm, ord=2),
        partial(linalg.matrix_norm, ord=-2),
        linalg.matrix_rank,
        partial(linalg.matrix_rank, rtol=0.6),
        linalg.cond,
        partial(linalg.cond, p=-2),
    ]
    for f in functions:
        agree(f, x)


@pytest.mark.parametrize("shape", [(16, 16), (20, 17), (17, 40), (2, 33, 33)])
def test_rows_that_are_exchanged_many_at_a_time(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    p, lower, upper = linalg.lu(x)
    np.testing.assert_allclose(np.asarray(p @ lower @ upper), x, atol=1e-13)
    np.testing.assert_array_equal(np.asarray(p).sum(axis=-1), np.ones(shape[:-1]))


@pytest.mark.parametrize("size", [0.0, 0.1, 30.0, np.inf])
def test_exponentials_of_small_matrices(size: float) -> None:
    x = np.random.default_rng(0).normal(size=(3, 3))
    agree(linalg.expm, x * size)
    np.testing.assert_allclose(np.asarray(linalg.expm(x.astype(np.float32))), np.asarray(linalg.expm(x)), rtol=1e-5)


@pytest.mark.parametrize("size", [0.001, 0.0149, 0.1, 0.253, 0.5, 0.95, 2.0, 4.0, 9.0])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_exponentials_of_each_order(n: int, size: float) -> None:
    x = np.random.default_rng(n).normal(size=(n, n))
    x *= size / np.linalg.norm(x)
    np.testing.assert_allclose(np.asarray(linalg.expm(x)), exponential(x), rtol=1e-13, atol=1e-14)
    single = np.asarray(linalg.expm(x.astype(np.float32)))
    np.testing.assert_allclose(single, exponential(x.astype(np.float32)), rtol=2e-6, atol=1e-6)


def exponential(x: np.ndarray) -> np.ndarray:
    """The sum of its powers, each divided by a factorial, with more digits than double precision has."""
    term = total = np.eye(len(x), dtype=np.longdouble)
    for i in range(1, 80):
        term = term @ x / i
        total = total + term
    return total.astype(np.float64)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_square_roots_of_small_matrices(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, n)) + 2 * n * np.eye(n)
    root = np.asarray(linalg.sqrtm(x))
    np.testing.assert_allclose(root @ root, x, rtol=1e-12, atol=1e-12)
    agree(linalg.sqrtm, x.astype(np.float32))
    agree(linalg.sqrtm, x + 0.5j * x.T)
    agree(linalg.sqrtm, -x)  # whose roots have two signs
    agree(linalg.sqrtm, np.triu(np.ones((n, n)), 1))  # which has none, for n > 1


@pytest.mark.parametrize("dtype", [fx.float16, fx.bfloat16])
def test_narrow_floats(dtype: type[fx.DType]) -> None:
    """Each function rounds what it finds in single precision, as programs do."""
    rng = np.random.default_rng(0)
    functions: list[Way] = [
        linalg.lu,
        linalg.lu_factor,
        linalg.qr,
        partial(linalg.qr, mode="complete"),
        linalg.schur,
        linalg.expm,
        linalg.sqrtm,
        linalg.svdvals,
        linalg.eigvalsh,
        linalg.pinv,
        linalg.inv,
        lambda x: linalg.solve_triangular(x, x[0]),
        lambda x: linalg.solve_triangular(x, x, lower=True),
        lambda x: linalg.cho_solve((x, True), x),
        lambda x: linalg.lu_solve(linalg.lu_factor(x), x[0]),
        lambda x: linalg.solve(x, x[0]),
        lambda x: linalg.lstsq(x, x[0]),
        lambda x: linalg.tridiagonal_solve(x[0], x[0] + 3, x[0], x),
    ]
    x = fx.asarray(rng.normal(size=(3, 3)) + 4 * np.eye(3)).astype(dtype)
    for f in functions:
        for a, b in zip(fx.tree_leaves(f(x)), fx.tree_leaves(jit(f)(x)), strict=True):
            assert a.aval is b.aval
            actual, expected = [np.asarray(part.astype(fx.complex64)) for part in (a, b)]
            np.testing.assert_allclose(actual, expected, rtol=2e-2, atol=2e-2)
