"""`SearchMethods`: the methods of arrays that sort, search and select elements.

`effects.arrays.methods` replaces them by the functions of the same names.
"""

# mypy: disable-error-code="misc"
# `self` is an `Array`, which mypy asks of no class but itself; for a base it forgets the bounds of type variables.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from effects.arrays.operators import DT, Sh
from effects.arrays.reduction_methods import ReductionMethods

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.functions.indexing.taking import Choosable, TakeMode
    from effects.functions.ordering.searching import Side
    from effects.functions.ordering.sorting import Algorithm
    from effects.types.dtypes import DType, DTypeLike, DTypeOf, i64

    type Axes = int | tuple[int, ...] | None


class SearchMethods(ReductionMethods[DT, Sh]):
    """Methods of arrays that sort, search and select elements."""

    __slots__ = ()

    def argpartition(self, kth: int | Sequence[int], axis: int | None = -1) -> Array[i64]:
        """Indices that partition the array around `kth`: the function `argpartition`."""
        raise NotImplementedError

    def argsort(
        self,
        axis: int | None = -1,
        kind: Algorithm | None = None,
        *,
        descending: bool = False,
        stable: bool | None = True,
    ) -> Array[i64]:
        """Indices that sort the array in ascending order: the function `argsort`. For the elements, write sort(x)."""
        raise NotImplementedError

    def choose(self, choices: Sequence[ArrayLike], *, mode: Choosable | None = None) -> Array:
        """Of `choices` the one that each element numbers: the function `choose`."""
        raise NotImplementedError

    def compress(self, condition: ArrayLike | Sequence[bool], axis: int | None = None) -> Array[DT]:
        """The elements where `condition` holds: the function `compress`."""
        raise NotImplementedError

    def conjugate(self) -> Array[DT, Sh]:
        """The complex conjugate; real numbers themselves."""
        raise NotImplementedError

    def copy(self) -> Array[DT, Sh]:
        """An array of the same elements in memory of its own, which can be donated: the function `copy`."""
        raise NotImplementedError

    def cumprod(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Running products, of all elements in a row or along an axis: the function `cumprod`."""
        raise NotImplementedError

    def cumsum(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Running sums, of all elements in a row or along an axis: the function `cumsum`."""
        raise NotImplementedError

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array[DT]:
        """The diagonal of a matrix. Of more axes it is that of the first two, as in NumPy's method; the function
        `diagonal` takes the last two."""
        raise NotImplementedError

    def nonzero(self, *, size: int | None = None, fill_value: int = 0) -> tuple[Array[i64], ...]:
        """The places of the elements that are not zero, along each axis: the function `nonzero`."""
        raise NotImplementedError

    def ptp(self, axis: Axes = None, keepdims: bool = False) -> Array[DT]:
        """The greatest less the least: the function `ptp`."""
        raise NotImplementedError

    def repeat(
        self, repeats: int | Sequence[int] | ArrayLike, axis: int | None = None, *, size: int | None = None
    ) -> Array[DT]:
        """Each element several times: the function `repeat`."""
        raise NotImplementedError

    def searchsorted(self, x2: ArrayLike, /, side: Side = "left", sorter: ArrayLike | None = None) -> Array[i64]:
        """Indices at which `x2` is to be inserted into the array, which is in ascending order: the function
        `searchsorted`.
        """
        raise NotImplementedError

    def take(
        self,
        indices: ArrayLike | Sequence[int],
        axis: int | None = None,
        *,
        mode: TakeMode | None = None,
        fill_value: ArrayLike | None = None,
    ) -> Array[DT]:
        """The elements at `indices`, of all in a row or along an axis: the function `take`."""
        raise NotImplementedError

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Array[Any]:
        """The sum of the diagonal of a matrix. Of more axes it is that of the first two, as in NumPy's method; the
        function `trace` takes the last two."""
        raise NotImplementedError

    def view[D: DType](self, dtype: DTypeOf[D]) -> Array[D]:
        """The bytes as elements of `dtype`: the function `view`."""
        raise NotImplementedError
