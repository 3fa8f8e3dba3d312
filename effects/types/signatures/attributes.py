"""Signatures of attributes whose type follows from the array's: to type checkers descriptors, else properties.

What is not known passes for anything, so the first overload is for that: no shape is a `Nowhere`, no dtype `Nothing`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, Self, final, overload

from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.types.dtypes import Floating, Inexact, Integer, bool_, c64, c128, f32, f64
    from effects.types.signatures import Shape


@final
class Nowhere(tuple[int, ...]):
    """The shape of no array."""

    __slots__ = ()


class Nothing(DType):
    """The dtype of no array."""


class Attribute:
    """The base of the signatures of attributes."""

    if TYPE_CHECKING:

        def __init__(self, get: Callable[..., object], /) -> None: ...
    else:

        def __new__(cls, get):
            return property(get)


class Sizes(Attribute):
    """`shape`: as many ints as there are axes, or those that the type says."""

    @overload
    def __get__(self, x: None, owner: object) -> Self: ...
    @overload
    def __get__[D: DType, S: Nowhere](self, x: Array[D, S], owner: object) -> tuple[int, ...]: ...
    @overload
    def __get__[D: DType, S: tuple[int, ...]](self, x: Array[D, S], owner: object) -> S: ...
    @overload
    def __get__[D: DType, S: tuple[object]](self, x: Array[D, S], owner: object) -> tuple[int]: ...
    @overload
    def __get__[D: DType, S: tuple[object, object]](self, x: Array[D, S], owner: object) -> tuple[int, int]: ...
    @overload
    def __get__[D: DType, S: tuple[object, object, object]](
        self, x: Array[D, S], owner: object
    ) -> tuple[int, int, int]: ...
    @overload
    def __get__[X: Array](self, x: X, owner: object) -> tuple[int, ...]: ...
    def __get__(self, x: object, owner: object) -> NoReturn:
        raise NotImplementedError


class RealPart(Attribute):
    """`real`, `imag`: real also for complex numbers."""

    @overload
    def __get__(self, x: None, owner: object) -> Self: ...
    @overload
    def __get__[D: Floating | Integer | bool_, S: Shape](self, x: Array[D, S], owner: object) -> Array[D, S]: ...
    @overload
    def __get__[S: Shape](self, x: Array[c64, S], owner: object) -> Array[f32, S]: ...
    @overload
    def __get__[S: Shape](self, x: Array[c128, S], owner: object) -> Array[f64, S]: ...
    @overload
    def __get__[D: Inexact, S: Shape](self, x: Array[D, S], owner: object) -> Array[Floating, S]: ...
    @overload
    def __get__[X: Array](self, x: X, owner: object) -> Array: ...
    def __get__(self, x: object, owner: object) -> NoReturn:
        raise NotImplementedError
