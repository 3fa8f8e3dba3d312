"""Signatures of the functions that act on pairs of elements, and of the choice between two.

Arrays of one dtype and shape keep them, beside arrays of rank 0 and beside Python numbers too, which adopt the dtype
when their kind is not greater. Otherwise what is certain is kept: the shape, or the dtype.
"""

# mypy: disable-error-code="overload-overlap"
# What gives `Exactly` overlaps those that know the dtype, as it is meant to.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import MYPY, Exactly, F, I, J, P, R, S, Shape, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.types.dtypes import (
        Complex,
        DType,
        Inexact,
        Integer,
        bool_,
        i64,
    )

    type Whole = Array[Any, Any] | int | Foreign


class OfArithmetic:
    """Two arguments that meet in one dtype, which the result has: `add`, `maximum`."""

    @overload
    def __call__[D: DType, S: Shape](self, x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, Z: tuple[()]](self, x: Array[D, S], y: Array[D, Z], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, Z: tuple[()]](self, x: Array[D, Z], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](self, x: Array[D, S], y: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](self, x: Array[D, S], y: Array[D, T], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Array[E, S], /) -> Array[Any, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Complex, S: Shape](self, x: Array[D, S], y: complex, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: Array[D, S], y: complex, /) -> Array[Any, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: complex, y: Array[D, S], /) -> Array[Any, S]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x: X, y: Y, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfDivision:
    """Two arguments that meet in one floating dtype, integers in the default float: `divide`, `atan2`."""

    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape, Z: tuple[()]](self, x: Array[D, S], y: Array[D, Z], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape, Z: tuple[()]](self, x: Array[D, Z], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape, T: Shape](self, x: Array[D, S], y: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[D: Inexact, S: Shape, T: Shape](self, x: Array[D, S], y: Array[D, T], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__(self, x: Array[I, S], y: Array[J, S], /) -> Array[F, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Array[E, S], /) -> Array[Any, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Complex, S: Shape](self, x: Array[D, S], y: complex, /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], y: float, /) -> Array[F, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], y: float, /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: Array[D, S], y: complex, /) -> Array[Any, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: float, y: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, x: float, y: Array[D, S], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: complex, y: Array[D, S], /) -> Array[Any, S]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x: X, y: Y, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfBitwise:
    """Two arguments of whole numbers or bools: `bitwise_and`, `bitwise_left_shift`."""

    @overload
    def __call__[D: Integer | bool_, S: Shape](self, x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape, T: Shape](self, x: Array[D, S], y: Array[D, T], /) -> Array[D]: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape, T: Shape](
        self, x: Array[D, S], y: Array[D, T], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: bool_, S: Shape](self, x: Array[D, S], y: bool, /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[D, S]: ...
    @overload
    def __call__[D: bool_, S: Shape](self, x: bool, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: Array[D, S], y: int, /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: Integer, S: Shape](self, x: int, y: Array[D, S], /) -> Array[Exactly[D]]: ...
    @overload
    def __call__[D: Integer | bool_, E: Integer | bool_, S: Shape, T: Shape](
        self, x: Array[D, S], y: Array[E, T], /
    ) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](self, x: Array[D, S], y: int | Foreign, /) -> Array: ...
    @overload
    def __call__[D: Integer | bool_, S: Shape](self, x: int | Foreign, y: Array[D, S], /) -> Array: ...
    @overload
    def __call__(self, x: int | Foreign, y: int | Foreign, /) -> Array: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfComparison:
    """A question to every pair of elements: `less`, `logical_and`."""

    @overload
    def __call__[D: DType, E: DType, S: Shape](self, x: Array[D, S], y: Array[E, S], /) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: tuple[()]](
        self, x: Array[D, S], y: Array[E, Z], /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, E: DType, S: Shape, Z: tuple[()]](
        self, x: Array[D, Z], y: Array[E, S], /
    ) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: Array[D, S], y: complex, /) -> Array[bool_, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self, x: complex, y: Array[D, S], /) -> Array[bool_, S]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](self, x: X, y: Y, /) -> Array[bool_]: ...
    def __call__(self, x: object, y: object, /) -> NoReturn:
        raise NotImplementedError


