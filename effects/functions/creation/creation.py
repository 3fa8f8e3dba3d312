"""Functions that create arrays: from numbers, from one number, from regular sequences.

An array with a shape is an operation (a broadcast scalar, an iota), never a constant of the whole size, so that staging
records how it is created. Results have strong types, also those of Python scalars.
"""

from __future__ import annotations

from collections.abc import Buffer, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, SupportsIndex

import numpy as np

from effects.arguments import flag, natural
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete, DeviceLike, concrete, on_device
from effects.arrays.promotion import as_array, convert, integer_or_array, scalar, to_dtype
from effects.errors import ArgumentError, DTypeError, EffaxError
from effects.functions.creation import nested_sequences
from effects.functions.manipulation import movement
from effects.operations.creation import Band, Iota
from effects.operations.elementwise import Convert
from effects.operations.movement import Broadcast
from effects.program.chain import current, perform
from effects.runtime.names import named
from effects.types import dtypes, shapes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, DTypeLike, DTypeOf, as_dtype
from effects.types.signatures.creation import AsArray, Filled, Full, FullLike, Like

if TYPE_CHECKING:
    from effects.arrays.foreign import SupportsArray
    from effects.arrays.operators import DT

type Nested = ArrayLike | SupportsArray | SupportsDLPack | Buffer | Sequence[Nested]
type Sizes = SupportsIndex | Sequence[SupportsIndex]

_SCALARS = (bool, int, float, complex)


class SupportsDLPack(Protocol):
    """An array of another library that can lend its elements."""

    def __dlpack__(self, *, stream: None = ...) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


@AsArray
def asarray(
    obj: Nested, /, dtype: DTypeLike | None = None, *, copy: bool | None = None, device: DeviceLike | None = None
) -> Array:
    """An array of a number, of nested sequences of numbers and arrays, of a NumPy array; an array itself.

    The dtype is `dtype`, or the common one of all elements; it is never weak for Python numbers. NumPy arrays are
    copied, since arrays are immutable; `copy=False` refuses that, and `copy=True` copies arrays, too. The result is
    moved to `device`, if given, as all that the functions here make. Raises ArgumentError for what is not a number or
    is out of the range of the dtype, and for ragged sequences.

    >>> import effects as fx
    >>> fx.asarray([[1, 2], [3, 4]])
    Array([[1, 2],
           [3, 4]], int64)
    """
    if device is not None:
        result: Array = asarray(obj, dtype=dtype, copy=copy)  # type: ignore[misc, arg-type]  # overloads are for callers
        return on_device(result, device)
    target = None if dtype is None else as_dtype(dtype)
    if copy is not None:
        copy = flag("asarray", "copy", copy)
    if isinstance(obj, Array):
        own = obj.__copy__() if copy else obj.now()
        return own if target is None else to_dtype(own, target, "asarray", "obj")
    if type(obj) in _SCALARS:
        return _own(scalar(obj, target or dtypes.default_of(type(obj)), argument="obj"))  # type: ignore[arg-type]  # a Python scalar
    if copy is False:
        raise ArgumentError(f"asarray: copy=False, but the elements of a {type(obj).__name__} must be copied")
    if isinstance(obj, list | tuple | range):
        return nested_sequences.of_sequence(obj, target, "asarray", "obj")
    if not isinstance(obj, np.ndarray | np.generic) and nested_sequences.foreign().is_foreign(obj):
        obj = nested_sequences.foreign().host_of(obj, "asarray", "obj")
    array = as_array(obj, "asarray", "obj")
    return _strong(array) if target is None else to_dtype(array, target, "asarray", "obj")


array = named(asarray, "array")
"""Another name of `asarray`."""


def _strong(x: Array) -> Array:
    return perform(Convert(x.aval.dtype, False, x)) if x.aval.weak_type else x


@Full
def full(
    shape: Sizes, fill_value: ArrayLike, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None
) -> Array:
    """An array of `shape` with every element `fill_value`, in its dtype unless `dtype` is given.

    >>> import effects as fx
    >>> fx.full((2,), 7)
    Array([7, 7], int64)
    """
    _check_one_tuple("full", shape, fill_value, dtype)
    sizes = shapes.static_shape("full", shape)
    if type(fill_value) in _SCALARS:
        kind = dtypes.default_of(type(fill_value)) if dtype is None else as_dtype(dtype)  # type: ignore[arg-type]  # a Python scalar
        return on_device(filled(sizes, fill_value, kind, "full"), device)  # type: ignore[arg-type]  # as above
    value = as_array(fill_value, "full", "fill_value")
    typed = _strong(value) if dtype is None else to_dtype(value, dtype, "full", "fill_value")
    return on_device(movement.broadcast_to(typed, sizes), device)


