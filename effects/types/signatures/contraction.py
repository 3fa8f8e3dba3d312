"""Signatures of matrix products, up to rank 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import DType


@overload
def matmul[D: DType, N, K, M](x1: Array[D, tuple[N, K]], x2: Array[D, tuple[K, M]], /) -> Array[D, tuple[N, M]]: ...
@overload
def matmul[D: DType, N, K](x1: Array[D, tuple[N, K]], x2: Array[D, tuple[K]], /) -> Array[D, tuple[N]]: ...
@overload
def matmul[D: DType, K, M](x1: Array[D, tuple[K]], x2: Array[D, tuple[K, M]], /) -> Array[D, tuple[M]]: ...
@overload
def matmul[D: DType, K](x1: Array[D, tuple[K]], x2: Array[D, tuple[K]], /) -> Scalar[D]: ...
@overload
def matmul[D: DType](x1: Array[D, Any], x2: Array[D, Any], /) -> Array[D]: ...
@overload
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array: ...
def matmul(x1: object, x2: object, /) -> NoReturn:
    """`matmul`, `x @ y`."""
    raise NotImplementedError
