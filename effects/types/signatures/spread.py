"""Signatures of `mean`, `var`, `std`, `logsumexp`, and of the methods of the same names: as in `reduction`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from typing_extensions import TypeVar

from effects.types.signatures import MYPY, Call, Exactly, F, I, P, R, Signature
from effects.types.signatures.fractions import OfFractions
from effects.types.signatures.reduction import Axes, Chosen

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.types.dtypes import Complex, DType, Floating, ForeignDType, Inexact, Integer, bool_
    from effects.types.signatures.becoming import Elements, Mask
    from effects.types.signatures.reduction import No, Other
    from effects.types.signatures.refused import NoArray, NoAxes, NoDType, NoFlag, NoSuchArgument

InexactOrAny = TypeVar("InexactOrAny", bound="Inexact", default="Any")
FloatingOrAny = TypeVar("FloatingOrAny", bound="Floating", default="Any")
X = TypeVar("X", bound="ArrayLike")
Y = TypeVar("Y", bound="ArrayLike | NoArray")


class Spreading(Chosen, total=False):
    """Options of a deviation: its centre, and the divisor of the sum."""

    correction: float
    mean: ArrayLike | None
    ddof: float | None


class Unsigned(Chosen, total=False):
    """Without the sign of the sum."""

    return_sign: No


@overload
def average[D: Inexact](
    x: Elements[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
) -> Scalar[D]: ...
@overload
def average(
    x: Elements[I], /, axis: None = None, *, dtype: None = None, keepdims: No = False, where: Mask = True
) -> Scalar[F]: ...
@overload
def average[D: Inexact](
    x: Elements[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
) -> Array[D]: ...
@overload
def average(
    x: Elements[I], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, where: Mask = True
) -> Array[F]: ...
@overload
def average[D: DType](
    x: Elements[D],
    /,
    axis: Axes | NoAxes = None,
    *,
    dtype: NoDType | None = None,
    keepdims: bool | NoFlag = False,
    where: Mask = True,
    **unknown: NoSuchArgument,
) -> Array[Exactly[D]]: ...
@overload
def average(
    x: X,
    /,
    axis: None = None,
    *,
    dtype: type[InexactOrAny] | ForeignDType | None = None,
    keepdims: No = False,
    where: Mask = True,
) -> Scalar[InexactOrAny]: ...
@overload
def average(
    x: Y,
    /,
    axis: Axes = None,
    *,
    dtype: type[InexactOrAny] | ForeignDType | None = None,
    keepdims: bool = False,
    where: Mask = True,
) -> Array[InexactOrAny]: ...
def average(*args: Any, **kwargs: Any) -> Any:
    """Integers become the default float: `mean`."""


@overload
def deviation[D: Floating](
    x: Elements[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Spreading]
) -> Scalar[D]: ...
@overload
def deviation(
    x: Elements[I], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Spreading]
) -> Scalar[F]: ...
@overload
def deviation[D: Floating](
    x: Elements[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Spreading]
) -> Array[D]: ...
@overload
def deviation(
    x: Elements[I], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Spreading]
) -> Array[F]: ...
@overload
def deviation[D: Floating | Integer | bool_](
    x: Elements[D],
    /,
    axis: Axes | NoAxes = None,
    *,
    dtype: NoDType | None = None,
    keepdims: bool | NoFlag = False,
    correction: float = 1.0,
    mean: ArrayLike | None = None,
    ddof: float | None = None,
    where: Mask = True,
    **unknown: NoSuchArgument,
) -> Array[Exactly[D]]: ...
@overload
def deviation(
    x: X,
    /,
    axis: None = None,
    *,
    dtype: type[FloatingOrAny] | type[Complex] | ForeignDType | None = None,
    keepdims: No = False,
    **options: Unpack[Spreading],
) -> Scalar[FloatingOrAny]: ...
@overload
def deviation(
    x: Y,
    /,
    axis: Axes = None,
    *,
    dtype: type[FloatingOrAny] | type[Complex] | ForeignDType | None = None,
    keepdims: bool = False,
    **options: Unpack[Spreading],
) -> Array[FloatingOrAny]: ...
def deviation(*args: Any, **kwargs: Any) -> Any:
    """Real also for complex numbers: `var`, `std`."""


@overload
def logarithm[D: Inexact](
    x: Elements[D], /, axis: None = None, b: None = None, *, keepdims: No = False, **options: Unpack[Unsigned]
) -> Scalar[D]: ...
@overload
def logarithm(
    x: Elements[I], /, axis: None = None, b: None = None, *, keepdims: No = False, **options: Unpack[Unsigned]
) -> Scalar[F]: ...
@overload
def logarithm(
    x: Other, /, axis: None = None, b: None = None, *, keepdims: No = False, **options: Unpack[Unsigned]
) -> Scalar[Any]: ...
@overload
def logarithm[D: Inexact](
    x: Elements[D], /, axis: Axes = None, b: None = None, *, keepdims: bool = False, **options: Unpack[Unsigned]
) -> Array[D]: ...
@overload
def logarithm(
    x: Elements[I], /, axis: Axes = None, b: None = None, *, keepdims: bool = False, **options: Unpack[Unsigned]
) -> Array[F]: ...
@overload
def logarithm[D: DType](
    x: Elements[D],
    /,
    axis: Axes | NoAxes = None,
    b: None = None,
    *,
    keepdims: bool | NoFlag = False,
    return_sign: bool | NoFlag = False,
    where: Mask = True,
) -> Array[Exactly[D]]: ...
@overload
def logarithm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    b: ArrayLike | None = None,
    *,
    keepdims: bool = False,
    return_sign: Literal[True],
    where: Mask = True,
) -> tuple[Array, Array]: ...
@overload
def logarithm[X: ArrayLike | NoArray](
    x: X,
    /,
    axis: Axes = None,
    b: ArrayLike | NoArray | None = None,
    *,
    keepdims: bool = False,
    **options: Unpack[Unsigned],
) -> Array: ...
def logarithm(*args: Any, **kwargs: Any) -> Any:
    """`logsumexp`."""


class OfMean(OfFractions):
    """`mean`."""

    __call__ = Call(average)


class OfSpread(OfFractions):
    """`var`, `std`."""

    __call__ = Call(deviation)


class OfLogarithm(OfFractions):
    """`logsumexp`."""

    __call__ = Call(logarithm)


if MYPY:
    Mean = lambda function: OfMean()
    Spread = lambda function: OfSpread()
    Logarithm = lambda function: OfLogarithm()
else:

    class Mean(OfMean, Signature[P, R]): ...

    class Spread(OfSpread, Signature[P, R]): ...

    class Logarithm(OfLogarithm, Signature[P, R]): ...