class OfChoice:
    """`where`."""

    @overload
    def __call__[C: ArrayLike](
        self, condition: C, /, *, size: int | None = None, fill_value: int = 0
    ) -> tuple[Array[i64], ...]: ...

    @overload
    def __call__[C: DType, D: DType, S: Shape](
        self, condition: Array[C, S], x: Array[D, S], y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: DType, S: Shape, Z: tuple[()]](
        self, condition: Array[C, S], x: Array[D, S], y: Array[D, Z], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: DType, S: Shape, Z: tuple[()]](
        self, condition: Array[C, S], x: Array[D, Z], y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: DType, S: Shape, Z: tuple[()]](
        self, condition: Array[C, Z], x: Array[D, S], y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: DType, S: Shape, T: Shape, U: Shape](
        self, condition: Array[C, S], x: Array[D, T], y: Array[D, U], /
    ) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape](
        self, condition: Array[C, S], x: Array[D, S], y: float, /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape, T: Shape](
        self, condition: Array[C, S], x: Array[D, T], y: float, /
    ) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Integer, S: Shape](
        self, condition: Array[C, S], x: Array[D, S], y: int, /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape](
        self, condition: Array[C, S], x: float, y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[C: DType, D: Inexact, S: Shape, T: Shape](
        self, condition: Array[C, S], x: float, y: Array[D, T], /
    ) -> Array[D]: ...
    @overload
    def __call__[C: DType, D: Integer, S: Shape](
        self, condition: Array[C, S], x: int, y: Array[D, S], /
    ) -> Array[D, S]: ...
    @overload
    def __call__[D: DType, S: Shape](self, condition: bool, x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__[D: Inexact, S: Shape](self, condition: bool, x: Array[D, S], y: float, /) -> Array[D, S]: ...
    @overload
    def __call__[C: ArrayLike, D: DType, S: Shape, T: Shape](
        self, condition: C, x: Array[D, S], y: Array[D, T], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[C: ArrayLike, D: Inexact, S: Shape](
        self, condition: C, x: Array[D, S], y: float, /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[C: ArrayLike, D: Integer, S: Shape](
        self, condition: C, x: Array[D, S], y: int, /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[C: ArrayLike, D: Inexact, S: Shape](
        self, condition: C, x: float, y: Array[D, S], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[C: ArrayLike, D: Integer, S: Shape](
        self, condition: C, x: int, y: Array[D, S], /
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[C: ArrayLike, X: ArrayLike, Y: ArrayLike](self, condition: C, x: X, y: Y, /) -> Array: ...
    def __call__(
        self, condition: object, x: object = None, y: object = None, /, *, size: object = None, fill_value: object = 0
    ) -> NoReturn:
        raise NotImplementedError


class OfTwoSets:
    """Two sets of one dtype, of which a third one is made: `union1d`."""

    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, *, size: int | None = None, fill_value: ArrayLike | None = None
    ) -> Array[D]: ...
    @overload
    def __call__[D: DType, S: Shape, T: Shape](
        self, x1: Array[D, S], x2: Array[D, T], /, *, size: int | None = None, fill_value: ArrayLike | None = None
    ) -> Array[Exactly[D]]: ...
    @overload
    def __call__[X: ArrayLike, Y: ArrayLike](
        self, x1: X, x2: Y, /, *, size: int | None = None, fill_value: ArrayLike | None = None
    ) -> Array: ...
    def __call__(self, x1: object, x2: object, /, *, size: object = None, fill_value: object = None) -> NoReturn:
        raise NotImplementedError


if MYPY:
    TwoSets = lambda function: OfTwoSets().__call__
    Arithmetic = lambda function: OfArithmetic().__call__
    Division = lambda function: OfDivision().__call__
    Bitwise = lambda function: OfBitwise().__call__
    Comparison = lambda function: OfComparison().__call__
    Choice = lambda function: OfChoice().__call__
else:

    class Arithmetic(OfArithmetic, Signature[P, R]):
        pass

    class Division(OfDivision, Signature[P, R]):
        pass

    class Bitwise(OfBitwise, Signature[P, R]):
        pass

    class Comparison(OfComparison, Signature[P, R]):
        pass

    class Choice(OfChoice, Signature[P, R]):
        pass

    class TwoSets(OfTwoSets, Signature[P, R]):
        pass
