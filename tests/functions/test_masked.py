"""Reductions of some elements: as methods, through NumPy's protocols, in narrow floats, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError, DTypeError, EffaxError, ShapeError
from effects.types.dtypes import Named
from handlers import grad, jvp, vmap
from lowering import jit
from tests.errors.expect import refusal

X: Final = np.array([[1.5, np.nan, 3.0], [0.5, 2.0, -1.0]])
HOLDS: Final = np.array([[True, False, True], [True, True, False]])
RUNS: Final[tuple[Callable[[Any], Any], ...]] = (lambda f: f, jit)
METHODS: Final = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all")


def _options(name: str) -> dict[str, Any]:
    return {"where": HOLDS} | ({"initial": 0.25} if name in ("sum", "prod", "max", "min") else {})


@pytest.mark.parametrize("name", METHODS)
def test_methods_and_numpys_functions(name: str) -> None:
    x, options = fx.asarray(X), _options(name)
    expected = getattr(np, name)(X, axis=1, **options)
    ways: list[Callable[[Any], Any]] = [
        lambda x: getattr(x, name)(1, **options),
        lambda x: getattr(np, name)(x, axis=1, **options),
    ]
    for f in ways:
        for got in (f(x), jit(f)(x), vmap(f)(fx.stack([x, x]))[1]):
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-14)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
def test_reduce_of_a_ufunc(name: str) -> None:
    f, options = getattr(np, name), {} if name.startswith("logical") else {"initial": 1.0}
    got = f.reduce(fx.asarray(X), axis=1, where=HOLDS, **options)
    assert isinstance(got, fx.Array)
    np.testing.assert_array_equal(np.asarray(got), f.reduce(X, axis=1, where=HOLDS, **options))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std", "nanvar", "nanmax"])
def test_what_does_not_count_has_no_part_in_the_derivative(name: str) -> None:
    initial = {} if name in ("mean", "var", "std", "nanvar") else {"initial": 1.0}
    x = fx.asarray(X)
    slopes = np.asarray(grad(lambda x: fx.sum(getattr(fx, name)(x, axis=1, where=HOLDS, **initial)))(x))
    assert np.isfinite(slopes).all() and (slopes[~HOLDS] == 0).all() and (slopes[HOLDS] != 0).any()


@pytest.mark.parametrize(("name", "slope"), [("sum", 1.0), ("prod", -3.0), ("max", 0.0), ("min", 0.0)])
def test_the_derivative_of_initial(name: str, slope: float) -> None:
    _, out = jvp(lambda v: getattr(fx, name)(fx.asarray([3.0, -1.0]), initial=v), (0.5,), (1.0,))
    assert float(out) == slope


def test_what_is_folded_of_nothing_is_initial() -> None:
    assert float(grad(lambda v: fx.max(fx.asarray([3.0]), initial=v, where=False))(0.5)) == 1.0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "max"])
def test_narrow_floats(name: str, dtype: Named) -> None:
    x = fx.astype(fx.asarray(np.nan_to_num(X, nan=7.0)), dtype)
    options = {"where": HOLDS} | ({"initial": 0.25} if name == "max" else {})
    wide = getattr(fx, name)(fx.astype(x, fx.float32), **options)
    for run in RUNS:
        got = run(lambda x: getattr(fx, name)(x, **options))(x)
        assert got.dtype is x.dtype and got == fx.astype(wide, dtype)


x = fx.asarray(X)
REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    (DTypeError, "sum: where must be of bools, got int64[3]; compare it", lambda: x.sum(where=np.array([1, 0, 1]))),
    (ShapeError, "mean: where, bool[2], does not broadcast to the shape of x", lambda: fx.mean(x, where=HOLDS[:, 0])),
    (ShapeError, "any: where, bool[1,2,3], does not broadcast", lambda: fx.any(x, where=HOLDS[None])),
    (ArgumentError, "max: where may leave out all elements", lambda: fx.max(x, where=HOLDS)),
    (ShapeError, "no elements over axis 1 to choose from; give initial=", lambda: fx.min(fx.zeros((2, 0)), axis=1)),
    (DTypeError, "sum: x is int64 and cannot hold initial", lambda: fx.sum(fx.asarray([1]), initial=0.5)),
    (ShapeError, "prod: initial must be a scalar", lambda: fx.prod(x, initial=fx.ones(3))),
    (DTypeError, "mean: dtype must be floating, got int32", lambda: fx.mean(x, dtype="int32")),
    (ShapeError, "var: mean must have the shape [2, 1]", lambda: fx.var(x, axis=1, mean=fx.zeros(2))),
    (ArgumentError, "nanvar: correction and ddof are the same", lambda: fx.nanvar(x, ddof=1, correction=1)),
]


@pytest.mark.parametrize(("kind", "words", "bad"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_refused(kind: type[EffaxError], words: str, bad: Callable[[], object]) -> None:
    refusal(kind, words, of=bad)
