"""Signatures of products summed over shared axes: matrix products by shape, up to rank 2, the others by dtype."""

# mypy: disable-error-code="overload-overlap"
# As in `pairs`.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack, overload

from effects.types.dtypes import DType, DTypeOf
from effects.types.signatures import MYPY, P, R, Signature
from effects.types.signatures.attributes import Attribute, Nowhere
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT, RT
    from effects.operations.contraction import Precision
    from effects.types.shapes import TensordotAxes
    from effects.types.signatures.becoming import Meets
    from effects.types.signatures.refused import NoArray

    type Number = complex | Foreign
    type Other = npt.NDArray[Any]
    type Rows = tuple[object, *tuple[object, ...]]


class OfMatMul(OfElements):
    """`matmul`."""

    @overload
    def __call__[D: DType, E: DType, *N, K, M](
        self, x1: Array[D, tuple[*N, K]], x2: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[*N, M]]: ...
    @overload
    def __call__[D: DType, E: DType, *N, K](
        self, x1: Array[D, tuple[*N, K]], x2: Meets[D, E, tuple[K]], /
    ) -> Array[E, tuple[*N]]: ...
    @overload
    def __call__(self, x1: Array[DT] | Other, x2: Meets[DT, RT, Any] | Other, /) -> Array[RT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Times[D: DType]:
    """Product of an array of unknown shape with another."""

    def __call__(self, other: Meets[D, RT, Any] | Other, /) -> Array[RT]:
        raise NotImplementedError


class RowsTimes[D: DType, S: Rows]:
    """Product of an array of rank 1 or more with another array."""

    @overload
    def __call__[E: DType, T: Nowhere](self, other: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[E: DType, *N, K, M](
        self: RowsTimes[D, tuple[*N, K]], other: Meets[D, E, tuple[K, M]], /
    ) -> Array[E, tuple[*N, M]]: ...
    @overload
    def __call__[E: DType, *N, K](
        self: RowsTimes[D, tuple[*N, K]], other: Meets[D, E, tuple[K]], /
    ) -> Array[E, tuple[*N]]: ...
    @overload
    def __call__(self, other: Meets[D, RT, Any] | Other, /) -> Array[RT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Product(Attribute):
    """`@` and `dot`, by the shape on the left first: where it is unknown, all of them would fit."""

    @overload
    def __get__(self, x: None, owner: object) -> Self: ...
    @overload
    def __get__[D: DType, S: Nowhere](self, x: Array[D, S], owner: object) -> Times[D]: ...
    @overload
    def __get__[D: DType, S: Rows](self, x: Array[D, S], owner: object) -> RowsTimes[D, S]: ...
    @overload
    def __get__[X: Array](self, x: X, owner: object) -> Times[Any]: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfVecDot(OfElements):
    """`vecdot`."""

    @overload
    def __call__(self, x1: Array[DT], x2: Meets[DT, RT, Any] | Number, /, *, axis: int = -1) -> Array[RT]: ...
    @overload
    def __call__(self, x1: Number | NoArray, x2: ArrayLike, /, *, axis: int = -1) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfTensorDot(OfElements):
    """`tensordot`."""

    @overload
    def __call__(self, x1: Array[DT], x2: Meets[DT, RT, Any] | Number, /, axes: TensordotAxes = 2) -> Array[RT]: ...
    @overload
    def __call__(self, x1: Number | NoArray, x2: ArrayLike, /, axes: TensordotAxes = 2) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfOuter(OfElements):
    """`outer`."""

    @overload
    def __call__(self, x1: Array[DT], x2: Meets[DT, RT, Any] | Number, /) -> Array[RT]: ...
    @overload
    def __call__(self, x1: Number | NoArray, x2: ArrayLike, /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


type Optimize = bool | str | Sequence[object]
"""The order in which `einsum` contracts: whether to search, by which search, or the order itself."""


class EinSumOptions(TypedDict, total=False):
    """Options of `einsum`."""

    optimize: Optimize
    preferred_element_type: None
    precision: Precision


class OfEinSum(Signature[P, R]):
    """`einsum`: two dtypes meet, and one that is asked for is that of the result."""

    @overload
    def __call__(self, spec: str, x: Array[DT] | Number, /, **options: Unpack[EinSumOptions]) -> Array[DT]: ...
    @overload
    def __call__(
        self,
        spec: str,
        x: Array[DT] | Number,
        y: Meets[DT, RT, Any] | Number | NoArray,
        /,
        **options: Unpack[EinSumOptions],
    ) -> Array[RT]: ...
    @overload
    def __call__(
        self,
        spec: str,
        /,
        *operands: ArrayLike,
        optimize: Optimize = True,
        preferred_element_type: DTypeOf[DT],
        precision: Precision = "default",
    ) -> Array[DT]: ...
    @overload
    def __call__[D: DType](
        self, spec: str, x: Array[D], y: Array[D], z: Array[D], /, *operands: Array[D], **options: Unpack[EinSumOptions]
    ) -> Array[D]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike, Z: ArrayLike, W: ArrayLike](
        self, spec: str, x: X, y: Y, z: Z, /, *operands: W, **options: Unpack[EinSumOptions]
    ) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    MatMul = lambda function: OfMatMul()
    VecDot = lambda function: OfVecDot()
    TensorDot = lambda function: OfTensorDot()
    Outer = lambda function: OfOuter()
    EinSum = lambda function: OfEinSum(function).__call__
else:

    class MatMul(OfMatMul, Signature[P, R]): ...

    class VecDot(OfVecDot, Signature[P, R]): ...

    class TensorDot(OfTensorDot, Signature[P, R]): ...

    class Outer(OfOuter, Signature[P, R]): ...

    EinSum = OfEinSum
