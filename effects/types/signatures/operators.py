"""Signatures of operators: those of their functions, for an array on the left.

They are functions, since type checkers bind nothing else to the operand that has the operator.
"""

# mypy: disable-error-code="overload-overlap"
# What becomes of a dtype beside another one overlaps what keeps it, and says the same there.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from effects.types.signatures import F, I, J, S, Shape

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Foreign
    from effects.types.dtypes import DType, Floating, Inexact, Integer, Num, bool_, i64
    from effects.types.signatures.becoming import (
        Counts,
        Divides,
        FloatingNumber,
        HasBits,
        HasReals,
        ImaginaryNumber,
        Meets,
        MeetsBits,
        Unmet,
        WithComplexes,
    )

    type Zero = tuple[()]


def keeping[D: DType, S: Shape](x: Array[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def inverse[D: DType, S: Shape](x: HasBits[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def magnitude[E: DType, S: Shape](x: HasReals[E, S], /) -> Array[E, S]:
    raise NotImplementedError


@overload
def arithmetic[D: DType, S: Shape](x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, S: Shape, Z: Zero](x: Unmet[D, S], y: Unmet[D, Z], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape](x: Array[D, S], y: Meets[D, E, S], /) -> Array[E, S]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: Meets[D, E, Z], /) -> Array[E, S]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: Meets[D, E, S], /) -> Array[E, S]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape, T: Shape](x: Array[D, S], y: Meets[D, E, T], /) -> Array[E]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape, T: Shape](x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
@overload
def arithmetic[D: Num, S: Shape](x: Array[D, S], y: int, /) -> Array[D, S]: ...
@overload
def arithmetic[S: Shape](x: Array[bool_, S], y: bool, /) -> Array[bool_, S]: ...
@overload
def arithmetic[S: Shape](x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
@overload
def arithmetic[D: Inexact, S: Shape](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def arithmetic(x: Array[I, S], y: FloatingNumber, /) -> Array[F, S]: ...
@overload
def arithmetic[E: DType, S: Shape](x: WithComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
@overload
def arithmetic(x: Array, y: Foreign, /) -> Array: ...
def arithmetic(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def quotient[D: DType, S: Shape](x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
@overload
def quotient[D: DType, E: DType, S: Shape](x: Array[D, S], y: Counts[D, E, S], /) -> Array[E, S]: ...
@overload
def quotient[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: Counts[D, E, Z], /) -> Array[E, S]: ...
@overload
def quotient[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: Counts[D, E, S], /) -> Array[E, S]: ...
@overload
def quotient[D: DType, E: DType, S: Shape, T: Shape](x: Array[D, S], y: Counts[D, E, T], /) -> Array[E]: ...
@overload
def quotient[D: DType, E: DType, S: Shape, T: Shape](x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
@overload
def quotient[D: Integer, S: Shape](x: Array[D, S], y: int, /) -> Array[D, S]: ...
@overload
def quotient[S: Shape](x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
@overload
def quotient[D: Floating, S: Shape](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def quotient(x: Array[I, S], y: FloatingNumber, /) -> Array[F, S]: ...
@overload
def quotient[D: DType, S: Shape](x: Array[D, S], y: ImaginaryNumber, /) -> Array[Any, S]: ...
@overload
def quotient(x: Array, y: Foreign, /) -> Array: ...
def quotient(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def division[D: DType, S: Shape](x: Unmet[D, S], y: Unmet[D, S], /) -> Array[D, S]: ...
@overload
def division(x: Array[I, S], y: Array[J, S], /) -> Array[F, S]: ...
@overload
def division[D: DType, E: DType, S: Shape](x: Array[D, S], y: Divides[D, E, S], /) -> Array[E, S]: ...
@overload
def division[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: Divides[D, E, Z], /) -> Array[E, S]: ...
@overload
def division[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: Divides[D, E, S], /) -> Array[E, S]: ...
@overload
def division[D: DType, E: DType, S: Shape, T: Shape](x: Array[D, S], y: Divides[D, E, T], /) -> Array[E]: ...
@overload
def division[D: DType, E: DType, S: Shape, T: Shape](x: Unmet[D, S], y: Array[E, T], /) -> Array: ...
@overload
def division[D: Inexact, S: Shape](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def division(x: Array[I, S], y: float, /) -> Array[F, S]: ...
@overload
def division[E: DType, S: Shape](x: WithComplexes[E, S], y: ImaginaryNumber, /) -> Array[E, S]: ...
@overload
def division(x: Array, y: Foreign, /) -> Array: ...
def division(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def bitwise[D: DType, E: DType, S: Shape](x: Array[D, S], y: MeetsBits[D, E, S], /) -> Array[E, S]: ...
@overload
def bitwise[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: MeetsBits[D, E, Z], /) -> Array[E, S]: ...
@overload
def bitwise[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: MeetsBits[D, E, S], /) -> Array[E, S]: ...
@overload
def bitwise[D: DType, E: DType, S: Shape, T: Shape](x: Array[D, S], y: MeetsBits[D, E, T], /) -> Array[E]: ...
@overload
def bitwise[D: Integer, S: Shape](x: Array[D, S], y: int, /) -> Array[D, S]: ...
@overload
def bitwise[S: Shape](x: Array[bool_, S], y: bool, /) -> Array[bool_, S]: ...
@overload
def bitwise[S: Shape](x: Array[bool_, S], y: int, /) -> Array[i64, S]: ...
@overload
def bitwise[D: Integer | bool_, S: Shape](x: Array[D, S], y: Foreign, /) -> Array: ...
def bitwise(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def comparison[D: DType, E: DType, S: Shape](x: Array[D, S], y: Array[E, S] | complex, /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, S], y: Array[E, Z], /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: Zero](x: Array[D, Z], y: Array[E, S], /) -> Array[bool_, S]: ...
@overload
def comparison[Y: ArrayLike](x: Array, y: Y, /) -> Array[bool_]: ...
def comparison(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


def quotient_and_rest(x: Array, y: ArrayLike, /) -> tuple[Array, Array]:
    raise NotImplementedError


def reflected_product(x2: Array, x1: Array | npt.NDArray[Any], /) -> Array:
    raise NotImplementedError
