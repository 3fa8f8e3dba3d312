"""Signatures of the functions that make regular arrays: sequences, positions, the identity matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NoReturn, SupportsIndex, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike
    from effects.arrays.concrete import DeviceLike
    from effects.types.dtypes import DType, DTypeLike, ForeignDType
    from effects.types.signatures.creation import Sizes


class OfARange:
    """`arange`."""

    @overload
    def __call__[D: DType](
        self,
        start: float | None = None,
        stop: float | None = None,
        step: float = 1,
        *,
        dtype: type[D],
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        start: float | None = None,
        stop: float | None = None,
        step: float = 1,
        *,
        dtype: ForeignDType | None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self,
        start: object = None,
        stop: object = None,
        step: object = 1,
        *,
        dtype: object = None,
        device: object = None,
    ) -> NoReturn:
        raise NotImplementedError


class OfCounted:
    """`iota`."""

    @overload
    def __call__[D: DType](self, dtype: type[D], shape: Sizes, axis: int = 0) -> Array[D]: ...
    @overload
    def __call__(self, dtype: ForeignDType, shape: Sizes, axis: int = 0) -> Array: ...
    def __call__(self, dtype: object, shape: object, axis: object = 0) -> NoReturn:
        raise NotImplementedError


class OfEye:
    """`eye`."""

    @overload
    def __call__[D: DType](
        self,
        N: int,
        M: int | None = None,
        k: SupportsIndex = 0,
        *,
        dtype: type[D],
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        N: int,
        M: int | None = None,
        k: SupportsIndex = 0,
        *,
        dtype: ForeignDType | None = None,
        device: DeviceLike | None = None,
    ) -> Array: ...
    def __call__(
        self, N: object, M: object = None, k: object = 0, *, dtype: object = None, device: object = None
    ) -> NoReturn:
        raise NotImplementedError


class OfLinSpace:
    """`linspace`."""

    @overload
    def __call__[D: DType](
        self,
        start: ArrayLike,
        stop: ArrayLike,
        num: int = 50,
        endpoint: bool = True,
        retstep: Literal[False] = False,
        *,
        dtype: type[D],
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> Array[D]: ...
    @overload
    def __call__(
        self,
        start: ArrayLike,
        stop: ArrayLike,
        num: int = 50,
        endpoint: bool = True,
        retstep: Literal[False] = False,
        *,
        dtype: ForeignDType | None = None,
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> Array: ...
    @overload
    def __call__(
        self,
        start: ArrayLike,
        stop: ArrayLike,
        num: int = 50,
        endpoint: bool = True,
        *,
        retstep: Literal[True],
        dtype: DTypeLike | None = None,
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> tuple[Array, Array]: ...
    @overload
    def __call__(
        self,
        start: ArrayLike,
        stop: ArrayLike,
        num: int,
        endpoint: bool,
        retstep: Literal[True],
        *,
        dtype: DTypeLike | None = None,
        axis: int = 0,
        device: DeviceLike | None = None,
    ) -> tuple[Array, Array]: ...
    def __call__(
        self,
        start: object,
        stop: object,
        num: object = 50,
        endpoint: object = True,
        retstep: object = False,
        *,
        dtype: object = None,
        axis: object = 0,
        device: object = None,
    ) -> NoReturn:
        raise NotImplementedError


if MYPY:
    ARange = lambda function: OfARange().__call__
    Counted = lambda function: OfCounted().__call__
    Eye = lambda function: OfEye().__call__
    LinSpace = lambda function: OfLinSpace().__call__
else:

    class ARange(OfARange, Signature[P, R]):
        pass

    class Counted(OfCounted, Signature[P, R]):
        pass

    class Eye(OfEye, Signature[P, R]):
        pass

    class LinSpace(OfLinSpace, Signature[P, R]):
        pass
