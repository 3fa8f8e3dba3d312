"""What the type checker knows of callbacks with results: their signatures as overloads; never called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn, overload

from effects.arrays.array import Array
from effects.types.avals import ShapedArray

type VmapMethod = Literal["sequential", "expand_dims", "broadcast_all"]
"""How a callback that computes is called for all lanes of a `vmap`."""


@overload
def pure_callback(
    f: Callable[..., object],
    result_types: ShapedArray,
    *args: object,
    vmap_method: VmapMethod = "sequential",
    **kwargs: object,
) -> Array: ...


@overload
def pure_callback[A: Array | None](
    f: Callable[..., object], result_types: A, *args: object, vmap_method: VmapMethod = "sequential", **kwargs: object
) -> A: ...


@overload
def pure_callback(
    f: Callable[..., object],
    result_types: object,
    *args: object,
    vmap_method: VmapMethod = "sequential",
    **kwargs: object,
) -> Any: ...


def pure_callback(
    f: object, result_types: object, *args: object, vmap_method: object = "", **kwargs: object
) -> NoReturn:
    """`pure_callback`."""
    raise NotImplementedError


@overload
def io_callback(
    f: Callable[..., object], result_types: ShapedArray, *args: object, ordered: bool = False, **kwargs: object
) -> Array: ...


@overload
def io_callback[A: Array | None](
    f: Callable[..., object], result_types: A, *args: object, ordered: bool = False, **kwargs: object
) -> A: ...


@overload
def io_callback(
    f: Callable[..., object], result_types: object, *args: object, ordered: bool = False, **kwargs: object
) -> Any: ...


def io_callback(f: object, result_types: object, *args: object, ordered: bool = False, **kwargs: object) -> NoReturn:
    """`io_callback`."""
    raise NotImplementedError
