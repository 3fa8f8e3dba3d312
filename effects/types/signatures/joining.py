"""Signatures of the functions that join arrays: one dtype stays, several meet in a common one.

To mypy a list of different arrays is a list of objects, which the last overload takes therefore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from effects.types.signatures import MYPY, Exactly, P, R, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array
    from effects.arrays.operators import DT
    from effects.types.dtypes import DType, DTypeOf

X = TypeVar("X")


class OfJoined:
    """`concat`."""

    @overload
    def __call__[D: DType](
        self, arrays: Sequence[Array[D, Any]], /, axis: int | None = 0, *, dtype: None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType](
        self, arrays: Sequence[Array[D, Any]], /, axis: int | None = 0, *, dtype: None = None
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(
        self, arrays: Sequence[X], /, axis: int | None = 0, *, dtype: DTypeOf[DT] | None = None
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfStacked:
    """`stack`."""

    @overload
    def __call__[D: DType](
        self, arrays: Sequence[Array[D, Any]], /, axis: int = 0, *, dtype: None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType](
        self, arrays: Sequence[Array[D, Any]], /, axis: int = 0, *, dtype: None = None
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, arrays: Sequence[X], /, axis: int = 0, *, dtype: DTypeOf[DT] | None = None) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfBeside:
    """`hstack`, `vstack`."""

    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /, *, dtype: None = None) -> Array[D]: ...
    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /, *, dtype: None = None) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, arrays: Sequence[X], /, *, dtype: DTypeOf[DT] | None = None) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfColumns:
    """`column_stack`, `dstack`."""

    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /) -> Array[D]: ...
    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X](self, arrays: Sequence[X], /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Beside = lambda function: OfBeside().__call__
    Columns = lambda function: OfColumns().__call__
    Joined = lambda function: OfJoined().__call__
    Stacked = lambda function: OfStacked().__call__
else:

    class Joined(OfJoined, Signature[P, R]): ...

    class Stacked(OfStacked, Signature[P, R]): ...

    class Beside(OfBeside, Signature[P, R]): ...

    class Columns(OfColumns, Signature[P, R]): ...
