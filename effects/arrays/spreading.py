"""`Spreading`: the methods of arrays that are made of their mean, with what type checkers know of them.

Over all axes they give an array of rank 0; over some they keep the dtype. They are the functions of the same names,
which `effects.arrays.methods` puts in their place, with `axis` also by position: `x.sum(0)`.
"""

# mypy: disable-error-code="misc"
# `self` is an `Array`, which mypy asks of no class but itself; for a base it forgets the bounds of type variables.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from effects.arrays.operators import DT, Operators, Sh
from effects.types.signatures import F, I

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import (
        Complex,
        DTypeLike,
        Floating,
        ForeignDType,
        Inexact,
    )

    type Axes = int | tuple[int, ...] | None
    type No = Literal[False]
    type Mask = bool | ArrayLike


class Spreading(Operators[DT, Sh]):
    """`mean`, `var` and `std` of arrays, by dtype and shape."""

    __slots__ = ()

    @overload
    def mean[D: Inexact](
        self: Array[D, Any], axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
    ) -> Scalar[D]: ...
    @overload
    def mean(
        self: Array[I, Any], axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
    ) -> Scalar[F]: ...
    @overload
    def mean[D: Inexact](
        self: Array[D, Any], axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
    ) -> Array[D]: ...
    @overload
    def mean(
        self: Array[I, Any], axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
    ) -> Array[F]: ...
    @overload
    def mean[D: Inexact](
        self, axis: None = None, *, dtype: type[D], keepdims: No = False, where: Mask = True
    ) -> Scalar[D]: ...
    @overload
    def mean(
        self, axis: None = None, *, dtype: ForeignDType, keepdims: No = False, where: Mask = True
    ) -> Scalar[Any]: ...
    @overload
    def mean[D: Inexact](
        self, axis: Axes = None, *, dtype: type[D], keepdims: bool = False, where: Mask = True
    ) -> Array[D]: ...
    @overload
    def mean(
        self, axis: Axes = None, *, dtype: ForeignDType, keepdims: bool = False, where: Mask = True
    ) -> Array[Any]: ...
    def mean(
        self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: bool = False, where: Mask = True
    ) -> Array:
        """Σ x[i] / n over `axis`, NaN of nothing: the function `mean`."""
        raise NotImplementedError

    @overload
    def var[D: Floating](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[D]: ...
    @overload
    def var(
        self: Array[I, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[F]: ...
    @overload
    def var[D: Complex](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[Any]: ...
    @overload
    def var[D: Floating](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[D]: ...
    @overload
    def var(
        self: Array[I, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[F]: ...
    @overload
    def var[D: Complex](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[Any]: ...
    @overload
    def var[D: Floating](
        self,
        axis: None = None,
        *,
        dtype: type[D],
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[D]: ...
    @overload
    def var(
        self,
        axis: None = None,
        *,
        dtype: type[Complex] | ForeignDType,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[Any]: ...
    @overload
    def var[D: Floating](
        self,
        axis: Axes = None,
        *,
        dtype: type[D],
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[D]: ...
    @overload
    def var(
        self,
        axis: Axes = None,
        *,
        dtype: type[Complex] | ForeignDType,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[Any]: ...
    def var(
        self,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array:
        """Σ |x[i] - mean(x)|² / (n - correction) over `axis`: the function `var`."""
        raise NotImplementedError

    @overload
    def std[D: Floating](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[D]: ...
    @overload
    def std(
        self: Array[I, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[F]: ...
    @overload
    def std[D: Complex](
        self: Array[D, Any],
        axis: None = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[Any]: ...
    @overload
    def std[D: Floating](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[D]: ...
    @overload
    def std(
        self: Array[I, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[F]: ...
    @overload
    def std[D: Complex](
        self: Array[D, Any],
        axis: Axes = None,
        *,
        dtype: None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[Any]: ...
    @overload
    def std[D: Floating](
        self,
        axis: None = None,
        *,
        dtype: type[D],
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[D]: ...
    @overload
    def std(
        self,
        axis: None = None,
        *,
        dtype: type[Complex] | ForeignDType,
        correction: float = 0.0,
        keepdims: No = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Scalar[Any]: ...
    @overload
    def std[D: Floating](
        self,
        axis: Axes = None,
        *,
        dtype: type[D],
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[D]: ...
    @overload
    def std(
        self,
        axis: Axes = None,
        *,
        dtype: type[Complex] | ForeignDType,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[Any]: ...
    def std(
        self,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array:
        """√var(x), the standard deviation over `axis`: the function `std`."""
        raise NotImplementedError
