"""Signatures of functions of which `grad` is to know that they have gradients, and what they take.

Of a function with type variables mypy infers an argument's type before it looks at the bound of `grad`'s own: so these
are objects of a class, which `grad` takes as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from effects.types.signatures import MYPY, P, R, Shape, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.arrays.operators import DT
    from effects.linalg.factoring import SVDResult
    from effects.types.dtypes import DType, ForeignDType
    from effects.types.shapes import Axes
    from effects.types.signatures.becoming import AsFloats, AsRealFloats, AsReals, AsSums, HasFloatsAndReals

    type MatrixNorm = float | Literal["fro", "nuc"]


class OfFractions:
    """Common base of the signatures of functions that have gradients."""


class OfElements(OfFractions):
    """Of several arguments, along each of which a gradient is one of real numbers."""


class OfAbs(OfFractions):
    """`abs`."""

    def __call__[D: DType, S: Shape](self, x: AsReals[D, S], /) -> Array[D, S]:
        raise NotImplementedError


class OfDet(OfFractions):
    """`det`."""

    def __call__(self, x: AsFloats[DT], /) -> Array[DT]:
        raise NotImplementedError


class OfNorm(OfFractions):
    """`norm`."""

    def __call__(
        self, x: AsRealFloats[DT], /, ord: MatrixNorm | None = None, axis: Axes = None, keepdims: bool = False
    ) -> Array[DT]:
        raise NotImplementedError


class OfVectorNorm(OfFractions):
    """`vector_norm`."""

    def __call__(
        self, x: AsRealFloats[DT], /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
    ) -> Array[DT]:
        raise NotImplementedError


class OfMatrixNorm(OfFractions):
    """`matrix_norm`."""

    def __call__(self, x: AsRealFloats[DT], /, *, keepdims: bool = False, ord: MatrixNorm = "fro") -> Array[DT]:
        raise NotImplementedError


class OfCond(OfFractions):
    """`cond`."""

    def __call__(self, x: AsRealFloats[DT], /, p: MatrixNorm | None = None) -> Array[DT]:
        raise NotImplementedError


class OfTrace(OfFractions):
    """`trace`."""

    @overload
    def __call__(
        self, x: AsSums[DT], /, offset: int = 0, axis1: int = -2, axis2: int = -1, dtype: None = None
    ) -> Array[DT]: ...
    @overload
    def __call__[D: DType](
        self, x: ArrayLike, /, offset: int = 0, axis1: int = -2, axis2: int = -1, *, dtype: type[D] | ForeignDType
    ) -> Array[D]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSVD:
    """`svd`."""

    @overload
    def __call__[D: DType, E: DType](
        self,
        x: HasFloatsAndReals[D, E] | complex | Foreign,
        /,
        full_matrices: bool = True,
        compute_uv: Literal[True] = True,
    ) -> SVDResult[D, E]: ...
    @overload
    def __call__(
        self, x: AsRealFloats[DT], /, full_matrices: bool = True, *, compute_uv: Literal[False]
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Absolute = lambda function: OfAbs()
    Trace = lambda function: OfTrace()
else:

    class Absolute(OfAbs, Signature[P, R]): ...

    class Trace(OfTrace, Signature[P, R]): ...
