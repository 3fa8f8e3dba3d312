"""Bits, and the distributions that all others are made of: uniform and normal. These numbers are jax's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from effects.arrays.array import Array
from effects.arrays.promotion import as_array, constant_like, convert, scalar, to_dtype
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.functions.elementwise.arithmetic import bitwise_right_shift, complex as of_parts
from effects.operations.elementwise import Binary, BinaryKind, Unary, UnaryKind
from effects.program.chain import perform
from effects.random import generators
from effects.random.keys import Key, one_key, split
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes
from effects.types.dtypes import DType, DTypeLike
from effects.types.signatures.random import Bits, Drawn, Uniform

if TYPE_CHECKING:
    from effects.types.signatures.becoming import Real
    from effects.types.signatures.creation import Sizes

UNSIGNED: Final[dict[int, type[DType]]] = {8: dtypes.uint8, 16: dtypes.uint16, 32: dtypes.uint32, 64: dtypes.uint64}


class _Grid(NamedTuple):
    """Layout of random bits as floats: the upper bits count steps from 0 to 1, between the floats below 2."""

    bits: type[DType]
    dropped: int
    step: float
    after_minus_one: float


@memoised
def grid(dtype: type[DType]) -> _Grid:
    """The grid of a dtype."""
    one, zero, two = [np.array(v, dtype.dtype) for v in (1, 0, 2)]
    step = float(two - np.nextafter(two, one))
    mantissa = -round(math.log2(step))
    width = 8 if mantissa < 8 else 8 * dtype.itemsize
    return _Grid(UNSIGNED[width], width - mantissa, step, float(np.nextafter(-one, zero)))


def words(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Random bits of a key, as unsigned integers."""
    return generators.words(key.impl, key.data, sizes, dtype)


