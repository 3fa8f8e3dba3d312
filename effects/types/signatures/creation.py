"""Signatures of the functions that make arrays: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.functions.creation import Nested
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
        self, x: Array[D, S], /, dtype: None = None, *, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[Any, S], /, dtype: type[D], *, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[S: tuple[object, ...]](
        self, x: Array[Any, S], /, dtype: ForeignDType, *, device: DeviceLike | None = None
    ) -> Array[Any, S]: ...
    @overload
    def __call__[D: DType](
        self, x: complex | Foreign, /, dtype: type[D], *, device: DeviceLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: complex | Foreign, /, dtype: ForeignDType | None = None, *, device: DeviceLike | None = None
    ) -> Array: ...
    def __call__(self, x: object, /, dtype: object = None, *, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfFullLike:
    """`full_like`."""

    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[D, S], /, fill_value: ArrayLike, dtype: None = None, *, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...]](
        self, x: Array[Any, S], /, fill_value: ArrayLike, dtype: type[D], *, device: DeviceLike | None = None
    ) -> Array[D, S]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, fill_value: ArrayLike, dtype: ForeignDType, *, device: DeviceLike | None = None
    ) -> Array: ...
    @overload
    def __call__(
        self,
        x: complex | Foreign,
        /,
        fill_value: ArrayLike,
        dtype: type[DType] | None = None,
        *,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(self, x: object, /, fill_value: object, dtype: object = None, *, device: object = None) -> NoReturn:
        raise NotImplementedError


class OfARange:
    """`arange`."""

    @overload
    def __call__[D: DType](
        self,
        start: float,
        /,
        stop: float | None = None,
        step: float = 1,
        *,
        dtype: type[D],
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        start: float,
        /,
        stop: float | None = None,
        step: float = 1,
        *,
        dtype: ForeignDType | None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self, start: object, /, stop: object = None, step: object = 1, *, dtype: object = None, device: object = None
    ) -> NoReturn:
        raise NotImplementedError


class OfCounted:
    """`iota`."""

    @overload
    def __call__[D: DType](self, dtype: type[D], shape: Sizes, axis: int = 0) -> Array[D]: ...
    @overload
    def __call__(self, dtype: ForeignDType, shape: Sizes, axis: int = 0) -> Array: ...
    def __call__(self, dtype: object, shape: object, axis: object = 0) -> NoReturn:
        raise NotImplementedError


class OfEye:
    """`eye`."""

    @overload
    def __call__[D: DType](
        self,
        n_rows: int,
        n_cols: int | None = None,
        /,
        k: SupportsIndex = 0,
        *,
        dtype: type[D],
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        n_rows: int,
        n_cols: int | None = None,
        /,
        k: SupportsIndex = 0,
        *,
        dtype: ForeignDType | None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self, n_rows: object, n_cols: object = None, /, k: object = 0, *, dtype: object = None, device: object = None
    ) -> NoReturn:
        raise NotImplementedError


class OfLinSpace:
    """`linspace`."""

    @overload
    def __call__[D: DType](
        self,
        start: ArrayLike,
        stop: ArrayLike,
        /,
        num: int = 50,
        endpoint: bool = True,
        *,
        dtype: type[D],
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        start: ArrayLike,
        stop: ArrayLike,
        /,
        num: int = 50,
        endpoint: bool = True,
        *,
        dtype: ForeignDType | None = None,
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self,
        start: object,
        stop: object,
        /,
        num: object = 50,
        endpoint: object = True,
        *,
        dtype: object = None,
        axis: object = 0,
        device: object = None,
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
    ARange = lambda function: OfARange().__call__
    Counted = lambda function: OfCounted().__call__
    Eye = lambda function: OfEye().__call__
    LinSpace = lambda function: OfLinSpace().__call__
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

    class ARange(OfARange, Signature[P, R]):
        pass

    class Counted(OfCounted, Signature[P, R]):
        pass

    class Eye(OfEye, Signature[P, R]):
        pass

    class LinSpace(OfLinSpace, Signature[P, R]):
        pass
