"""Signatures of attributes whose type follows from the array's: to type checkers descriptors, else properties.

What is not known passes for anything, so the first overload is for that: no shape is a `Nowhere`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, final, overload

from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.arrays.array import Array


@final
class Nowhere(tuple[int, ...]):
    """The shape of no array."""

    __slots__ = ()


@final
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
    def __get__[D: DType, S: tuple[()]](self, x: Array[D, S], owner: object) -> tuple[()]: ...
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
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...
