"""Signatures of the functions that fold axes away, of the methods of the same names, and of `softmax`.

Over all axes they give an array of rank 0; over some they keep the dtype. They are functions, since type checkers bind
nothing else to the array that has the method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from effects.types.signatures import MYPY, Call, Exactly, F, I, P, R, S, Signature
from effects.types.signatures.fractions import OfFractions

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Like, Scalar
    from effects.arrays.operators import DT
    from effects.types.dtypes import DType, DTypeLike, ForeignDType, Inexact, Signed, Unsigned, bool_, i64, u64
    from effects.types.signatures.becoming import AsFloats, AsSums, Elements, Mask
    from effects.types.signatures.refused import NoArray, NoAxes, NoDType, NoFlag, NoReal, NoSuchArgument, Refused

    type No = Literal[False]
    type Other = complex | Foreign

type Axes = int | tuple[int, ...] | None


class Chosen(TypedDict, total=False):
    """Options of the mask of elements that count."""

    where: Mask


class Begun(Chosen, total=False):
    """Options of the initial value of a reduction."""

    initial: ArrayLike | None


@overload
def accumulation[D: Inexact](
    x: Elements[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Begun]
) -> Scalar[D]: ...
@overload
def accumulation[D: Signed | bool_](
    x: Elements[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Begun]
) -> Scalar[i64]: ...
@overload
def accumulation[D: Unsigned](
    x: Elements[D], /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Begun]
) -> Scalar[u64]: ...
@overload
def accumulation(
    x: Other, /, axis: None = None, *, dtype: None = None, keepdims: No = False, **options: Unpack[Begun]
) -> Scalar[Any]: ...
@overload
def accumulation(
    x: ArrayLike,
    /,
    axis: None = None,
    *,
    dtype: type[DT] | ForeignDType,
    keepdims: No = False,
    **options: Unpack[Begun],
) -> Scalar[DT]: ...
@overload
def accumulation[D: Inexact](
    x: Elements[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[D]: ...
@overload
def accumulation[D: Signed | bool_](
    x: Elements[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[i64]: ...
@overload
def accumulation[D: Unsigned](
    x: Elements[D], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[u64]: ...
@overload
def accumulation(
    x: Other | NoArray, /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[Any]: ...
@overload
def accumulation(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: type[DT] | ForeignDType,
    keepdims: bool = False,
    **options: Unpack[Begun],
) -> Array[DT]: ...
@overload
def accumulation[D: DType](
    x: Elements[D],
    /,
    axis: Axes | NoAxes = None,
    *,
    dtype: DTypeLike | NoDType | None = None,
    keepdims: bool | NoFlag = False,
    initial: ArrayLike | None = None,
    where: Mask = True,
    **unknown: NoSuchArgument,
) -> Array[Exactly[D]]: ...
def accumulation(*args: Any, **kwargs: Any) -> Any:
    """Integers widen: `sum`, `prod`."""


@overload
def extreme[D: DType](
    x: Elements[D], /, axis: None = None, *, keepdims: No = False, **options: Unpack[Begun]
) -> Scalar[D]: ...
@overload
def extreme[D: DType](
    x: Elements[D],
    /,
    axis: Axes | NoAxes = None,
    *,
    keepdims: bool | NoFlag = False,
    initial: ArrayLike | None = None,
    where: Mask = True,
    **unknown: NoSuchArgument,
) -> Array[D]: ...
@overload
def extreme(x: Other, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Begun]) -> Scalar[Any]: ...
@overload
def extreme(x: Other | NoArray, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Begun]) -> Array: ...
def extreme(*args: Any, **kwargs: Any) -> Any:
    """The dtype stays: `max`, `min`."""


@overload
def truth(
    x: ArrayLike | NoArray, /, axis: None = None, *, keepdims: No = False, where: Mask = True
) -> Scalar[bool_]: ...
@overload
def truth(
    x: ArrayLike | NoArray, /, axis: Axes | NoAxes = None, *, keepdims: bool | NoFlag = False, where: Mask = True
) -> Array[bool_]: ...
def truth(*args: Any, **kwargs: Any) -> Any:
    """`any`, `all`."""


@overload
def count(x: ArrayLike | NoArray, /, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
@overload
def count(x: ArrayLike | NoArray, /, axis: Axes | NoAxes = None, *, keepdims: bool | NoFlag = False) -> Array[i64]: ...
def count(*args: Any, **kwargs: Any) -> Any:
    """`count_nonzero`."""


@overload
def position(x: ArrayLike, /, axis: None = None, *, keepdims: No = False) -> Scalar[i64]: ...
@overload
def position(x: ArrayLike, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
def position(*args: Any, **kwargs: Any) -> Any:
    """`argmax`, `argmin`."""


@overload
def numpy_accumulation(
    x: AsSums[DT], /, axis: Axes = None, dtype: None = None, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[DT]: ...
@overload
def numpy_accumulation(
    x: ArrayLike, /, axis: Axes, dtype: type[DT] | ForeignDType, keepdims: bool = False, **options: Unpack[Begun]
) -> Array[DT]: ...
@overload
def numpy_accumulation(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: type[DT] | ForeignDType,
    keepdims: bool = False,
    **options: Unpack[Begun],
) -> Array[DT]: ...
def numpy_accumulation(*args: Any, **kwargs: Any) -> Any:
    """With arguments by position as in NumPy: `nansum`, `nanprod`."""


@overload
def running(
    x: AsSums[DT], /, axis: int | None = None, dtype: None = None, *, reverse: bool = False, **unknown: NoSuchArgument
) -> Array[DT]: ...
@overload
def running(
    x: ArrayLike, /, axis: int | None, dtype: type[DT] | ForeignDType, *, reverse: bool = False
) -> Array[DT]: ...
@overload
def running(
    x: ArrayLike, /, axis: int | None = None, *, dtype: type[DT] | ForeignDType, reverse: bool = False
) -> Array[DT]: ...
def running(*args: Any, **kwargs: Any) -> Any:
    """`cumsum`, `cumprod`, `nancumsum`, `nancumprod`."""


class OfAccumulating(Signature[P, R]):
    """`cumulative_sum`, `cumulative_prod`."""

    @overload
    def __call__(
        self, x: AsSums[DT], /, *, axis: int | None = None, dtype: None = None, include_initial: bool = False
    ) -> Array[DT]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, *, axis: int | None = None, dtype: type[DT] | ForeignDType, include_initial: bool = False
    ) -> Array[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfExtreme(OfFractions):
    """`max`, `min`."""

    __call__ = Call(extreme)


class OfNormalised(Signature[P, R]):
    """The axes stay."""

    @overload
    def __call__[D: Inexact, S: tuple[object, ...]](
        self, x: Array[D, S], /, axis: Axes = -1, *, where: Mask = True
    ) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], /, axis: Axes = -1, *, where: Mask = True) -> Array[F, S]: ...
    @overload
    def __call__(self, x: Other | NoArray, /, axis: Axes = -1, *, where: Mask = True) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


type Between = Literal[
    "averaged_inverted_cdf",
    "hazen",
    "interpolated_inverted_cdf",
    "linear",
    "median_unbiased",
    "midpoint",
    "normal_unbiased",
    "weibull",
]
type Elementary = Literal["closest_observation", "higher", "inverted_cdf", "lower", "nearest"]
"""The methods that give elements, in their own dtype."""
type NoMethod = Refused[Literal["a method of numpy.quantile"]]


@overload
def quantile(
    x: Like[DT],
    /,
    q: ArrayLike,
    axis: Axes = None,
    *,
    method: Elementary,
    keepdims: bool = False,
    weights: ArrayLike | None = None,
) -> Array[DT]: ...
@overload
def quantile(
    x: AsFloats[DT],
    /,
    q: ArrayLike | NoReal,
    axis: Axes | NoAxes = None,
    *,
    method: Between | NoMethod = "linear",
    keepdims: bool | NoFlag = False,
    weights: ArrayLike | None = None,
) -> Array[DT]: ...
def quantile(*args: Any, **kwargs: Any) -> Any:
    """`quantile`, `percentile`, and those without NaN."""


if MYPY:
    Accumulating = lambda function: OfAccumulating(function).__call__
    Accumulation = lambda function: accumulation
    Extreme = lambda function: OfExtreme()
    Truth = lambda function: truth
    Count = lambda function: count
    Position = lambda function: position
    NumPyAccumulation = lambda function: numpy_accumulation
    Running = lambda function: running
    Normalised = lambda function: OfNormalised(function).__call__
    Quantile = lambda function: quantile
else:
    Accumulating = OfAccumulating
    Normalised = OfNormalised

    class Accumulation(Signature[P, R]):
        __call__ = Call(accumulation)

    class Extreme(OfExtreme, Signature[P, R]): ...

    class Truth(Signature[P, R]):
        __call__ = Call(truth)

    class Count(Signature[P, R]):
        __call__ = Call(count)

    class Position(Signature[P, R]):
        __call__ = Call(position)

    class NumPyAccumulation(Signature[P, R]):
        __call__ = Call(numpy_accumulation)

    class Running(Signature[P, R]):
        __call__ = Call(running)

    class Quantile(Signature[P, R]):
        __call__ = Call(quantile)
