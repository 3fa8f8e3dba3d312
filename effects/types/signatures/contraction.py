"""Signatures of matrix products, up to rank 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import DType


class OfMatMul:
    """`matmul`."""

    @overload
    def __call__[D: DType, N, K, M](
        self, x1: Array[D, tuple[N, K]], x2: Array[D, tuple[K, M]], /
    ) -> Array[D, tuple[N, M]]: ...
    @overload
    def __call__[D: DType, N, K](self, x1: Array[D, tuple[N, K]], x2: Array[D, tuple[K]], /) -> Array[D, tuple[N]]: ...
    @overload
    def __call__[D: DType, K, M](self, x1: Array[D, tuple[K]], x2: Array[D, tuple[K, M]], /) -> Array[D, tuple[M]]: ...
    @overload
    def __call__[D: DType, K](self, x1: Array[D, tuple[K]], x2: Array[D, tuple[K]], /) -> Scalar[D]: ...
    @overload
    def __call__[D: DType, S: tuple[object, ...], T: tuple[object, ...]](
        self, x1: Array[D, S], x2: Array[D, T], /
    ) -> Array[D]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x1: X, x2: Y, /) -> Array: ...
    def __call__(self, x1: object, x2: object, /) -> NoReturn:
        raise NotImplementedError


if MYPY:
    MatMul = lambda function: OfMatMul().__call__
else:

    class MatMul(OfMatMul, Signature[P, R]):
        pass
