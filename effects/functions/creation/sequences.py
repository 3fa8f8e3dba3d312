"""Regular sequences of numbers, as operations on an iota, never a constant of the whole size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from effects.arguments import flag, natural, number
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import DeviceLike, on_device
from effects.arrays.promotion import as_array, as_type, common_type, constant_like, convert, inexact, scalar
from effects.errors import ArgumentError, ConcretizationError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes, promotion, shapes
from effects.types.dtypes import DType, DTypeLike, DTypeOf, ForeignDType, as_dtype
from effects.types.signatures.creation import LinSpace

if TYPE_CHECKING:
    from effects.arrays.operators import DT


def _static(function: str, argument: str, value: object) -> int | float:
    """A real number whose value is known, as a Python number."""
    if isinstance(value, Array) and value.known() is None:
        raise ConcretizationError(
            f"{function}: {argument} decides the shape of the result, so its value must be known; "
            f"it is {value.unknown_reason()}. Mark the argument static (static_argnums)"
        )
    return number(function, argument, value)


def _no_derivative(function: str, argument: str, value: object) -> None:
    """Refuse a number whose derivative would be lost by conversion to a Python number."""
    if isinstance(value, Array) and value.known() is not None and value._varies:
        raise ConcretizationError(
            f"{function}: {argument} is static, and would lose what {value.owner!r} knows of it (its derivative, for "
            f"instance). Write start + step * {function}(n), or pass it through stop_gradient"
        )


def arange(
    start: float | None = None,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeOf[DT] | None = None,
    device: DeviceLike | None = None,
) -> Array[DT]:
    """start, start + step, … up to and without `stop`; one argument alone is `stop`, and `start` is 0.

    The arguments are static. The dtype is int64 when all are ints, else the default float. There are
    ⌈(stop - start) / step⌉ elements. Raises ArgumentError for a step of 0 and for what is not finite, and
    ConcretizationError for a `start` or `step` that is being differentiated.

    >>> import effects as fx
    >>> fx.arange(3), fx.arange(1.0, 2.0, 0.25)
    (Array([0, 1, 2], int64), Array([1.  , 1.25, 1.5 , 1.75], float64))
    """
    first, last = (0, start) if stop is None else (0 if start is None else start, stop)
    for argument, value in (("start", first), ("step", step)):
        _no_derivative("arange", argument, value)
    if isinstance(last, Array) and (end := last.known()) is not None:
        last = end  # it decides the number of elements, which has no derivative
    a, b = _static("arange", "start", first), _static("arange", "start" if stop is None else "stop", last)
    by = _static("arange", "step", step)
    if not (by and math.isfinite(a) and math.isfinite(b) and math.isfinite(by)):
        raise ArgumentError(f"arange: start, stop and step must be finite and step not 0, got {a}, {b} and {by}")
    integral = isinstance(a, int) and isinstance(b, int) and isinstance(by, int)
    target = as_dtype(dtype) if dtype is not None else dtypes.int64 if integral else dtypes.default_of(float)
    n = max(-((a - b) // by) if integral else math.ceil((b - a) / by), 0)
    return on_device(_progression(int(n), a, by, target), device)


def _progression(n: int, start: float, step: float, dtype: type[DType]) -> Array:
    """start + i step for i < n, computed in `dtype`, or in one that counts better."""
    count = dtypes.int64 if dtype is dtypes.bool_ else _counting(dtype)
    if n < 2:
        return creation.filled((n,), start, dtype, "arange")
    delta = step if count is dtypes.int64 and isinstance(start, int) and isinstance(step, int) else None
    if delta is None:
        try:
            first, second = quiet.run(np.asarray, [start, start + step], count.dtype)
            delta = quiet.run(np.subtract, second, first).item()  # the difference rounded to the dtype, as in NumPy
        except OverflowError as error:
            raise ArgumentError(f"arange: the elements do not fit {dtype}: {error}") from None
    out = creation.iota(count, (n,))
    if delta != 1:
        out = out * scalar(delta, count)
    if start != 0:
        out = out + scalar(start, count)
    return convert(out, dtype)


def _counting(dtype: type[DType]) -> type[DType]:
    """The dtype in which positions are counted for a result of `dtype`."""
    if issubclass(dtype, dtypes.Complex):
        return dtypes.real_of(dtype)
    if issubclass(dtype, dtypes.Floating) and dtype not in (dtypes.float32, dtypes.float64):
        return dtypes.float32
    return dtype


@LinSpace
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    *,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: DeviceLike | None = None,
) -> Array | tuple[Array, Array]:
    """`num` evenly spaced values from `start` to `stop`, both exact; without the last one unless `endpoint`.

    `start` and `stop` may be arrays; the values then lie along a new axis, the first one or at `axis`. The dtype is the
    common one, the default float for integers, unless `dtype` is given; an integer `dtype` rounds down. With `retstep`
    the distance comes, too, which is NaN of a single value.

    >>> import effects as fx
    >>> fx.linspace(0.0, 1.0, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], float64)
    """
    n, endpoint = natural("linspace", "num", num), flag("linspace", "endpoint", endpoint)
    ends = [as_array(start, "linspace", "start"), as_array(stop, "linspace", "stop")]
    common, _ = common_type([e.aval for e in ends])
    proper = common if dtypes.is_inexact(common) else dtypes.default_of(float)
    target = proper if dtype is None else as_dtype(dtype)
    narrow = not issubclass(proper, dtypes.Complex) and _counting(proper) is not proper
    work = dtypes.float32 if narrow else proper
    if dtypes.is_inexact(target):
        work = promotion.promote(work, target)
    a, b = as_type(start, work, False, "linspace", "start"), as_type(stop, work, False, "linspace", "stop")
    gaps = n - 1 if endpoint else n
    both = flag("linspace", "retstep", retstep)
    rank = max(a.aval.ndim, b.aval.ndim)
    index = convert(creation.iota(_counting(work), (n, *[1] * rank)), work)
    span = b - a
    step = span / constant_like(max(gaps, 1), span)
    out = index * step + a
    if endpoint and n > 1:
        out = logic.where(index == constant_like(n - 1, index), b, out)
    if not dtypes.is_inexact(target) and target is not dtypes.bool_:
        out = unary.floor(out)
    points = on_device(along("linspace", convert(out, target), axis), device)
    if not both:
        return points
    return points, on_device(convert(step, proper) if gaps > 0 else scalar(math.nan, proper), device)


def along(function: str, x: Array, axis: int) -> Array:
    """x with its first axis at `axis`."""
    at = shapes.normalize_axis(function, x.aval.shape, axis)
    return movement.moveaxis(x, 0, at) if at else x


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: type[DT] | ForeignDType | None = None,
    axis: int = 0,
) -> Array[DT]:
    """base to the power of `num` evenly spaced exponents from `start` to `stop`; arguments as of `linspace`.

    >>> import effects as fx
    >>> fx.logspace(0, 2, 3)
    Array([  1.,  10., 100.], float64)
    """
    powers = linspace(start, stop, num, endpoint=endpoint)
    points = arithmetic.pow(inexact("logspace", base, "base"), powers)
    result: Array = points if dtype is None else points.astype(dtypes.as_dtype(dtype))
    return along("logspace", result, axis)


def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: type[DT] | ForeignDType | None = None,
    axis: int = 0,
) -> Array[DT]:
    """`num` numbers from `start` to `stop`, each a constant multiple of the one before; the ends are exact.

    Arguments are as of `linspace`: arrays give them along a new axis, the first one or at `axis`.

    >>> import effects as fx
    >>> fx.geomspace(1, 100, 3)
    Array([  1.,  10., 100.], float64)
    """
    a, b = arithmetic.inexact_pair("geomspace", start, stop, ("start", "stop"))
    n = natural("geomspace", "num", num)
    steps = linspace(0.0, 1.0, n, endpoint=endpoint, dtype=a.aval.dtype)
    rank = max(a.aval.ndim, b.aval.ndim)
    steps = movement.reshape(steps, (-1, *(1,) * rank))
    points = a * transcendental.exp(transcendental.log(b / a) * steps)
    if n:
        ends = [a + (points[0] - points[0]), points[1:-1], b + (points[0] - points[0])]
        first = movement.expand_dims(ends[0], 0)
        last = movement.expand_dims(ends[2], 0)
        points = (
            movement.concat([first, points[1:-1], last]) if endpoint and n > 1 else movement.concat([first, points[1:]])
        )
    result: Array = points if dtype is None else points.astype(dtypes.as_dtype(dtype))
    return along("geomspace", result, axis)
