"""Roots and least squares beside SciPy's and published ones, their derivatives beside differences, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.optimize

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError, TreeError
from handlers import grad, hessian, jacfwd, jacrev, vmap
from lowering import jit

optimize: Final[Any] = fx.optimize
Status = fx.optimize.Status


def status(result: Any) -> Status:
    return Status(int(result.status))


def helical(x: Any) -> Any:
    turn = fx.atan2(x[1], x[0]) / (2 * np.pi)
    return fx.stack([10 * (x[2] - 10 * turn), 10 * (fx.sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2]])


def badly_scaled(x: Any) -> Any:
    return fx.stack([1e4 * x[0] * x[1] - 1, fx.exp(-x[0]) + fx.exp(-x[1]) - 1.0001])


def tridiagonal(x: Any) -> Any:
    around = fx.pad(x, 1)
    return (3 - 2 * x) * x - around[:-2] - 2 * around[2:] + 1


ROOTS: Final[dict[str, tuple[Callable[[Any], Any], list[float]]]] = {  # Moré, Garbow and Hillstrom, 1981
    "rosenbrock": (lambda x: fx.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]]), [-1.2, 1.0]),
    "powell, badly scaled": (badly_scaled, [0.0, 1.0]),
    "helical valley": (helical, [-1.0, 0.1, 0.0]),
    "broyden, tridiagonal": (tridiagonal, [-1.0] * 10),
    "where whole steps lead away": (fx.atan, [20.0]),
    "from a flat place": (lambda x: fx.exp(x) - 1e-5, [10.0]),
    "of small numbers": (lambda x: 1e-12 * (x * x - 2), [20.0]),
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots_are_those_of_scipy(name: str) -> None:
    f, start = ROOTS[name]
    result = jit(lambda x: optimize.root(f, x))(fx.asarray(start))
    theirs = scipy.optimize.root(lambda x: np.asarray(f(fx.asarray(x))), start, tol=1e-14)
    assert status(result) is Status.CONVERGED and int(result.evaluations) == int(result.steps) + 1
    np.testing.assert_allclose(result.x, theirs.x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result.fun, f(result.x), rtol=1e-9, atol=1e-14)


RATIOS: Final = np.array([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
SPEEDS: Final = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
RESISTANCES: Final = np.array(
    [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872.0]
)
SHARES: Final = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39])


def bard(x: Any) -> Any:
    u = np.arange(1.0, 16.0)
    return SHARES - (x[0] + u / ((16 - u) * x[1] + np.minimum(u, 16 - u) * x[2]))


def kowalik_osborne(x: Any) -> Any:
    return SPEEDS - x[0] * (RATIOS**2 + RATIOS * x[1]) / (RATIOS**2 + RATIOS * x[2] + x[3])


def meyer(x: Any) -> Any:
    return x[0] * fx.exp(x[1] / (np.arange(50.0, 126.0, 5.0) + x[2])) - RESISTANCES


def freudenstein_roth(x: Any) -> Any:
    a, b = x[0], x[1]
    return fx.stack([a - 13 + ((5 - b) * b - 2) * b, a - 29 + ((b + 1) * b - 14) * b])


def box(x: Any) -> Any:
    t = 0.1 * np.arange(1.0, 11.0)
    return fx.exp(-t * x[0]) - fx.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10 * t))


FITS: Final[dict[str, tuple[Callable[[Any], Any], list[float], float]]] = {  # with the published sum of squares
    "bard": (bard, [1.0, 1.0, 1.0], 8.21487e-3),
    "kowalik and osborne": (kowalik_osborne, [0.25, 0.39, 0.415, 0.39], 3.07505e-4),
    "meyer": (meyer, [0.02, 4000.0, 250.0], 87.9458),
    "freudenstein and roth": (freudenstein_roth, [0.5, -2.0], 48.9842),
    "box": (box, [0.0, 10.0, 20.0], 0.0),
}


@pytest.mark.parametrize("name", FITS)
def test_least_squares_are_those_of_scipy(name: str) -> None:
    f, start, squares = FITS[name]
    result = jit(lambda x: optimize.least_squares(f, x))(fx.asarray(start))
    theirs = scipy.optimize.least_squares(
        lambda x: np.asarray(f(fx.asarray(x))), result.x, lambda x: np.asarray(jacfwd(f)(fx.asarray(x))), method="lm"
    )
    assert status(result) is Status.CONVERGED
    np.testing.assert_allclose(2 * result.cost, squares, rtol=2e-6, atol=1e-15)
    np.testing.assert_allclose(result.x, theirs.x, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(result.fun, f(result.x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result.jac, jacfwd(f)(result.x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.grad, result.fun @ result.jac, rtol=1e-6, atol=1e-6 * squares + 1e-12)


START: Final = {"u": fx.ones(2), "v": fx.asarray(0.5)}
ARGS: Final = fx.asarray([0.3, 0.8, 1.5])


def crossing(x: Any, a: Any) -> Any:
    return {"u": fx.sinh(x["u"]) + a[:2] * x["v"] - a[2], "v": x["v"] ** 3 + x["v"] - a[0] * fx.sum(x["u"])}


def wrong(x: Any, a: Any) -> Any:
    return crossing(x, a), fx.tanh(x["u"] * a[1]) - x["v"], {"more": x["v"] - 2 * a[2]}


FUNCTIONS: Final[dict[str, Any]] = {"root": crossing, "least_squares": wrong}
by_name: Final = pytest.mark.parametrize("name", FUNCTIONS)


def solution(name: str, a: Any, start: Any = START) -> Any:
    result = getattr(optimize, name)(FUNCTIONS[name], start, a, tol=1e-11)
    return fx.concat([result.x["u"], result.x["v"][None], fx.ravel_pytree(result.fun)[0]])


@by_name
def test_solutions_are_differentiated_by_arguments_and_closures(name: str) -> None:
    exact: Any = jit(lambda a: solution(name, a))
    closed = lambda a: getattr(optimize, name)(lambda x: FUNCTIONS[name](x, a), START, tol=1e-11).x["v"]
    around = [(np.asarray(exact(ARGS + h)) - np.asarray(exact(ARGS - h))) / 2e-4 for h in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(jit(jacrev(exact))(ARGS), np.stack(around, axis=1), atol=1e-6)
    np.testing.assert_allclose(jacfwd(exact)(ARGS), np.stack(around, axis=1), atol=1e-6)
    np.testing.assert_allclose(grad(closed)(ARGS), np.stack(around, axis=1)[2], atol=1e-6)
    slope = jit(grad(closed))
    curvature = [(np.asarray(slope(ARGS + h)) - np.asarray(slope(ARGS - h))) / 2e-4 for h in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(jit(hessian(closed))(ARGS), curvature, atol=1e-6)


def test_floats_among_arguments_are_operands_of_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    parabola: Callable[[Any, Any], Any] = lambda x, c: (x - c) ** 2
    searches: dict[str, Callable[[float], Any]] = {
        "minimize": lambda c: optimize.minimize(lambda x, own: parabola(x, own["c"]), np.float32(1.0), {"c": c}).x,
        "root": lambda c: optimize.root(lambda x, c, power: x**power - c**2, np.float32(1.0), c, 2).x,
        "least_squares": lambda c: optimize.least_squares(lambda x, _, c: x - c, np.float32(1.0), "text", c).x,
        "line_search": lambda c: optimize.line_search(parabola, np.float32(0), np.float32(1), c, c2=0.1).step,
    }
    for search in searches.values():
        search(2.0)

    def refused(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("lowering.compilation.compile_module", refused)
    for name, search in searches.items():
        x = search(3.25)
        np.testing.assert_allclose(x, 3.25, rtol=1e-5, err_msg=name)
        assert x.dtype == fx.float32, name


@by_name
def test_a_batch_is_a_loop(name: str) -> None:
    args = ARGS * fx.asarray([[1.0], [0.2], [1.4]])
    starts = fx.tree_map(lambda x: x * fx.asarray([1.0, 5.0, -1.0]).reshape(3, *[1] * x.ndim), START)
    both: Any = jit(lambda a, start: (solution(name, a, start), jacrev(lambda a: solution(name, a, start))(a)))
    together = jit(vmap(both))(args, starts)
    for i in range(3):
        alone = both(args[i], {key: x[i] for key, x in starts.items()})
        for lanes, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(lanes[i], one, atol=1e-8)


@by_name
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_every_precision(name: str, dtype: Any) -> None:
    start = {"u": fx.asarray([2.0, -1.0], dtype=dtype), "v": fx.asarray(0.5, dtype=dtype)}
    f = lambda x, a: {"u": fx.sinh(x["u"] - a), "v": fx.exp(x["v"]) - 2}
    result = getattr(optimize, name)(f, start, fx.asarray(0.75, dtype=dtype))
    assert status(result) is Status.CONVERGED
    assert {str(leaf.dtype) for leaf in fx.tree_leaves(result.x)} == {dtype}
    wide = "float32" if dtype in ("float16", "bfloat16") else dtype
    assert name == "root" or str(result.jac.dtype) == str(result.cost.dtype) == wide
    tolerance = 4 * float(fx.finfo(result.x["v"].dtype).eps)
    np.testing.assert_allclose(np.asarray(result.x["u"], "float64"), 0.75, rtol=tolerance)
    np.testing.assert_allclose(np.asarray(result.x["v"], "float64"), np.log(2), rtol=tolerance)


@by_name
def test_special_starts_and_functions(name: str) -> None:
    solve = getattr(optimize, name)
    exact = solve(lambda x: x - 1, fx.ones(2))
    assert (
        status(exact) is Status.CONVERGED
        and "status=CONVERGED" in repr(exact)
        and int(exact.steps) == 0
        and np.all(np.asarray(exact.x) == 1.0)
    )
    flat = solve(lambda x: fx.where(x > 0.5, 0 * x, x - 1), 0.0)  # is 0 after a step that is long
    assert status(flat) is Status.CONVERGED and float(flat.x) > 0.5
    empty = solve(lambda x: x, fx.zeros((0, 2)))
    assert status(empty) is Status.CONVERGED and empty.x.shape == (0, 2)
    scalar = solve(lambda x: x**3 - 8, 1.0)
    assert scalar.x.shape == () and np.isclose(float(scalar.x), 2.0, rtol=1e-12)
    for number in (np.nan, np.inf):
        assert status(solve(lambda x, number=number: x * number, fx.ones(2))) is Status.NOT_FINITE
    assert status(solve(lambda x: fx.where(x > 0.5, fx.log(x), fx.nan), 3.0)) is Status.CONVERGED
    assert status(solve(freudenstein_roth, fx.asarray([0.5, -2.0]), maxiter=2)) is Status.MAXITER


def test_what_has_no_root_does_not_converge() -> None:
    for f, start in ((lambda x: x**2 + 1, 3.0), (lambda x: x**3 - 8, 0.0), (lambda x: 0 * x + 1, 3.0)):
        assert status(optimize.root(f, start)) in (Status.STALLED, Status.MAXITER)
    assert status(optimize.root(freudenstein_roth, fx.asarray([0.5, -2.0]))) is Status.STALLED  # at a minimum


def test_fits_may_be_of_fewer_residuals_than_unknowns() -> None:
    result = optimize.least_squares(lambda x: x["a"] * x["b"] - 6, {"a": 1.0, "b": fx.ones(2)})
    assert status(result) is Status.CONVERGED and result.jac.shape == (2, 3)
    np.testing.assert_allclose(result.x["a"] * result.x["b"], [6.0, 6.0], rtol=1e-12)


X: Final = fx.asarray([1.0, 2.0])
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "another tree": (TreeError, lambda: optimize.root(lambda x: (x, x), X), "must be a tree like x0"),
    "another shape": (
        ShapeError,
        lambda: optimize.root(fx.sum, X),
        r"sum gives is float64\[\], where x0 is float64\[2\]",
    ),
    "complex roots": (DTypeError, lambda: optimize.root(lambda x: 1j * x, X), "what f gives must be of floats"),
    "complex x0": (DTypeError, lambda: optimize.root(lambda x: x, 1j * X), "x0 must be .* write its real and"),
    "a whole x0": (DTypeError, lambda: optimize.root(lambda x: x * x - 2, 1), "got int64.*; write 1.0 for 1"),
    "whole residuals": (
        DTypeError,
        lambda: optimize.least_squares(lambda x: {"a": fx.sign(x) > 0}, X),
        r"what f gives\['a'\] must be of floats, got bool",
    ),
    "no function": (ArgumentError, lambda: optimize.least_squares(X, X), "least_squares takes a function"),
    "a negative tolerance": (ArgumentError, lambda: optimize.root(fx.sin, X, tol=-1.0), "tol must be finite"),
    "no steps": (ArgumentError, lambda: optimize.least_squares(fx.sin, X, maxiter=0), "maxiter must be at least 1"),
    "text": (ArgumentError, lambda: optimize.least_squares(lambda x: "a", X), "what f gives"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()


@pytest.mark.parametrize("unit", [1e-200, 1e-10, 1e10, 1e150])
def test_units_do_not_matter(unit: float) -> None:
    def of(x: fx.Array) -> fx.Array:
        return unit * fx.stack([x - 1, x - 3])

    fit = optimize.least_squares(of, fx.asarray(1.5))
    np.testing.assert_allclose(fit.x, 2.0, rtol=1e-7)
    assert fit.converged and fit.steps == optimize.least_squares(lambda x: of(x) / unit, fx.asarray(1.5)).steps
    np.testing.assert_allclose(optimize.root(lambda x: unit * (x**2 - 2), fx.asarray(1.5)).x, np.sqrt(2), rtol=1e-14)


@pytest.mark.parametrize(
    ("dtype", "unit"),
    [(fx.float32, 1e-30), (fx.float32, 1e25), (fx.float32, 1e35), (fx.float64, 1e-250), (fx.float64, 1e250)],
)
def test_nor_do_those_of_the_unknowns(dtype: type[fx.DType], unit: float) -> None:
    one = fx.asarray(unit, dtype=dtype)
    start, within = one * fx.asarray([3.0, -1.0], dtype=dtype), 20 * fx.finfo(dtype).eps ** 0.5

    def linear(x: fx.Array, a: fx.Array) -> fx.Array:
        return x / one - a

    def bent(x: fx.Array, a: fx.Array) -> fx.Array:
        return fx.exp(x / one) - a

    for f, wanted, slope in ((linear, 2.0, 1.0), (bent, np.log(2), 0.5)):
        fit = optimize.least_squares(f, start, fx.asarray(2.0, dtype=dtype))
        crossing = optimize.root(f, start, fx.asarray(2.0, dtype=dtype))
        for result in (fit, crossing):
            assert result.converged
            np.testing.assert_allclose(result.x / one, wanted, rtol=within)
        by_a = jacrev(lambda a, f=f: optimize.root(f, start, a).x)(fx.asarray(2.0, dtype=dtype))
        np.testing.assert_allclose(by_a / one, slope, rtol=within)
