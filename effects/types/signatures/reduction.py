"""Signatures of the functions that fold axes away.

Over all axes they give an array of rank 0; over some they keep the dtype.
Functions take `axis` by keyword, methods also by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

from effects.types.signatures import MYPY, P, R, Signature

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.types.dtypes import Complex, DType, Floating, ForeignDType, Inexact, Integer, bool_, i64

type Axes = int | tuple[int, ...] | None


class OfAccumulation:
    """Integers widen: `sum`, `prod`."""

    @overload
    def __call__[D: Inexact](
        self, x: Array[D, Any], /, *, axis: None = None, dtype: None = None, keepdims: Literal[False] = False
    ) -> Scalar[D]: ...
    @overload
    def __call__[E: Integer | bool_](
        self,
        x: Array[E, Any] | complex | Foreign,
        /,
        *,
        axis: None = None,
        dtype: None = None,
        keepdims: Literal[False] = False,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](
        self, x: ArrayLike, /, *, axis: None = None, dtype: type[D], keepdims: Literal[False] = False
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, *, axis: None = None, dtype: ForeignDType, keepdims: Literal[False] = False
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](
        self, x: Array[D, Any], /, *, axis: Axes = None, dtype: None = None, keepdims: bool = False
    ) -> Array[D]: ...
    @overload
    def __call__[E: Integer | bool_](
        self, x: Array[E, Any] | complex | Foreign, /, *, axis: Axes = None, dtype: None = None, keepdims: bool = False
    ) -> Array[Any]: ...
    @overload
    def __call__[D: DType](
        self, x: ArrayLike, /, *, axis: Axes = None, dtype: type[D], keepdims: bool = False
    ) -> Array[D]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, *, axis: Axes = None, dtype: ForeignDType, keepdims: bool = False
    ) -> Array[Any]: ...
    def __call__(
        self, x: object, /, *, axis: object = None, dtype: object = None, keepdims: object = False
    ) -> NoReturn:
        raise NotImplementedError


@overload
def accumulation_method[D: Inexact](
    x: Array[D, Any], /, axis: None = None, *, dtype: None = None, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def accumulation_method[E: Integer | bool_](
    x: Array[E, Any], /, axis: None = None, *, dtype: None = None, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def accumulation_method[D: DType](
    x: Array, /, axis: None = None, *, dtype: type[D], keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def accumulation_method(
    x: Array, /, axis: None = None, *, dtype: ForeignDType, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def accumulation_method[D: Inexact](
    x: Array[D, Any], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False
) -> Array[D]: ...
@overload
def accumulation_method[E: Integer | bool_](
    x: Array[E, Any], /, axis: Axes = None, *, dtype: None = None, keepdims: bool = False
) -> Array[Any]: ...
@overload
def accumulation_method[D: DType](
    x: Array, /, axis: Axes = None, *, dtype: type[D], keepdims: bool = False
) -> Array[D]: ...
@overload
def accumulation_method(
    x: Array, /, axis: Axes = None, *, dtype: ForeignDType, keepdims: bool = False
) -> Array[Any]: ...
def accumulation_method(
    x: object, /, axis: object = None, *, dtype: object = None, keepdims: object = False
) -> NoReturn:
    """`x.sum`, `x.prod`."""
    raise NotImplementedError


class OfExtreme:
    """The dtype stays: `max`, `min`."""

    @overload
    def __call__[D: DType](
        self, x: Array[D, Any], /, *, axis: None = None, keepdims: Literal[False] = False
    ) -> Scalar[D]: ...
    @overload
    def __call__(
        self, x: complex | Foreign, /, *, axis: None = None, keepdims: Literal[False] = False
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: DType](self, x: Array[D, Any], /, *, axis: Axes = None, keepdims: bool = False) -> Array[D]: ...
    @overload
    def __call__(self, x: complex | Foreign, /, *, axis: Axes = None, keepdims: bool = False) -> Array[Any]: ...
    def __call__(self, x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


@overload
def extreme_method[D: DType](
    x: Array[D, Any], /, axis: None = None, *, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def extreme_method[D: DType](x: Array[D, Any], /, axis: Axes = None, *, keepdims: bool = False) -> Array[D]: ...
def extreme_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.max`, `x.min`."""
    raise NotImplementedError


