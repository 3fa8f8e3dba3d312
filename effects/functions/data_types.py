"""Questions about dtypes: their limits, their kinds, what they convert to. No array is computed here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from effects.arguments import choice, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import DeviceLike, backend
from effects.arrays.promotion import as_array, common_type as common
from effects.errors import ArgumentError, DeviceError, DTypeError
from effects.types import dtypes, promotion
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType, DTypeLike


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """The limits of a floating dtype; `dtype` is the real one also for complex numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: type[DType]


@dataclass(frozen=True, slots=True)
class IntInfo:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: type[DType]


def _dtype_of(dtype_or_array: DTypeLike | ArrayLike) -> type[DType]:
    return dtype_or_array.aval.dtype if isinstance(dtype_or_array, Array) else dtypes.as_dtype(dtype_or_array)  # type: ignore[arg-type]  # raises


def finfo(dtype: DTypeLike | Array, /) -> FloatInfo:
    """The limits of a floating dtype, or of an array's; those of the parts for complex numbers.

    >>> import effects as fx
    >>> fx.finfo("float32").eps
    1.1920928955078125e-07
    """
    kind = dtypes.real_of(_dtype_of(dtype))
    if not issubclass(kind, dtypes.Floating):
        raise DTypeError(f"finfo takes a floating dtype, got {kind}; integers have iinfo")
    info = dtypes.ml_dtypes.finfo(kind.dtype)
    return FloatInfo(
        int(info.bits), float(info.eps), float(info.max), float(info.min), float(info.smallest_normal), kind
    )


def iinfo(dtype: DTypeLike | Array, /) -> IntInfo:
    """The limits of an integer dtype, or of an array's.

    >>> import effects as fx
    >>> fx.iinfo("int8").max
    127
    """
    kind = _dtype_of(dtype)
    if not issubclass(kind, dtypes.Integer):
        raise DTypeError(f"iinfo takes an integer dtype, got {kind}; floats have finfo")
    info: np.iinfo[np.integer] = np.iinfo(kind.dtype)
    return IntInfo(info.bits, int(info.max), int(info.min), kind)


type Kind = Literal[
    "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"
]
_KINDS: dict[str, tuple[type[DType], ...]] = {
    "bool": (dtypes.bool_,),
    "signed integer": (dtypes.Signed,),
    "unsigned integer": (dtypes.Unsigned,),
    "integral": (dtypes.Integer,),
    "real floating": (dtypes.Floating,),
    "complex floating": (dtypes.Complex,),
    "numeric": (dtypes.Num,),
}


def isdtype(dtype: DTypeLike, kind: DTypeLike | Kind | tuple[DTypeLike | Kind, ...]) -> bool:
    """Test whether `dtype` is of a kind: a dtype, a family such as `Floating`, a name of the standard, or a tuple of
    these.

    The names are "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" and
    "numeric".

    >>> import effects as fx
    >>> fx.isdtype("float32", "real floating"), fx.isdtype("float32", ("integral", "float64"))
    (True, False)
    """
    own = dtypes.as_dtype(dtype)
    if isinstance(kind, tuple):
        return any([isdtype(own, k) for k in kind])
    if isinstance(kind, str) and kind in _KINDS:
        return issubclass(own, _KINDS[kind])
    if isinstance(kind, type) and issubclass(kind, DType):
        return issubclass(own, kind)
    return own is dtypes.as_dtype(kind)


