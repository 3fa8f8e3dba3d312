"""Arrays cut along an axis: into equal parts, or at positions. Names and semantics are NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from effects.arguments import one_or_several
from effects.arrays.array import Array, Like
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, ShapeError
from effects.functions.manipulation import movement
from effects.types import shapes


def split(x: Like[DT], /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array[DT]]:
    """x cut along `axis` into equal parts (an int), or before the given positions (a sequence of ints).

    >>> import effects as fx
    >>> [part.shape for part in fx.split(fx.arange(6), [1, 4])]
    [(1,), (3,), (2,)]
    """
    array = as_array(x, "split", "x")
    shape = array.aval.shape
    sections = one_or_several("split", "indices_or_sections", indices_or_sections)
    at = shapes.normalize_axis("split", shape, axis)
    return [movement.slice_axis(array, at, start, stop) for start, stop in shapes.split_bounds(shape, sections, at)]


_MOST_PARTS: Final = 2**20  # parts beyond the elements are empty, and each is an array


def array_split(x: Like[DT], /, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array[DT]]:
    """x cut along `axis` into parts as equal as can be, the first ones longer by one; or as `split` at positions.

    >>> import effects as fx
    >>> [part.shape for part in fx.array_split(fx.ones(5), 3)]
    [(2,), (2,), (1,)]
    """
    array = as_array(x, "array_split", "x")
    sections = one_or_several("array_split", "indices_or_sections", indices_or_sections)
    at = shapes.normalize_axis("array_split", array.aval.shape, axis)
    if not isinstance(sections, int):
        return split(array, sections, axis=at)
    if not 1 <= sections <= _MOST_PARTS:
        raise ArgumentError(f"array_split: indices_or_sections must be from 1 to {_MOST_PARTS}, got {sections}")
    least, more = divmod(array.aval.shape[at], sections)
    ends = [i * least + min(i, more) for i in range(sections + 1)]
    return [movement.slice_axis(array, at, start, stop) for start, stop in pairwise(ends)]


def _split(function: str, x: Like[DT], sections: int | Sequence[int], axis: int, least: int) -> list[Array[DT]]:
    array = as_array(x, function, "x")
    if array.aval.ndim < least:
        raise ShapeError(f"{function}: x needs rank >= {least}, got {array.aval}")
    return split(array, one_or_several(function, "indices_or_sections", sections), axis=axis)


def hsplit(x: Like[DT], /, indices_or_sections: int | Sequence[int]) -> list[Array[DT]]:
    """`split` along the second axis; a vector along its only one.

    >>> import effects as fx
    >>> [part.shape for part in fx.hsplit(fx.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    array = as_array(x, "hsplit", "x")
    return _split("hsplit", array, indices_or_sections, min(array.aval.ndim - 1, 1), 1)


def vsplit(x: Like[DT], /, indices_or_sections: int | Sequence[int]) -> list[Array[DT]]:
    """`split` along the first axis, of rank 2 or more.

    >>> import effects as fx
    >>> [part.shape for part in fx.vsplit(fx.ones((2, 4)), 2)]
    [(1, 4), (1, 4)]
    """
    return _split("vsplit", x, indices_or_sections, 0, 2)


def dsplit(x: Like[DT], /, indices_or_sections: int | Sequence[int]) -> list[Array[DT]]:
    """`split` along the third axis.

    >>> import effects as fx
    >>> [part.shape for part in fx.dsplit(fx.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return _split("dsplit", x, indices_or_sections, 2, 3)
