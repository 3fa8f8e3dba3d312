"""Trees to save, and how they are saved and compared."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from lowering import jit

HAS_SAFETENSORS: Final = pytest.mark.skipif(find_spec("safetensors") is None, reason="safetensors is not installed")
FORMATS: Final = ["npz", pytest.param("safetensors", marks=HAS_SAFETENSORS)]


class Layer(NamedTuple):
    weight: Any
    bias: Any


@fx.register(static=["rate"])
@dataclass
class Model:
    layers: list[Layer]
    rate: float


BITS: Final = np.random.default_rng(0).integers(0, 2, 2 * 3 * 16 * 8, np.uint8)
SHAPES: Final[dict[str, Callable[[fx.Array], fx.Array]]] = {
    "matrix": lambda x: x,
    "number": lambda x: x[0, 0],
    "empty": lambda x: x[:0],
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::2],
    "compiled": lambda x: jit(lambda y: y.T)(x),
}


def of_bits(dtype: type[fx.DType]) -> fx.Array:
    """Whatever elements the dtype has, NaNs of all kinds included."""
    if dtype is fx.bool:
        return fx.asarray(BITS[:6].astype(bool).reshape(2, 3))
    return fx.asarray(np.packbits(BITS)[: 6 * dtype.itemsize].view(dtype.dtype).reshape(2, 3))


TREES: Final[dict[str, Any]] = {
    "array": fx.ones(3),
    "number": 0.1,
    "none": None,
    "nothing": [],
    "containers": {"a": [fx.ones(2), (fx.zeros(()), None, {})], "b": OrderedDict(z=fx.ones(1), a=[()])},
    "numbers": [True, 3, -(2**63), 0.1, float("nan"), -0.0, 1e300 + 1j],
    "keys of numbers": {1: fx.ones(1), -2: 2.0},
    "keys of truth": {True: 1.0, False: 0},
    "keys of fractions": {0.5: 1.0, -1.5: fx.ones(1)},
    "weak": fx.sin(1.0),
    "names that meet": {"a.b": 1.0, "a": {"b": 2.0}, "a.b#2": 3.0},
    "names of the file's own": {"__tree__": 1.0, "__metadata__": 2.0, "effax": 3.0, "file": 4.0},
    "names that are hard": {"": 1.0, "é/..": 2.0, "\ud800\0": 3.0, "../../etc": 4.0, "x" * 999: 5.0, "x" * 998: 6.0},
}


def same(a: object, b: object) -> bool:
    """Whether two trees are the same to the last bit."""
    left, right = fx.tree_leaves(a), fx.tree_leaves(b)
    if fx.tree_structure(a) != fx.tree_structure(b) or list(map(type, left)) != list(map(type, right)):
        return False
    arrays = [(x, y) for x, y in zip(left, right, strict=True) if isinstance(x, fx.Array)]
    numbers = [(repr(x), repr(y)) for x, y in zip(left, right, strict=True) if not isinstance(x, fx.Array)]
    return all(x == y for x, y in numbers) and all(
        x.aval is y.aval and np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in arrays
    )


def by_bytes(tree: object, format: Any) -> bytes:
    file = io.BytesIO()
    fx.save(file, tree, format=format)
    return file.getvalue()


def again(tree: object, format: str) -> Any:
    return fx.load(io.BytesIO(by_bytes(tree, format)))


MODEL: Final = Model([Layer(fx.ones((2, 2), dtype=fx.bfloat16), 0.5), Layer(fx.zeros((2, 1)), 1.5)], 0.1)
