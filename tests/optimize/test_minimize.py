"""Minima beside SciPy's, their derivatives beside differences, and functions that have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, NotScalarError, ShapeError, TreeError
from handlers import grad, hessian, jacfwd, jacrev, vmap
from lowering import jit
from tests.optimize.problems import PROBLEMS, by_scipy, rosenbrock

optimize = fx.optimize
Status = optimize.Status
METHODS: Final[dict[Any, str]] = {
    "bfgs": "BFGS",
    "l-bfgs": "L-BFGS-B",
    "newton-cg": "Newton-CG",
    "trust-region": "trust-ncg",
    "nelder-mead": "Nelder-Mead",
}
BARRIER: Final = fx.asarray([0.3, 2.0])


def status(result: Any) -> Status:
    return Status(int(result.status))


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_minima_are_those_of_scipy(method: Any, name: str) -> None:
    f, start = PROBLEMS[name]
    result = jit(lambda x: optimize.minimize(f, x, method=method))(fx.asarray(start))
    theirs = by_scipy(name, METHODS[method])
    assert status(result) is Status.CONVERGED
    np.testing.assert_allclose(result.x, theirs.x, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(result.fun, f(result.x), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(result.jac, grad(f)(result.x), rtol=1e-6, atol=1e-9)
    assert float(result.fun) <= float(f(fx.asarray(theirs.x))) + 1e-12
    assert 0 < int(result.steps) <= 2 * theirs.nit and int(result.evaluations) <= 2 * theirs.nfev + 10


def smooth(x: Any, a: Any) -> Any:
    return fx.sum(fx.cosh(x["u"] - a[:2])) + (x["v"] - a[2] * fx.sum(x["u"])) ** 2 + fx.exp(x["v"])


START: Final = {"u": fx.zeros(2), "v": fx.asarray(0.0)}
ARGS: Final = fx.asarray([0.3, -0.5, 1.5])


@pytest.mark.parametrize("method", METHODS)
def test_solutions_are_differentiated_by_arguments_and_closures(method: Any) -> None:
    def solution(a: Any, method: Any = method) -> Any:
        result = optimize.minimize(smooth, START, a, method=method, tol=1e-10)
        return fx.concat([result.x["u"], result.x["v"][None], result.fun[None], result.jac["v"][None]])

    def closed(a: Any) -> Any:
        return optimize.minimize(lambda x: smooth(x, a), START, method=method, tol=1e-10).x["v"]

    exact: Any = jit(lambda a: solution(a, "bfgs"))
    jacobian = np.stack(
        [(np.asarray(exact(ARGS + h)) - np.asarray(exact(ARGS - h))) / 2e-4 for h in 1e-4 * np.eye(3)], axis=1
    )
    np.testing.assert_allclose(jit(jacrev(solution))(ARGS), jacobian, atol=1e-6)
    np.testing.assert_allclose(jacfwd(solution)(ARGS), jacobian, atol=1e-6)
    np.testing.assert_allclose(grad(closed)(ARGS), jacobian[2], atol=1e-6)
    slope = jit(jacrev(exact))
    curvature = [(np.asarray(slope(ARGS + h))[2] - np.asarray(slope(ARGS - h))[2]) / 2e-4 for h in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(jit(hessian(closed))(ARGS), curvature, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_is_a_loop(method: Any) -> None:
    def of(start: Any, a: Any) -> Any:
        return optimize.minimize(lambda x, a: fx.sum(fx.cosh(x - a)) + x[0] ** 4, start, a, method=method)

    starts, args = fx.asarray([[0.0, 0.0], [3.0, -2.0], [0.5, 8.0]]), fx.asarray([0.0, 1.0, -2.0])
    together = jit(vmap(of))(starts, args)
    for i in range(3):
        alone = of(starts[i], args[i])
        assert int(together.status[i]) == int(alone.status) == Status.CONVERGED
        assert (int(together.steps[i]), int(together.evaluations[i])) == (int(alone.steps), int(alone.evaluations))
        np.testing.assert_allclose(together.x[i], alone.x, atol=1e-9)
    slopes = vmap(grad(lambda a, start: fx.sum(of(start, a).x)))(args, starts)
    alone = [float(grad(lambda a, s: fx.sum(of(s, a).x))(args[i], starts[i])) for i in range(3)]
    np.testing.assert_allclose(slopes, alone, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_every_precision(method: Any, dtype: Any) -> None:
    start = {"a": fx.asarray([2.0, -1.0], dtype=dtype), "b": fx.asarray(0.5, dtype=dtype)}
    result = optimize.minimize(
        lambda x, t: fx.sum(fx.cosh(x["a"] - t)) + (x["b"] + 2) ** 2 + 5, start, fx.asarray(0.75), method=method
    )
    assert status(result) is Status.CONVERGED
    assert {str(leaf.dtype) for leaf in fx.tree_leaves((result.x, result.jac))} == {dtype}
    precision = 2 * float(fx.finfo(fx.float32 if dtype == "float32" else result.x["a"].dtype).eps)
    tolerance = max(precision, 3 * float(fx.finfo(result.fun.dtype).eps) ** 0.5)
    np.testing.assert_allclose(np.asarray(result.x["a"], "float64"), [0.75, 0.75], rtol=tolerance)
    np.testing.assert_allclose(np.asarray(result.x["b"], "float64"), -2.0, rtol=tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_special_starts(method: Any) -> None:
    def of(f: Callable[..., Any], start: Any, **options: Any) -> Any:
        return optimize.minimize(f, start, method=method, **options)

    at_minimum = of(rosenbrock, fx.ones(3))
    assert status(at_minimum) is Status.CONVERGED and np.allclose(at_minimum.x, 1.0, atol=1e-6)
    empty = of(fx.sum, fx.zeros((0, 2)))
    assert status(empty) is Status.CONVERGED and empty.x.shape == (0, 2) and int(empty.steps) == 0
    one = of(lambda x: (x - 2) ** 2 / 3, 7.0)
    assert status(one) is Status.CONVERGED and one.x.shape == () and np.isclose(float(one.x), 2.0)
    constant = of(lambda x: fx.sum(0 * x) + 3, fx.asarray([1.0, 2.0]))
    assert status(constant) is Status.CONVERGED and float(constant.fun) == 3.0
    assert status(of(lambda x: fx.sum(-x), fx.zeros(2), maxiter=5)) is Status.MAXITER
    assert status(of(lambda x: fx.sum(-(x**3)), fx.ones(2))) is not Status.CONVERGED
    assert int(of(rosenbrock, fx.zeros(2), maxiter=2).steps) == 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_functions_that_are_not_finite(method: Any, wrong: float) -> None:
    everywhere = optimize.minimize(lambda x: fx.sum(x) * wrong, fx.ones(2), method=method)
    assert status(everywhere) is Status.NOT_FINITE and not everywhere.converged

    def outside(x: Any) -> Any:  # steps that lead out of the domain are too long
        return fx.where(fx.all(x > 0), fx.sum(x - BARRIER * fx.log(fx.where(x > 0, x, 1.0))), abs(wrong))

    inside = optimize.minimize(outside, fx.asarray([5.0, 0.01]), method=method)
    assert status(inside) is Status.CONVERGED
    np.testing.assert_allclose(inside.x, BARRIER, rtol=1e-6)
    bottomless = optimize.minimize(lambda x: fx.log(fx.where(x > 0, x, fx.inf)), fx.asarray(1.0), method=method)
    assert not bottomless.converged


def test_steps_satisfy_the_conditions_of_wolfe() -> None:
    rng = np.random.default_rng(0)

    @jit
    def search(x: Any, p: Any) -> Any:
        return optimize.line_search(rosenbrock, x, p, c2=0.3), grad(rosenbrock)(x) @ p, rosenbrock(x)

    x = p = fx.zeros(4)
    for scale in 10.0 ** rng.uniform(-4, 3, size=20):
        x = fx.asarray(rng.normal(size=4))
        p = -scale * grad(rosenbrock)(x)
        result, rate, value = search(x, p)
        there = x + result.step * p
        assert bool(result.converged) and int(result.evaluations) <= 31
        assert float(result.fun) <= float(value + 1e-4 * result.step * rate)
        assert abs(float(result.jac @ p)) <= 0.3 * abs(float(rate))
        np.testing.assert_allclose([result.fun, *result.jac], [rosenbrock(there), *grad(rosenbrock)(there)], rtol=1e-9)
    uphill, *_ = search(x, -p)
    assert not uphill.converged and float(uphill.step) == 0.0


X: Final = fx.asarray([1.0, 2.0])


def _pair(x: fx.Array) -> tuple[fx.Array, fx.Array]:
    return x[0], x[1]


REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "integers": (
        DTypeError,
        lambda: optimize.minimize(lambda x: fx.sum(x["n"]), {"n": fx.arange(3)}),
        r"minimize: x0\['n'\] must be of floats, got int64",
    ),
    "a vector": (NotScalarError, lambda: optimize.minimize(lambda x: x, X), r"must return a scalar, got float64\[2\]"),
    "a tree": (NotScalarError, lambda: optimize.minimize(_pair, X), "one scalar, got tuple"),  # type: ignore[arg-type]  # the mistake
    "a bool": (DTypeError, lambda: optimize.minimize(lambda x: fx.any(x > 1), X), "must return a float, got bool"),
    "no function": (ArgumentError, lambda: optimize.minimize(3.0, X), "minimize takes a function"),  # type: ignore[arg-type]  # the mistake
    "no method": (ArgumentError, lambda: optimize.minimize(fx.sum, X, method="bgfs"), "method must be 'bfgs'"),  # type: ignore[arg-type]  # the mistake
    "no steps": (ArgumentError, lambda: optimize.minimize(fx.sum, X, maxiter=0), "maxiter must be at least 1"),
    "a negative tolerance": (ArgumentError, lambda: optimize.minimize(fx.sum, X, tol=-1.0), "tol must be finite"),
    "Wolfe's constants": (ArgumentError, lambda: optimize.line_search(fx.sum, X, -X, c1=0.9), "0 < c1 < c2 < 1"),
    "another direction": (
        ShapeError,
        lambda: optimize.line_search(fx.sum, X, -X[:1]),
        r"must have the shape of x, \[2\], got \[1\]",
    ),
    "a direction of another tree": (TreeError, lambda: optimize.line_search(fx.sum, X, (X,)), "a tree like x"),  # type: ignore[arg-type]  # the mistake
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()


def test_functions_of_vectors_are_told_that_they_get_a_list() -> None:
    for attempt in (
        lambda: optimize.minimize(lambda x: fx.sum(x**2), [1.0, 2.0]),  # type: ignore[operator]  # the mistake
        lambda: optimize.root(lambda x: x**2, [1.0, 2.0]),  # type: ignore[operator]  # the mistake
        lambda: fx.integrate.solve_ivp(lambda t, y: -0.5 * y, (0.0, 1.0), [1.0, 2.0]),
    ):
        with pytest.raises(TypeError) as caught:
            attempt()
        assert "0 is a list, so the function takes a list; for a vector write asarray(" in caught.value.__notes__[0]
    packed: Any = (3.0,)
    for mistake in (
        lambda: optimize.minimize(lambda x, n, a: fx.sum((x + -a) ** 2), fx.ones(2), 2, packed),
        lambda: fx.integrate.solve_ivp(lambda t, y, n, a: -a * y, (0.0, 1.0), 1.0, 2, packed),
    ):
        with pytest.raises(TypeError) as caught:
            mistake()
        assert caught.value.__notes__ == [
            "args[1] is a tuple, so the function takes a tuple; arguments are passed one by one"
        ]


def evidence(log: Any) -> Any:
    """The negative logarithm of a Gaussian process's likelihood, whose terms are greater than their sum."""
    points = fx.linspace(-3.0, 3.0, 40)
    distances = (points[:, None] - points[None, :]) / fx.exp(log["scale"])
    covariance = fx.exp(2 * log["size"] - distances**2 / 2) + fx.exp(2 * log["noise"]) * fx.eye(40)
    factor = fx.linalg.cholesky(covariance)
    samples = fx.sin(points) + 0.1 * fx.random.normal(fx.random.key(0), (40,))
    whitened = fx.linalg.solve_triangular(factor, samples, lower=True)
    return fx.sum(whitened**2) / 2 + fx.sum(fx.log(fx.diag(factor)))


