"""Signatures of the functions that fold axes away.

Over all axes they give an array of rank 0; over some they keep the dtype.
Functions take `axis` by keyword, methods also by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

if TYPE_CHECKING:
    from effects.arrays.array import Array, ArrayLike, Foreign, Scalar
    from effects.types.dtypes import Complex, DType, Floating, ForeignDType, Inexact, Integer, bool_, i64

type Axes = int | tuple[int, ...] | None


@overload
def accumulation[D: Inexact](
    x: Array[D, Any], /, *, axis: None = None, dtype: None = None, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def accumulation[E: Integer | bool_](
    x: Array[E, Any] | complex | Foreign, /, *, axis: None = None, dtype: None = None, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def accumulation[D: DType](
    x: ArrayLike, /, *, axis: None = None, dtype: type[D], keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def accumulation(
    x: ArrayLike, /, *, axis: None = None, dtype: ForeignDType, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def accumulation[D: Inexact](
    x: Array[D, Any], /, *, axis: Axes = None, dtype: None = None, keepdims: bool = False
) -> Array[D]: ...
@overload
def accumulation[E: Integer | bool_](
    x: Array[E, Any] | complex | Foreign, /, *, axis: Axes = None, dtype: None = None, keepdims: bool = False
) -> Array[Any]: ...
@overload
def accumulation[D: DType](
    x: ArrayLike, /, *, axis: Axes = None, dtype: type[D], keepdims: bool = False
) -> Array[D]: ...
@overload
def accumulation(x: ArrayLike, /, *, axis: Axes = None, dtype: ForeignDType, keepdims: bool = False) -> Array[Any]: ...
def accumulation(x: object, /, *, axis: object = None, dtype: object = None, keepdims: object = False) -> NoReturn:
    """Integers widen: `sum`, `prod`."""
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


@overload
def extreme[D: DType](x: Array[D, Any], /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[D]: ...
@overload
def extreme(x: complex | Foreign, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[Any]: ...
@overload
def extreme[D: DType](x: Array[D, Any], /, *, axis: Axes = None, keepdims: bool = False) -> Array[D]: ...
@overload
def extreme(x: complex | Foreign, /, *, axis: Axes = None, keepdims: bool = False) -> Array[Any]: ...
def extreme(x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
    """The dtype stays: `max`, `min`."""
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


@overload
def mean[D: Inexact](x: Array[D, Any], /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[D]: ...
@overload
def mean[E: Integer | bool_](
    x: Array[E, Any] | complex | Foreign, /, *, axis: None = None, keepdims: Literal[False] = False
) -> Scalar[Any]: ...
@overload
def mean[D: Inexact](x: Array[D, Any], /, *, axis: Axes = None, keepdims: bool = False) -> Array[D]: ...
@overload
def mean[E: Integer | bool_](
    x: Array[E, Any] | complex | Foreign, /, *, axis: Axes = None, keepdims: bool = False
) -> Array[Any]: ...
def mean(x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
    """Integers become the default float: `mean`, `logsumexp`."""
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


@overload
def spread[D: Floating](
    x: Array[D, Any], /, *, axis: None = None, correction: float = 0.0, keepdims: Literal[False] = False
) -> Scalar[D]: ...
@overload
def spread[E: Integer | bool_ | Complex](
    x: Array[E, Any] | complex | Foreign,
    /,
    *,
    axis: None = None,
    correction: float = 0.0,
    keepdims: Literal[False] = False,
) -> Scalar[Any]: ...
@overload
def spread[D: Floating](
    x: Array[D, Any], /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array[D]: ...
@overload
def spread[E: Integer | bool_ | Complex](
    x: Array[E, Any] | complex | Foreign, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array[Any]: ...
def spread(x: object, /, *, axis: object = None, correction: object = 0.0, keepdims: object = False) -> NoReturn:
    """Real also for complex numbers: `var`, `std`."""
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


@overload
def truth(x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[bool_]: ...
@overload
def truth(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array[bool_]: ...
def truth(x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
    """`any`, `all`."""
    raise NotImplementedError


@overload
def truth_method(x: Array, /, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[bool_]: ...
@overload
def truth_method(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array[bool_]: ...
def truth_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.any`, `x.all`."""
    raise NotImplementedError


@overload
def count(x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[i64]: ...
@overload
def count(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Array[i64]: ...
def count(x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
    """`count_nonzero`."""
    raise NotImplementedError


@overload
def position(x: ArrayLike, /, *, axis: None = None, keepdims: Literal[False] = False) -> Scalar[i64]: ...
@overload
def position(x: ArrayLike, /, *, axis: int | None = None, keepdims: bool = False) -> Array[i64]: ...
def position(x: object, /, *, axis: object = None, keepdims: object = False) -> NoReturn:
    """`argmax`, `argmin`."""
    raise NotImplementedError


@overload
def position_method(x: Array, /, axis: None = None, *, keepdims: Literal[False] = False) -> Scalar[i64]: ...
@overload
def position_method(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array[i64]: ...
def position_method(x: object, /, axis: object = None, *, keepdims: object = False) -> NoReturn:
    """`x.argmax`, `x.argmin`."""
    raise NotImplementedError


@overload
def normalised[D: Inexact, S: tuple[object, ...]](x: Array[D, S], /, *, axis: Axes = -1) -> Array[D, S]: ...
@overload
def normalised[D: Integer | bool_, S: tuple[object, ...]](x: Array[D, S], /, *, axis: Axes = -1) -> Array[Any, S]: ...
@overload
def normalised(x: complex | Foreign, /, *, axis: Axes = -1) -> Array: ...
def normalised(x: object, /, *, axis: object = -1) -> NoReturn:
    """The axes stay: `softmax`, `log_softmax`."""
    raise NotImplementedError
