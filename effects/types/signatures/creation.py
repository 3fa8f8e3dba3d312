"""Signatures of the functions that make arrays: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypedDict, Unpack, overload

from effects.types.signatures import MYPY, P, R, S, Shape, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.arrays.operators import DT, Sh
    from effects.functions.creation.creation import Nested
    from effects.types.dtypes import DType, DTypeLike, DTypeOf, ForeignDType
    from effects.types.signatures.refused import NoArray, NoDType, NoFlag, NoInteger, NoSizes

    type Sizes = SupportsIndex | Sequence[SupportsIndex]


class Placed(TypedDict, total=False):
    """Options of the place where an array is created."""

    device: DeviceLike | None


class Copied(Placed, total=False):
    """Options of copying an array that is one already."""

    copy: bool | None


class Along(Placed, total=False):
    """The axis of a sequence, too."""

    axis: int


class OfAsArray(Signature[P, R]):
    """`asarray`. Overloads without a dtype have no type variable for it, so that `map(asarray, …)` is solved."""

    @overload
    def __call__[D: DType, S: Shape](
        self, obj: Array[D, S], /, dtype: None = None, **options: Unpack[Copied]
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape](
        self, obj: Array[Any, S], /, dtype: type[D], **options: Unpack[Copied]
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType](self, obj: complex, /, dtype: type[D], **options: Unpack[Copied]) -> Scalar[D]: ...
    @overload
    def __call__(
        self, obj: complex, /, dtype: ForeignDType | None = None, **options: Unpack[Copied]
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](self, obj: Nested, /, dtype: type[D], **options: Unpack[Copied]) -> Array[D]: ...
    @overload
    def __call__(
        self, obj: Nested, /, dtype: ForeignDType | NoDType | None = None, **options: Unpack[Copied]
    ) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFilled(Signature[P, R]):
    """`zeros`, `ones`, `empty`."""

    @overload
    def __call__(self, shape: tuple[()], dtype: DTypeOf[DT] | None = None, **options: Unpack[Placed]) -> Scalar[DT]: ...
    @overload
    def __call__(
        self, shape: Sizes | NoSizes, dtype: DTypeOf[DT] | NoDType | None = None, **options: Unpack[Placed]
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFull(Signature[P, R]):
    """`full`."""

    @overload
    def __call__[D: DType](
        self, shape: Sizes, fill_value: Array[D, Any], dtype: None = None, *, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, shape: Sizes, fill_value: ArrayLike, dtype: DTypeOf[DT] | None = None, *, device: DeviceLike | None = None
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfLike(Signature[P, R]):
    """`zeros_like`, `ones_like`, `empty_like`."""

    @overload
    def __call__[D: DType, S: Shape](
        self, x: Array[D, S], /, dtype: None = None, *, shape: None = None, **options: Unpack[Placed]
    ) -> Array[D, S]: ...
    @overload
    def __call__(
        self, x: Array[Any, Sh], /, dtype: DTypeOf[DT], *, shape: None = None, **options: Unpack[Placed]
    ) -> Array[DT, Sh]: ...
    @overload
    def __call__(
        self,
        x: complex | Foreign,
        /,
        dtype: DTypeOf[DT] | None = None,
        *,
        shape: Sizes | None = None,
        **options: Unpack[Placed],
    ) -> Array[DT]: ...
    @overload
    def __call__[D: DType, S: Shape](
        self, x: Array[D, S], /, dtype: None = None, *, shape: Sizes, **options: Unpack[Placed]
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: Array[Any, S], /, dtype: DTypeOf[DT], *, shape: Sizes, **options: Unpack[Placed]
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFullLike(Signature[P, R]):
    """`full_like`."""

    @overload
    def __call__[D: DType, S: Shape](
        self,
        x: Array[D, S],
        /,
        fill_value: ArrayLike,
        dtype: None = None,
        *,
        shape: None = None,
        **options: Unpack[Placed],
    ) -> Array[D, S]: ...
    @overload
    def __call__(
        self,
        x: Array[Any, Sh],
        /,
        fill_value: ArrayLike,
        dtype: DTypeOf[DT],
        *,
        shape: None = None,
        **options: Unpack[Placed],
    ) -> Array[DT, Sh]: ...
    @overload
    def __call__(
        self,
        x: complex | Foreign,
        /,
        fill_value: ArrayLike,
        dtype: DTypeOf[DT] | None = None,
        *,
        shape: Sizes | None = None,
        **options: Unpack[Placed],
    ) -> Array[DT]: ...
    @overload
    def __call__[D: DType, S: Shape](
        self, x: Array[D, S], /, fill_value: ArrayLike, dtype: None = None, *, shape: Sizes, **options: Unpack[Placed]
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: Array[Any, S], /, fill_value: ArrayLike, dtype: DTypeOf[DT], *, shape: Sizes, **options: Unpack[Placed]
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfLinSpace(Signature[P, R]):
    """`linspace`."""

    @overload
    def __call__(
        self,
        start: ArrayLike | NoArray,
        stop: ArrayLike | NoArray,
        num: int | NoInteger = 50,
        endpoint: bool | NoFlag = True,
        retstep: Literal[False] = False,
        *,
        dtype: DTypeOf[DT] | None = None,
        **options: Unpack[Along],
    ) -> Array[DT]: ...
    @overload
    def __call__(
        self,
        start: ArrayLike,
        stop: ArrayLike,
        num: int = 50,
        endpoint: bool = True,
        retstep: Literal[True] = ...,
        *,
        dtype: DTypeLike | None = None,
        **options: Unpack[Along],
    ) -> tuple[Array, Array]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


def moved[D: DType, S: Shape](x: Array[D, S], device: DeviceLike, /, *, stream: None = None) -> Array[D, S]:
    """`to_device`."""
    raise NotImplementedError


if MYPY:
    AsArray = lambda function: OfAsArray(function).__call__
    Filled = lambda function: OfFilled(function).__call__
    Full = lambda function: OfFull(function).__call__
    Like = lambda function: OfLike(function).__call__
    FullLike = lambda function: OfFullLike(function).__call__
    LinSpace = lambda function: OfLinSpace(function).__call__
else:
    AsArray = OfAsArray
    Filled = OfFilled
    Full = OfFull
    Like = OfLike
    FullLike = OfFullLike
    LinSpace = OfLinSpace
