"""Signatures of products summed over shared axes: matrix products by shape, up to rank 2, the others by dtype."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypedDict, Unpack, overload

from effects.types.dtypes import DType
from effects.types.signatures import MYPY, P, R, Shape, Signature
from effects.types.signatures.attributes import Attribute

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.operators import DT, RT
    from effects.operations.contraction import Precision
    from effects.types.dtypes import ForeignDType
    from effects.types.shapes import TensordotAxes
    from effects.types.signatures.attributes import Nowhere
    from effects.types.signatures.becoming import Meets

    type Matrix = tuple[object, object]
    type Vector = tuple[object]


class OfMatMul:
    """`matmul`."""

    @overload
    def __call__[D: DType, E: DType, N, K, M](
        self, x1: Array[D, tuple[N, K]], x2: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[N, M]]: ...
    @overload
    def __call__[D: DType, E: DType, N, K](
        self, x1: Array[D, tuple[N, K]], x2: Meets[D, E, tuple[K]], /
    ) -> Array[E, tuple[N]]: ...
    @overload
    def __call__[D: DType, E: DType, K, M](
        self, x1: Array[D, tuple[K]], x2: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[M]]: ...
    @overload
    def __call__[D: DType, E: DType, K](self, x1: Array[D, tuple[K]], x2: Meets[D, E, tuple[K]], /) -> Scalar[E]: ...
    @overload
    def __call__[D: DType, E: DType](self, x1: Array[D, Any], x2: Meets[D, E, Any], /) -> Array[E]: ...
    @overload
    def __call__(self, x1: npt.NDArray[Any], x2: Array | npt.NDArray[Any], /) -> Array: ...
    @overload
    def __call__(self, x1: Array, x2: npt.NDArray[Any], /) -> Array: ...
    def __call__(self, x1: object, x2: object, /) -> NoReturn:
        raise NotImplementedError


class Times[D: DType]:
    """Product of an array of unknown shape with another."""

    def __call__(self, other: Meets[D, RT, Any] | npt.NDArray[Any], /) -> Array[RT]:
        raise NotImplementedError


class MatrixTimes[D: DType, S: Matrix]:
    """Product of a matrix with another array."""

    @overload
    def __call__[E: DType, T: Nowhere](self, other: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[E: DType, N, K, M](
        self: MatrixTimes[D, tuple[N, K]], other: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[N, M]]: ...
    @overload
    def __call__[E: DType, N, K](
        self: MatrixTimes[D, tuple[N, K]], other: Meets[D, E, tuple[K]], /
    ) -> Array[E, tuple[N]]: ...
    @overload
    def __call__[E: DType, T: Shape](self, other: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__(self, other: npt.NDArray[Any], /) -> Array: ...
    def __call__(self, other: object, /) -> NoReturn:
        raise NotImplementedError


class VectorTimes[D: DType, S: Vector]:
    """Product of a vector with another array."""

    @overload
    def __call__[E: DType, T: Nowhere](self, other: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[E: DType, K, M](
        self: VectorTimes[D, tuple[K]], other: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[M]]: ...
    @overload
    def __call__[E: DType, K](self: VectorTimes[D, tuple[K]], other: Meets[D, E, tuple[K]], /) -> Scalar[E]: ...
    @overload
    def __call__[E: DType, T: Shape](self, other: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__(self, other: npt.NDArray[Any], /) -> Array: ...
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
    def __call__(
        self, x1: Array[DT], x2: Meets[DT, RT, Any] | complex | Foreign, /, *, axis: int = -1
    ) -> Array[RT]: ...
    @overload
    def __call__(self, x1: complex | Foreign, x2: ArrayLike, /, *, axis: int = -1) -> Array: ...
    def __call__(self, x1: object, x2: object, /, *, axis: object = -1) -> NoReturn:
        raise NotImplementedError


class OfTensorDot:
    """`tensordot`."""

    @overload
    def __call__(
        self, x1: Array[DT], x2: Meets[DT, RT, Any] | complex | Foreign, /, axes: TensordotAxes = 2
    ) -> Array[RT]: ...
    @overload
    def __call__(self, x1: complex | Foreign, x2: ArrayLike, /, axes: TensordotAxes = 2) -> Array: ...
    def __call__(self, x1: object, x2: object, /, axes: object = 2) -> NoReturn:
        raise NotImplementedError


class OfOuter:
    """`outer`."""

    @overload
    def __call__(self, x1: Array[DT], x2: Meets[DT, RT, Any] | complex | Foreign, /) -> Array[RT]: ...
    @overload
    def __call__(self, x1: complex | Foreign, x2: ArrayLike, /) -> Array: ...
    def __call__(self, x1: object, x2: object, /) -> NoReturn:
        raise NotImplementedError


type Optimize = bool | str | Sequence[object]
"""The order in which `einsum` contracts: whether to search, by which search, or the order itself."""


class EinSumOptions(TypedDict, total=False):
    """Options of `einsum`."""

    optimize: Optimize
    preferred_element_type: None
    precision: Precision


class OfEinSum:
    """`einsum`: two dtypes meet, and one that is asked for is that of the result."""

    @overload
    def __call__[D: DType](
        self,
        spec: str,
        x: Array[D, Any],
        /,
        *,
        optimize: Optimize = True,
        preferred_element_type: None = None,
        precision: Precision = "default",
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, E: DType](
        self,
        spec: str,
        x: Array[D, Any],
        y: Meets[D, E, Any],
        /,
        *,
        optimize: Optimize = True,
        preferred_element_type: None = None,
        precision: Precision = "default",
    ) -> Array[E]: ...
    @overload
    def __call__[D: DType](
        self,
        spec: str,
        /,
        *operands: ArrayLike,
        optimize: Optimize = True,
        preferred_element_type: type[D] | ForeignDType,
        precision: Precision = "default",
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, spec: str, x: complex | Foreign, /, *operands: ArrayLike, **options: Unpack[EinSumOptions]
    ) -> Array: ...
    @overload
    def __call__(
        self, spec: str, x: ArrayLike, y: complex | Foreign, /, *operands: ArrayLike, **options: Unpack[EinSumOptions]
    ) -> Array: ...
    @overload
    def __call__[D: DType](
        self,
        spec: str,
        x: Array[D, Any],
        y: Array[D, Any],
        z: Array[D, Any],
        /,
        *operands: Array[D, Any],
        **options: Unpack[EinSumOptions],
    ) -> Array[D]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike, Z: ArrayLike, W: ArrayLike](
        self, spec: str, x: X, y: Y, z: Z, /, *operands: W, **options: Unpack[EinSumOptions]
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

    class MatMul(OfMatMul, Signature[P, R]): ...

    class VecDot(OfVecDot, Signature[P, R]): ...

    class TensorDot(OfTensorDot, Signature[P, R]): ...

    class Outer(OfOuter, Signature[P, R]): ...

    class EinSum(OfEinSum, Signature[P, R]): ...
