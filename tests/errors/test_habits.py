"""What the users of NumPy, SciPy and JAX write from habit: each mistake says what to write here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects.errors import (
    ArgumentError,
    ConcretizationError,
    DTypeError,
    EffaxError,
    OutOfBoundsError,
    ShapeError,
    UnhashableError,
)
from effects.types import dtypes
from tests.errors.untyped import fx, handlers, jit, vmap

X, M = fx.asarray([1.0, 2.0, 3.0]), fx.ones((3, 4))
random, nn, KEY = fx.random, fx.nn, fx.random.key(0)
TABLE = np.arange(9.0).reshape(3, 3)


def deleted() -> None:
    del X[0]


def added() -> None:
    X.at[0] += 1


def written(table: Any, key: Any, value: Any) -> None:
    table[key] = value


def written_slice(table: Any, i: Any) -> None:
    table[i:] = 0


HABITS: dict[str, tuple[type[EffaxError], tuple[str, ...], Callable[[], object]]] = {
    "zeros": (DTypeError, ("zeros((2, 3))",), lambda: fx.zeros(2, 3)),
    "ones": (DTypeError, ("ones((4, 5))",), lambda: fx.ones(4, 5)),
    "empty": (DTypeError, ("empty((4, 5, 6))",), lambda: fx.empty((4, 5), 6)),
    "full": (DTypeError, ("full((2, 3), 1.0)",), lambda: fx.full(2, 3, 1.0)),
    **{
        f"{name} one by one": (ArgumentError, (f"{name} takes one tuple: write (3, 1)",), lambda f=f: f(M, 3, 1))  # type: ignore[misc]
        for name, f in (
            ("tile", fx.tile),
            ("reshape", fx.reshape),
            ("broadcast_to", fx.broadcast_to),
            ("transpose", fx.transpose),
            ("squeeze", fx.squeeze),
            ("expand_dims", fx.expand_dims),
        )
    },
    "a swap of axes": (OutOfBoundsError, ("axis2 1", "shape [3] (rank 1)"), lambda: fx.swapaxes(X, 0, 1)),
    "a move of axes": (OutOfBoundsError, ("destination 2", "shape [3, 4]"), lambda: fx.moveaxis(M, 0, 2)),
    "masks": (ConcretizationError, ("fx.where(mask, table, other)",), lambda: jit(lambda m: TABLE[m])(X > 1)),
    "masks in lanes": (ConcretizationError, ("fx.where(mask,",), lambda: vmap(lambda m: TABLE[m])(M[0:2, :3] > 1)),
    "functions": (ConcretizationError, ("switch(key, functions, …)",), lambda: jit(lambda i: [abs][i](1))(0)),
    "lexsort": (ConcretizationError, ("fx.lexsort((x, y))",), lambda: jit(lambda x: np.lexsort([x, x]))(X)),
    "r_": (ConcretizationError, ("fx.concat([x, y])",), lambda: jit(lambda x: np.r_[x, x])(X)),
    "update": (
        ConcretizationError,
        ("dynamic_update_slice(x, part, starts)",),
        lambda: jit(lambda i: X.at[i : i + 1].set(0.0))(1),
    ),
    "&": (DTypeError, ("put comparisons in parentheses, (x > 0) & (y < 1)",), lambda: 0 & X < 1),
    "|": (DTypeError, ("put comparisons in parentheses",), lambda: X > 0 | X),
    "ends of uniform": (DTypeError, ("minval=low, maxval=high",), lambda: random.uniform(KEY, (3,), 0.0, 1.0)),
    "mean of normal": (DTypeError, ("mean + deviation * normal(key",), lambda: random.normal(KEY, (3,), 0.0)),
    "scale of laplace": (DTypeError, ("parameters come before",), lambda: random.laplace(KEY, (3,), 2.0)),
    "NumPy's uniform": (ArgumentError, ("uniform(key, shape, minval=",), lambda: random.uniform(KEY, 0.0, 1.0, (3,))),
    "NumPy's randint": (ArgumentError, ("randint(key, (3,), 0, 10)",), lambda: random.randint(KEY, 0, 10, (3,))),
    "max of numbers": (ArgumentError, ("write maximum(x, y)",), lambda: fx.max(1.0, 2.0)),
    "one_hot": (ArgumentError, ("one_hot(labels, num_classes)",), lambda: nn.one_hot(3, fx.asarray([1, 2]))),
    "conv of an image": (ShapeError, ("x[None, None]",), lambda: fx.conv(fx.ones((8, 8)), fx.ones((3, 3)))),
    "what argmax gives": (
        ShapeError,
        ("expand_dims(indices, axis)", "float64[3,4] and int64[3]"),
        lambda: fx.take_along_axis(M, fx.argmax(M, axis=1), axis=1),
    ),
    "positions to put": (
        ShapeError,
        ("expand_dims(indices, axis)",),
        lambda: fx.put_along_axis(M, fx.asarray([0, 0, 0]), 2.0, axis=1),
    ),
    "a mask of numbers": (
        DTypeError,
        ("got float64[4,4]",),
        lambda: nn.dot_product_attention(*[fx.ones((1, 4, 1, 2))] * 3, mask=fx.zeros((4, 4))),
    ),
    "dimension numbers": (
        ArgumentError,
        ("dot_general(x, y, ((1,), (0,)), ((), ()))",),
        lambda: fx.dot_general(M, M, (((1,), (0,)), ((), ()))),
    ),
    "a set": (ArgumentError, ("write sorted(obj)",), lambda: fx.asarray({1, 2})),
    "a generator": (ArgumentError, ("write list(obj)",), lambda: fx.asarray(n for n in (1, 2))),
    "the values of a dict": (ArgumentError, ("write list(obj)",), lambda: fx.asarray({"a": 1}.values())),
    "a dict": (ArgumentError, ("tree_map(asarray, tree)",), lambda: fx.asarray({"a": 1})),
    "a dict of matrices": (ArgumentError, ("tree_map(inv, tree)",), lambda: fx.linalg.inv({"a": {"b": fx.eye(2)}})),
    "a list of dicts": (ArgumentError, ("tree_map(det, tree)",), lambda: fx.linalg.det([{"a": fx.eye(2)}])),
    "a list of several shapes": (ShapeError, ("tree_map(sin, arrays)",), lambda: fx.sin([M, X])),
    "a missing number": (ArgumentError, ("write nan",), lambda: fx.asarray([1.0, None])),
    "del": (ArgumentError, ("x = delete(x, 0, axis)",), deleted),
    "at called": (ArgumentError, ("write x.at[0]",), lambda: X.at(0)),
    "at in steps": (ArgumentError, ("x.at[key, 1]",), lambda: M.at[0][1].set(3.0)),
    "at computed with": (ArgumentError, ("x = x.at[key].add(value)",), lambda: X.at[0] + 1),
    "at negated": (ArgumentError, ("write x[key]",), lambda: -X.at[0]),
    "at of NumPy": (ArgumentError, ("write x[key]",), lambda: np.sin(X.at[0])),
    "at added to": (ArgumentError, ("x = x.at[key].add(value)",), added),
    "a part of one key": (ArgumentError, ("split(key, n)",), lambda: KEY[0]),
    "a key in a dict": (UnhashableError, ("a Key cannot be hashed", "int(key.data)"), lambda: {KEY: 1}),
    "words": (ArgumentError, ("wrap_key_data(words)",), lambda: random.uniform(np.zeros(2, "uint32"), (3,))),
    "Python's map": (OutOfBoundsError, ("Python's is builtins.map",), lambda: handlers.map(fx.asarray, [1.0, 2.0])),
    "write": (
        ConcretizationError,
        ("table = fx.asarray(table).at[key].set(x)",),
        lambda: jit(lambda i: written(TABLE, i, 0))(1),
    ),
    "write a slice": (
        ConcretizationError,
        ("table = fx.asarray(table).at[key].set(x)",),
        lambda: jit(lambda i: written_slice(TABLE, i))(1),
    ),
}

READ: dict[str, Callable[[Any], object]] = {
    "an array": lambda i: TABLE[i],
    "a column": lambda i: TABLE[:, i],
    "an element": lambda i: TABLE[i, 0],
    "a slice": lambda i: TABLE[i:],
    "a slice of columns": lambda i: TABLE[:, i : i + 1],
    "a list": lambda i: [1, 2, 3][i],
    "a tuple": lambda i: (1, 2, 3)[i],
    "a text": lambda i: "abc"[i],
}


@pytest.mark.parametrize("habit", HABITS)
def test_what_to_write(habit: str) -> None:
    kind, words, bad = HABITS[habit]
    with pytest.raises(kind) as caught:
        bad()
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert caught.value.source is not None and caught.value.source.file == __file__


OF_TWO = {"max": "maximum(x, y)", "min": "minimum(x, y)", "sum": "x + y", "prod": "x * y", "any": "x |", "all": "x &"}


@pytest.mark.parametrize("name", OF_TWO)
def test_a_second_array_is_no_axis(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: .*; of two arrays write {re.escape(OF_TWO[name])}"):
        getattr(fx, name)(X, X)


@pytest.mark.parametrize("what", READ)
def test_reading_what_is_no_array_here(what: str) -> None:
    for transformed, i in ((jit(READ[what]), 1), (vmap(READ[what]), fx.asarray([1, 1]))):
        with pytest.raises(ConcretizationError, match=r"fx\.asarray\(table\)\[key\]; for a slice dynamic_slice"):
            transformed(i)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_dtypes_have_what_other_libraries_ask_of_them(dtype: type[dtypes.DType]) -> None:
    of_numpy = np.dtype(dtype)
    for name in ("kind", "type", "char", "str", "num", "byteorder", "itemsize", "name", "names", "fields", "subdtype"):
        assert getattr(dtype, name) == getattr(of_numpy, name), name
    with pytest.raises(AttributeError, match="has no attribute 'knid'"):
        _ = dtype.knid  # type: ignore[attr-defined]  # that is what is tested
    assert not hasattr(dtypes.Floating, "kind")  # a family has none


def test_minimize_takes_functions_of_arrays() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    def f(x: Any) -> Any:
        return fx.sum((x - 1.0) ** 2)

    for found in (optimize.minimize(handlers.value_and_grad(f), np.zeros(2), jac=True), optimize.minimize(f, [0.0, 0])):
        assert np.allclose(found.x, 1.0, atol=1e-6)


def test_trees_of_arrays_are_shown_by_their_types() -> None:
    params = {"w": M, "b": fx.ones((3, 100))}
    with pytest.raises(ArgumentError, match=r"in_axes has an entry for each positional argument .*=\(\{'w': 0\},\)"):
        vmap(lambda p: p["w"], in_axes={"w": 0})(params)
    types = r"in_axes \(\{'w': float64\[3,4\], 'b': float64\[3,100\]\},\) .* got float64\[3,100\]"
    with pytest.raises(ArgumentError, match=types):
        vmap(lambda p: p["w"], in_axes=(params,))(params)


def test_a_platform_that_is_not_there() -> None:
    with pytest.raises(EffaxError, match=r"ones: device must be one of devices\(\), .* got 'cuda'; there are cpu:0"):
        fx.ones(3, device="cuda")


def test_lanes_that_leak_have_their_values() -> None:
    leaked: list[Any] = []

    def keeping(x: Any) -> Any:
        leaked.append(x)
        return x

    vmap(keeping)(X)
    with pytest.raises(EffaxError, match=r"argument x of keeping, a batch of 3 values .*: \[1.0, 2.0, 3.0\]\) leaked"):
        leaked[0] + 1
