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


class OfJoined(Signature[P, R]):
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


class OfStacked(Signature[P, R]):
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


class OfBeside(Signature[P, R]):
    """`hstack`, `vstack`."""

    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /, *, dtype: None = None) -> Array[D]: ...
    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /, *, dtype: None = None) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, arrays: Sequence[X], /, *, dtype: DTypeOf[DT] | None = None) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfColumns(Signature[P, R]):
    """`column_stack`, `dstack`."""

    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /) -> Array[D]: ...
    @overload
    def __call__[D: DType](self, arrays: Sequence[Array[D, Any]], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X](self, arrays: Sequence[X], /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Beside = lambda function: OfBeside(function).__call__
    Columns = lambda function: OfColumns(function).__call__
    Joined = lambda function: OfJoined(function).__call__
    Stacked = lambda function: OfStacked(function).__call__
else:
    Beside = OfBeside
    Columns = OfColumns
    Joined = OfJoined
    Stacked = OfStacked
