"""Signatures of attributes whose type follows from the array's: to type checkers descriptors, else properties.

What is not known passes for anything, so the first overload is for that: no shape is a `Nowhere`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, Self, final, overload

from effects.types.dtypes import DType, Inexact
from effects.types.signatures import MYPY

if TYPE_CHECKING:
    from effects.arrays.array import Array


@final
class Nowhere(tuple[int, ...]):
    """The shape of no array."""

    __slots__ = ()


@final
class Nothing(DType):
    """The dtype of no array."""


class Operand[D: DType]:
    """An array of the known dtype `D`, on the right of an operator."""

    def _pin(self, dtype: D, /) -> D:
        raise NotImplementedError


class Sized[D: DType, S: tuple[Any, ...]](Operand[D]):
    """The same, of the known shape `S`."""

    def _sized(self, shape: S, /) -> S:
        raise NotImplementedError


class Operands:
    """The operand that an array is on the right of an operator, as far as it is known: unknown types fit all."""

    if TYPE_CHECKING:

        @overload
        def __get__[D: Nothing, S: tuple[Any, ...]](self, x: Array[D, S], owner: object) -> None: ...
        @overload
        def __get__[D: DType, S: Nowhere](self, x: Array[D, S], owner: object) -> Operand[D]: ...
        @overload
        def __get__[D: DType, S: tuple[Any, ...]](self, x: Array[D, S], owner: object) -> Sized[D, S]: ...
        def __get__(self, *args: Any, **kwargs: Any) -> Any: ...


class HasFractions(Protocol):
    """An array of real or complex floating point, to mypy; pyright takes the last definition, which is of none."""

    if MYPY:

        @property
        def _element(self) -> Inexact: ...
    else:
        _element: None


class HasOperand[O](Protocol):
    """An array that is `O` on the right of an operator."""

    @property
    def _operand(self) -> O: ...


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