class OfMean:
    """Integers become the default float: `mean`, `logsumexp`."""

    @overload
    def __call__[D: Inexact](
        self, x: Array[D, Any], /, *, axis: None = None, keepdims: Literal[False] = False
    ) -> Scalar[D]: ...
    @overload
    def __call__[E: Integer | bool_](
        self, x: Array[E, Any] | complex | Foreign, /, *, axis: None = None, keepdims: Literal[False] = False
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Inexact](self, x: Array[D, Any], /, *, axis: Axes = None, keepdims: bool = False) -> Array[D]: ...
    @overload
    def __call__[E: Integer | bool_](
        self, x: Array[E, Any] | complex | Foreign, /, *, axis: Axes = None, keepdims: bool = False
    ) -> Array[Any]: ...
    def __call__(self, x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


@overload
def mean_method[D: Inexact](
    x: Array[D, Any], /, axis: None = None, *, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def mean_method[E: Integer | bool_](
    x: Array[E, Any], /, axis: None = None, *, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def mean_method[D: Inexact](x: Array[D, Any], /, axis: Axes = None, *, keepdims: bool = False) -> Array[D]: ...
@overload
def mean_method[E: Integer | bool_](
    x: Array[E, Any], /, axis: Axes = None, *, keepdims: bool = False
) -> Array[Any]: ...
def mean_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.mean`."""
    raise NotImplementedError


class OfSpread:
    """Real also for complex numbers: `var`, `std`."""

    @overload
    def __call__[D: Floating](
        self, x: Array[D, Any], /, *, axis: None = None, correction: float = 0.0, keepdims: Literal[False] = False
    ) -> Scalar[D]: ...
    @overload
    def __call__[E: Integer | bool_ | Complex](
        self,
        x: Array[E, Any] | complex | Foreign,
        /,
        *,
        axis: None = None,
        correction: float = 0.0,
        keepdims: Literal[False] = False,
    ) -> Scalar[Any]: ...
    @overload
    def __call__[D: Floating](
        self, x: Array[D, Any], /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
    ) -> Array[D]: ...
    @overload
    def __call__[E: Integer | bool_ | Complex](
        self,
        x: Array[E, Any] | complex | Foreign,
        /,
        *,
        axis: Axes = None,
        correction: float = 0.0,
        keepdims: bool = False,
    ) -> Array[Any]: ...
    def __call__(
        self, x: object, /, *, axis: object = None, correction: object = 0.0, keepdims: object = False
    ) -> NoReturn:
        raise NotImplementedError


@overload
def spread_method[D: Floating](
    x: Array[D, Any], /, axis: None = None, *, correction: float = 0.0, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def spread_method[E: Integer | bool_ | Complex](
    x: Array[E, Any], /, axis: None = None, *, correction: float = 0.0, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def spread_method[D: Floating](
    x: Array[D, Any], /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False
) -> Array[D]: ...
@overload
def spread_method[E: Integer | bool_ | Complex](
    x: Array[E, Any], /, axis: Axes = None, *, correction: float = 0.0, keepdims: bool = False
) -> Array[Any]: ...
def spread_method(x: object, /, axis: object = None, *, correction: object = 0.0, keepdims: object = False) -> NoReturn:
    """`x.var`, `x.std`."""
    raise NotImplementedError


class OfTruth:
    """`any`, `all`."""

    @overload
    def __call__(self, x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[bool_]: ...
    @overload
    def __call__(self, x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array[bool_]: ...
    def __call__(self, x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


@overload
def truth_method(x: Array, /, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[bool_]: ...
@overload
def truth_method(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array[bool_]: ...
def truth_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.any`, `x.all`."""
    raise NotImplementedError


class OfCount:
    """`count_nonzero`."""

    @overload
    def __call__(self, x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[i64]: ...
    @overload
    def __call__(self, x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array[i64]: ...
    def __call__(self, x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


class OfPosition:
    """`argmax`, `argmin`."""

    @overload
    def __call__(self, x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[i64]: ...
    @overload
    def __call__(self, x: ArrayLike, /, *, axis: int | None = None, keepdims: bool = False) -> Array[i64]: ...
    def __call__(self, x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
        raise NotImplementedError


@overload
def position_method(x: Array, /, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[i64]: ...
@overload
def position_method(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
def position_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.argmax`, `x.argmin`."""
    raise NotImplementedError


class OfNormalised:
    """The axes stay: `softmax`, `log_softmax`."""

    @overload
    def __call__[D: Inexact, S: tuple[object, ...]](self, x: Array[D, S], /, *, axis: Axes = -1) -> Array[D, S]: ...
    @overload
    def __call__[D: Integer | bool_, S: tuple[object, ...]](
        self, x: Array[D, S], /, *, axis: Axes = -1
    ) -> Array[Any, S]: ...
    @overload
    def __call__(self, x: complex | Foreign, /, *, axis: Axes = -1) -> Array: ...
    def __call__(self, x: object, /, *, axis: object = -1) -> NoReturn:
        raise NotImplementedError


if MYPY:
    from effects.types.signatures import gives

    Accumulation = gives(OfAccumulation().__call__)
    Extreme = gives(OfExtreme().__call__)
    Mean = gives(OfMean().__call__)
    Spread = gives(OfSpread().__call__)
    Truth = gives(OfTruth().__call__)
    Count = gives(OfCount().__call__)
    Position = gives(OfPosition().__call__)
    Normalised = gives(OfNormalised().__call__)
else:

    class Accumulation(OfAccumulation, Signature[P, R]):
        pass

    class Extreme(OfExtreme, Signature[P, R]):
        pass

    class Mean(OfMean, Signature[P, R]):
        pass

    class Spread(OfSpread, Signature[P, R]):
        pass

    class Truth(OfTruth, Signature[P, R]):
        pass

    class Count(OfCount, Signature[P, R]):
        pass

    class Position(OfPosition, Signature[P, R]):
        pass

    class Normalised(OfNormalised, Signature[P, R]):
        pass
