"""Signatures of the functions and operators that act on pairs of elements.

Two dtypes meet in the one that `promote` says, of which a kind of functions says what it becomes; Python numbers adopt
an array's where their kind is not greater. Arrays of one shape keep it, also beside arrays of rank 0; what others
broadcast to is not said.

Of a family of dtypes, in functions that are generic in one, an array is known to keep it beside itself.
"""

# mypy: disable-error-code="overload-overlap"
# What becomes of a dtype beside another one overlaps what keeps it, and says the same there.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from effects.types import kinds
from effects.types.signatures import MYPY, F, I, J, P, R, S, Shape, Signature
from effects.types.signatures.fractions import OfElements

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.types.dtypes import DType, Floating, Inexact, Integer, Num, bool_, i64
    from effects.types.signatures.becoming import ArrayOf, Beside, FloatingNumber, ImaginaryNumber, Real, WithComplexes
    from effects.types.signatures.refused import NoArray, NoBits, NoReal

    type Zero = tuple[()]

K_co = TypeVar("K_co", covariant=True)
"""The kind of the functions, which is one of several kinds."""


class OfPair(Generic[K_co]):  # noqa: UP046  # as in `Signature`
    """Two arguments that meet in one dtype: `add`."""

    @overload
    def __call__[D: DType, S: Shape](
        self: OfPair[kinds.Numeric], x: ArrayOf[D, S], y: ArrayOf[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, Z: Zero](
        self: OfPair[kinds.Generic], x: ArrayOf[D, S], y: ArrayOf[D, Z], /
    ) -> Array[D, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Fractional], x: Array[I, S], y: Array[J, S], /) -> Array[F, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Beside[K_co, D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, S], y: Beside[K_co, D, E, Z], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, Z], y: Beside[K_co, D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](
        self, x: Array[D, S], y: Beside[K_co, D, E, T], /
    ) -> Array[E]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](
        self: OfPair[kinds.Generic], x: ArrayOf[D, S], y: Array[E, T], /
    ) -> Array: ...
    @overload
    def __call__[D: Num, S: Shape](self: OfPair[kinds.Kept], x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self: OfPair[kinds.Integral], x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self: OfPair[kinds.Truthful], x: Array[bool_, S], y: bool, /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self: OfPair[kinds.Whole], x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self: OfPair[kinds.Complexes], x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self: OfPair[kinds.Reals], x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Plain], x: Array[I, S], y: FloatingNumber, /) -> Array[F, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Fractional], x: Array[I, S], y: float, /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](
        self: OfPair[kinds.Complexes], x: WithComplexes[E, S], y: ImaginaryNumber, /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, S: Shape](
        self: OfPair[kinds.Counted], x: Array[D, S], y: ImaginaryNumber, /
    ) -> Array[Any, S]: ...
    @overload
    def __call__[D: Num, S: Shape](self: OfPair[kinds.Kept], x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self: OfPair[kinds.Integral], x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self: OfPair[kinds.Truthful], x: bool, y: Array[bool_, S], /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self: OfPair[kinds.Whole], x: int, y: Array[bool_, S], /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self: OfPair[kinds.Complexes], x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self: OfPair[kinds.Reals], x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Plain], x: FloatingNumber, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Fractional], x: float, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](
        self: OfPair[kinds.Complexes], x: ImaginaryNumber, y: WithComplexes[E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, S: Shape](
        self: OfPair[kinds.Counted], x: ImaginaryNumber, y: Array[D, S], /
    ) -> Array[Any, S]: ...
    @overload
    def __call__(self: OfPair[kinds.Generic], x: complex, y: complex, /) -> Scalar[Any]: ...
    @overload
    def __call__(self: OfPair[kinds.Measured], x: float, y: float, /) -> Scalar[Any]: ...
    @overload
    def __call__(self: OfPair[kinds.Bitwise], x: int, y: int, /) -> Scalar[Any]: ...
    @overload
    def __call__(self: OfPair[kinds.Generic], x: ArrayLike, y: Foreign | NoArray, /) -> Array: ...
    @overload
    def __call__(self: OfPair[kinds.Generic], x: Foreign | NoArray, y: ArrayLike, /) -> Array: ...
    @overload
    def __call__[X: Real](self: OfPair[kinds.Measured], x: X, y: Foreign | NoReal, /) -> Array: ...
    @overload
    def __call__[X: Real](self: OfPair[kinds.Measured], x: Foreign | NoReal, y: X, /) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](
        self: OfPair[kinds.Bitwise], x: Array[D, S] | int | Foreign, y: Foreign | NoBits, /
    ) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](
        self: OfPair[kinds.Bitwise], x: Foreign | NoBits, y: Array[D, S] | int, /
    ) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSlopes(OfPair[K_co], OfElements):
    """Two arguments, along each of which there is a gradient: `add`, `gammainc`."""


class OfComparison:
    """A question to every pair of elements: `less`, `logical_and`."""

    @overload
    def __call__[D: DType, E: DType, S: Shape](
        self, x: Array[D, S], y: Array[E, S] | complex, /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, S], y: Array[E, Z], /) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, Z] | complex, y: Array[E, S], /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x: X, y: Y, /) -> Array[bool_]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Arithmetic = lambda function: OfSlopes[kinds.Kept]()
    Quotient = lambda function: OfSlopes[kinds.Counted]()
    Division = lambda function: OfSlopes[kinds.Divided]()
    Bitwise = lambda function: OfPair[kinds.Bitwise]().__call__
    Comparison = lambda function: OfComparison().__call__
    Reals = lambda function: OfSlopes[kinds.Measured]()
else:

    class Arithmetic(OfSlopes[kinds.Kept], Signature[P, R]): ...

    class Quotient(OfSlopes[kinds.Counted], Signature[P, R]): ...

    class Division(OfSlopes[kinds.Divided], Signature[P, R]): ...

    class Bitwise(OfPair[kinds.Bitwise], Signature[P, R]): ...

    class Comparison(OfComparison, Signature[P, R]): ...

    class Reals(OfSlopes[kinds.Measured], Signature[P, R]): ...
