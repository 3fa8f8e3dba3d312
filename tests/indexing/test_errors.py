"""What is wrong with a key, with positions or with values is said before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from effects.errors import ArgumentError, ConcretizationError, DTypeError, EffaxError, OutOfBoundsError, ShapeError
from tests.errors.untyped import fx, grad, jit, make_jaxpr, vmap

X = fx.ones((3, 4))
N = fx.arange(3)
Z = fx.asarray([1j])
B = fx.asarray([True])

REFUSED: Final[list[tuple[type[EffaxError], str, Callable[[], object]]]] = [
    # positions
    (OutOfBoundsError, "x[key]: index 5 is out of bounds for axis 0 of size 3", lambda: X[5]),
    (OutOfBoundsError, "x[key]: index 3 is out of bounds for axis 0 of size 3", lambda: X[[0, 3]]),
    (OutOfBoundsError, "x[key]: index -5 is out of bounds for axis 1 of size 4", lambda: X[:, np.array([-5])]),
    (OutOfBoundsError, "x[key]: index 5 is out of bounds", lambda: jit(lambda x: x[np.array([5])])(X)),
    (OutOfBoundsError, "add: index 5 is out of bounds", lambda: jit(lambda x: x.at[np.array([5])].add(1.0))(X)),
    (OutOfBoundsError, "x[key]: index 7 is out of bounds", lambda: vmap(lambda i: X[i])(fx.asarray([1, 7]))),
    (OutOfBoundsError, "x[key]: too many indices: 3 for shape [3, 4] (rank 2)", lambda: X[1, 2, 3]),
    (OutOfBoundsError, "x[key]: too many indices: 3 for shape [3, 4] (rank 2)", lambda: X[N, N, N]),
    (OutOfBoundsError, "x[key]: too many indices: 3", lambda: X[0, np.ones((3, 4), bool)]),
    (OutOfBoundsError, "set: index 5 is out of bounds", lambda: X.at[5].set(0.0)),
    (OutOfBoundsError, "there are no positions along an axis of size 0", lambda: fx.ones((0, 2))[[0]]),
    (OutOfBoundsError, "take: index 9 is out of bounds for axis 0 of size 3", lambda: fx.take(X, [9], axis=0)),
    (OutOfBoundsError, "take: axis 4 is out of bounds", lambda: fx.take(X, [1], axis=4)),
    (OutOfBoundsError, "choose: index 5 is out of bounds for 2 choices", lambda: fx.choose([0, 5], [1, 2])),
    (OutOfBoundsError, "choose: index -1 is negative", lambda: fx.choose([0, -1], [1, 2])),
    (OutOfBoundsError, "compress: condition, bool[5], holds at 4, of 3", lambda: fx.compress([True] * 5, N)),
    # what a key may hold
    (ArgumentError, "or a mask, got float64[1]; convert with astype", lambda: X[np.array([0.5])]),
    (ArgumentError, "or a mask, got 'a' of type str", lambda: X["a"]),
    (ArgumentError, "or a mask, got 0.5 of type float", lambda: X.at[0.5].set(1.0)),
    (ArgumentError, "an index is [[0], [1, 2]], no list of numbers", lambda: X[[[0], [1, 2]]]),
    (ArgumentError, "an index is ['a'], no list of numbers", lambda: X[["a"]]),
    (ArgumentError, "[None, 1], no list of numbers: a key of several entries is a tuple", lambda: X[[None, 1]]),
    (ArgumentError, "a key of several entries is a tuple", lambda: X.at[[slice(2), 0]].set(0.0)),
    (ShapeError, "only one ellipsis is allowed", lambda: X[..., [0], ...]),
    (ShapeError, "x[key]: cannot broadcast [3] with [2]", lambda: X[N, N[:2]]),
    (OutOfBoundsError, "a mask of shape [2] does not fit shape [3, 4] at axis 0", lambda: X[np.array([True, False])]),
    (OutOfBoundsError, "a mask of shape [2] does not fit", lambda: jit(lambda x, m: x.at[m].set(0.0))(X, B[[0, 0]])),
    (DTypeError, "take: indices must be of integers, got float64[]", lambda: fx.take(X, 1.5)),
    (ShapeError, "must have the same rank", lambda: fx.take_along_axis(X, N, axis=0)),
    (ShapeError, "put_along_axis: x and indices must have the same rank", lambda: fx.put_along_axis(X, N, 1.0)),
    (ArgumentError, "choose: choices must be a sequence of arrays, not empty", lambda: fx.choose([0], [])),
    # what must be known
    (ConcretizationError, "an index is a mask, bool[3,4]", lambda: jit(lambda x, m: x[m])(X, X > 0)),
    (ConcretizationError, "static arguments", lambda: jit(lambda x, m: x.at[m, 0].set(1.0))(X, X[:, 0] > 0)),
    (ConcretizationError, "how many places", lambda: jit(lambda x, m: x.at[m].set(fx.ones(5)))(X, X > 0)),
    (ConcretizationError, "dynamic_slice(x, starts, sizes)", lambda: jit(lambda x, i: x[i : i + 1])(X, 1)),
    (ConcretizationError, "dynamic_slice(x, starts, sizes)", lambda: jit(lambda x, i: x[[0], i:])(X, 1)),
    (ConcretizationError, "condition must be known", lambda: jit(lambda c: fx.compress(c, N))(N > 0)),
    # values
    (ShapeError, "set: values of shape [3] do not broadcast to the places, [4]", lambda: X.at[0].set(fx.ones(3))),
    (ShapeError, "add: values of shape [3] do not broadcast", lambda: X.at[[0, 1]].add(fx.ones(3))),
    (DTypeError, "set: x is int64 and cannot hold values, which is float64[]", lambda: N.at[0].set(1.5)),
    (ArgumentError, "set: values is not an array of numbers", lambda: X.at[0].set(["a"])),
    (DTypeError, "divide: x is int64[3] and cannot hold quotients", lambda: N.at[0].divide(2)),
    (DTypeError, "min: complex numbers are not compared", lambda: Z.at[[0]].min(1j)),
    (DTypeError, "add takes numbers, got bool[1]", lambda: B.at[[0]].add(True)),
    (ArgumentError, "apply takes a function", lambda: X.at[0].apply(3)),
    # modes
    (
        ArgumentError,
        "mode must be 'clip', 'drop', 'fill' or 'wrap', got 'clamp'",
        lambda: X.at[0].set(1.0, mode="clamp"),
    ),
    (ArgumentError, "unique_indices must be True or False", lambda: X.at[[0]].set(0.0, unique_indices=1)),
    (ArgumentError, "get: mode must be 'fill' where a fill_value is given", lambda: X.at[0].get(fill_value=1.0)),
    (DTypeError, "cannot hold fill_value, 1j", lambda: fx.take(X, [0], mode="fill", fill_value=1j)),
    (DTypeError, "cannot hold fill_value, 2.5", lambda: N.at[0].get(mode="fill", fill_value=2.5)),
    (ArgumentError, "does not fit int64", lambda: N.at[7].get(mode="fill", fill_value=2**70)),
]


@pytest.mark.parametrize(("kind", "text", "call"), REFUSED, ids=[text for _, text, _ in REFUSED])
def test_refused(kind: type[EffaxError], text: str, call: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value) and "test_errors.py" in str(caught.value)


@pytest.mark.parametrize("run", [lambda f: f, jit, vmap, make_jaxpr, lambda f: jit(grad(lambda x: fx.sum(f(x))))])
def test_constant_positions_are_looked_at_whatever_else_is_known(run: Any) -> None:
    data, beyond = fx.asarray([1.0, 2.0]), np.array([5])
    for f in (
        lambda a: data[beyond] * a,
        lambda a: fx.take(data, beyond) * a,
        lambda a: fx.take_along_axis(data, beyond, axis=0) * a,
        lambda a: data.at[beyond].set(a),
        lambda a: fx.put_along_axis(data, beyond, a, axis=0),
    ):
        with pytest.raises(fx.OutOfBoundsError, match="index 5 is out of bounds for axis 0 of size 2"):
            run(f)(fx.ones(1))
