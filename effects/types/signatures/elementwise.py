"""Signatures of the functions that act on every element by itself.

Arrays of one dtype and shape keep them, beside arrays of rank 0 and beside Python numbers too, which adopt the dtype
when their kind is not greater. Otherwise what is certain is kept: the shape, or the dtype.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from effects.types.signatures import MYPY, Call, Exactly, F, I, P, R, S, Shape, Signature

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from effects.arrays.array import Array, ArrayLike, Scalar
    from effects.arrays.concrete import DeviceLike
    from effects.arrays.operators import DT, Sh
    from effects.types.dtypes import DType, Floating, ForeignDType, Inexact, Integer, bool_
    from effects.types.signatures.refused import NoArray, NoSuchArgument

    type Number = np.number[Any] | np.bool


class Moved(TypedDict, total=False):
    """Options of copying an array that has the dtype already, and of its device."""

    copy: bool
    device: DeviceLike | None


class OfKeeping(Signature[P, R]):
    """Dtype and shape stay: `negative`, `floor`."""

    @overload
    def __call__(self, x: Array[DT, Sh] | npt.NDArray[Any], /) -> Array[DT, Sh]: ...
    @overload
    def __call__(self, x: complex | Number, /) -> Scalar[Any]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfRounding(Signature[P, R]):
    """`round`."""

    @overload
    def __call__(self, x: Array[DT, Sh] | npt.NDArray[Any], /, decimals: int = 0) -> Array[DT, Sh]: ...
    @overload
    def __call__(self, x: complex | Number, /, decimals: int = 0) -> Scalar[Any]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfFloats(Signature[P, R]):
    """Integers and bools become the default float: `sin`, `exp`."""

    @overload
    def __call__[D: Inexact, S: Shape](self, x: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__(self, x: complex | Number, /) -> Scalar[Any]: ...
    @overload
    def __call__(self, x: npt.NDArray[Any], /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfRealFloats(Signature[P, R]):
    """The same of real numbers: `gammaln`."""

    @overload
    def __call__[D: Floating, S: Shape](self, x: Array[D, S], /) -> Array[D, S]: ...
    @overload
    def __call__(self, x: Array[I, S], /) -> Array[F, S]: ...
    @overload
    def __call__(self, x: float | Number, /) -> Scalar[Any]: ...
    @overload
    def __call__(self, x: npt.NDArray[Any], /) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfPairOfFloats(Signature[P, R]):
    """Two results of real numbers: `sici`."""

    @overload
    def __call__[D: Floating, S: Shape](self, x: Array[D, S], /) -> tuple[Array[D, S], Array[D, S]]: ...
    @overload
    def __call__(self, x: Array[I, S], /) -> tuple[Array[F, S], Array[F, S]]: ...
    @overload
    def __call__(self, x: float | Number, /) -> tuple[Scalar[Any], Scalar[Any]]: ...
    @overload
    def __call__(self, x: npt.NDArray[Any], /) -> tuple[Array, Array]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfPredicate(Signature[P, R]):
    """A question to every element: `isnan`, `logical_not`."""

    @overload
    def __call__(self, x: Array[DT, Sh] | npt.NDArray[Any], /) -> Array[bool_, Sh]: ...
    @overload
    def __call__(self, x: complex | Number, /) -> Scalar[bool_]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


@overload
def limits[D: Inexact, S: Shape](
    x: Array[D, S], /, min: float | None = None, max: float | None = None
) -> Array[D, S]: ...
@overload
def limits[D: Integer, S: Shape](x: Array[D, S], /, min: int | None = None, max: int | None = None) -> Array[D, S]: ...
@overload
def limits[D: DType, S: Shape, Z: tuple[()]](x: Array[D, S], /, min: Array[D, Z], max: Array[D, Z]) -> Array[D, S]: ...
@overload
def limits[D: Inexact, S: Shape](
    x: Array[D, S], /, min: float | None = None, max: float | None = None
) -> Array[Exactly[D]]: ...
@overload
def limits[D: Integer, S: Shape](
    x: Array[D, S], /, min: int | None = None, max: int | None = None
) -> Array[Exactly[D]]: ...
@overload
def limits[X: ArrayLike](
    x: X, /, min: ArrayLike | NoArray | None = None, max: ArrayLike | NoArray | None = None, **unknown: NoSuchArgument
) -> Array: ...
def limits(*args: Any, **kwargs: Any) -> Any:
    """`clip`."""


class OfConversion(Signature[P, R]):
    """`astype`."""

    @overload
    def __call__(
        self, x: Array[Any, Sh] | npt.NDArray[Any], /, dtype: type[DT] | ForeignDType, **options: Unpack[Moved]
    ) -> Array[DT, Sh]: ...
    @overload
    def __call__(
        self, x: complex | Number, /, dtype: type[DT] | ForeignDType, **options: Unpack[Moved]
    ) -> Scalar[DT]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Keeping = lambda function: OfKeeping(function).__call__
    Rounding = lambda function: OfRounding(function).__call__
    Floats = lambda function: OfFloats(function).__call__
    RealFloats = lambda function: OfRealFloats(function).__call__
    PairOfFloats = lambda function: OfPairOfFloats(function).__call__
    Predicate = lambda function: OfPredicate(function).__call__
    Limits = lambda function: limits
    Conversion = lambda function: OfConversion(function).__call__
else:
    Keeping = OfKeeping
    Rounding = OfRounding
    Floats = OfFloats
    RealFloats = OfRealFloats
    PairOfFloats = OfPairOfFloats
    Predicate = OfPredicate

    class Limits(Signature[P, R]):
        __call__ = Call(limits)

    Conversion = OfConversion
