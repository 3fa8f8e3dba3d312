"""Linear algebra of NaN, of infinity and of zeros."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import linalg, special
from effects.errors import ArgumentError, LinearAlgebraError, ShapeError
from handlers import grad, jacfwd, vmap
from lowering import jit
from tests.errors.expect import refusal


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


def test_a_singular_matrix_has_no_logarithm() -> None:
    for x in (fx.zeros((1, 1)), fx.ones((2, 2)), fx.asarray([[0.0, 1.0], [0.0, 2.0]])):
        for run in (linalg.logm, jit(linalg.logm)):
            assert np.isnan(np.asarray(run(x))).all()
    lanes = linalg.logm(fx.stack([fx.zeros((2, 2)), fx.eye(2)]))
    assert np.isnan(np.asarray(lanes[0])).all() and not np.asarray(lanes[1]).any()


def test_a_polar_form_of_rank_loss_has_no_derivative() -> None:
    u = jacfwd(lambda x: linalg.polar(x).unitary)
    for x in (fx.ones((2, 2)), fx.ones((3, 2)), fx.ones((2, 3)), fx.zeros((1, 1))):
        assert np.isnan(np.asarray(u(x))).any() and np.isnan(np.asarray(jit(u)(x))).any()
    assert np.isfinite(np.asarray(u(fx.asarray([[1.0, 1.0], [1.0, 1.001]])))).all()


def test_rows_and_axes_that_are_none_are_refused() -> None:
    a = fx.asarray([[4.0, 1.0], [1.0, 3.0]])
    for order in map(fx.asarray, ([0, 0], [0, -1], [1, 2])):
        solve = lambda rows=order: linalg.lu_solve((a, rows), a)
        refusal(ArgumentError, "lu_solve: lu_and_order[1] must have each row from 0 to 1 once", of=solve)
    refusal(ArgumentError, "norm: axis must name two axes, got [0, -2]", of=lambda: linalg.norm(a, axis=(0, -2)))
    told = "tridiagonal_solve: b must have as many rows as d, float64[2], got float64[3]"
    refusal(ShapeError, told, of=lambda: linalg.tridiagonal_solve(a[0], a[0], a[0], fx.ones(3)))
    refusal(ShapeError, "x [3], b [2]", of=lambda: special.logsumexp(fx.ones(3), b=fx.ones(2)))


def test_sylvester_with_no_rows_or_no_columns() -> None:
    assert linalg.solve_sylvester(fx.ones((2, 2)), fx.zeros((0, 0)), fx.zeros((2, 0))).shape == (2, 0)
    assert linalg.solve_sylvester(fx.zeros((0, 0)), fx.ones((2, 2)), fx.zeros((0, 2))).shape == (0, 2)


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


def test_norms_at_zero_and_of_nothing() -> None:
    for order in (1.5, 3.0):
        length: Callable[[Any], Any] = partial(linalg.vector_norm, ord=order)
        np.testing.assert_array_equal(vmap(grad(length))(fx.zeros((2, 3))), np.zeros((2, 3)))
        np.testing.assert_allclose(grad(length)(fx.ones(3)), np.full(3, 3 ** (1 / order - 1)))
    for least in (linalg.vector_norm, linalg.norm):
        with pytest.raises(ShapeError, match="a norm with ord=-inf is a minimum, which needs elements"):
            least(fx.zeros(0), ord=-np.inf)
    assert linalg.vector_norm(fx.zeros((0, 3)), ord=-np.inf, axis=1).shape == (0,)


def _sized(a: fx.Array) -> fx.Array:
    return linalg.slogdet(a)[1]


@pytest.mark.parametrize(
    ("call", "function", "line"),
    [
        (lambda: vmap(linalg.inv)(fx.zeros((3, 2, 2))), "inv: the matrix, float64[3,2,2]", "(<lambda>)"),
        (lambda: grad(_sized)(fx.zeros((2, 2))), "slogdet: x, float64[2,2]", "(_sized)"),
        (lambda: vmap(grad(_sized))(fx.zeros((3, 2, 2))), "slogdet: x, float64[2,2]", "(_sized)"),
    ],
)
def test_singular_matrices_are_told_by_function_and_line(call: Callable[[], object], function: str, line: str) -> None:
    with pytest.raises(LinearAlgebraError) as caught:
        call()
    assert str(caught.value).startswith(f"{function}, is singular")
    assert f"{__file__}:" in str(caught.value) and str(caught.value).endswith(line)


def test_the_slope_of_a_singular_logarithm_names_what_has_one() -> None:
    with pytest.raises(
        LinearAlgebraError, match=r"logarithm of its determinant is -∞ and has no derivative; det has one"
    ):
        grad(_sized)(fx.zeros((2, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.complex64])
def test_determinants_are_those_of_numpy_where_they_are_none_or_overflow(dtype: type) -> None:
    """Compiled and not; of a sign that has no number NaN, where NumPy's is 1."""
    rng = np.random.default_rng(3)
    big, other = (1e200, 1e-200) if dtype != np.complex64 else (1e30, 1e-30)
    numbers = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, big, other]
    given: list[Any] = [np.array([[v]], dtype) for v in numbers]
    if dtype is not np.float64:
        given += [np.array([[complex(v, w)]], dtype) for v in numbers for w in numbers]
    given += [np.diag([s * big, big, other]).astype(dtype) for s in (1, -1)]
    given += [np.diag([big, big, 0.0]).astype(dtype), np.diag([big, big, big]).astype(dtype)]
    given += [np.array([[0.0, np.nan], [-0.0, np.inf]], dtype), np.array([[big, 1.0], [2.0, big]], dtype)]
    given += [np.where(rng.random((3, 3)) < 0.2, big, rng.normal(size=(3, 3))).astype(dtype) for _ in range(5)]
    compiled_det, compiled_slogdet = jit(linalg.det), jit(linalg.slogdet)
    for x in given:
        with np.errstate(all="ignore"):
            det, (sign, size) = np.linalg.det(x), np.linalg.slogdet(x)
        if np.isnan(size):
            sign = sign * np.nan
        a, rtol = fx.asarray(x), 1e-12 if dtype != np.complex64 else 1e-4
        for found in (linalg.det(a), compiled_det(a)):
            _same(found, det, rtol)
        for pair in (linalg.slogdet(a), compiled_slogdet(a)):
            _same(pair[0], sign, rtol)
            _same(pair[1], size, rtol)


