"""Signatures of the functions that act on pairs of elements.

Two dtypes meet in the one that `promote` says; Python numbers adopt an array's where their kind is not greater. Arrays
of one shape keep it, also beside arrays of rank 0; what others broadcast to is not said.

Of a family of dtypes, in functions that are generic in one, an array is known to keep it beside itself.
"""

# mypy: disable-error-code="overload-overlap"
# What becomes of a dtype beside another one overlaps what keeps it, and says the same there.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import MYPY, F, I, J, P, R, S, Shape, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.types.dtypes import DType, Floating, Inexact, Integer, Num, bool_, i64
    from effects.types.signatures.becoming import (
        Counts,
        Divides,
        FloatingNumber,
        ImaginaryNumber,
        Meets,
        MeetsBits,
        Unmet,
        WithComplexes,
    )

    type Zero = tuple[()]


class OfArithmetic:
    """Two arguments that meet in one dtype, which the result has: `add`, `maximum`."""

    @overload
    def __call__[D: DType, S: Shape](self, x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, Z: Zero](self, x: Unmet[D, S], y: Unmet[D, Z], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Meets[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, S], y: Meets[D, E, Z], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, Z], y: Meets[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Array[D, S], y: Meets[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
    @overload
    def __call__[D: Num, S: Shape](self, x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: Array[bool_, S], y: bool, /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self, x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], y: FloatingNumber, /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](self, x: WithComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
    @overload
    def __call__[D: Num, S: Shape](self, x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: bool, y: Array[bool_, S], /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self, x: int, y: Array[bool_, S], /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: FloatingNumber, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](self, x: ImaginaryNumber, y: WithComplexes[E, S], /) -> Array[E, S]: ...
    @overload
    def __call__(self, x: complex, y: complex, /) -> Scalar[Any]: ...
    @overload
    def __call__(self, x: ArrayLike, y: Foreign, /) -> Array: ...
    @overload
    def __call__(self, x: Foreign, y: ArrayLike, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfQuotient:
    """Two real arguments that meet in one dtype: `floor_divide`, `remainder`."""

    @overload
    def __call__[D: DType, S: Shape](self, x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Counts[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, S], y: Counts[D, E, Z], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](self, x: Array[D, Z], y: Counts[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Array[D, S], y: Counts[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], y: FloatingNumber, /) -> Array[F, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: Array[D, S], y: ImaginaryNumber, /) -> Array[Any, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: int, y: Array[bool_, S], /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Floating, S: Shape](self, x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: FloatingNumber, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: ImaginaryNumber, y: Array[D, S], /) -> Array[Any, S]: ...
    @overload
    def __call__(self, x: complex, y: complex, /) -> Scalar[Any]: ...
    @overload
    def __call__(self, x: ArrayLike, y: Foreign, /) -> Array: ...
    @overload
    def __call__(self, x: Foreign, y: ArrayLike, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfDivision:
    """Two arguments that meet in one floating dtype, integers in the default float: `divide`, `logaddexp`."""

    @overload
    def __call__[D: DType, S: Shape](self, x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], y: Array[J, S], /) -> Array[F, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Divides[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, S], y: Divides[D, E, Z], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, Z], y: Divides[D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Array[D, S], y: Divides[D, E, T], /) -> Array[E]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](self, x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], y: float, /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](self, x: WithComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: float, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__[E: DType, S: Shape](self, x: ImaginaryNumber, y: WithComplexes[E, S], /) -> Array[E, S]: ...
    @overload
    def __call__(self, x: complex, y: complex, /) -> Scalar[Any]: ...
    @overload
    def __call__(self, x: ArrayLike, y: Foreign, /) -> Array: ...
    @overload
    def __call__(self, x: Foreign, y: ArrayLike, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfBitwise:
    """Two arguments of whole numbers or bools: `bitwise_and`, `bitwise_left_shift`."""

    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: MeetsBits[D, E, S], /) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, S], y: MeetsBits[D, E, Z], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: Zero](
        self, x: Array[D, Z], y: MeetsBits[D, E, S], /
    ) -> Array[E, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, T: Shape](
        self, x: Array[D, S], y: MeetsBits[D, E, T], /
    ) -> Array[E]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: Array[bool_, S], y: bool, /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self, x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[S: Shape](self, x: bool, y: Array[bool_, S], /) -> Array[bool_, S]: ...
    @overload
    def __call__[S: Shape](self, x: int, y: Array[bool_, S], /) -> Array[i64, S]: ...
    @overload
    def __call__(self, x: int, y: int, /) -> Scalar[Any]: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](self, x: Array[D, S] | int | Foreign, y: Foreign, /) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](self, x: Foreign, y: Array[D, S] | int, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


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
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


if MYPY:
    Arithmetic = lambda function: OfArithmetic().__call__
    Quotient = lambda function: OfQuotient().__call__
    Division = lambda function: OfDivision().__call__
    Bitwise = lambda function: OfBitwise().__call__
    Comparison = lambda function: OfComparison().__call__
else:

    class Arithmetic(OfArithmetic, Signature[P, R]):
        pass

    class Quotient(OfQuotient, Signature[P, R]):
        pass

    class Division(OfDivision, Signature[P, R]):
        pass

    class Bitwise(OfBitwise, Signature[P, R]):
        pass

    class Comparison(OfComparison, Signature[P, R]):
        pass
