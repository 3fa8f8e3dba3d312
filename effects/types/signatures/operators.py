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
    from effects.types.dtypes import (
        Complex,
        DType,
        Inexact,
        Integer,
        bf16,
        bool_,
        c64,
        c128,
        f16,
        f32,
        f64,
        i8,
        i16,
        i32,
        i64,
        u8,
        u16,
        u32,
        u64,
    )
    from effects.types.signatures.becoming import HasBits, HasReals

    type Wide = i32 | i64 | u32 | u64
    type Below64 = bool_ | i8 | i16 | u8 | u16 | f16 | bf16 | Wide | f32


def keeping[D: DType, S: Shape](x: Array[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def inverse[D: DType, S: Shape](x: HasBits[D, S], /) -> Array[D, S]:
    raise NotImplementedError


def magnitude[E: DType, S: Shape](x: HasReals[E, S], /) -> Array[E, S]:
    raise NotImplementedError


@overload
def arithmetic[D: DType, S: Shape](x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, S: Shape, Z: tuple[()]](x: Array[D, S], y: Array[D, Z], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, S: Shape, Z: tuple[()]](x: Array[D, Z], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, S: Shape, T: Shape](x: Array[D, S], y: Array[D, T], /) -> Array[D]: ...
@overload
def arithmetic[E: Below64, S: Shape, T: Shape](x: Array[f64, S], y: Array[E, T], /) -> Array[f64]: ...
@overload
def arithmetic[E: Below64, S: Shape, T: Shape](x: Array[E, S], y: Array[f64, T], /) -> Array[f64]: ...
@overload
def arithmetic[E: Wide, S: Shape, T: Shape](x: Array[f32, S], y: Array[E, T], /) -> Array[f64]: ...
@overload
def arithmetic[E: Wide, S: Shape, T: Shape](x: Array[E, S], y: Array[f32, T], /) -> Array[f64]: ...
@overload
def arithmetic[D: DType, E: DType, S: Shape](x: Array[D, S], y: Array[E, S], /) -> Array[Any, S]: ...
@overload
def arithmetic[D: Inexact, S: Shape](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def arithmetic[D: Integer, S: Shape](x: Array[D, S], y: int, /) -> Array[D, S]: ...
@overload
def arithmetic(x: Array[I, S], y: float, /) -> Array[F, S]: ...
@overload
def arithmetic[S: Shape](x: Array[f32, S], y: complex, /) -> Array[c64, S]: ...
@overload
def arithmetic[S: Shape](x: Array[f64, S], y: complex, /) -> Array[c128, S]: ...
@overload
def arithmetic[D: Complex, S: Shape](x: Array[D, S], y: complex, /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType, S: Shape](x: Array[D, S], y: complex, /) -> Array[Any, S]: ...
@overload
def arithmetic[Y: ArrayLike](x: Array, y: Y, /) -> Array: ...
def arithmetic(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def division[D: Inexact, S: Shape](x: Array[D, S], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def division[D: Inexact, S: Shape, Z: tuple[()]](x: Array[D, S], y: Array[D, Z], /) -> Array[D, S]: ...
@overload
def division[D: Inexact, S: Shape, Z: tuple[()]](x: Array[D, Z], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def division[D: Inexact, S: Shape, T: Shape](x: Array[D, S], y: Array[D, T], /) -> Array[D]: ...
@overload
def division(x: Array[I, S], y: Array[J, S], /) -> Array[F, S]: ...
@overload
def division[E: Below64, S: Shape, T: Shape](x: Array[f64, S], y: Array[E, T], /) -> Array[f64]: ...
@overload
def division[E: Below64, S: Shape, T: Shape](x: Array[E, S], y: Array[f64, T], /) -> Array[f64]: ...
@overload
def division[E: Wide, S: Shape, T: Shape](x: Array[f32, S], y: Array[E, T], /) -> Array[f64]: ...
@overload
def division[E: Wide, S: Shape, T: Shape](x: Array[E, S], y: Array[f32, T], /) -> Array[f64]: ...
@overload
def division[D: DType, E: DType, S: Shape](x: Array[D, S], y: Array[E, S], /) -> Array[Any, S]: ...
@overload
def division[D: Inexact, S: Shape](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def division(x: Array[I, S], y: float, /) -> Array[F, S]: ...
@overload
def division[S: Shape](x: Array[f32, S], y: complex, /) -> Array[c64, S]: ...
@overload
def division[S: Shape](x: Array[f64, S], y: complex, /) -> Array[c128, S]: ...
@overload
def division[D: Complex, S: Shape](x: Array[D, S], y: complex, /) -> Array[D, S]: ...
@overload
def division[D: DType, S: Shape](x: Array[D, S], y: complex, /) -> Array[Any, S]: ...
@overload
def division[X: Array, Y: ArrayLike](x: X, y: Y, /) -> Array: ...
def division(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def bitwise[D: DType, S: Shape](x: HasBits[D, S], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def bitwise[D: DType, S: Shape, Z: tuple[()]](x: HasBits[D, S], y: Array[D, Z], /) -> Array[D, S]: ...
@overload
def bitwise[D: DType, S: Shape, Z: tuple[()]](x: HasBits[D, Z], y: Array[D, S], /) -> Array[D, S]: ...
@overload
def bitwise[D: DType, S: Shape, T: Shape](x: HasBits[D, S], y: Array[D, T], /) -> Array[D]: ...
@overload
def bitwise[D: bool_, S: Shape](x: HasBits[D, S], y: bool, /) -> Array[D, S]: ...
@overload
def bitwise[D: Integer, S: Shape](x: HasBits[D, S], y: int, /) -> Array[D, S]: ...
@overload
def bitwise[D: DType, E: Integer | bool_, S: Shape, T: Shape](x: HasBits[D, S], y: Array[E, T], /) -> Array: ...
@overload
def bitwise[D: DType, S: Shape](x: HasBits[D, S], y: int | Foreign, /) -> Array: ...
def bitwise(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


@overload
def comparison[D: DType, E: DType, S: Shape](x: Array[D, S], y: Array[E, S], /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: tuple[()]](x: Array[D, S], y: Array[E, Z], /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, E: DType, S: Shape, Z: tuple[()]](x: Array[D, Z], y: Array[E, S], /) -> Array[bool_, S]: ...
@overload
def comparison[D: DType, S: Shape](x: Array[D, S], y: complex, /) -> Array[bool_, S]: ...
@overload
def comparison[Y: ArrayLike](x: Array, y: Y, /) -> Array[bool_]: ...
def comparison(x: object, y: object, /) -> NoReturn:
    raise NotImplementedError


def quotient_and_rest(x: Array, y: ArrayLike, /) -> tuple[Array, Array]:
    raise NotImplementedError


def reflected_product(x2: Array, x1: Array | npt.NDArray[Any], /) -> Array:
    raise NotImplementedError
