"""Signatures of special functions of three arguments, which meet in one floating dtype."""

# mypy: disable-error-code="overload-overlap"
# What gives `Exactly` overlaps those that know the dtype, as it is meant to.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import Exactly, Shape

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import Inexact


class OfThree:
    """Three arguments: `betainc`."""

    @overload
    def __call__[D: Inexact, S: Shape](
        self, a: Array[D, S] | float, b: Array[D, S] | float, x: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, a: Array[D, S] | float, b: Array[D, S], x: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, a: Array[D, S], b: float, x: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape, T: Shape, U: Shape](
        self, a: Array[D, S] | float, b: Array[D, T] | float, x: Array[D, U], /
    ) -> Array[D]: ...
    @overload
    def __call__[D: Inexact, S: Shape, T: Shape, U: Shape](
        self, a: Array[D, S] | float, b: Array[D, T] | float, x: Array[D, U], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, a: float, b: float, x: float, /) -> Scalar[Any]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, a: X | float, b: X | float, x: Y, /) -> Array: ...
    def __call__(self, a: object, b: object, x: object, /) -> NoReturn:
        raise NotImplementedError
