"""Signatures of the functions that join arrays: one dtype stays, several meet in a common one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array, ArrayLike
    from effects.types.dtypes import DType


@overload
def concat[D: DType](arrays: Sequence[Array[D, Any]], /, *, axis: int | None = 0) -> Array[D]: ...
@overload
def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array: ...
def concat(arrays: object, /, *, axis: object = 0) -> NoReturn:
    """`concat`."""
    raise NotImplementedError


@overload
def stack[D: DType](arrays: Sequence[Array[D, Any]], /, *, axis: int = 0) -> Array[D]: ...
@overload
def stack(arrays: Sequence[ArrayLike], /, *, axis: int = 0) -> Array: ...
def stack(arrays: object, /, *, axis: object = 0) -> NoReturn:
    """`stack`."""
    raise NotImplementedError
