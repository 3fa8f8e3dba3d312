"""Signatures of the functions that act on every element by itself.

Arrays of one dtype and shape keep them, beside arrays of rank 0 and beside Python numbers too, which adopt the dtype
when their kind is not greater. Otherwise what is certain is kept: the shape, or the dtype.

mypy tries the overloads on what the context expects, too: where a later one took the arrays of an earlier one and gave
Any, a wrong result would pass, and the dtype of an array of unknown shape would be lost. So the overloads of functions
of one argument take different ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.types.dtypes import (
        Complex,
        DType,
        Floating,
        ForeignDType,
        Inexact,
        Integer,
        bool_,
        c64,
        c128,
        f32,
        f64,
    )


@overload
def keeping[D: DType, S: tuple[object, ...]](x: Array[D, S], /) -> Array[D, S]: ...
@overload
def keeping(x: complex, /) -> Scalar[Any]: ...
@overload
def keeping(x: Foreign, /) -> Array: ...
def keeping(x: object, /) -> NoReturn:
    """One argument whose dtype and shape the result has: `negative`, `floor`."""
    raise NotImplementedError


@overload
def rounding[D: DType, S: tuple[object, ...]](x: Array[D, S], /, decimals: int = 0) -> Array[D, S]: ...
@overload
def rounding(x: complex, /, decimals: int = 0) -> Scalar[Any]: ...
@overload
def rounding(x: Foreign, /, decimals: int = 0) -> Array: ...
def rounding(x: object, /, decimals: object = 0) -> NoReturn:
    """`round`."""
    raise NotImplementedError


@overload
def inexact[D: Inexact, S: tuple[object, ...]](x: Array[D, S], /) -> Array[D, S]: ...
@overload
def inexact[D: Integer | bool_, S: tuple[object, ...]](x: Array[D, S], /) -> Array[Any, S]: ...
@overload
def inexact(x: complex, /) -> Scalar[Any]: ...
@overload
def inexact(x: Foreign, /) -> Array: ...
def inexact(x: object, /) -> NoReturn:
    """One argument; integers and bools become the default float: `sin`, `exp`."""
    raise NotImplementedError


@overload
def real_valued[S: tuple[object, ...]](x: Array[c64, S], /) -> Array[f32, S]: ...
@overload
def real_valued[S: tuple[object, ...]](x: Array[c128, S], /) -> Array[f64, S]: ...
@overload
def real_valued[D: Floating | Integer | bool_, S: tuple[object, ...]](x: Array[D, S], /) -> Array[D, S]: ...
@overload
def real_valued(x: complex, /) -> Scalar[Any]: ...
@overload
def real_valued(x: Foreign, /) -> Array: ...
def real_valued(x: object, /) -> NoReturn:
    """One argument; real also for complex numbers: `abs`, `real`, `imag`."""
    raise NotImplementedError


@overload
def predicate[S: tuple[object, ...]](x: Array[Any, S], /) -> Array[bool_, S]: ...
@overload
def predicate(x: complex, /) -> Scalar[bool_]: ...
@overload
def predicate(x: Foreign, /) -> Array[bool_]: ...
def predicate(x: object, /) -> NoReturn:
    """A question to every element: `isnan`, `logical_not`."""
    raise NotImplementedError


@overload
def arithmetic[D: DType, S: tuple[object, ...]](  # type: ignore[overload-overlap]  # two scalars give one either way
    x: Array[D, S], y: Array[D, S] | Scalar[D], /
) -> Array[D, S]: ...
@overload
def arithmetic[D: Inexact, S: tuple[object, ...]](x: Array[D, S], y: float, /) -> Array[D, S]: ...
@overload
def arithmetic[D: Complex, S: tuple[object, ...]](x: Array[D, S], y: complex, /) -> Array[D, S]: ...
@overload
def arithmetic[D: Integer, S: tuple[object, ...]](x: Array[D, S], y: int, /) -> Array[D, S]: ...
@overload
def arithmetic[D: Inexact, S: tuple[object, ...]](x: Scalar[D] | float, y: Array[D, S], /) -> Array[D, S]: ...
@overload
def arithmetic[D: Integer, S: tuple[object, ...]](x: Scalar[D] | int, y: Array[D, S], /) -> Array[D, S]: ...
@overload
def arithmetic[D: DType](x: Array[D, Any], y: Array[D, Any], /) -> Array[D]: ...
@overload
def arithmetic[S: tuple[object, ...]](x: Array[Any, S], y: Array[Any, S] | complex, /) -> Array[Any, S]: ...
@overload
def arithmetic(x: ArrayLike, y: ArrayLike, /) -> Array: ...
def arithmetic(x: object, y: object, /) -> NoReturn:
    """Two arguments that meet in one dtype, which the result has: `add`, `maximum`, `bitwise_and`."""
    raise NotImplementedError


@overload
def division[D: Inexact, S: tuple[object, ...]](
    x: Array[D, S], y: Array[D, S] | Scalar[D] | float, /
) -> Array[D, S]: ...
@overload
def division[D: Inexact, S: tuple[object, ...]](x: Scalar[D] | float, y: Array[D, S], /) -> Array[D, S]: ...
@overload
def division[D: Inexact](x: Array[D, Any], y: Array[D, Any], /) -> Array[D]: ...
@overload
def division[S: tuple[object, ...]](x: Array[Any, S], y: Array[Any, S] | complex, /) -> Array[Any, S]: ...
@overload
def division(x: ArrayLike, y: ArrayLike, /) -> Array: ...
def division(x: object, y: object, /) -> NoReturn:
    """Two arguments that meet in one floating dtype, integers in the default float: `divide`, `atan2`."""
    raise NotImplementedError


@overload
def comparison[S: tuple[object, ...]](
    x: Array[Any, S], y: Array[Any, S] | Scalar[Any] | complex, /
) -> Array[bool_, S]: ...
@overload
def comparison[S: tuple[object, ...]](x: Scalar[Any] | complex, y: Array[Any, S], /) -> Array[bool_, S]: ...
@overload
def comparison(x: ArrayLike, y: ArrayLike, /) -> Array[bool_]: ...
def comparison(x: object, y: object, /) -> NoReturn:
    """A question to every pair of elements: `less`, `logical_and`."""
    raise NotImplementedError


@overload
def equality(x: Array, y: str | None, /) -> bool: ...
@overload
def equality[S: tuple[object, ...]](
    x: Array[Any, S], y: Array[Any, S] | Scalar[Any] | complex, /
) -> Array[bool_, S]: ...
@overload
def equality[S: tuple[object, ...]](x: Scalar[Any], y: Array[Any, S], /) -> Array[bool_, S]: ...
@overload
def equality(x: Array, y: ArrayLike, /) -> Array[bool_]: ...
def equality(x: object, y: object, /) -> NoReturn:
    """`==` and `!=`, which no array is beside what is none."""
    raise NotImplementedError


def quotient_and_rest(x: ArrayLike, y: ArrayLike, /) -> tuple[Array, Array]:
    """`divmod`."""
    raise NotImplementedError


@overload
def choice[D: DType, S: tuple[object, ...]](  # type: ignore[overload-overlap]  # two scalars give one either way
    condition: Array[Any, S] | Scalar[Any] | bool, x: Array[D, S], y: Array[D, S] | Scalar[D], /
) -> Array[D, S]: ...
@overload
def choice[D: Inexact, S: tuple[object, ...]](
    condition: Array[Any, S] | Scalar[Any] | bool, x: Array[D, S], y: float, /
) -> Array[D, S]: ...
@overload
def choice[D: Inexact, S: tuple[object, ...]](
    condition: Array[Any, S] | Scalar[Any] | bool, x: Scalar[D] | float, y: Array[D, S], /
) -> Array[D, S]: ...
@overload
def choice[D: DType](condition: Array, x: Array[D, Any], y: Array[D, Any], /) -> Array[D]: ...
@overload
def choice(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array: ...
def choice(condition: object, x: object, y: object, /) -> NoReturn:
    """`where`."""
    raise NotImplementedError


@overload
def limits[D: Inexact, S: tuple[object, ...]](
    x: Array[D, S], /, min: Scalar[D] | float | None = None, max: Scalar[D] | float | None = None
) -> Array[D, S]: ...
@overload
def limits[D: Integer, S: tuple[object, ...]](
    x: Array[D, S], /, min: Scalar[D] | int | None = None, max: Scalar[D] | int | None = None
) -> Array[D, S]: ...
@overload
def limits(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array: ...
def limits(x: object, /, min: object = None, max: object = None) -> NoReturn:
    """`clip`."""
    raise NotImplementedError


@overload
def conversion[D: DType, S: tuple[object, ...]](
    x: Array[Any, S], dtype: type[D], /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array[D, S]: ...
@overload
def conversion[D: DType](
    x: complex, dtype: type[D], /, *, copy: bool = True, device: DeviceLike | None = None
) -> Scalar[D]: ...
@overload
def conversion[D: DType](
    x: Foreign, dtype: type[D], /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array[D]: ...
@overload
def conversion[S: tuple[object, ...]](
    x: Array[Any, S], dtype: ForeignDType, /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array[Any, S]: ...
@overload
def conversion(
    x: complex | Foreign, dtype: ForeignDType, /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array: ...
def conversion(x: object, dtype: object, /, *, copy: object = True, device: object = None) -> NoReturn:
    """`astype`."""
    raise NotImplementedError
