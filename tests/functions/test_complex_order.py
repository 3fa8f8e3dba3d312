"""Complex numbers are compared as NumPy compares them, by real and then by imaginary parts, at once and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind
from effects.program.chain import perform
from handlers import grad, vmap
from lowering import jit
from tests.functions.compared import quietly

_RNG: Final = np.random.default_rng(3)
_ENDS: Final = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
_SPECIAL: Final = (_ENDS[:, None] + 0j).repeat(7, 1)
_SPECIAL.imag = _ENDS
_X, _Y = [v.ravel() for v in np.meshgrid(_SPECIAL, _SPECIAL)]
_SMALL: Final = (_RNG.integers(-2, 2, (4, 6)) + 1j * _RNG.integers(-2, 2, (4, 6))).astype("complex128")
_HOLES: Final = np.where(_RNG.random((4, 6)) < 0.2, np.nan, _SMALL)
_HOLES[0, 1] = complex(1, np.nan)
_PAIRS: Final = ("less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin")
_FOLDS: Final = ("max", "min", "argmax", "argmin", "ptp", "median", "nanmax", "nanmin", "nanargmax", "nanmedian")


def _same(actual: Any, wanted: Any) -> None:
    one, other = np.asarray(actual), np.asarray(wanted)
    assert one.dtype == other.dtype
    assert np.array_equal(np.isnan(one), np.isnan(other)), (one, other)
    np.testing.assert_array_equal(np.where(np.isnan(one), 0, one), np.where(np.isnan(other), 0, other))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_pairs(dtype: str) -> None:
    x, y = _X.astype(dtype), _Y.astype(dtype)
    compiled = jit(lambda x, y: {name: getattr(fx, name)(x, y) for name in _PAIRS})(x, y)
    for name in _PAIRS:
        with quietly():
            wanted = getattr(np, name)(x, y)
        for actual in (getattr(fx, name)(x, y), compiled[name], getattr(np, name)(fx.asarray(x), y)):
            _same(actual, wanted)


FOLDED: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    **{
        f"{name} {axis}": (
            lambda x, n=name, a=axis: getattr(fx, n)(x, a),
            lambda x, n=name, a=axis: getattr(np, n)(x, a),
        )
        for name in _FOLDS
        for axis in (None, 0, -1)
    },
    "axes": (lambda x: fx.max(x, (0, 1), keepdims=True), lambda x: np.max(x, (0, 1), keepdims=True)),
    "some": (
        lambda x: fx.max(x, 1, where=np.arange(6) > 2, initial=-5),
        lambda x: np.max(x, 1, where=np.arange(6) > 2, initial=-5),
    ),
    "begun": (lambda x: fx.min(x, 0, initial=0.5j), lambda x: np.min(x, 0, initial=0.5j)),
    "nothing": (lambda x: fx.max(x[:0], 0, initial=1), lambda x: np.max(x[:0], 0, initial=1)),
    "cummax": (lambda x: fx.cummax(x, 1), lambda x: np.maximum.accumulate(x, 1)),
    "cummin": (lambda x: fx.cummin(x, 0, reverse=True), lambda x: np.minimum.accumulate(x[::-1])[::-1]),
    "cummax of all": (fx.cummax, lambda x: np.maximum.accumulate(x.ravel())),
    "clip": (lambda x: fx.clip(x, -1, 1j), lambda x: np.clip(x, -1, 1j)),
    "top_k": (lambda x: fx.top_k(x, 3)[0], lambda x: np.sort(x, 1)[:, :-4:-1]),
    "where they are": (lambda x: fx.take_along_axis(x, fx.top_k(x, 3)[1]), lambda x: np.sort(x, 1)[:, :-4:-1]),
    "operators": (lambda x: (x < 0.5j) ^ (1 >= x), lambda x: (x < 0.5j) ^ (1 >= x)),
    "lanes": (lambda x: vmap(fx.max)(x), lambda x: np.max(x, 1)),
}


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_folds(dtype: str) -> None:
    @jit
    def compiled(x: fx.ArrayLike) -> dict[str, Any]:
        return {name: fold(x) for name, (fold, _) in FOLDED.items()}

    for given in (_SMALL, _HOLES, 0 * _SMALL):
        x = given.astype(dtype)
        results = compiled(x)
        for name, (fold, numpys) in FOLDED.items():
            if given is _HOLES and name.startswith("nanarg"):
                continue  # of lines of NaN alone
            with quietly():
                wanted = numpys(x)
                actual = fold(fx.asarray(x))
            _same(actual, wanted)
            _same(results[name], wanted)


def test_the_first_of_equals_has_the_derivative() -> None:
    x = fx.asarray([1j, 2 + 0j, 2 + 0j, 1 + 5j])
    for f in (fx.max, lambda x: fx.maximum(x[1], x[2]), lambda x: fx.real(fx.cummax(x))[3]):
        slope = grad(lambda x, f=f: fx.real(f(x)))(x)
        np.testing.assert_array_equal(np.asarray(slope), [0, 1, 0, 0])


def test_operations_compare_real_numbers() -> None:
    x = fx.asarray([1j])
    for op in (Compare(CompareKind.LT, x, x), Binary(BinaryKind.MAX, x, x)):
        with pytest.raises(fx.DTypeError, match="takes anything but complex"):
            perform(op)
    with pytest.raises(fx.ShapeError, match=r"max: shape .* has no elements"):
        fx.max(x[:0])
    assert fx.max(fx.zeros((0, 3), dtype="complex64"), axis=1).shape == (0,)
