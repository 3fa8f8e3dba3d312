"""Signatures of functions of one array that may be no overloads, and of which `grad` is to know what they take.

Of a function with type variables mypy infers an argument's type before it looks at the bound of `grad`'s own: so these
are objects of a class, which `grad` takes as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from effects.arrays.array import Array
    from effects.arrays.operators import DT
    from effects.types.shapes import Axes
    from effects.types.signatures.becoming import AsFloats, AsRealFloats

    type MatrixNorm = float | Literal["fro", "nuc"]


class OfFractions:
    """What they have in common."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
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
