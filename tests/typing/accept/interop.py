"""Arrays of other libraries, memory and files: what they are taken as."""

from array import array
from typing import Any, NamedTuple, reveal_type

import numpy as np
from numpy.typing import NDArray

import effects as fx
from lowering import checkpoint_steps, load_checkpoint, save_checkpoint, save_checkpoint_async


class Tensor:
    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return np.ones(3)


class Layer(NamedTuple):
    weight: fx.Array
    bias: fx.Array


def taken(tensor: Tensor, memory: memoryview, layer: Layer) -> None:
    reveal_type((fx.asarray(tensor), fx.asarray(memory)))  # 2 × Array[Any, Any]
    reveal_type((fx.asarray([array("d", [1.0]), array("d", [2.0])]), fx.from_dlpack(np.ones(3))))  # 2 × Array[Any, Any]
    reveal_type(fx.asarray(tensor, dtype=fx.float32))  # Array[float32, Any]
    fx.save("layer.npz", layer)
    reveal_type(fx.load("layer.npz", like=layer))  # tuple[Array[Any, Any], Array[Any, Any], fallback=Layer]
    reveal_type(fx.load("layer.npz"))  # Any
    save_checkpoint("steps", 3, layer, keep=2)
    reveal_type(save_checkpoint_async("steps", 4, layer))  # PendingCheckpoint
    reveal_type(load_checkpoint("steps", 3, like=layer))  # tuple[Array[Any, Any], Array[Any, Any], fallback=Layer]
    reveal_type(load_checkpoint("steps"))  # Any
    reveal_type(checkpoint_steps("steps"))  # tuple[int, ...]
