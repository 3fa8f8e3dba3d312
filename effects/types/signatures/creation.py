"""Signatures of the functions that make arrays: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.functions.creation.creation import Nested
    from effects.types.dtypes import DType, ForeignDType

    type Sizes = SupportsIndex | Sequence[SupportsIndex]


class OfAsArray:
    """`asarray`."""

    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, obj: Array[D, S], /, dtype: None = None, *, copy: bool | None = None, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, obj: Array[Any, S], /, dtype: type[D], *, copy: bool | None = None, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType](
        self, obj: complex, /, dtype: type[D], *, copy: bool | None = None, device: DeviceLike | None = None
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self,
        obj: complex,
        /,
        dtype: ForeignDType | None = None,
        *,
        copy: bool | None = None,
        device: DeviceLike | None = None,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](
        self, obj: Nested, /, dtype: type[D], *, copy: bool | None = None, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        obj: Nested,
        /,
        dtype: ForeignDType | None = None,
        *,
        copy: bool | None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(self, obj: object, /, dtype: object = None, *, copy: object = None, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfFilled:
    """`zeros`, `ones`, `empty`."""

    @overload
    def __call__[D: DType](
        self, shape: tuple[()], dtype: type[D], *, device: DeviceLike | None = None
    ) -> Scalar[D]: ...
    @overload
    def __call__[D: DType](self, shape: Sizes, dtype: type[D], *, device: DeviceLike | None = None) -> Array[D]: ...
    @overload
    def __call__(
        self, shape: tuple[()], dtype: ForeignDType | None = None, *, device: DeviceLike | None = None
    ) -> Scalar[Any]: ...
    @overload
    def __call__(
        self, shape: Sizes, dtype: ForeignDType | None = None, *, device: DeviceLike | None = None
    ) -> Array: ...
    def __call__(self, shape: object, dtype: object = None, *, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfFull:
    """`full`."""

    @overload
    def __call__[D: DType](
        self, shape: Sizes, fill_value: ArrayLike, dtype: type[D], *, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType](
        self, shape: Sizes, fill_value: Array[D, Any], dtype: None = None, *, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        shape: Sizes,
        fill_value: ArrayLike,
        dtype: ForeignDType | None = None,
        *,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(self, shape: object, fill_value: object, dtype: object = None, *, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfLike:
    """`zeros_like`, `ones_like`, `empty_like`."""

    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[D, S], /, dtype: None = None, *, shape: None = None, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[Any, S], /, dtype: type[D], *, shape: None = None, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[S: tuple[object, ...]](
        self, x: Array[Any, S], /, dtype: ForeignDType, *, shape: None = None, device: DeviceLike | None = None
    ) -> Array[Any, S]: ...
    @overload
    def __call__[D: DType](
        self, x: complex | Foreign, /, dtype: type[D], *, shape: None = None, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        x: complex | Foreign,
        /,
        dtype: ForeignDType | None = None,
        *,
        shape: None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    @overload
    def __call__[D: DType](
        self, x: ArrayLike, /, dtype: type[D], *, shape: Sizes, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[D, S], /, dtype: None = None, *, shape: Sizes, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, dtype: ForeignDType | None = None, *, shape: Sizes, device: DeviceLike | None = None
    ) -> Array: ...
    def __call__(self, x: object, /, dtype: object = None, *, shape: object = None, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfFullLike:
    """`full_like`."""

    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self,
        x: Array[D, S],
        /,
        fill_value: ArrayLike,
        dtype: None = None,
        *,
        shape: None = None,
        device: DeviceLike | None = None,
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self,
        x: Array[Any, S],
        /,
        fill_value: ArrayLike,
        dtype: type[D],
        *,
        shape: None = None,
        device: DeviceLike | None = None,
    ) -> Array[D, S]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        fill_value: ArrayLike,
        dtype: ForeignDType,
        *,
        shape: None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        x: complex | Foreign,
        /,
        fill_value: ArrayLike,
        dtype: type[DType] | None = None,
        *,
        shape: None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    @overload
    def __call__[D: DType](
        self, x: ArrayLike, /, fill_value: ArrayLike, dtype: type[D], *, shape: Sizes, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self,
        x: Array[D, S],
        /,
        fill_value: ArrayLike,
        dtype: None = None,
        *,
        shape: Sizes,
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        fill_value: ArrayLike,
        dtype: ForeignDType | None = None,
        *,
        shape: Sizes,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self, x: object, /, fill_value: object, dtype: object = None, *, shape: object = None, device: object = None
    ) -> NoReturn:
        raise NotImplementedError


def moved[D: DType, S: tuple[object, ...]](
    x: Array[D, S], device: DeviceLike, /, *, stream: None = None
) -> Array[D, S]:
    """`to_device`."""
    raise NotImplementedError


if MYPY:
    AsArray = lambda function: OfAsArray().__call__
    Filled = lambda function: OfFilled().__call__
    Full = lambda function: OfFull().__call__
    Like = lambda function: OfLike().__call__
    FullLike = lambda function: OfFullLike().__call__
else:

    class AsArray(OfAsArray, Signature[P, R]):
        pass

    class Filled(OfFilled, Signature[P, R]):
        pass

    class Full(OfFull, Signature[P, R]):
        pass

    class Like(OfLike, Signature[P, R]):
        pass

    class FullLike(OfFullLike, Signature[P, R]):
        pass