def _same(actual: fx.Array, expected: Any, rtol: float) -> None:
    for part in (np.real, np.imag):
        np.testing.assert_allclose(part(np.asarray(actual)), part(expected), rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_programs_come_back_from_what_is_not_finite(dtype: type) -> None:
    """LAPACK does not, of some: the numbers of a lane that holds any are NaN, those of others are theirs."""
    rng = np.random.default_rng(0)
    functions: list[Callable[[Any], Any]] = [
        linalg.svd,
        partial(linalg.svd, full_matrices=False),
        linalg.svdvals,
        linalg.eigh,
        linalg.eig,
        linalg.eigvals,
        linalg.schur,
    ]
    for of in functions:
        shape = (3, 9) if of in functions[:3] else (9, 9)
        compiled = jit(of)
        for bad in (np.inf, -np.inf, np.nan):
            for place in ((0, 3), (2, 0), (1, 1)):
                x: np.ndarray = rng.normal(size=(2, *shape)).astype(dtype)
                x[(0, *place)] = bad
                actual, own = fx.tree_leaves(compiled(x)), fx.tree_leaves(compiled(np.stack([x[1], x[1]])))
                for part, expected in zip(actual, own, strict=True):
                    assert np.isnan(part[0]).all()
                    np.testing.assert_array_equal(part[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_the_greatest_numbers_are_their_own_mean(dtype: type) -> None:
    most = np.finfo(dtype).max
    for low in (0, 1):
        x: np.ndarray = np.array([[most, 0], [low, most]], dtype)
        for of in (linalg.eigvalsh, lambda x: linalg.cholesky(x)[..., (0, 1), (0, 1)] ** 2):
            for run in (of, jit(of)):
                np.testing.assert_allclose(run(x), [most, most], rtol=1e-6)


@pytest.mark.parametrize(("dtype", "size"), [(np.complex64, 1e30), (np.complex128, 1e200)])
def test_complex_numbers_whose_squares_overflow_are_finite(dtype: type, size: float) -> None:
    x: np.ndarray = np.array([[1, 1 + 1j], [1 - 1j, 3]], dtype)
    functions: list[Callable[[Any], Any]] = [linalg.eigvalsh, linalg.svdvals, lambda x: fx.sort(linalg.eigvals(x).real)]
    for of in functions:
        for run in (of, jit(of)):
            np.testing.assert_allclose(run(x * dtype(size)), np.asarray(run(x)) * size, rtol=1e-5)
    for parts in (linalg.eigh(x * dtype(size)), linalg.eig(x * dtype(size)), linalg.schur(x * dtype(size))):
        assert all(np.isfinite(np.asarray(part)).all() for part in parts)
