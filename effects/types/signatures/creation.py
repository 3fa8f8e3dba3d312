"""Signatures of the functions that make arrays: a dtype class given as `dtype` is the dtype of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, overload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.functions.creation import Nested
    from effects.types.dtypes import DType, ForeignDType

    type Sizes = SupportsIndex | Sequence[SupportsIndex]


@overload
def asarray[D: DType, S: tuple[object, ...]](
    obj: Array[D, S], /, *, dtype: None = None, copy: bool | None = None, device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def asarray[D: DType, S: tuple[object, ...]](
    obj: Array[Any, S], /, *, dtype: type[D], copy: bool | None = None, device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def asarray[D: DType](
    obj: complex, /, *, dtype: type[D], copy: bool | None = None, device: DeviceLike | None = None
) -> Scalar[D]: ...
@overload
def asarray(
    obj: complex, /, *, dtype: ForeignDType | None = None, copy: bool | None = None, device: DeviceLike | None = None
) -> Scalar[Any]: ...
@overload
def asarray[D: DType](
    obj: Nested, /, *, dtype: type[D], copy: bool | None = None, device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def asarray(
    obj: Nested, /, *, dtype: ForeignDType | None = None, copy: bool | None = None, device: DeviceLike | None = None
) -> Array: ...
def asarray(obj: object, /, *, dtype: object = None, copy: object = None, device: object = None) -> NoReturn:
    """`asarray`."""
    raise NotImplementedError


@overload
def filled[D: DType](shape: tuple[()], *, dtype: type[D], device: DeviceLike | None = None) -> Scalar[D]: ...
@overload
def filled[D: DType](shape: Sizes, *, dtype: type[D], device: DeviceLike | None = None) -> Array[D]: ...
@overload
def filled(shape: tuple[()], *, dtype: ForeignDType | None = None, device: DeviceLike | None = None) -> Scalar[Any]: ...
@overload
def filled(shape: Sizes, *, dtype: ForeignDType | None = None, device: DeviceLike | None = None) -> Array: ...
def filled(shape: object, *, dtype: object = None, device: object = None) -> NoReturn:
    """`zeros`, `ones`, `empty`."""
    raise NotImplementedError


@overload
def full[D: DType](
    shape: Sizes, fill_value: ArrayLike, *, dtype: type[D], device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def full[D: DType](
    shape: Sizes, fill_value: Array[D, Any], *, dtype: None = None, device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def full(
    shape: Sizes, fill_value: ArrayLike, *, dtype: ForeignDType | None = None, device: DeviceLike | None = None
) -> Array: ...
def full(shape: object, fill_value: object, *, dtype: object = None, device: object = None) -> NoReturn:
    """`full`."""
    raise NotImplementedError


@overload
def like[D: DType, S: tuple[object, ...]](
    x: Array[D, S], /, *, dtype: None = None, device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def like[D: DType, S: tuple[object, ...]](
    x: Array[Any, S], /, *, dtype: type[D], device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def like[S: tuple[object, ...]](
    x: Array[Any, S], /, *, dtype: ForeignDType, device: DeviceLike | None = None
) -> Array[Any, S]: ...
@overload
def like[D: DType](x: complex | Foreign, /, *, dtype: type[D], device: DeviceLike | None = None) -> Array[D]: ...
@overload
def like(x: complex | Foreign, /, *, dtype: ForeignDType | None = None, device: DeviceLike | None = None) -> Array: ...
def like(x: object, /, *, dtype: object = None, device: object = None) -> NoReturn:
    """`zeros_like`, `ones_like`, `empty_like`."""
    raise NotImplementedError


@overload
def full_like[D: DType, S: tuple[object, ...]](
    x: Array[D, S], /, fill_value: ArrayLike, *, dtype: None = None, device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def full_like[D: DType, S: tuple[object, ...]](
    x: Array[Any, S], /, fill_value: ArrayLike, *, dtype: type[D], device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def full_like(
    x: ArrayLike, /, fill_value: ArrayLike, *, dtype: ForeignDType, device: DeviceLike | None = None
) -> Array: ...
@overload
def full_like(
    x: complex | Foreign,
    /,
    fill_value: ArrayLike,
    *,
    dtype: type[DType] | None = None,
    device: DeviceLike | None = None,
) -> Array: ...
def full_like(x: object, /, fill_value: object, *, dtype: object = None, device: object = None) -> NoReturn:
    """`full_like`."""
    raise NotImplementedError


@overload
def arange[D: DType](
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: type[D], device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: ForeignDType | None = None,
    device: DeviceLike | None = None,
) -> Array: ...
def arange(
    start: object, /, stop: object = None, step: object = 1, *, dtype: object = None, device: object = None
) -> NoReturn:
    """`arange`."""
    raise NotImplementedError


@overload
def iota[D: DType](dtype: type[D], shape: Sizes, axis: int = 0) -> Array[D]: ...
@overload
def iota(dtype: ForeignDType, shape: Sizes, axis: int = 0) -> Array: ...
def iota(dtype: object, shape: object, axis: object = 0) -> NoReturn:
    """`iota`."""
    raise NotImplementedError


@overload
def eye[D: DType](
    n_rows: int, n_cols: int | None = None, /, *, k: SupportsIndex = 0, dtype: type[D], device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: SupportsIndex = 0,
    dtype: ForeignDType | None = None,
    device: DeviceLike | None = None,
) -> Array: ...
def eye(
    n_rows: object, n_cols: object = None, /, *, k: object = 0, dtype: object = None, device: object = None
) -> NoReturn:
    """`eye`."""
    raise NotImplementedError


@overload
def linspace[D: DType](
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int,
    *,
    dtype: type[D],
    endpoint: bool = True,
    device: DeviceLike | None = None,
) -> Array[D]: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    /,
    num: int,
    *,
    dtype: ForeignDType | None = None,
    endpoint: bool = True,
    device: DeviceLike | None = None,
) -> Array: ...
def linspace(
    start: object, stop: object, /, num: object, *, dtype: object = None, endpoint: object = True, device: object = None
) -> NoReturn:
    """`linspace`."""
    raise NotImplementedError


def moved[D: DType, S: tuple[object, ...]](
    x: Array[D, S], device: DeviceLike, /, *, stream: None = None
) -> Array[D, S]:
    """`to_device`."""
    raise NotImplementedError
