"""Signatures of the functions that fold axes away.

Over all axes they give an array of rank 0; over some they keep the dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Carrier, Foreign, Scalar
    from effects.types.dtypes import DType, ForeignDType, Inexact, Signed, Unsigned, bool_, i64, u64

    type No = Literal[False]
    type Mask = bool | ArrayLike
    type Other = complex | Foreign
    type Given[D: DType] = Array[D, Any] | Carrier[D, Any]
    """An array, as a union of what is the same, beside which pyright takes the first overload for unknown shapes."""

type Axes = int | tuple[int, ...] | None


class OfAccumulation:
    """Integers widen: `sum`, `prod`."""

    @overload
    def __call__[D: Inexact](
        self,
        x: Given[D],
        /,
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def __call__[D: Signed | bool_](
        self,
        x: Given[D],
        /,
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[i64]: ...
    @overload
    def __call__[D: Unsigned](
        self,
        x: Given[D],
        /,
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[u64]: ...
    @overload
    def __call__(
        self,
        x: Other,
        /,
        axis: None = None,
        *,
        dtype: None = None,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](
        self,
        x: ArrayLike,
        /,
        axis: None = None,
        *,
        dtype: type[D],
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        axis: None = None,
        *,
        dtype: ForeignDType,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](
        self,
        x: Given[D],
        /,
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def __call__[D: Signed | bool_](
        self,
        x: Given[D],
        /,
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[i64]: ...
    @overload
    def __call__[D: Unsigned](
        self,
        x: Given[D],
        /,
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[u64]: ...
    @overload
    def __call__(
        self,
        x: Other,
        /,
        axis: Axes = None,
        *,
        dtype: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[Any]: ...
    @overload
    def __call__[D: DType](
        self,
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: type[D],
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
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
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[Any]: ...
    def __call__(
        self,
        x: object,
        /,
        axis: object = None,
        *,
        dtype: object = None,
        keepdims: object = False,
        initial: object = None,
        where: object = True,
    ) -> NoReturn:
        raise NotImplementedError


class OfExtreme:
    """The dtype stays: `max`, `min`."""

    @overload
    def __call__[D: DType](
        self,
        x: Given[D],
        /,
        axis: None = None,
        *,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self,
        x: Other,
        /,
        axis: None = None,
        *,
        keepdims: No = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](
        self,
        x: Given[D],
        /,
        axis: Axes = None,
        *,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        x: Other,
        /,
        axis: Axes = None,
        *,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: Mask = True,
    ) -> Array[Any]: ...
    def __call__(
        self,
        x: object,
        /,
        axis: object = None,
        *,
        keepdims: object = False,
        initial: object = None,
        where: object = True,
    ) -> NoReturn:
        raise NotImplementedError


class OfTruth:
    """`any`, `all`."""

    @overload
    def __call__(
        self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, where: Mask = True
    ) -> Scalar[bool_]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, where: Mask = True
    ) -> Array[bool_]: ...
    def __call__(
        self, x: object, /, axis: object = None, *, keepdims: object = False, where: object = True
    ) -> NoReturn:
        raise NotImplementedError


class OfCount:
    """`count_nonzero`."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
    @overload
    def __call__(self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False) -> Array[i64]: ...
    def __call__(self, x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


class OfPosition:
    """`argmax`, `argmin`."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
    @overload
    def __call__(self, x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
    def __call__(self, x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Accumulation = lambda function: OfAccumulation().__call__
    Extreme = lambda function: OfExtreme().__call__
    Truth = lambda function: OfTruth().__call__
    Count = lambda function: OfCount().__call__
    Position = lambda function: OfPosition().__call__
else:

    class Accumulation(OfAccumulation, Signature[P, R]):
        pass

    class Extreme(OfExtreme, Signature[P, R]):
        pass

    class Truth(OfTruth, Signature[P, R]):
        pass

    class Count(OfCount, Signature[P, R]):
        pass

    class Position(OfPosition, Signature[P, R]):
        pass
