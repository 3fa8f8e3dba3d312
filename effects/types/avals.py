"""Abstract values: what is known of an array before it is computed.

`ShapedArray` is the type of the intermediate language. It is interned: two equal ones are one object, so that the
common question "same type?" is an identity test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Protocol, Self, SupportsIndex, final
from weakref import WeakValueDictionary

from effects.arguments import LARGEST, MOST_AXES, flag
from effects.errors import ShapeError
from effects.runtime.caches import SMALL, Cache, lock
from effects.types.dtypes import DType, DTypeLike, as_dtype
from effects.types.shapes.dims import show, static_shape


@final
class ShapedArray:
    """The type of an array: `shape`, `dtype`, and whether the dtype is only a Python scalar's (`weak_type`).

    >>> from effects.types.dtypes import float32
    >>> ShapedArray((2, 3), float32)
    float32[2,3]
    >>> ShapedArray((2, 3), float32) is ShapedArray((2, 3), float32)
    True
    """

    __slots__ = ("__weakref__", "dtype", "ndim", "shape", "size", "weak_type")
    shape: tuple[int, ...]
    dtype: type[DType]
    weak_type: bool
    ndim: int
    size: int

    def __new__(cls, shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike, weak_type: bool = False) -> Self:
        key = (shape, dtype, weak_type)
        try:
            return _recent[key]
        except (KeyError, TypeError):  # TypeError of a list
            pass
        sizes, known = static_shape("ShapedArray", shape), as_dtype(dtype)
        weak_type = flag("ShapedArray", "weak_type", weak_type)
        if type(shape) is not tuple or sizes != shape or known is not dtype:
            return cls(sizes, known, weak_type)
        if len(sizes) > MOST_AXES:
            raise ShapeError(f"a shape of rank {len(sizes)}; arrays have at most {MOST_AXES} axes")
        if (nbytes := math.prod([d or 1 for d in sizes]) * known.dtype.itemsize) > LARGEST:
            raise ShapeError(
                f"an array {known} of shape {show(sizes)} would take {nbytes} bytes, which no memory can hold"
            )
        self = object.__new__(cls)
        self.shape = sizes
        self.dtype = known
        self.weak_type = weak_type
        self.ndim = len(sizes)
        self.size = math.prod(sizes)
        with lock:
            return _kept.keep((sizes, known, weak_type), _interned.setdefault((sizes, known, weak_type), self))

    @property
    def aval(self) -> ShapedArray:
        """Itself: an operation over types reads its operands' types as an operation over arrays does."""
        return self

    def with_shape(self, shape: tuple[int, ...]) -> ShapedArray:
        return ShapedArray(shape, self.dtype, self.weak_type)

    def with_dtype(self, dtype: type[DType]) -> ShapedArray:
        return ShapedArray(self.shape, dtype, self.weak_type)

    def strong(self) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype) if self.weak_type else self

    def __repr__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[type[ShapedArray], tuple[tuple[int, ...], type[DType], bool]]:
        return ShapedArray, (self.shape, self.dtype, self.weak_type)


_interned: Final[WeakValueDictionary[object, ShapedArray]] = WeakValueDictionary()
_kept: Final[Cache[object, ShapedArray]] = Cache(SMALL)
_recent: Final = _kept.recent
"""The types asked for of late, which are found fastest; all those that are in use are in `_interned`."""


class Typed(Protocol):
    """Anything that has a type: an array, a carrier, a variable, a type itself."""

    @property
    def aval(self) -> ShapedArray: ...
