"""Signatures of `mean`, `var`, `std`.

Over all axes they give an array of rank 0; over some they keep the dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

from effects.types.signatures import MYPY, F, I, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Carrier, Foreign, Scalar
    from effects.types.dtypes import Complex, DType, Floating, ForeignDType, Inexact

    type No = Literal[False]
    type Mask = bool | ArrayLike
    type Other = complex | Foreign
    type Given[D: DType] = Array[D, Any] | Carrier[D, Any]
    """An array, as a union of what is the same, beside which pyright takes the first overload for unknown shapes."""

type Axes = int | tuple[int, ...] | None


class OfMean:
    """Integers become the default float: `mean`."""

    @overload
    def __call__[D: Inexact](
        self, x: Given[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self, x: Given[I], /, axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
    ) -> Scalar[F]: ...
    @overload
    def __call__(
        self, x: Other, /, axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](
        self, x: Given[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: Given[I], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
    ) -> Array[F]: ...
    @overload
    def __call__(
        self, x: Other, /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
    ) -> Array[Any]: ...
    @overload
    def __call__[D: Inexact](
        self, x: ArrayLike, /, axis: None = None, *, dtype: type[D], keepdims: No = False, where: Mask = True
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: None = None, *, dtype: ForeignDType, keepdims: No = False, where: Mask = True
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](
        self, x: ArrayLike, /, axis: Axes = None, *, dtype: type[D], keepdims: bool = False, where: Mask = True
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: ForeignDType,
        keepdims: bool = False,
        where: Mask = True,
    ) -> Array[Any]: ...
    def __call__(
        self, x: object, /, axis: object = None, *, dtype: object = None, keepdims: object = False, where: object = True
    ) -> NoReturn:
        raise NotImplementedError


class OfSpread:
    """Real also for complex numbers: `var`, `std`."""

    @overload
    def __call__[D: Floating](
        self,
        x: Given[D],
        /,
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
    def __call__(
        self,
        x: Given[I],
        /,
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
    def __call__[D: Complex](
        self,
        x: Given[D] | Other,
        /,
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
    def __call__[D: Floating](
        self,
        x: Given[D],
        /,
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
    def __call__(
        self,
        x: Given[I],
        /,
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
    def __call__[D: Complex](
        self,
        x: Given[D] | Other,
        /,
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
    def __call__[D: Floating](
        self,
        x: ArrayLike,
        /,
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
    def __call__(
        self,
        x: ArrayLike,
        /,
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
    def __call__[D: Floating](
        self,
        x: ArrayLike,
        /,
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
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: type[Complex] | ForeignDType,
        correction: float = 0.0,
        keepdims: bool = False,
        where: Mask = True,
        mean: ArrayLike | None = None,
        ddof: float | None = None,
    ) -> Array[Any]: ...
    def __call__(
        self,
        x: object,
        /,
        axis: object = None,
        *,
        dtype: object = None,
        correction: object = 0.0,
        keepdims: object = False,
        where: object = True,
        mean: object = None,
        ddof: object = None,
    ) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Mean = lambda function: OfMean().__call__
    Spread = lambda function: OfSpread().__call__
else:

    class Mean(OfMean, Signature[P, R]):
        pass

    class Spread(OfSpread, Signature[P, R]):
        pass
