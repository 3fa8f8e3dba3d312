"""DLPack, by which arrays of several libraries share memory: NumPy's, and for the dtypes that NumPy has not as well.

Memory of a dtype that NumPy lacks passes through NumPy as integers of its size. The capsule's type code is one byte; it
is corrected on export and read on import.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from typing_extensions import CapsuleType

from effects.arrays.concrete import Host
from effects.types import dtypes

_CODES: Final = {
    dtypes.bfloat16.dtype: 4,
    dtypes.float8_e4m3b11fnuz.dtype: 9,
    dtypes.float8_e4m3fn.dtype: 10,
    dtypes.float8_e4m3fnuz.dtype: 11,
    dtypes.float8_e5m2.dtype: 12,
    dtypes.float8_e5m2fnuz.dtype: 13,
}
"""Type codes of the DLPack protocol for dtypes that NumPy does not have."""
_BY_CODE: Final = {code: dtype for dtype, code in _CODES.items()}
_WHOLE: Final = 1
"""Type code of unsigned integers."""

_KINDS: Final = ((b"dltensor_versioned", 32), (b"dltensor", 0))
"""The names of capsules, and the offset of the tensor: after version, context, deleter and flags, or 0."""
_DTYPE: Final = 20
"""Offset of the dtype in a tensor, after a pointer and three numbers of four bytes."""

_is: Final = ctypes.pythonapi.PyCapsule_IsValid
_is.argtypes, _is.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_address: Final = ctypes.pythonapi.PyCapsule_GetPointer
_address.argtypes, _address.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


def _code(capsule: object) -> ctypes.c_uint8 | None:
    """The byte of a capsule with the type code of its elements; None if it is no such capsule."""
    for name, begin in _KINDS:
        if _is(capsule, name):
            return ctypes.c_uint8.from_address(_address(capsule, name) + begin + _DTYPE)
    return None


def exported(host: Host, options: dict[str, Any]) -> CapsuleType:
    """A capsule of the elements of a NumPy array."""
    code = _CODES.get(host.dtype)
    if code is None:
        return host.__dlpack__(**options)
    capsule = host.view(f"u{host.itemsize}").__dlpack__(**options)
    named = _code(capsule)
    assert named is not None
    named.value = code
    return capsule


class _Whole:
    """An array of another library for NumPy, with elements as integers if NumPy lacks their dtype."""

    def __init__(self, x: Any) -> None:
        self.x, self.dtype = x, None
        self.__dlpack_device__: Callable[[], tuple[int, int]] = x.__dlpack_device__

    dtype: np.dtype[Any] | None

    def __dlpack__(self, **options: Any) -> CapsuleType:
        capsule: CapsuleType = self.x.__dlpack__(**options)
        code = _code(capsule)
        if code is not None and code.value in _BY_CODE:
            self.dtype = _BY_CODE[code.value]
            code.value = _WHOLE
        return capsule


def imported(x: object) -> Host:
    """Import an array of another library without a copy; raises whatever its `__dlpack__` raises."""
    tensor = _Whole(x)
    host: Host = np.from_dlpack(tensor)
    return host if tensor.dtype is None else host.view(tensor.dtype)