def filled(shape: tuple[int, ...], value: complex, dtype: type[DType], function: str) -> Array:
    """An array of equal numbers, for the public function `function`."""
    element = scalar(value, dtype, function=function, argument="fill_value")
    return perform(Broadcast(shape, (), element)) if shape else _own(element)


def _own(number: Concrete) -> Concrete:
    """A new array for a number outside of programs, in which it is a literal."""
    return number if current().recorded else concrete(number.host.view(), number.aval)


def _kind(function: str, shape: Sizes, dtype: DTypeLike | None) -> type[DType]:
    """The dtype of a filled array; the default float for None."""
    _check_one_tuple(function, shape, dtype, dtype)
    return dtypes.default_of(float) if dtype is None else as_dtype(dtype)


def _check_one_tuple(function: str, shape: object, size: object, dtype: object) -> None:
    """Refuse sizes as separate arguments, the last of which is passed as the dtype."""
    if isinstance(dtype, int | float | complex):
        sizes = ", ".join(map(str, (*shape, size) if isinstance(shape, tuple | list) else (shape, size)))
        value = "" if size is dtype else f", {dtype}"
        raise DTypeError(f"{function}: {dtype} is not a dtype; sizes are one tuple: write {function}(({sizes}){value})")


@Filled
def zeros(shape: Sizes, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None) -> Array:
    """An array of `shape` with every element 0, of the default float unless `dtype` is given.

    >>> import effects as fx
    >>> fx.zeros((2, 2))
    Array([[0., 0.],
           [0., 0.]], float64)
    """
    kind = _kind("zeros", shape, dtype)
    return on_device(filled(shapes.static_shape("zeros", shape), 0, kind, "zeros"), device)


def zeros_of(aval: ShapedArray) -> Array:
    """Zeros of a type."""
    return zeros(aval.shape, dtype=aval.dtype)


@Filled
def ones(shape: Sizes, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None) -> Array:
    """An array of `shape` with every element 1, of the default float unless `dtype` is given.

    >>> import effects as fx
    >>> fx.ones(2, dtype="int32")
    Array([1, 1], int32)
    """
    kind = _kind("ones", shape, dtype)
    return on_device(filled(shapes.static_shape("ones", shape), 1, kind, "ones"), device)


@Filled
def empty(shape: Sizes, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None) -> Array:
    """An array of `shape` whose elements mean nothing; they are zeros.

    >>> import effects as fx
    >>> fx.empty((2, 3)).shape
    (2, 3)
    """
    return zeros(shape, dtype=_kind("empty", shape, dtype), device=device)


def _as(
    function: str, x: ArrayLike, dtype: DTypeLike | None, shape: Sizes | None
) -> tuple[tuple[int, ...], type[DType]]:
    """The given shape and dtype, or those of x."""
    aval = as_array(x, function, "x").aval
    sizes = aval.shape if shape is None else shapes.static_shape(function, shape)
    return sizes, aval.dtype if dtype is None else as_dtype(dtype)


@FullLike
def full_like(
    x: ArrayLike,
    /,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    shape: Sizes | None = None,
    device: DeviceLike | None = None,
) -> Array:
    """An array with every element `fill_value`, of the shape and dtype of x where `shape` and `dtype` say no others.

    >>> import effects as fx
    >>> fx.full_like(fx.zeros(2), 7)
    Array([7., 7.], float64)
    """
    sizes, kind = _as("full_like", x, dtype, shape)
    return full(sizes, fill_value, dtype=kind, device=device)


@Like
def zeros_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, shape: Sizes | None = None, device: DeviceLike | None = None
) -> Array:
    """An array with every element 0, of the shape and dtype of x where `shape` and `dtype` do not say others.

    >>> import effects as fx
    >>> fx.zeros_like(fx.asarray([1, 2]))
    Array([0, 0], int64)
    """
    sizes, kind = _as("zeros_like", x, dtype, shape)
    return on_device(filled(sizes, 0, kind, "zeros_like"), device)


