"""Products of ragged groups of rows against a loop over the rows; what is not in a group stays out of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import grad, jvp, vmap
from lowering import jit

type Host = np.ndarray[tuple[int, ...], np.dtype[Any]]

_RNG: Final = np.random.default_rng(4)
SIZES: Final = ([2, 0, 3], [0, 0, 6], [1, 1, 1], [0, 0, 0], [6, 0, 0], [2, 2, 2])


def _loop(x: Host, y: Host, sizes: list[int]) -> Host:
    out = np.zeros((x.shape[0], y.shape[2]), x.dtype)
    row = 0
    for group, size in enumerate(sizes):
        for _ in range(size):
            out[row] = x[row] @ y[group]
            row += 1
    return out


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_values(sizes: list[int], dtype: str) -> None:
    x, y = [(3 * _RNG.normal(size=shape)).astype(dtype) for shape in ((6, 4), (3, 4, 2))]
    expected = _loop(x, y, sizes)
    given = fx.asarray(x), fx.asarray(y), fx.asarray(sizes)
    for actual in (
        fx.ragged_dot(*given),
        jit(fx.ragged_dot)(*given),
        jit(lambda x, y: fx.ragged_dot(x, y, fx.asarray(sizes)))(x, y),
    ):
        assert actual.dtype is given[0].dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-13)


def test_derivatives_are_those_of_the_loop_and_the_same_for_unknown_sizes() -> None:
    x, y, t, u = [fx.asarray(_RNG.normal(size=shape)) for shape in ((6, 4), (3, 4, 2), (6, 4), (3, 4, 2))]
    sizes = fx.asarray([2, 0, 3])

    def f(x: fx.Array, y: fx.Array, sizes: fx.Array) -> fx.Array:
        return fx.sum(fx.sin(fx.ragged_dot(x, y, sizes)))

    def slopes(x: fx.Array, y: fx.Array, sizes: fx.Array) -> Any:
        return grad(f, (0, 1))(x, y, sizes)

    known, unknown = slopes(x, y, sizes), jit(slopes)(x, y, sizes)
    for a, b in zip(known, unknown, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    step = 1e-6
    quotient = (f(x + step * t, y + step * u, sizes) - f(x - step * t, y - step * u, sizes)) / (2 * step)
    np.testing.assert_allclose(jvp(lambda x, y: f(x, y, sizes), (x, y), (t, u))[1], quotient, rtol=1e-7)
    np.testing.assert_allclose(fx.sum(known[0] * t) + fx.sum(known[1] * u), quotient, rtol=1e-7)


def test_lanes_with_sizes_of_their_own() -> None:
    x, y = _RNG.normal(size=(2, 5, 3)), _RNG.normal(size=(2, 3, 2))
    sizes = [[1, 4], [3, 2]]
    found = vmap(fx.ragged_dot, in_axes=(0, None, 0))(fx.asarray(x), fx.asarray(y), fx.asarray(sizes))
    np.testing.assert_allclose(found, [_loop(x[i], y, sizes[i]) for i in range(2)], rtol=1e-12)


def test_infinities_and_nan_stay_in_their_group() -> None:
    x, y = fx.asarray([[1.0], [fx.inf], [2.0]]), fx.asarray([[[1.0]], [[fx.nan]]])

    def both(x: fx.Array, y: fx.Array, sizes: fx.Array) -> Any:
        return fx.ragged_dot(x, y, sizes), grad(lambda x, y: fx.sum(fx.ragged_dot(x, y, sizes)), (0, 1))(x, y)

    for f in (both, jit(both)):
        out, (of_x, of_y) = f(x, y, fx.asarray([1, 1]))
        np.testing.assert_array_equal(out, [[1.0], [np.nan], [0.0]])
        np.testing.assert_array_equal(of_x, [[1.0], [np.nan], [0.0]])
        np.testing.assert_array_equal(of_y, [[[1.0]], [[np.inf]]])


def test_narrow_floats_and_a_dtype_of_choice() -> None:
    x, y = [fx.astype(fx.asarray(_RNG.normal(size=shape)), fx.bfloat16) for shape in ((4, 9), (2, 9, 3))]
    a, b = [np.asarray(fx.astype(v, fx.float32)) for v in (x, y)]
    wide = _loop(a, b, [1, 3])
    for transform in (fx.ragged_dot, jit(fx.ragged_dot)):
        found = transform(x, y, fx.asarray([1, 3]))
        assert found.dtype is fx.bfloat16
        np.testing.assert_allclose(fx.astype(found, fx.float32), wide, rtol=2**-8)
    np.testing.assert_allclose(
        fx.ragged_dot(x, y, fx.asarray([1, 3]), preferred_element_type="float32"), wide, rtol=1e-6
    )


_X: Final = fx.zeros((3, 2))
_Y: Final = fx.zeros((2, 2, 4))
_REFUSED: Final[list[tuple[Any, type[fx.EffaxError], str]]] = [
    (
        (_X, _Y, fx.asarray([2, 2])),
        fx.ArgumentError,
        r"group_sizes must be natural numbers of at most 3 rows together, got \[2, 2\]",
    ),
    ((_X, _Y, fx.asarray([-1, 2])), fx.ArgumentError, "group_sizes must be natural numbers"),
    ((_X, _Y, fx.asarray([1.0, 2.0])), fx.DTypeError, "group_sizes must be of integers"),
    ((_X, _Y, fx.asarray([1, 1, 1])), fx.ShapeError, r"x must be \[m, k\], y \[g, k, n\] and group_sizes \[g\]"),
    ((_X, fx.zeros((2, 3, 4)), fx.asarray([1, 1])), fx.ShapeError, "x must be"),
    ((_X, fx.zeros((2, 4)), fx.asarray([1, 1])), fx.ShapeError, "x must be"),
]


@pytest.mark.parametrize(("args", "error", "match"), _REFUSED)
def test_refused(args: Any, error: type[fx.EffaxError], match: str) -> None:
    with pytest.raises(error, match=f"ragged_dot: {match}"):
        fx.ragged_dot(*args)
