"""Signatures of products summed over shared axes: matrix products by shape, up to rank 2, the others by dtype."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from effects.types.dtypes import DType
from effects.types.signatures import MYPY, Exactly, P, R, Shape, Signature
from effects.types.signatures.attributes import Attribute

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.operations.contraction import Precision
    from effects.types.dtypes import ForeignDType
    from effects.types.shapes import TensordotAxes
    from effects.types.signatures.attributes import Nowhere

    type Matrix = tuple[object, object]
    type Vector = tuple[object]


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
    def __call__[D: DType, S: Shape, T: Shape](self, x1: Array[D, S], x2: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](self, x1: Array[D, S], x2: Array[D, T], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: Array | npt.NDArray[Any], Y: Array | npt.NDArray[Any]](self, x1: X, x2: Y, /) -> Array: ...
    def __call__(self, x1: object, x2: object, /) -> NoReturn:
        raise NotImplementedError


class Times[D: DType]:
    """What an array of unknown shape gives with another."""

    @overload
    def __call__[T: Shape](self, other: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[Y: Array | npt.NDArray[Any]](self, other: Y, /) -> Array: ...
    def __call__(self, other: object, /) -> NoReturn:
        raise NotImplementedError


class MatrixTimes[D: DType, S: Matrix]:
    """What a matrix gives with another array."""

    @overload
    def __call__[T: Nowhere](self, other: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[N, K, M](
        self: MatrixTimes[D, tuple[N, K]], other: Array[D, tuple[K, M]], /
    ) -> Array[D, tuple[N, M]]: ...
    @overload
    def __call__[N, K](self: MatrixTimes[D, tuple[N, K]], other: Array[D, tuple[K]], /) -> Array[D, tuple[N]]: ...
    @overload
    def __call__[T: Shape](self, other: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[Y: Array | npt.NDArray[Any]](self, other: Y, /) -> Array: ...
    def __call__(self, other: object, /) -> NoReturn:
        raise NotImplementedError


class VectorTimes[D: DType, S: Vector]:
    """What a vector gives with another array."""

    @overload
    def __call__[T: Nowhere](self, other: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[K, M](self: VectorTimes[D, tuple[K]], other: Array[D, tuple[K, M]], /) -> Array[D, tuple[M]]: ...
    @overload
    def __call__[K](self: VectorTimes[D, tuple[K]], other: Array[D, tuple[K]], /) -> Scalar[D]: ...
    @overload
    def __call__[T: Shape](self, other: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[Y: Array | npt.NDArray[Any]](self, other: Y, /) -> Array: ...
    def __call__(self, other: object, /) -> NoReturn:
        raise NotImplementedError


class Product(Attribute):
    """`@` and `dot`, by the shape on the left first: where it is unknown, all of them would fit."""

    @overload
    def __get__(self, x: None, owner: object) -> Self: ...
    @overload
    def __get__[D: DType, S: Nowhere](self, x: Array[D, S], owner: object) -> Times[D]: ...
    @overload
    def __get__[D: DType, S: Matrix](self, x: Array[D, S], owner: object) -> MatrixTimes[D, S]: ...
    @overload
    def __get__[D: DType, S: Vector](self, x: Array[D, S], owner: object) -> VectorTimes[D, S]: ...
    @overload
    def __get__[X: Array](self, x: X, owner: object) -> Times[Any]: ...
    def __get__(self, x: object, owner: object) -> NoReturn:
        raise NotImplementedError


class OfVecDot:
    """`vecdot`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, *, axis: int = -1
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, *, axis: int = -1
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x1: X, x2: Y, /, *, axis: int = -1) -> Array: ...
    def __call__(self, x1: object, x2: object, /, *, axis: object = -1) -> NoReturn:
        raise NotImplementedError


class OfTensorDot:
    """`tensordot`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, axes: TensordotAxes = 2
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, axes: TensordotAxes = 2
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x1: X, x2: Y, /, axes: TensordotAxes = 2) -> Array: ...
    def __call__(self, x1: object, x2: object, /, axes: object = 2) -> NoReturn:
        raise NotImplementedError


class OfOuter:
    """`outer`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](self, x1: Array[D, S], x2: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](self, x1: Array[D, S], x2: Array[D, T], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x1: X, x2: Y, /) -> Array: ...
    def __call__(self, x1: object, x2: object, /) -> NoReturn:
        raise NotImplementedError


type Optimize = bool | str | Sequence[object]
"""The order in which `einsum` contracts: whether to search, by which search, or the order itself."""


class OfEinSum:
    """`einsum`: one dtype stays, and one that is asked for is that of the result."""

    @overload
    def __call__[D: DType](
        self,
        spec: str,
        /,
        *operands: Array[D, Any],
        optimize: Optimize = True,
        preferred_element_type: None = None,
        precision: Precision = "default",
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType](
        self,
        spec: str,
        /,
        *operands: ArrayLike,
        optimize: Optimize = True,
        preferred_element_type: type[D],
        precision: Precision = "default",
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType](
        self,
        spec: str,
        /,
        *operands: Array[D, Any],
        optimize: Optimize = True,
        preferred_element_type: None = None,
        precision: Precision = "default",
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: ArrayLike](
        self,
        spec: str,
        /,
        *operands: X,
        optimize: Optimize = True,
        preferred_element_type: ForeignDType | None = None,
        precision: Precision = "default",
    ) -> Array: ...
    def __call__(
        self,
        spec: object,
        /,
        *operands: object,
        optimize: object = True,
        preferred_element_type: object = None,
        precision: object = "default",
    ) -> NoReturn:
        raise NotImplementedError


if MYPY:
    MatMul = lambda function: OfMatMul().__call__
    VecDot = lambda function: OfVecDot().__call__
    TensorDot = lambda function: OfTensorDot().__call__
    Outer = lambda function: OfOuter().__call__
    EinSum = lambda function: OfEinSum().__call__
else:

    class MatMul(OfMatMul, Signature[P, R]):
        pass

    class VecDot(OfVecDot, Signature[P, R]):
        pass

    class TensorDot(OfTensorDot, Signature[P, R]):
        pass

    class Outer(OfOuter, Signature[P, R]):
        pass

    class EinSum(OfEinSum, Signature[P, R]):
        pass