@Like
def ones_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, shape: Sizes | None = None, device: DeviceLike | None = None
) -> Array:
    """An array with every element 1, of the shape and dtype of x where `shape` and `dtype` do not say others.

    >>> import effects as fx
    >>> fx.ones_like(fx.asarray([1.5, 2.5]))
    Array([1., 1.], float64)
    """
    sizes, kind = _as("ones_like", x, dtype, shape)
    return on_device(filled(sizes, 1, kind, "ones_like"), device)


@Like
def empty_like(
    x: ArrayLike, /, dtype: DTypeLike | None = None, *, shape: Sizes | None = None, device: DeviceLike | None = None
) -> Array:
    """An array of the shape and dtype of x whose elements mean nothing; they are zeros.

    >>> import effects as fx
    >>> fx.empty_like(fx.ones(2)).shape
    (2,)
    """
    sizes, kind = _as("empty_like", x, dtype, shape)
    return on_device(filled(sizes, 0, kind, "empty_like"), device)


def iota(dtype: DTypeOf[DT], shape: Sizes, axis: int = 0) -> Array[DT]:
    """out[i₀, i₁, …] = i_axis, as `dtype`.

    >>> import effects as fx
    >>> fx.iota("int32", (2, 3), 1)
    Array([[0, 1, 2],
           [0, 1, 2]], int32)
    """
    sizes = shapes.static_shape("iota", shape)
    return perform(Iota(sizes, as_dtype(dtype), shapes.normalize_axis("iota", sizes, axis)))


def eye(
    N: int,
    M: int | None = None,
    k: SupportsIndex = 0,
    *,
    dtype: DTypeOf[DT] | None = None,
    device: DeviceLike | None = None,
) -> Array[DT]:
    """A matrix with ones on diagonal k (positive: above the main one) and zeros elsewhere; square without `M`.

    k may be an integer array whose value is not known.

    >>> import effects as fx
    >>> fx.eye(2)
    Array([[1., 0.],
           [0., 1.]], float64)
    """
    n = natural("eye", "N", N)
    m = n if M is None else natural("eye", "M", M)
    kind = dtypes.default_of(float) if dtype is None else as_dtype(dtype)
    return on_device(band("eye", n, m, k, kind, low=True, high=True), device)


def band(
    function: str, n: int, m: int, k: SupportsIndex, dtype: type[DType], *, low: bool = False, high: bool = False
) -> Array:
    """A matrix of ones and zeros: zeros below diagonal k if `low`, and above it if `high`.

    k may be an integer array whose value is not known.
    """
    offset = integer_or_array(function, "k", k)
    if not isinstance(offset, Array):
        offset = max(min(offset, m), -n)
        return perform(Band((n, m), offset if low else -n, offset if high else m, dtype))
    rows = iota(dtypes.int64, (n, 1), 0) + convert(offset, dtypes.int64)
    columns = iota(dtypes.int64, (1, m), 1)
    on = rows == columns if low and high else rows <= columns if low else rows >= columns
    return convert(on, dtype)


def from_dlpack(x: SupportsDLPack, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Array:
    """A copy of an array of another library, by DLPack, on `device` if given; an array of this one itself.

    The elements are copied, since the other library may write to its own; `copy=False` refuses that.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.from_dlpack(np.asarray([1.0, 2.0]))
    Array([1., 2.], float64)
    """
    if copy is not None:
        copy = flag("from_dlpack", "copy", copy)
    if isinstance(x, Array):
        return on_device(x.__copy__() if copy else x, device)
    if copy is False:
        raise ArgumentError(f"from_dlpack: copy=False, but the elements of a {type(x).__name__} must be copied")
    if isinstance(x, np.ndarray):  # it may be no plain array, such as a masked one
        return on_device(as_array(x, "from_dlpack", "x"), device)
    try:
        host = import_module("effects.arrays.dlpack").imported(x)
    except EffaxError:
        raise
    except Exception as error:  # any error of the other library
        class_name = type(x).__name__
        raise ArgumentError(
            f"from_dlpack: x of type {class_name} gives no elements: {error}; asarray(x) takes others"
        ) from None
    return on_device(as_array(host, "from_dlpack", "x"), device)
