"""Arrays from nested sequences of numbers and arrays, as arguments of `asarray` and of functions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from effects.arguments import shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import from_host
from effects.arrays.promotion import as_array, as_type, common_type
from effects.errors import ArgumentError, ShapeError
from effects.functions.manipulation import movement
from effects.types import dtypes
from effects.types.dtypes import DType

if TYPE_CHECKING:
    from effects.functions.creation.creation import Nested

_PLAIN: Final = {bool, int, float, complex, list, tuple, range}


def of_sequence(obj: Sequence[Nested], target: type[DType] | None, function: str, argument: str) -> Array:
    """The array of a list, a tuple or a range, in `target` or the common dtype; errors name the argument.

    >>> of_sequence([[1, 2], (3, 4.5)], None, "sum", "x")
    Array([[1. , 2. ],
           [3. , 4.5]], float64)
    """
    try:
        return _array(obj, target, function, argument)
    except RecursionError:
        raise ArgumentError(f"{function}: {argument} is nested too deeply, or contains itself") from None


def _array(obj: Sequence[Nested], target: type[DType] | None, function: str, argument: str) -> Array:
    types = _leaf_types(obj, set())
    if any([issubclass(t, np.ndarray) and hasattr(t, "mask") for t in types]):
        raise ArgumentError(
            f"{function}: {argument} holds a masked array, whose mask would be lost; fill it, x.filled(value)"
        )
    if types - _PLAIN and not all([issubclass(t, Array | np.ndarray | np.generic) for t in types - _PLAIN]):
        obj = _without_foreign(obj, function, argument)
    if any([issubclass(t, Array) for t in types]):
        element = f"an element of {argument}"
        dtype = target
        if dtype is None:
            dtype, _ = common_type([as_array(leaf, function, element).aval for leaf in _leaves(obj)])
        return _stacked(obj, dtype, function, argument)
    return from_host(_host(obj, target, function, argument))


def _leaf_types(obj: Sequence[object], types: set[type]) -> set[type]:
    """The types of all elements of nested sequences."""
    entry_types = set(map(type, obj))
    if list in entry_types or tuple in entry_types:
        for e in obj:
            if isinstance(e, list | tuple):
                _leaf_types(e, types)
    types |= entry_types
    return types


def _without_foreign(obj: Any, function: str, argument: str) -> Any:
    if isinstance(obj, list | tuple):
        return [_without_foreign(e, function, argument) for e in obj]
    return foreign().host_of(obj, function, f"an element of {argument}") if foreign().is_foreign(obj) else obj


def foreign() -> Any:
    """The conversion of other libraries' arrays; imported on first use, since few programs need it."""
    return import_module("effects.arrays.foreign")


def _leaves(obj: Nested) -> list[ArrayLike]:
    return [leaf for e in obj for leaf in _leaves(e)] if isinstance(obj, list | tuple | range) else [obj]  # type: ignore[list-item]  # no sequence is left


def _stacked(obj: Nested, dtype: type[DType], function: str, argument: str) -> Array:
    if not isinstance(obj, list | tuple | range):
        return as_type(obj, dtype, False, function, f"an element of {argument}")
    if not any([issubclass(t, Array) for t in _leaf_types(obj, set())]):
        return from_host(_host(obj, dtype, function, argument))
    rows = [_stacked(e, dtype, function, argument) for e in obj]
    shapes = list(dict.fromkeys([row.aval.shape for row in rows]))
    if len(shapes) > 1:
        raise ShapeError(
            f"{function}: {argument} is ragged, and so no array: it holds elements of shape "
            f"{' and '.join([shown(list(s)) for s in shapes[:2]])}; of each array it is tree_map({function}, arrays)"
        )
    return movement.stack(rows)


def _host(obj: Sequence[object], target: type[DType] | None, function: str, argument: str) -> npt.NDArray[np.generic]:
    """Nested sequences of numbers as a NumPy array, in `target` or the common dtype of the numbers."""
    try:
        if target is not None:
            return np.array(obj, target.dtype)
        host = np.array(obj)
    except (ValueError, TypeError, OverflowError) as error:
        if "inhomogeneous" in str(error):
            raise ShapeError(f"{function}: {argument} is ragged, and so no array: its parts differ in length") from None
        raise ArgumentError(f"{function}: {argument} is not an array of numbers: {error}") from None
    if host.dtype not in dtypes.BY_NUMPY:
        types = _leaf_types(obj, set())
        advice = "; write nan, or a mask beside it, for None" if type(None) in types else ""
        advice = f"; of each array in a tree it is tree_map({function}, tree)" if dict in types else advice
        raise ArgumentError(
            f"{function}: {argument} is not an array of numbers, NumPy makes {host.dtype} of it{advice}"
        )
    if dtypes.current_default_float() is dtypes.float64 or host.dtype.kind not in "fc":
        return host
    if any([issubclass(t, np.ndarray | np.generic) for t in _leaf_types(obj, set())]):
        return host
    return host.astype(dtypes.default_of(float if host.dtype.kind == "f" else complex).dtype)