@pytest.mark.parametrize("method", [method for method in METHODS if method != "nelder-mead"])
def test_searches_end_where_rounding_hides_the_rest(method: Any) -> None:
    start = {"scale": fx.asarray(0.0), "size": fx.asarray(0.0), "noise": fx.asarray(-1.0)}
    result = optimize.minimize(evidence, start, method=method)
    assert status(result) is Status.CONVERGED and int(result.evaluations) < 40
    tilted, begin = fx.asarray([0.1, 0.2]), fx.asarray([2.0, -1.0])
    kink = optimize.minimize(lambda x: fx.max(fx.abs(x - tilted)) + fx.sum(fx.abs(x)), begin, method=method)
    assert not kink.converged and int(kink.evaluations) < 450
    rows = fx.random.normal(fx.random.key(1), (40, 3), dtype=fx.float32)
    labels = fx.asarray(rows @ fx.ones(3, dtype=fx.float32) > 0.5, dtype=fx.float32)
    steep = optimize.minimize(  # whose gradient is not known to the tolerance
        lambda w: 1e5 * (fx.sum(fx.logaddexp(0, rows @ w) - labels * (rows @ w)) + w @ w),
        fx.zeros(3, dtype=fx.float32),
        method=method,
    )
    assert int(steep.evaluations) < 150


