"""Solutions of equations that are found by a solver, differentiated by the equation: against direct solutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest

import effects as fx
from effects import linalg
from effects.errors import ArgumentError, EffaxError, ShapeError, TreeError
from handlers import (
    bicgstab,
    cg,
    custom_linear_solve,
    custom_root,
    fori_loop,
    gmres,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stop_gradient,
    vmap,
)
from lowering import jit
from tests.errors.expect import refusal

RNG: Final = np.random.default_rng(5)
N: Final = 6
A: Final = fx.asarray(RNG.normal(size=(N, N)) + 4 * np.eye(N))
B: Final = fx.asarray(RNG.normal(size=N))

type Solve = Callable[[Any, Any], fx.Array]


def dense(f: Callable[[Any], Any], b: Any) -> Any:
    """A solver that a user may write: by the matrix of f."""
    return linalg.solve(jacfwd(f)(fx.zeros_like(b)), b)


def by_rule(a: Any, b: Any) -> fx.Array:
    return custom_linear_solve(lambda x: a @ x, b, dense, dense)


def cubes(solve: Solve) -> Callable[[Any, Any], fx.Array]:
    return lambda a, b: fx.sum(solve(a, b) ** 3)


DERIVED: Final[dict[str, Callable[[Solve], Callable[..., Any]]]] = {
    "value": lambda f: f,
    "compiled": jit,
    "gradient": lambda f: grad(cubes(f), (0, 1)),
    "compiled gradient": lambda f: jit(grad(cubes(f), (0, 1))),
    "forwards": lambda f: lambda a, b: jvp(f, (a, b), (a + 1.0, b)),
    "second order": lambda f: hessian(cubes(f), (0, 1)),
    "lanes": lambda f: lambda a, b: vmap(grad(cubes(f), (0, 1)), (None, 0))(a, fx.stack([b, 2.0 * b])),
}


@pytest.mark.parametrize("name", DERIVED)
def test_custom_linear_solve_is_differentiated_as_the_solution(name: str) -> None:
    ours, theirs = (fx.tree_leaves(DERIVED[name](f)(A, B)) for f in (by_rule, linalg.solve))
    for actual, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-10, atol=1e-12)


def test_the_solver_itself_is_not_differentiated() -> None:
    def iterated(f: Callable[[Any], Any], b: Any) -> Any:
        return fori_loop(0, 200, lambda _, x: x + 0.1 * (b - f(x)), fx.zeros_like(b))

    def solve(a: Any, b: Any) -> fx.Array:
        return custom_linear_solve(lambda x: a @ x, b, iterated, symmetric=True)

    even = (A + A.T) / 2
    for actual, expected in zip(
        grad(cubes(solve), (0, 1))(even, B), grad(cubes(linalg.solve), (0, 1))(even, B), strict=True
    ):
        np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-5, atol=1e-8)


def test_trees_of_unknowns() -> None:
    def matvec(x: dict[str, fx.Array]) -> dict[str, fx.Array]:
        return {"u": 2.0 * x["u"], "v": 4.0 * x["v"]}

    def f(s: Any) -> fx.Array:
        b = {"u": fx.ones(2) * s, "v": s}
        x = custom_linear_solve(matvec, b, lambda _, b: {"u": b["u"] / 2, "v": b["v"] / 4}, symmetric=True)
        found: fx.Array = fx.sum(x["u"]) * x["v"]
        return found

    assert float(f(2.0)) == 1.0 and float(grad(f)(2.0)) == 1.0


def _newton(f: Callable[[Any], Any], x: Any) -> Any:
    return fori_loop(0, 30, lambda _, x: x - linalg.solve(jacfwd(f)(x), f(x)), x)


def root(b: Any) -> Any:
    """The x with x·(x·x) + x = b."""
    return custom_root(lambda x: (x @ x) * x + x - b, fx.ones(N), _newton, dense)


def test_derivatives_of_a_root_are_those_of_the_implicit_function() -> None:
    x = root(B)
    np.testing.assert_allclose(np.asarray((x @ x) * x + x), np.asarray(B), rtol=1e-12)
    slope = np.linalg.inv(np.eye(N) * (1 + float(x @ x)) + 2 * np.outer(x, x))
    for matrix in (jacfwd(root)(B), jacrev(root)(B), jit(jacrev(root))(B), vmap(jacrev(root))(B[None])[0]):
        np.testing.assert_allclose(np.asarray(matrix), slope, rtol=1e-10, atol=1e-12)
    step = fx.asarray(1e-5 * RNG.normal(size=N))
    total: Callable[[Any], fx.Array] = lambda b: fx.sum(root(b) ** 2)
    difference = (grad(total)(B + step) - grad(total)(B - step)) / 2
    np.testing.assert_allclose(np.asarray(hessian(total)(B) @ step), np.asarray(difference), rtol=1e-6, atol=1e-10)


ITERATIONS: Final[dict[str, tuple[Callable[..., Any], fx.Array]]] = {
    "cg": (cg, A @ A.T),
    "bicgstab": (bicgstab, A),
    "gmres": (gmres, A),
    "cg complex": (cg, (A + 1j * A[::-1]) @ fx.conj((A + 1j * A[::-1]).T)),
    "bicgstab complex": (bicgstab, A + 0.5j * A[::-1]),
    "gmres complex": (gmres, A + 0.5j * A[::-1]),
}


@pytest.mark.parametrize("name", ITERATIONS)
def test_iterations_find_the_solution_and_its_derivatives(name: str) -> None:
    iteration, a = ITERATIONS[name]
    b = fx.astype(B, a.dtype)
    solve: Solve = lambda a, b: iteration(a, b, tol=1e-13)
    expected = np.linalg.solve(np.asarray(a), np.asarray(b))
    diagonal = fx.diagonal(a)
    lanes = vmap(solve, (None, 0))(a, fx.stack([b, 3.0 * b]))[0]
    for x in (lanes, iteration(lambda x: a @ x, b, fx.ones(N), tol=1e-13, M=lambda x: x / diagonal)):
        np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-8, atol=1e-9)
    size: Callable[[Solve], Callable[[Any, Any], fx.Array]] = lambda s: lambda a, b: fx.sum(abs(s(a, b)) ** 2)
    for actual, exact in zip(jit(grad(size(solve), (0, 1)))(a, b), grad(size(linalg.solve), (0, 1))(a, b), strict=True):
        np.testing.assert_allclose(np.asarray(actual), np.asarray(exact), rtol=1e-6, atol=1e-8)


def test_restarts_and_the_number_of_steps() -> None:
    expected = np.linalg.solve(np.asarray(A), np.asarray(B))
    np.testing.assert_allclose(np.asarray(gmres(A, B, restart=3, tol=1e-12, maxiter=200)), expected, rtol=1e-8)
    even = A @ A.T
    rest = [float(linalg.norm(B - even @ cg(even, B, tol=0.0, maxiter=steps))) for steps in (0, 3, N)]
    assert rest[0] == float(linalg.norm(B)) and rest[2] < 1e-8 < rest[1]
    assert float(fx.max(abs(cg(even, fx.zeros(N))))) == 0.0


def test_trees_of_unknowns_by_an_iteration() -> None:
    def product(x: dict[str, fx.Array]) -> dict[str, fx.Array]:
        return {"u": 2.0 * x["u"] + x["v"], "v": fx.sum(x["u"]) + 4.0 * x["v"]}

    found = cg(product, {"u": fx.ones(2), "v": fx.asarray(1.0)}, tol=1e-12)
    for got, wanted in zip(fx.tree_leaves(product(found)), [np.ones(2), 1.0], strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-10)


def by_a_factor(a: Any, held: Callable[[Any], Any]) -> fx.Array:
    """The solution by a factorisation of a matrix."""
    factor = linalg.cholesky(held(a))

    def by_factor(matvec: object, b: fx.Array) -> fx.Array:
        return linalg.cho_solve((factor, True), b)

    found: fx.Array = custom_linear_solve(lambda x: a @ x, B, by_factor, symmetric=True)
    return found


def test_a_factorisation_is_held_fixed() -> None:
    a = A @ A.mT
    slope = grad(lambda a: fx.sum(by_a_factor(a, stop_gradient)))
    for run in (slope, jit(slope)):
        np.testing.assert_allclose(run(a), grad(lambda a: fx.sum(linalg.solve(a, B)))(a), rtol=1e-9)
    with pytest.raises(ArgumentError, match="by_factor: a value that it closes over"):
        grad(lambda a: fx.sum(by_a_factor(a, lambda x: x)))(a)


@pytest.mark.parametrize("solver", [cg, bicgstab, gmres])
def test_what_is_not_finite_is_not_solved(solver: Callable[..., fx.Array]) -> None:
    """By NaN in the right-hand side and in the matrix, eager and compiled, and its gradient."""
    bad = fx.asarray([[1.0, 0.0], [0.0, np.nan]])
    for a, b in ((fx.eye(2), [np.nan, 1.0]), (fx.eye(2), [np.inf, 1.0]), (bad, [1.0, 2.0])):
        for run in (solver, jit(solver)):
            assert np.isnan(np.asarray(run(a, fx.asarray(b)))).all()
    assert np.isnan(np.asarray(grad(lambda a: fx.sum(solver(a, fx.ones(2))))(bad))).any()
    np.testing.assert_array_equal(solver(fx.eye(2), fx.zeros(2)), [0.0, 0.0])


REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (
        ShapeError,
        "custom_root: what solve gives must have the shape of the unknowns, float64[6], got float64[2]",
        lambda: custom_root(lambda x: x, B, lambda f, x: x[:2], lambda g, y: y),
    ),
    (
        ShapeError,
        "custom_root: what f gives must have the shape of the unknowns",
        lambda: custom_root(lambda x: x[:2], B, lambda f, x: x - f(x), lambda g, y: y),
    ),
    (
        TreeError,
        "custom_root: what solve gives must have the structure of the unknowns, but differs at the top",
        lambda: custom_root(lambda x: x, B, lambda f, x: cast(Any, (x, x)), lambda g, y: y),
    ),
    (
        ShapeError,
        "custom_linear_solve: what matvec gives must have the shape of the unknowns",
        lambda: custom_linear_solve(lambda x: x[:2], B, lambda f, b: f(b)),
    ),
    (
        ShapeError,
        "custom_root: what tangent_solve gives must have the shape of the unknowns, float64[], got float64[2]",
        lambda: grad(lambda a: custom_root(lambda x: x - a, fx.asarray(1.0), lambda f, x: x, lambda g, y: B[:2]))(2.0),
    ),
    (ShapeError, "cg: a must be a square matrix with 6 rows, as b", lambda: cg(A[:3], B)),
    (ArgumentError, "cg: a must be a square matrix or a function, got None", lambda: cg(cast(Any, None), B)),
    (ShapeError, "gmres: a must return as many elements as it takes, 6, got 3", lambda: gmres(lambda x: x[:3], B)),
    (ShapeError, "bicgstab: x0 must have the form of b", lambda: bicgstab(A, B, fx.ones(2))),
    (ArgumentError, "gmres: restart must be positive", lambda: gmres(A, B, restart=0)),
    (ArgumentError, "cg: tol must be a real number", lambda: cg(A, B, tol=1j)),  # type: ignore[arg-type]  # that is it
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
