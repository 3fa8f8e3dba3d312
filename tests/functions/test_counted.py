"""Functions whose results have as many elements as values say: counted at once, asked for where values are unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ConcretizationError
from handlers import grad, jvp, vmap
from lowering import jit

_X: Final = np.array([[3.0, 0.0, -1.0, 3.0], [0.0, 2.0, 3.0, np.nan]])
_OTHER: Final = np.array([2.0, 3.0, 3.0, 8.0])
SINGLE: Final[dict[str, Callable[..., Any]]] = {
    "nonzero": np.nonzero,
    "flatnonzero": np.flatnonzero,
    "argwhere": np.argwhere,
    "unique": np.unique,
    "unique_values": lambda x: np.unique(x, equal_nan=False),  # NumPy's own are in no order
    "unique_counts": np.unique_counts,
    "unique_inverse": np.unique_inverse,
    "unique_all": np.unique_all,
}
TWO: Final = ("intersect1d", "setdiff1d", "setxor1d", "union1d")


def _same(actual: Any, expected: Any) -> None:
    leaves = fx.tree_leaves(actual)
    wanted = list(expected) if isinstance(expected, tuple) else [expected]
    for a, e in zip(leaves, wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(a), e)
        assert np.asarray(a).dtype == np.asarray(e).dtype


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("x", [_X, _X[:, :0], _X[:1, :1], np.zeros(3), _X > 1, _X[0].astype("int8")], ids=repr)
def test_counted_at_once(name: str, x: np.ndarray) -> None:
    _same(getattr(fx, name)(fx.asarray(x)), SINGLE[name](x))


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("x", [_X[0], _X[0, :0], _X[0].astype("int8")], ids=repr)
def test_two_sets_at_once(name: str, x: np.ndarray) -> None:
    _same(getattr(fx, name)(fx.asarray(x), fx.asarray(_OTHER)), getattr(np, name)(x, _OTHER))


@pytest.mark.parametrize("name", [*SINGLE, *TWO])
def test_size_is_asked_for(name: str) -> None:
    def f(x: Any) -> Any:
        return getattr(fx, name)(x, x) if name in TWO else getattr(fx, name)(x)

    for transformed in (jit(f), vmap(f)):
        with pytest.raises(ConcretizationError, match=rf"{name}: .* size="):
            transformed(fx.asarray(_X))


def test_rank_0() -> None:
    assert fx.argwhere(5).shape == (1, 0)
    assert fx.argwhere(0).shape == (0, 0)
    with pytest.raises(fx.ShapeError, match="nonzero: x must have at least one axis"):
        fx.nonzero(5)


def test_derivatives_move_with_values() -> None:
    x = fx.asarray([2.0, -1.0, 2.5, 0.5])
    slope = grad(lambda x: fx.sum(fx.unique_values(x, size=3) * fx.asarray([1.0, 10.0, 100.0])))(x)
    np.testing.assert_array_equal(np.asarray(slope), [100.0, 1.0, 0.0, 10.0])
    assert jvp(lambda x: fx.sum(fx.unique_values(x)), (x,), (fx.ones(4),))[1].item() == 4.0
