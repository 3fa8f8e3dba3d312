"""Conversion of other libraries' arrays, table columns and buffers to NumPy arrays."""

from __future__ import annotations

from collections.abc import Buffer, Iterable
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from effects.arrays.array import Array
from effects.arrays.dlpack import imported
from effects.errors import ArgumentError, EffaxError


class SupportsArray(Protocol):
    """An array of another library, or a column of a table, that NumPy can convert."""

    def __array__(self) -> npt.NDArray[Any]: ...


_PROTOCOLS: Final = ("__array__", "__array_interface__", "__array_struct__")


def is_foreign(obj: object) -> bool:
    """Return True for arrays of libraries other than NumPy, and for memory that arrays can be made of."""
    if isinstance(obj, Array | np.ndarray | np.generic):
        return False
    return isinstance(obj, Buffer) or any([hasattr(obj, p) for p in (*_PROTOCOLS, "__dlpack__")])


def host_of(obj: Any, function: str, argument: str) -> npt.NDArray[Any]:
    """The elements of a foreign array, as a NumPy array.

    Raises ArgumentError if the other library refuses, with its message, if elements are missing (a null of a table,
    which is no NaN), and if they are no numbers.
    """
    if isinstance(obj, bytes):
        raise ArgumentError(
            f"{function}: {argument} is bytes, not numbers; memoryview({argument}) is an array of uint8"
        )
    if any([_null(column) for column in _columns(obj)]):
        fill = "fillna" if hasattr(obj, "fillna") else "fill_null"
        raise ArgumentError(
            f"{function}: {argument} of type {type(obj).__name__} has nulls, which arrays cannot have; "
            f"fill them by {fill}(value)"
        )
    try:
        host = _elements(obj)
    except EffaxError:
        raise
    except Exception as error:  # any error of the other library
        raise ArgumentError(
            f"{function}: {argument} of type {type(obj).__name__} does not export its elements: {error}"
        ) from None
    if host.dtype.kind in "OSUMmV" and host.dtype.isbuiltin != 2:
        raise ArgumentError(
            f"{function}: {argument} of type {type(obj).__name__} has elements of NumPy's dtype {host.dtype}, which "
            "arrays cannot have; take its numeric columns"
        )
    return host


def _elements(obj: Any) -> npt.NDArray[Any]:
    if not isinstance(obj, Buffer) and not any([hasattr(obj, p) for p in _PROTOCOLS]):
        return imported(obj)
    try:
        return np.asarray(obj)
    except Exception:
        if not hasattr(obj, "__dlpack__"):
            raise
    return imported(obj)  # it has dtypes that NumPy lacks


def _columns(obj: Any) -> Iterable[Any]:
    """The columns of a table of pandas, pyarrow or polars; anything else is a single column."""
    for name in ("itercolumns", "iter_columns"):
        if callable(each := getattr(obj, name, None)):
            return list(each())
    if hasattr(obj, "iloc") and getattr(obj, "ndim", 1) == 2:
        return [column for _, column in obj.items()]
    return [obj]


def _null(column: Any) -> bool:
    count = getattr(column, "null_count", None)
    if count is not None:
        return bool(count() if callable(count) else count)
    missing = getattr(getattr(column, "dtype", None), "na_value", None)
    return type(missing).__name__ == "NAType" and bool(column.isna().any())
