"""Linear algebra against NumPy's and SciPy's: values eager and compiled, dtypes, lanes, what a matrix does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects import linalg
from effects.errors import ArgumentError, DTypeError, EffaxError, LinearAlgebraError, ShapeError
from handlers import make_jaxpr, vmap
from lowering import jit
from tests.errors.expect import refusal
from tests.linalg.calls import CALLS, ONE, A, B, positive


def check(result: Any, expected: Any, single: bool = False) -> None:
    if isinstance(expected, tuple | list) and not isinstance(expected, np.ndarray):
        for part, other in zip(result, expected, strict=True):
            check(part, other, single)
        return
    expected = np.asarray(expected)
    eps = 2e-5 if single else 1e-12
    size = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=eps, atol=eps * size)


@pytest.mark.parametrize("name", CALLS)
def test_agrees_with_numpy(name: str) -> None:
    ours, theirs, args = CALLS[name]
    expected = theirs(*args)
    check(ours(*map(fx.asarray, args)), expected)


NAMES: Final = [
    name
    for name in CALLS
    if "product" not in name and name not in ("lu", "qr", "qr complete", "svd", "svd full", "schur")
]


@pytest.mark.parametrize("start", range(0, len(NAMES), 16))
def test_compiled_as_eagerly(start: int) -> None:
    names = NAMES[start : start + 16]

    def program(arguments: list[list[fx.Array]]) -> list[Any]:
        return [CALLS[name][0](*args) for name, args in zip(names, arguments, strict=True)]

    found = jit(program)([[fx.asarray(x) for x in CALLS[name][2]] for name in names])
    for name, result in zip(names, found, strict=True):
        check(result, CALLS[name][1](*CALLS[name][2]))


@pytest.mark.parametrize("name", ["inv", "svdvals", "pinv", "det", "slogdet", "cholesky", "eigvals"])
def test_dtypes(name: str) -> None:
    f: Callable[..., Any] = getattr(linalg, name)
    x = positive(ONE)
    expected = f(fx.asarray(x))
    for dtype, wanted in ((fx.float32, fx.float32), (fx.float16, fx.float16), (fx.bfloat16, fx.bfloat16)):
        actual = f(fx.asarray(x, dtype=dtype))
        parts = actual if isinstance(actual, tuple) else (actual,)
        complexes = fx.complex64 if name == "eigvals" else wanted
        assert all(part.dtype is complexes for part in parts)
        if dtype is fx.float32:
            check(
                actual if name != "eigvals" else fx.sort(actual),
                expected if name != "eigvals" else fx.sort(expected),
                True,
            )
    whole = f(fx.asarray([[2, 1], [1, 2]]))
    assert (whole[0] if isinstance(whole, tuple) else whole).dtype in (fx.float64, fx.complex128)


@pytest.mark.parametrize(
    "name", ["solve", "inv", "cholesky", "det", "slogdet", "svdvals", "eigvalsh", "pinv", "lu_factor"]
)
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3), (1, 1)])
def test_empty_and_single(name: str, shape: tuple[int, ...]) -> None:
    f: Callable[..., Any] = getattr(linalg, name)
    args = (np.ones(shape), np.ones(shape)) if name == "solve" else (np.ones(shape),)
    found = f(*map(fx.asarray, args))
    if hasattr(np.linalg, name):
        check(found, getattr(np.linalg, name)(*args))


def test_lanes_of_one_matrix_are_solved_as_its_columns() -> None:
    program = make_jaxpr(vmap(linalg.solve, in_axes=(None, 0)))(fx.asarray(ONE), fx.asarray(B))
    (solve,) = [eqn for eqn in program.eqns if eqn.op.name == "solve"]
    assert [x.aval.shape for x in solve.op.operands] == [(4, 4), (4, 6)]
    check(vmap(linalg.solve, in_axes=(None, 0))(fx.asarray(ONE), fx.asarray(B)), np.linalg.solve(ONE, B))


def test_singular_is_an_error_where_known_and_nan_in_its_lane_where_compiled() -> None:
    pair = fx.stack([fx.zeros((2, 2)), fx.eye(2)])
    functions: list[Callable[[Any], fx.Array]] = [
        linalg.inv,
        lambda x: linalg.solve(x, x),
        lambda x: linalg.cholesky(x - 1e-9 * fx.eye(2)),
    ]
    for f in functions:
        with pytest.raises(LinearAlgebraError, match=r"singular|positive definite") as caught:
            f(pair)
        assert isinstance(caught.value, np.linalg.LinAlgError)
        with pytest.raises(LinearAlgebraError):
            vmap(f)(pair)
        for found in (jit(f)(pair), jit(vmap(f))(pair)):
            assert bool(fx.all(fx.isnan(found[0]))) and not bool(fx.any(fx.isnan(found[1])))


@pytest.mark.parametrize("name", ["svdvals", "eigvals", "svd", "eig", "pinv"])
def test_nan_is_an_error_where_known_and_nan_where_compiled(name: str) -> None:
    f: Callable[..., Any] = getattr(linalg, name)
    x = fx.asarray([[1.0, fx.nan], [fx.nan, 1.0]])
    refusal(LinearAlgebraError, f"{name}: the iteration did not end for x, float64[2,2]", of=lambda: f(x))
    found = jit(f)(x)
    first = found[0] if isinstance(found, tuple) else found
    assert bool(fx.all(fx.isnan(first)))


a, b = fx.asarray(A), fx.asarray(B)
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (
        ShapeError,
        "inv: x must be a square matrix, or several along leading axes, got shape [3, 4, 2]",
        lambda: linalg.inv(b),
    ),
    (
        ShapeError,
        "svd: x must be a matrix, or several along leading axes, got shape [3]",
        lambda: linalg.svd(fx.ones(3)),
    ),
    (ShapeError, "solve: the matrix, float64[3,4,4], does not go with", lambda: linalg.solve(a, fx.ones(3))),
    (ShapeError, "solve: leading axes: cannot broadcast [3] with [2]", lambda: linalg.solve(a, fx.ones((2, 4, 1)))),
    (ArgumentError, "trans must be 'N', 'T' or 'C', got 5", lambda: linalg.solve_triangular(a, b, cast(Any, 5))),
    (ArgumentError, "cho_solve: c_and_lower must be a pair", lambda: linalg.cho_solve(cast(Any, a), b)),
    (ArgumentError, "lu_and_order[1] must be the order that lu_factor gives", lambda: linalg.lu_solve((a, b), b)),
    (ArgumentError, "qr: mode must be 'reduced', 'complete' or 'r', got 'R'", lambda: linalg.qr(a, cast(Any, "R"))),
    (ArgumentError, "qr: mode 'r' does not pivot", lambda: linalg.qr(a, cast(Any, "r"), pivoting=True)),
    (ShapeError, "eigh: b must be of the size of x", lambda: linalg.eigh(a, b=a[:, :2, :2])),
    (LinearAlgebraError, "eigvalsh: b, float64[3,4,4], is not positive", lambda: linalg.eigvalsh(a, b=0.0 * a)),
    (ShapeError, "solve_sylvester: q, float64[4,2], does not go", lambda: linalg.solve_sylvester(a, a, b[0])),
    (
        ShapeError,
        "tensorsolve: a must have 4 elements along its first 2 axes",
        lambda: linalg.tensorsolve(a[0], a[0, :2, :2]),
    ),
    (ShapeError, "tensorsolve: a must have 8 elements along its first 2 axes", lambda: linalg.tensorsolve(a, b[0])),
    (ShapeError, "tensorinv: a must have as many elements along ind=1", lambda: linalg.tensorinv(a, 1)),
    (ShapeError, "funm: f must return as many values as it takes", lambda: linalg.funm(a, lambda w: w[0])),
    (ShapeError, "companion: a must be a vector of at least 2", lambda: linalg.companion(a[0, 0, :1])),
    (ShapeError, "leslie: s must be a vector of 3 elements", lambda: linalg.leslie(a[0, 0], a[0, 0])),
    (ArgumentError, "hadamard: n must be a power of 2, got 6", lambda: linalg.hadamard(6)),
    (ArgumentError, "pascal: n is too large, 600", lambda: linalg.pascal(600)),
    (ArgumentError, "eigh: UPLO must be 'L' or 'U'", lambda: linalg.eigh(a, cast(Any, "l"))),
    (ArgumentError, "matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2", lambda: linalg.matrix_norm(a, ord=3)),
    (ArgumentError, "vector_norm: ord must be a real number", lambda: linalg.vector_norm(a, ord=cast(Any, "fro"))),
    (ShapeError, "norm: a norm is along one axis or two", lambda: linalg.norm(a, 2)),
    (DTypeError, "matrix_power: a negative power of integers", lambda: linalg.matrix_power(fx.eye(2, dtype=int), -1)),
    (ArgumentError, "multi_dot: arrays must be at least two", lambda: linalg.multi_dot([a[0]])),
    (ShapeError, "multi_dot: arrays[1], float64[4,2], does not go", lambda: linalg.multi_dot([a[0], b[0], a[0]])),
    (ShapeError, "lstsq: x1 must be a matrix", lambda: linalg.lstsq(a, b)),
    (ShapeError, "block_diag: arrays[0] must have at most two axes", lambda: linalg.block_diag(a)),
    (ShapeError, "toeplitz: c must be a vector", lambda: linalg.toeplitz(a)),
    (
        ShapeError,
        "householder_product: a of shape [4, 4] has to have no",
        lambda: linalg.householder_product(a[0], b[0]),
    ),
    (
        ShapeError,
        "the diagonals must be of one shape",
        lambda: linalg.tridiagonal_solve(a[0, 0], a[0, 0], b[0, 0], b[0]),
    ),
    (ArgumentError, "pinv: rtol must be of real numbers", lambda: linalg.pinv(a, rtol=True)),
    (ShapeError, "ord=-1 is a minimum", lambda: linalg.matrix_norm(fx.ones((2, 0)), ord=-1)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
