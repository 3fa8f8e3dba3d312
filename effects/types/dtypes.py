"""Element types: one class per dtype.

`fx.float32` is one object with three uses: the class in annotations (`Array[fx.float32, ...]`), the `dtype=`
argument, and what `x.dtype` is; `numpy.dtype(fx.float32)` works. The classes form a tree, so that a signature can ask
for `Inexact`.
"""

from __future__ import annotations

import builtins
from contextlib import ContextDecorator
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, Literal, Self

import numpy as np

from effects.arguments import shown
from effects.errors import ArgumentError, DTypeError
from effects.runtime.cpython.extent import setting
from effects.types.elements import *

ALL: Final[tuple[type[DType], ...]] = (
    *(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float16, bfloat16, float32, float64, complex64, complex128),
    *(float8_e4m3fn, float8_e5m2, float8_e4m3b11fnuz, float8_e4m3fnuz, float8_e5m2fnuz),
)
INEXACT: Final[frozenset[type[DType]]] = frozenset(d for d in ALL if issubclass(d, Floating | Complex))
BY_NUMPY: Final[dict[np.dtype[np.generic], type[DType]]] = {d.dtype: d for d in ALL}
NARROW: Final[frozenset[type[DType]]] = frozenset(d for d in ALL if issubclass(d, Floating) and d.dtype.itemsize < 4)
"""The floats of 16 and 8 bits: values are kept in them, and what takes more than one rounding (a sum, a product of
matrices, a transcendental function) is computed in float32 and rounded once, evaluated and compiled alike."""

WEAK_OF: Final[dict[type, type[DType]]] = {builtins.bool: bool_, int: int64, float: float64, complex: complex128}
"""Dtypes that Python scalars count as beside an array; only the kind matters."""

_PYTHON_TYPES: Final[dict[type, type[complex]]] = {kind: kind for kind in (builtins.bool, int, float, complex)}

type DTypeLike = type[DType] | ForeignDType
type DTypeOf[D: DType] = type[D] | ForeignDType
"""A dtype that is said again by the type of what is made."""
type ForeignDType = np.dtype[Any] | type[np.generic] | type[complex] | Named
"""Other libraries' names of dtypes. Of a name that only the run knows, `numpy.dtype(name)` makes one that may be
passed.
"""

type Named = (
    Literal["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    | Literal["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
    | Literal["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz"]
)

_default_float: Final[ContextVar[type[Floating]]] = ContextVar("default_float")
current_default_float: Final = partial(_default_float.get, float64)
"""`current_default_float()` is the dtype of a Python float that stands alone here.

It is that of the block, else that of the process, the argument of the partial: calls of jitted functions need no frame.
"""


def as_dtype(dtype: DTypeLike | str) -> type[DType]:
    """The dtype class of anything that names a dtype: a class, a NumPy dtype or scalar type, `float`, a string.

    >>> as_dtype("float32"), as_dtype(np.int8), as_dtype(bool)
    (float32, int8, bool)
    """
    if dtype is None:  # NumPy would read it as float64
        raise DTypeError("None is not a dtype; leave the argument out for the default")
    if isinstance(dtype, type):
        if issubclass(dtype, DType):
            if not hasattr(dtype, "dtype"):
                raise DTypeError(f"{dtype} is a family of dtypes; name one of its members, such as float32")
            return dtype
        if (kind := _PYTHON_TYPES.get(dtype)) is not None:
            return default_of(kind)
    if isinstance(dtype, int):
        raise DTypeError(f"{dtype} is not a dtype; several sizes are one tuple, as in zeros((3, {dtype}))")
    try:
        value: object = dtype
        several = isinstance(value, tuple) or hasattr(type(value), "__array__")  # in which NumPy looks for dtypes
        return BY_NUMPY[np.dtype(object if several else dtype)]
    except Exception:  # whatever NumPy says of it
        names = ", ".join(map(str, ALL))
        raise DTypeError(f"{shown(dtype)} is not a dtype that arrays can have; the dtypes are {names}") from None


def default_of(kind: type[complex]) -> type[DType]:
    """The dtype of a Python scalar of type `kind` that stands alone; for complex numbers as wide as floats are."""
    if kind is float:
        return current_default_float()
    if kind is int:
        return int64
    if kind is builtins.bool:
        return bool_
    return complex128 if current_default_float() is float64 else complex64


class default_float(setting[type[Floating]], ContextDecorator):
    """Within the `with` block, Python floats alone and dtype-less creation functions give `dtype`.

    `default_float.set(dtype)` does so for the process, all threads included, from there on; blocks lie over it.
    Raises ArgumentError for what is no real floating dtype.

    >>> import effects as fx
    >>> with fx.default_float(fx.float32):
    ...     fx.zeros(3).dtype
    float32
    >>> fx.default_float.set(fx.float32)
    >>> fx.zeros(3).dtype
    float32
    >>> fx.default_float.set(fx.float64)
    """

    def __init__(self, dtype: DTypeLike) -> None:
        super().__init__(_default_float, _real_floating("default_float", dtype))

    @staticmethod
    def set(dtype: DTypeLike) -> None:
        """Make `dtype` the default of the process."""
        named = _real_floating("default_float.set", dtype)
        current_default_float.__setstate__((_default_float.get, (named,), {}, {}))  # type: ignore[attr-defined]  # it is

    def __enter__(self) -> None:
        self._before = (current_default_float(),)
        self._token = self._variable.set(self._value)

    def _recreate_cm(self) -> Self:
        return type(self)(self._value)  # a function that this decorates may be called anew while it runs


def _real_floating(function: str, dtype: DTypeLike) -> type[Floating]:
    named = as_dtype(dtype)
    if not issubclass(named, Floating):
        raise ArgumentError(f"{function} takes a real floating dtype such as float32, got {shown(dtype)}")
    return named


def floating_or_default(function: str, dtype: DTypeLike | None) -> type[Floating]:
    """The dtype of what a function creates, the default float for None; DTypeError unless it is of real numbers."""
    named = current_default_float() if dtype is None else as_dtype(dtype)
    if not issubclass(named, Floating):
        raise DTypeError(f"{function}: dtype must be of real floating point, got {named}")
    return named


def integer_dtype(function: str, dtype: DTypeLike) -> type[Integer]:
    """The dtype of what a function creates; DTypeError unless it is of integers."""
    named = as_dtype(dtype)
    if not issubclass(named, Integer):
        raise DTypeError(f"{function}: dtype must be of integers, got {named}")
    return named


def real_of(dtype: type[DType]) -> type[DType]:
    """The dtype of the real and imaginary parts of `dtype`; a real dtype itself."""
    return float32 if dtype is complex64 else float64 if dtype is complex128 else dtype


def is_inexact(dtype: type[DType]) -> bool:
    """Return True if values of `dtype` have tangents: real and complex floating point."""
    return dtype in INEXACT
