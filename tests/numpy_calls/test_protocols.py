"""NumPy's own functions take arrays of effax: at once, compiled, batched, differentiated, and say what they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

import effects as fx
from effects import Array
from effects.errors import ArgumentError, ConcretizationError, EffaxError
from effects.runtime.names import listed
from handlers import grad, jvp, vmap
from lowering import jit
from tests.errors.expect import refusal

X: Final = np.array([[0.3, 1.2, 2.5], [0.7, 0.1, 1.9]])

PROGRAMS: Final[dict[str, Callable[[Any], Any]]] = {
    "sum of squares": lambda x: np.sum(np.sin(x) ** 2),
    "by axis": lambda x: np.max(x, axis=1) - np.min(x, 1, keepdims=True),
    "operators": lambda x: np.multiply(x, 2) + np.divide(1, np.add(x, X)) - np.power(x, 2.0),
    "of both kinds": lambda x: np.where(x > 1, X, np.exp(x)),
    "spread": lambda x: np.var(x, axis=0, ddof=1) + np.std(x) * np.mean(x, axis=0),
    "shapes": lambda x: np.reshape(np.transpose(x), (2, 3)) + np.moveaxis(x, 0, 1).T,
    "joined": lambda x: np.concatenate([x, X], axis=1) @ np.ones((6, 2)),
    "stacked": lambda x: np.stack([x, np.zeros_like(x)], axis=-1),
    "clipped": lambda x: np.clip(x, 0.2, 2.0) + np.clip(x, min=1.0),
    "with keywords": lambda x: np.sum(a=x, axis=0) + np.reshape(x, shape=(6,))[:3],
    "folds": lambda x: np.add.reduce(x) + np.maximum.reduce(x, axis=0) + np.multiply.reduce(x, axis=0),
    "running": lambda x: np.add.accumulate(x, axis=1) + np.multiply.accumulate(x) + np.cumsum(x, 0),
    "outer": lambda x: np.multiply.outer(x, x[0]),
    "products": lambda x: np.matmul(x, X.T) + np.einsum("ij,kj->ik", x, x) + np.tensordot(x, X, axes=((1,), (1,))),
    "diagonal": lambda x: np.diagonal(np.stack([x, x], axis=2)) + np.trace(np.stack([x, x], axis=2)),
    "special": lambda x: scipy.special.erf(x) + scipy.special.expit(x) + scipy.special.gammaln(x),
    "broadcast": lambda x: np.broadcast_to(np.expand_dims(x, 0), (2, 2, 3)),
    "grids": lambda x: np.add(*np.meshgrid(x[0], x[1])) + np.linspace(x[0], x[1])[:3],
    "sorted": lambda x: np.sort(x, axis=0) + np.take(x, np.array([2, 0, 1]), axis=1),
    "in their place": lambda x: np.tril(np.roll(x, 1, axis=1)) + np.flip(x, 0) + np.pad(x, 1)[1:-1, 1:-1],
    "of linear algebra": lambda x: np.linalg.matmul(x, X.T) + np.linalg.trace(X @ x.T),
    "of systems": lambda x: np.linalg.solve(X @ x.T, x) + np.linalg.norm(x, axis=0) * np.linalg.det(x @ X.T),
    "of factors": lambda x: (
        np.linalg.qr(x.T)[1] @ np.linalg.inv(X @ x.T) + np.linalg.svd(x, False)[1] + np.linalg.cond(x)
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_function_written_for_numpy(program: str) -> None:
    f = PROGRAMS[program]
    expected = f(X)
    x = fx.asarray(X)
    for got in (f(x), jit(f)(x), vmap(f)(fx.stack([x, x]))[1]):
        assert isinstance(got, fx.Array)
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12)
    along = np.cos(np.arange(6.0)).reshape(2, 3)
    slopes = [jvp(f, (x,), (fx.asarray(along),))[1], jit(lambda x: jvp(f, (x,), (fx.asarray(along),))[1])(x)]
    difference = (f(X + 1e-6 * along) - f(X - 1e-6 * along)) / 2e-6
    for slope in slopes:
        np.testing.assert_allclose(np.asarray(slope), difference, rtol=1e-6, atol=1e-7)
    back = grad(lambda x: np.sum(f(x)))(x)
    np.testing.assert_allclose(np.sum(np.asarray(back) * along), np.sum(difference), rtol=1e-6)


def test_what_is_only_numpys_is_computed_by_it_where_values_are_known() -> None:
    x = fx.asarray(X)
    assert np.min_scalar_type(fx.asarray(3)) == np.uint8
    np.testing.assert_array_equal(np.spacing(x), np.spacing(X))


def test_what_numpy_is_allowed_says_nothing() -> None:
    x = fx.asarray(X[0])
    np.testing.assert_array_equal(np.intersect1d(x, X[0, 1:], assume_unique=True), np.sort(X[0, 1:]))
    np.testing.assert_array_equal(jit(lambda x: np.quantile(x, 0.5, overwrite_input=True))(x), np.median(X[0]))
    np.testing.assert_array_equal(jit(lambda x: np.argsort(x, kind="stable"))(x), np.argsort(X[0]))


x, y = fx.asarray(X), fx.asarray([1.0, 2.0])
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (ArgumentError, "numpy.sin cannot write arrays of effax into one of", lambda: np.sin(y, out=np.zeros(2))),
    (ArgumentError, "numpy.sin cannot write into out=, since arrays", lambda: np.sin(y, out=cast(Any, y))),
    (ArgumentError, "numpy.sum cannot write arrays of effax into one of", lambda: np.sum(y, out=np.zeros(()))),
    (ArgumentError, "numpy.put writes to an array, and arrays are immutable", lambda: np.put(cast(Any, y), [0], 1.0)),
    (ArgumentError, "or run the function by writable", lambda: np.copyto(np.zeros(2), y)),
    (
        ArgumentError,
        "numpy.add.at is not supported with arrays of effax; write x = x.at[indices].add",
        lambda: np.add.at(y, [0], 1.0),
    ),
    (ArgumentError, "write scan or associative_scan", lambda: np.add.reduceat(y, [0])),
    (ArgumentError, "gives an array of Python objects; write vectorize(f)", lambda: np.frompyfunc(str, 1, 1)(y)),
    (ArgumentError, "numpy.sin: dtype = 'f4' is not supported", lambda: np.sin(y, dtype="f4")),
    (ArgumentError, "write where(mask, the result, what is elsewhere)", lambda: np.add(y, y, where=y > 1)),
    (ArgumentError, "convert with astype", lambda: np.concatenate([y, y], dtype=int, casting="unsafe")),
    (ArgumentError, "numpy.sort: order = 'a' is not supported with", lambda: np.sort(y, order="a")),
    (ConcretizationError, "(its derivative, for instance)", lambda: grad(cast(Any, np.min_scalar_type))(x)),
    (ConcretizationError, "scipy.special.zetac has no counterpart here", lambda: jit(scipy.special.zetac)(y)),
    (ConcretizationError, "pure_callback, of handlers, calls NumPy", lambda: jit(scipy.special.zetac)(y)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)


def test_every_function_of_scipy_that_is_here_is_ours() -> None:
    both = [getattr(scipy.special, name) for name in listed("effects.special") if hasattr(scipy.special, name)]
    functions = [f for f in both if isinstance(f, np.ufunc)]
    for f in functions:
        orders = [1, 2] if f.types[0][0] in "il" or f.__name__.startswith("eval_") else [0.25, 0.75]
        arguments = [np.asarray(orders), *[np.asarray([0.25, 0.75])] * (f.nin - 1)]
        results = fx.tree_leaves(f(*map(fx.asarray, arguments)))
        assert all([isinstance(result, Array) for result in results]), f
        expected = f(*arguments)
        for result, theirs in zip(results, expected if f.nout > 1 else [expected], strict=True):
            np.testing.assert_allclose(np.asarray(result), theirs, rtol=1e-12, err_msg=f.__name__)
    assert len(functions) > 40


FOLDED: Final = ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd")


@pytest.mark.parametrize("name", [*FOLDED, "logical_or", "logical_and", "hypot", "logaddexp", "logaddexp2"])
@pytest.mark.parametrize("dtype", [bool, "uint8", "int64", float])
def test_folds_by_elements_are_those_of_numpy(name: str, dtype: Any) -> None:
    fold = getattr(np, name).reduce
    given = np.array([[6, 3, 12], [7, 5, 0]]).astype(dtype)
    if (name in FOLDED) == (dtype is float) or (name == "gcd" and dtype is bool):
        return
    for axis in (0, 1, None) if name not in ("logaddexp", "logaddexp2") else (0,):
        if name[0] in "hl" and dtype is not float and "logical" not in name:
            continue
        expected = fold(given, axis=axis)
        actual = fold(fx.asarray(given), axis=axis)
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-14)
    empty = np.zeros((0, 2), dtype)
    np.testing.assert_array_equal(fold(fx.asarray(empty)), fold(empty))


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_a_correction_has_two_names(name: str) -> None:
    f = getattr(np, name)
    for said in ({"correction": 1}, {"ddof": 1}, {"correction": 0}, {}):
        np.testing.assert_allclose(f(fx.asarray([1.0, 2.0, 4.0]), **said), f(np.array([1.0, 2.0, 4.0]), **said))
    with pytest.raises(ArgumentError, match="were given"):
        getattr(fx, name)(fx.ones(3), correction=1, ddof=2)


def test_what_scipy_needs_is_said() -> None:
    for transformed in (jit(scipy.special.logsumexp), grad(cast(Any, scipy.special.logsumexp))):
        with pytest.raises(ConcretizationError, match="Set SCIPY_ARRAY_API=1 in the environment before SciPy is"):
            transformed(y)
    for theirs, ours in (
        (lambda y: scipy.linalg.solve(fx.eye(len(y)), y), "linalg.solve"),
        (lambda y: scipy.stats.gamma.logpdf(y, 2.0), "stats.gamma.logpdf"),
    ):
        with pytest.raises(ConcretizationError, match=rf"takes NumPy's arrays only: write fx\.{ours}\b"):
            jit(cast(Any, theirs))(fx.ones(2))


def test_none_is_broadcast_as_numpy_does_it() -> None:
    broadcast: Any = np.broadcast_arrays
    ours, theirs = [broadcast(np.ones(3), x, None) for x in (fx.arange(3.0), np.arange(3.0))]
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(x, y)
