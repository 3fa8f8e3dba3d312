"""Trees to save, and how they are saved and compared."""

from __future__ import annotations

import io
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx

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
