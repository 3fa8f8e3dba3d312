"""`Folding`: the methods of arrays that fold axes away, with what type checkers know of them.

Over all axes they give an array of rank 0; over some they keep the dtype. They are the functions of the same names,
which `effects.arrays.methods` puts in their place, with `axis` also by position: `x.sum(0)`.
"""

# mypy: disable-error-code="misc"
# `self` is an `Array`, which mypy asks of no class but itself; for a base it forgets the bounds of type variables.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from effects.arrays.operators import DT, Sh
from effects.arrays.spreading import Spreading

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import (
        DType,
        DTypeLike,
        ForeignDType,
        Inexact,
        Signed,
        Unsigned,
        bool_,
        i64,
        u64,
    )

    type Axes = int | tuple[int, ...] | None
    type No = Literal[False]
    type Mask = bool | ArrayLike


class Folding(Spreading[DT, Sh]):
    """What arrays can do along axes, by dtype and shape."""

    __slots__ = ()

    @overload
    def sum[D: Inexact](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def sum[D: Signed | bool_](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[i64]: ...
    @overload
    def sum[D: Unsigned](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[u64]: ...
    @overload
    def sum[D: DType](
        self,
        axis: None = None,
        *,
        dtype: type[D],
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def sum(
        self,
        axis: None = None,
        *,
        dtype: ForeignDType,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[Any]: ...
    @overload
    def sum[D: Inexact](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def sum[D: Signed | bool_](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[i64]: ...
    @overload
    def sum[D: Unsigned](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[u64]: ...
    @overload
    def sum[D: DType](
        self,
        axis: Axes = None,
        *,
        dtype: type[D],
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def sum(
        self,
        axis: Axes = None,
        *,
        dtype: ForeignDType,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[Any]: ...
    def sum(
        self,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array:
        """Σ x[i] over `axis`, 0 of nothing: the function `sum`.

        Bools and integers are added in int64 (uint64 for unsigned ones), or in `dtype`.
        """
        raise NotImplementedError

    @overload
    def prod[D: Inexact](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def prod[D: Signed | bool_](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[i64]: ...
    @overload
    def prod[D: Unsigned](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[u64]: ...
    @overload
    def prod[D: DType](
        self,
        axis: None = None,
        *,
        dtype: type[D],
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def prod(
        self,
        axis: None = None,
        *,
        dtype: ForeignDType,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[Any]: ...
    @overload
    def prod[D: Inexact](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def prod[D: Signed | bool_](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[i64]: ...
    @overload
    def prod[D: Unsigned](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[u64]: ...
    @overload
    def prod[D: DType](
        self,
        axis: Axes = None,
        *,
        dtype: type[D],
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def prod(
        self,
        axis: Axes = None,
        *,
        dtype: ForeignDType,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[Any]: ...
    def prod(
        self,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array:
        """Π x[i] over `axis`, 1 of nothing: the function `prod`; dtypes as in `sum`."""
        raise NotImplementedError

    @overload
    def max(
        self, axis: None = None, *, keepdims: No = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Scalar[DT]: ...
    @overload
    def max(
        self, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Array[DT]: ...
    def max(
        self, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Array:
        """The greatest element over `axis`, NaN when there is one: the function `max`."""
        raise NotImplementedError

    @overload
    def min(
        self, axis: None = None, *, keepdims: No = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Scalar[DT]: ...
    @overload
    def min(
        self, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Array[DT]: ...
    def min(
        self, axis: Axes = None, *, keepdims: bool = False, initial: ArrayLike | None = None, where: Mask = True
    ) -> Array:
        """The least element over `axis`, NaN when there is one: the function `min`."""
        raise NotImplementedError

    @overload
    def any(self, axis: None = None, *, keepdims: No = False, where: Mask = True) -> Scalar[bool_]: ...
    @overload
    def any(self, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[bool_]: ...
    def any(self, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array:
        """Whether any element over `axis` is not zero: the function `any`."""
        raise NotImplementedError

    @overload
    def all(self, axis: None = None, *, keepdims: No = False, where: Mask = True) -> Scalar[bool_]: ...
    @overload
    def all(self, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array[bool_]: ...
    def all(self, axis: Axes = None, *, keepdims: bool = False, where: Mask = True) -> Array:
        """Whether every element over `axis` is not zero: the function `all`."""
        raise NotImplementedError

    @overload
    def argmax(self, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
    @overload
    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """The position of the greatest element along `axis`, the first of equals: the function `argmax`."""
        raise NotImplementedError

    @overload
    def argmin(self, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
    @overload
    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """The position of the least element along `axis`, the first of equals: the function `argmin`."""
        raise NotImplementedError
