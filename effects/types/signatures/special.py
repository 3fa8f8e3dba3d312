"""Signatures of special functions of three arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.types.dtypes import Inexact


class OfThree:
    """Three arguments that meet in one floating dtype: `betainc`."""

    @overload
    def __call__[D: Inexact](
        self, a: Array[D, Any] | float, b: Array[D, Any] | float, x: Array[D, Any], /
    ) -> Array[D]: ...
    @overload
    def __call__[D: Inexact](self, a: Array[D, Any], b: Array[D, Any] | float, x: float, /) -> Array[D]: ...
    @overload
    def __call__(self, a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Array: ...
    def __call__(self, a: object, b: object, x: object, /) -> NoReturn:
        raise NotImplementedError
