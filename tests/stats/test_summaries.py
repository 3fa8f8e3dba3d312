"""Entropy, modes, ranks and standard errors against scipy's: ties, NaN, no elements and one, each axis and all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats as st

import effects as fx
from effects.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError
from handlers import grad, vmap
from lowering import jit

stats: Any = fx.stats
_RNG: Final = np.random.default_rng(0)
_TIES: Final = _RNG.integers(0, 4, (2, 5, 3)).astype(float)
_TIES[0, 1, 1], _TIES[1, 2, 0], _TIES[1, 3, 0] = np.nan, np.inf, np.inf
SAMPLES: Final[dict[str, np.ndarray[Any, Any]]] = {
    "integers": _RNG.integers(0, 5, (6, 7)),
    "special values": _TIES,
    "NaN": np.array([1.0, np.nan, np.nan]),
    "none": np.zeros((0, 3)),
    "lines of none": np.zeros((2, 0)),
    "one": np.array([3.0]),
    "single": np.array([2.0, 1.0, 2.0], np.float32),
}
METHODS: Final = ("average", "min", "max", "dense", "ordinal")


type Call = Callable[[Any, Any], Any]
"""A call of a function of `scipy.stats`, or of ours, on an array."""


def _agree(array: Any, calls: Sequence[Call]) -> None:
    """Assert that calls give what SciPy's do: at once, and all as one program."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [call(st, array) for call in calls]
    at_once = [call(stats, array) for call in calls]
    compiled = jit(lambda a: [call(stats, a) for call in calls])(fx.asarray(array))
    for theirs, *actual in zip(expected, at_once, compiled, strict=True):
        for ours in actual:
            pairs = zip(ours, theirs, strict=True) if isinstance(theirs, tuple) else [(ours, theirs)]
            for one, other in pairs:
                np.testing.assert_allclose(one, other, rtol=1e-6 if array.dtype == np.float32 else 1e-13)
                assert one.shape == np.shape(other)


def _calls(axis: int | None) -> list[Call]:
    return [
        lambda m, a: m.mode(a, axis=axis),
        lambda m, a: m.mode(a, axis=axis, keepdims=True),
        *[lambda m, a, method=method: m.rankdata(a, method, axis=axis) for method in METHODS],
        lambda m, a: m.sem(a, axis=axis),
        lambda m, a: m.entropy(a, axis=axis),
        lambda m, a: m.entropy(a + 1, a[::-1] + 0.5, base=2, axis=axis),
    ]


@pytest.mark.parametrize("sample", SAMPLES)
def test_as_scipy(sample: str) -> None:
    _agree(SAMPLES[sample], [call for axis in (0, -1, None) for call in _calls(axis)])


def test_lanes_and_slopes() -> None:
    a = SAMPLES["integers"].astype(float)
    for method in METHODS:
        np.testing.assert_array_equal(vmap(lambda v, m=method: stats.rankdata(v, m))(a), st.rankdata(a, method, axis=1))
    np.testing.assert_array_equal(grad(lambda v: stats.mode(v).mode)(fx.asarray([1.0, 2.0, 1.0])), [1.0, 0.0, 0.0])
    p, h = np.array([0.2, 0.5, 0.9]), 1e-6
    for f, theirs in ((stats.entropy, st.entropy), (stats.sem, st.sem)):
        moved = [(theirs(p + h * e) - theirs(p - h * e)) / (2 * h) for e in np.eye(3)]
        np.testing.assert_allclose(grad(f)(fx.asarray(p)), moved, rtol=1e-7, atol=1e-9)


def test_special_values() -> None:
    for pk in ([0.0, 0.0], [-1.0, 2.0]):
        _agree(np.array(pk), [lambda m, p: m.entropy(p)])
    for pk, qk in (([1.0, 2.0], [2.0, 0.0]), ([0.0, 1.0], [0.0, 1.0])):
        _agree(np.array([pk, qk]), [lambda m, rows: m.entropy(rows[0], rows[1])])
    _agree(np.array([[1.0, 2.0], [3.0, 4.0]]), [lambda m, p: m.entropy(p, np.array([[1.0], [2.0]]))])
    _agree(np.array([1.0, 2.0]), [lambda m, x: m.sem(x, ddof=3)])
    np.testing.assert_allclose(stats.entropy([5e-324, 5e-324, 1e-323]), 1.5 * np.log(2), rtol=1e-15)  # not compiled


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_entropy_of_weights_whose_sum_overflows(dtype: str) -> None:
    most = float(np.finfo(dtype).max)
    weights = np.array([[most, 0.25], [most, 0.5], [0.5 * most, 0.25]], dtype)
    shares = np.array([[0.4, 0.25], [0.4, 0.5], [0.2, 0.25]])
    rtol = 4 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(stats.entropy(fx.asarray(weights)), st.entropy(shares), rtol=rtol)
    relative = stats.entropy(fx.asarray(weights[:, 0]), fx.asarray(weights[:, 1]))
    np.testing.assert_allclose(relative, st.entropy(*shares.T), rtol=4 * rtol)
    slopes = grad(stats.entropy)(fx.asarray(weights[:, 0]))
    np.testing.assert_allclose(np.asarray(slopes, float) * most, grad(stats.entropy)(shares[:, 0]) * 0.4, rtol=0.05)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: stats.entropy([1.0, 2.0], base=-1), ArgumentError, "entropy: base must be positive"),
        (lambda: stats.entropy([1.0, 2.0], [1.0, 2.0, 3.0]), ShapeError, "entropy: shapes do not broadcast: pk"),
        (lambda: stats.entropy([1.0], axis=3), OutOfBoundsError, "entropy: axis 3 is out of bounds"),
        (lambda: stats.mode([1, 2], axis=1.5), ArgumentError, "mode: axis must be an int"),
        (lambda: stats.rankdata([1, 2], "least"), ArgumentError, "rankdata: method must be 'average', "),
        (lambda: stats.rankdata([1j]), DTypeError, "rankdata: a must be real"),
        (lambda: stats.sem([1, 2], ddof="1"), ArgumentError, "sem: ddof must be a real number"),
    ],
)
def test_refusals(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        call()