def test_line_searches_are_differentiated_at_their_step() -> None:
    def f(x: dict[str, Any], a: Any) -> Any:
        return fx.sum((x["b"] - a * scale) ** 4) + fx.sin(x["c"]) * a

    scale = fx.asarray([1.0, 1.5])
    x: dict[str, Any] = {"b": fx.zeros(2), "c": 0.3}
    p: dict[str, Any] = {"b": fx.asarray([1.0, 0.5]), "c": fx.asarray(-0.2)}
    step = float(optimize.line_search(f, x, p, 2.0).step)

    def there(x: Any, p: Any, a: Any) -> Any:
        point = fx.tree_map(lambda x, p: x + step * p, x, p)
        return f(point, a), grad(f)(point, a)

    def found(x: Any, p: Any, a: Any) -> Any:
        result = optimize.line_search(f, x, p, a)
        return result.fun, result.jac

    derivatives: tuple[Any, ...] = (jacrev, jacfwd, lambda f, argnums: jit(jacrev(f, argnums)))
    for derivative in derivatives:
        actual, wanted = [fx.tree_leaves(derivative(each, argnums=(0, 1, 2))(x, p, 2.0)) for each in (found, there)]
        for one, other in zip(actual, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert grad(lambda a: optimize.line_search(f, x, p, a).step)(2.0) == 0
