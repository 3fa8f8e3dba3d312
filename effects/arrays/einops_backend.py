"""The backend of einops for these arrays; einops finds it as a subclass of its own class of backends."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

import effects as fx
from effects.arrays.array import Array


def _backend() -> type | None:
    """The class of the backend, also for arrays that can be assigned to; None without einops."""
    try:
        einops: Any = import_module("einops._backends")
    except ImportError:
        return None

    class EffaxBackend(einops.AbstractBackend):  # type: ignore[misc]  # a class that type checkers do not know
        """Functions come from the namespace of each array, since there are two."""

        framework_name = "effects"

        def is_appropriate_type(self, tensor: object) -> bool:
            return isinstance(tensor, Array)

        def from_numpy(self, x: np.ndarray[Any, Any]) -> Array:
            return fx.asarray(x)

        def to_numpy(self, x: Array) -> np.ndarray[Any, Any]:
            return np.asarray(x)

        def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Any:
            return tensors[0].__array_namespace__().stack(tensors)

        def concat(self, tensors: list[Array], axis: int) -> Any:
            return tensors[0].__array_namespace__().concat(tensors, axis=axis)

        def tile(self, x: Array, repeats: tuple[int, ...]) -> Any:
            return x.__array_namespace__().tile(x, repeats)

        def add_axis(self, x: Array, new_position: int) -> Any:
            return x.__array_namespace__().expand_dims(x, axis=new_position)

        def is_float_type(self, x: Array) -> bool:
            kind: bool = x.__array_namespace__().isdtype(x.dtype, "real floating")
            return kind

        def einsum(self, pattern: str, *x: Array) -> Any:
            return x[0].__array_namespace__().einsum(pattern, *x)

    return EffaxBackend


BACKEND: Final = _backend()
"""The backend, kept alive here, since einops does not; None if einops is not installed."""