def result_type(*arrays_and_dtypes: ArrayLike | DTypeLike) -> type[DType]:
    """The dtype that arrays, Python numbers and dtypes meet in, in whichever order they are given.

    It is NumPy's, except that floats narrower than float32 keep their dtype beside integers. Raises DTypeError for
    different float8 dtypes without a wider one beside them.

    >>> import effects as fx
    >>> fx.result_type("float32", 1.0), fx.result_type("int8", "uint8"), fx.result_type("bfloat16", "int64")
    (float32, int16, bfloat16)
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: needs at least one array or dtype")
    avals = [
        as_array(each, "result_type", f"arrays_and_dtypes[{i}]").aval
        if isinstance(each, Array | int | float | complex | np.ndarray | np.generic)
        else ShapedArray((), dtypes.as_dtype(each))
        for i, each in enumerate(arrays_and_dtypes)
    ]
    return common(avals)[0]


def common_type(*arrays: ArrayLike) -> type[DType]:
    """The floating dtype that arrays meet in, where integers count as float64. Bools are refused.

    >>> import effects as fx
    >>> import numpy as np
    >>> fx.common_type(np.float32(1), np.complex64(1)), fx.common_type(np.int8(1), np.float32(1))
    (complex64, float64)
    """
    avals = []
    for i, value in enumerate(arrays):
        aval = as_array(value, "common_type", f"arrays[{i}]").aval
        if aval.dtype is dtypes.bool_:
            raise DTypeError(f"common_type: arrays[{i}] must be of numbers, got {aval}")
        avals.append(aval if dtypes.is_inexact(aval.dtype) else ShapedArray((), dtypes.float64))
    return common(avals)[0] if avals else dtypes.float16


def can_cast(from_: DTypeLike | Array, to: DTypeLike) -> bool:
    """Test whether the promotion rules turn `from_` (a dtype or an array) into `to` where the two meet.

    >>> import effects as fx
    >>> fx.can_cast("int32", "float64"), fx.can_cast("int64", "int32")
    (True, False)
    """
    source, target = _dtype_of(from_), dtypes.as_dtype(to)
    try:
        return promotion.promote(source, target) is target
    except DTypeError:
        return False


class NamespaceInfo:
    """Inspection of the library by the Array API standard: `__array_namespace_info__()` gives it."""

    def capabilities(self) -> dict[str, bool | int]:
        """Optional features: results whose shape depends on values need `size=` under `jit` and `vmap`, where values
        are not known.

        NumPy's greatest rank is that of all arrays.

        >>> import effects as fx
        >>> fx.NamespaceInfo().capabilities()
        {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 64}
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Device on which arrays are created."""
        return self.devices()[0]

    def devices(self) -> tuple[str, ...]:
        """Names that `device=` and `to_device` accept."""
        return tuple(backend().device_names())

    def default_dtypes(self, *, device: DeviceLike | None = None) -> dict[str, type[DType]]:
        """The dtypes of numbers that stand alone, as `default_float` says; they are the same on every device.

        >>> import effects as fx
        >>> fx.NamespaceInfo().default_dtypes()["integral"]
        int64
        """
        _check_device("default_dtypes", device)
        kinds = {"real floating": float, "complex floating": complex, "integral": int, "indexing": int}
        return {name: dtypes.default_of(kind) for name, kind in kinds.items()}

    def dtypes(
        self, *, device: DeviceLike | None = None, kind: Kind | tuple[Kind, ...] | None = None
    ) -> dict[str, type[DType]]:
        """The dtypes of the standard by name, of one kind or several as `isdtype` knows them.

        >>> import effects as fx
        >>> fx.NamespaceInfo().dtypes(kind="real floating")
        {'float32': float32, 'float64': float64}
        """
        _check_device("dtypes", device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for kind_ in kinds:
            if kind_ is not None:
                choice("dtypes", "kind", kind_, Kind)
        return {d.name: d for d in _STANDARD if kind is None or isdtype(d, kind)}


def _check_device(function: str, device: DeviceLike | None) -> None:
    names = backend().device_names()
    name = getattr(device, "name", device)
    if name is not None and not (isinstance(name, str) and name in names):
        raise DeviceError(f"{function}: device must be one of {', '.join(names)}, got {shown(device)}")


_STANDARD = (
    *(dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    *(dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128),
)


def __array_namespace_info__() -> NamespaceInfo:
    """Capabilities of the library, in the form of the Array API standard.

    >>> __array_namespace_info__().devices()
    ('cpu:0',)
    """
    return NamespaceInfo()
