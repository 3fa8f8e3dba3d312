"""What a call of a jitted function is known by: numbers, arguments by name in any order, static values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from effects.errors import ArgumentError, DeletedArrayError
from lowering import clear_caches, device_put, jit

NUMBERS = [0.0, -0.0, 0, False, 1, 1.0, True, math.nan, math.inf, 1e-300, 2**62, -1]


def same(left: Any, right: Any) -> bool:
    """Whether they are of one dtype and have the same bits, nan being nan."""
    a, b = np.asarray(left), np.asarray(right)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))


def weighed(x: Array, y: Any) -> tuple[Any, Array]:
    return x * y, fx.asarray(y)


@pytest.mark.parametrize("float_type", [fx.float32, fx.float64])
@pytest.mark.parametrize("where", ["argument", "by name", "in a tree"])
def test_a_number_is_told_from_its_equals(where: str, float_type: Any) -> None:
    """Each is asked for when its equals are known already, and once more when they are forgotten."""
    x = device_put(fx.asarray([1.0, -2.0], dtype=fx.float32))
    jitted: Any = jit(weighed)
    tree: Any = jit(lambda pair: weighed(*pair))
    calls: dict[str, Callable[[Any], Any]] = {
        "argument": lambda y: jitted(x, y),
        "by name": lambda y: jitted(y=y, x=x),
        "in a tree": lambda y: tree((x, y)),
    }
    with fx.default_float(float_type):
        for y in (*NUMBERS, *reversed(NUMBERS)):
            assert all(map(same, calls[where](y), weighed(x, y))), y
        clear_caches()
        assert same(calls[where](-0.0)[0], x * -0.0)


def test_arguments_by_name_come_in_any_order() -> None:
    x, y, z = (device_put(fx.asarray([float(i)])) for i in (1, 2, 3))
    tree = {"b": y, "a": z}
    traced = 0

    def f(*, a: Array, n: int, b: Any, c: Array, m: str) -> Any:
        nonlocal traced
        traced += 1
        return a + 10.0 * (b["b"] if isinstance(b, dict) else b) + 100.0 * c + 1000.0 * n + 10000.0 * len(m)

    jitted: Any = jit(f, static_argnames=("n", "m"))
    for b in (y, tree, 2.0, np.asarray([2.0])):
        given = {"a": x, "n": 4, "b": b, "c": z, "m": "five!"}
        for names in itertools.islice(itertools.permutations(given), 0, None, 7):
            assert jitted(**{name: given[name] for name in names}).tolist() == [54321.0]
    assert traced <= 4
    one: Any = jit(lambda x: x + 1.0)
    assert one(x=x).tolist() == one(x).tolist() == one(x=np.asarray([1.0])).tolist() == [2.0]


def test_a_number_that_does_not_fit_is_named() -> None:
    jitted: Any = jit(lambda x: x)
    with pytest.raises(ArgumentError, match="argument x"):
        jitted(2**70)
    with pytest.raises(ArgumentError, match="argument x"):
        jitted(x=2**70)


def test_memory_of_numpy_is_given_away_once() -> None:
    """Whose memory no result can take, as it is NumPy's, is gone all the same, unless it is read in the same call."""
    both: Any = jit(lambda x, y: x + y, donate_argnums=0)
    held = device_put(fx.asarray(np.arange(64.0)))
    for _ in range(2):
        with pytest.raises(ArgumentError, match=r"argument x, .* is donated and is argument y too"):
            both(held, held)
        assert float(fx.sum(held)) == 2016.0
    assert both(held, held + 1.0).tolist() == [2.0 * i + 1.0 for i in range(64)]
    with pytest.raises(DeletedArrayError):
        fx.sum(held)
