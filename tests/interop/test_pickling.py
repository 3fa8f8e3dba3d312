"""What users hold is pickled and copied: arrays, types, structures, functions that are linear or jitted."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects.types import dtypes
from handlers import eval_shape, linearize, make_jaxpr, vjp
from lowering import devices, jit


class Layer(NamedTuple):
    weight: Any
    bias: Any


def wave(x: Any) -> Any:
    return fx.sin(x) * x


@jit
def jitted(x: Any) -> Any:
    return fx.sin(x) * 2.0


def by_pickle(protocol: int) -> Callable[[Any], Any]:
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


WAYS: Final[dict[str, Callable[[Any], Any]]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"protocol {p}": by_pickle(p) for p in (2, 4, 5)},
}
X: Final = fx.asarray([1.0, 2.0])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_arrays(dtype: type[fx.DType], way: str) -> None:
    x = fx.asarray([[0, 1, 2], [3, 4, 5]], dtype=dtype)
    for array in (x, x.T, x[:0], x[0, 0], jit(lambda y: y.T)(x)):
        again = WAYS[way](array)
        assert again.aval is array.aval and np.asarray(again).tobytes() == np.asarray(array).tobytes()
    assert WAYS[way](fx.sin(1.0)).aval.weak_type


EQUAL: Final[dict[str, Any]] = {
    "dtype": fx.float32,
    "family of dtypes": fx.Floating,
    "type": X.aval,
    "types of results": eval_shape(lambda: {"a": X}),
    "structure": fx.tree_structure({"a": [1, (2, None)]}),
    "structure of a named tuple": fx.tree_structure(Layer(1, 2)),
    "unravel": fx.ravel_pytree({"a": X})[1],
    "device": devices()[0],
    "finfo": fx.finfo(fx.float32),
    "path": fx.tree_flatten_with_path({"a": [1]})[0][0][0],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal(name: str, way: str) -> None:
    assert WAYS[way](EQUAL[name]) == EQUAL[name]


CALLED: Final[dict[str, Callable[..., Any]]] = {
    "jitted": jitted,
    "pullback": vjp(wave, X)[1],
    "pushforward": linearize(wave, X)[1],
    "partial": fx.Partial(wave),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CALLED)
def test_what_is_called(name: str, way: str) -> None:
    expected, actual = CALLED[name](X), WAYS[way](CALLED[name])(X)
    for a, b in zip(fx.tree_leaves(actual), fx.tree_leaves(expected), strict=True):
        assert a.tolist() == b.tolist()


def test_trees_of_arrays() -> None:
    tree = {"layers": [Layer(X, None)], "n": 1}
    for way in WAYS.values():
        again = way(tree)
        assert fx.tree_structure(again) == fx.tree_structure(tree) and again["layers"][0].weight.tolist() == [1.0, 2.0]


def test_programs_are_copied() -> None:
    for program in (make_jaxpr(wave)(X), make_jaxpr(jitted)(X)):
        assert copy.copy(program) == program == copy.deepcopy(program)


def test_unknown_values_are_copied_as_they_are_and_not_pickled() -> None:
    def f(x: Any) -> Any:
        assert copy.copy(x) is x and copy.deepcopy({"a": x})["a"] is x
        with pytest.raises(fx.ConcretizationError, match=r"pickle.dumps.x. needs the value"):
            pickle.dumps(x)
        return x

    jit(f)(X)