def unit(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Uniform on [0, 1): multiples of the distance between the floats below 2."""
    made_of = grid(dtype)
    steps = convert(bitwise_right_shift(words(key, sizes, made_of.bits), made_of.dropped), dtype)
    return perform(Binary(BinaryKind.MUL, steps, scalar(made_of.step, dtype)))


def between(key: Key, sizes: tuple[int, ...], dtype: type[DType], low: float, high: float = 1.0) -> Array:
    """Uniform between two numbers, the second of which is left out."""
    ends = np.array([low, high], dtype.dtype)
    width = scalar(float(ends[1] - ends[0]), dtype)
    scaled = perform(Binary(BinaryKind.MUL, unit(key, sizes, dtype), width))
    return perform(Binary(BinaryKind.ADD, scaled, scalar(low, dtype)))


def inside(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Uniform on (0, 1): half a step in place of 0."""
    return perform(Binary(BinaryKind.MAX, unit(key, sizes, dtype), scalar(grid(dtype).step / 2, dtype)))


def symmetric(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Uniform on (-1, 1)."""
    return between(key, sizes, dtype, grid(dtype).after_minus_one)


_ELSEWHERE: Final = {
    "normal": "write mean + deviation * normal(key, shape)",
    "uniform": "write uniform(key, shape, minval=low, maxval=high)",
}


def floating(function: str, dtype: DTypeLike | None) -> type[DType]:
    """The dtype of what is drawn: the default float for None; DTypeError unless it is of real floating point."""
    if isinstance(dtype, int | float):
        advice = _ELSEWHERE.get(function, "parameters come before it")
        shape = f"; sizes are one tuple, as (3, {dtype})" if isinstance(dtype, int) else ""
        raise DTypeError(f"{function}: {dtype} is not a dtype; {advice}{shape}")
    return dtypes.floating_or_default(function, dtype)


def parameter(function: str, name: str, value: Real, dtype: type[DType], sizes: tuple[int, ...]) -> Array:
    """A parameter of a distribution in the dtype of what is drawn; its shape must broadcast to the shape of that."""
    array = to_dtype(as_array(value, function, name), dtype, function, name)
    check_fits(function, name, array, sizes)
    return array


def common_sizes(function: str, shape: Sizes | None, **values: object) -> tuple[int, ...]:
    """The sizes `shape`, to which values have to broadcast, or those that they broadcast to."""
    arrays = {name: as_array(value, function, name) for name, value in values.items()}
    if shape is None:
        return shapes.broadcast_named(function, {name: array.aval.shape for name, array in arrays.items()})
    sizes = shapes.static_shape(function, shape)
    for name, array in arrays.items():
        check_fits(function, name, array, sizes)
    return sizes


def check_fits(function: str, name: str, array: Array, sizes: tuple[int, ...]) -> None:
    """Raise ShapeError when a parameter does not broadcast to the shape of what is drawn."""
    try:
        shapes.broadcast_to(array.aval.shape, sizes)
    except ShapeError:
        raise ShapeError(
            f"{function}: {name} of shape {shapes.show(array.aval.shape)} does not broadcast to shape "
            f"{shapes.show(sizes)}, which is that of the result"
        ) from None


@Bits
def bits(key: Key, shape: Sizes = (), dtype: DTypeLike = "uint32") -> Array:
    """Random bits, as unsigned integers of the `dtype`, of which all values are equally likely. Raises DTypeError for
    others.

    >>> import effects as fx
    >>> fx.random.bits(fx.random.key(0), (2,))
    Array([4070199207, 4202968722], uint32)
    """
    sizes, target = shapes.static_shape("bits", shape), dtypes.as_dtype(dtype)
    if not issubclass(target, dtypes.Unsigned):
        raise DTypeError(f"bits: dtype must be of unsigned integers, got {target}")
    return words(one_key("bits", key), sizes, target)


@Uniform
def uniform(
    key: Key, shape: Sizes = (), dtype: DTypeLike | None = None, minval: Real = 0.0, maxval: Real = 1.0
) -> Array:
    """Random numbers that are uniform on [minval, maxval); differentiable in both.

    The bounds broadcast to `shape`. Special cases: NaN where `minval` is greater than `maxval`; `maxval` itself may
    occur where the two are so close that sums are rounded to it.

    >>> import effects as fx
    >>> fx.random.uniform(fx.random.key(0), (2,))
    Array([0.41845711, 0.21629545], float64)
    """
    if isinstance(shape, float):
        written = "uniform(key, shape, minval=0.0, maxval=1.0)"
        raise ArgumentError(f"uniform: shape is a float; the shape comes before minval and maxval: write {written}")
    data, sizes, target = one_key("uniform", key), shapes.static_shape("uniform", shape), floating("uniform", dtype)
    if type(minval) is float and type(maxval) is float and minval == 0.0 and maxval == 1.0:
        return unit(data, sizes, target)
    low = parameter("uniform", "minval", minval, target, sizes)
    high = parameter("uniform", "maxval", maxval, target, sizes)
    width = perform(Binary(BinaryKind.ABOVE, high, low)) - low
    return unit(data, sizes, target) * width + low


@Drawn
def normal(key: Key, shape: Sizes = (), dtype: DTypeLike | None = None) -> Array:
    """Standard normal random numbers, of mean 0 and variance 1.

    mean + deviation * normal(key, …) is normal with this mean and standard deviation, and differentiable in them. A
    complex `dtype` gives numbers with independent parts of variance ½ each.

    >>> import effects as fx
    >>> fx.random.normal(fx.random.key(0), (2,))
    Array([-0.20584214, -0.78476578], float64)
    """
    data, sizes = one_key("normal", key), shapes.static_shape("normal", shape)
    target = None if dtype is None or isinstance(dtype, int | float) else dtypes.as_dtype(dtype)
    if target is None or not issubclass(target, dtypes.Complex):
        return gaussian(data, sizes, floating("normal", target or dtype))
    parts = [gaussian(part, sizes, dtypes.real_of(target)) for part in split(data)]
    both = of_parts(*parts)
    return both / constant_like(2**0.5, both)


def gaussian(key: Key, sizes: tuple[int, ...], dtype: type[DType]) -> Array:
    """Standard normal: of Threefry by the inverse of its distribution function."""
    if key.impl == "philox":
        return generators.gaussian(key.data, sizes, dtype)
    return perform(
        Binary(BinaryKind.MUL, perform(Unary(UnaryKind.ERF_INV, symmetric(key, sizes, dtype))), scalar(2**0.5, dtype))
    )
