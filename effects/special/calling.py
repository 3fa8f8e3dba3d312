"""Calls of special functions: arguments are real numbers, promoted to one floating dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

import handlers
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import as_array, constant_like, convert, inexact, promoted
from effects.errors import DTypeError
from effects.functions.elementwise.logic import where
from effects.operations.special import Special, SpecialKind
from effects.program.chain import perform
from effects.runtime.cpython.extent import setting
from effects.types import dtypes
from effects.types.dtypes import DType
from effects.types.shapes import broadcast_named


def real(function: str, x: ArrayLike, name: str = "x") -> Array:
    """An argument as an array of real floating point."""
    array = inexact(function, x, name)
    _refuse_complex(function, name, array)
    return array


def reals(function: str, **arguments: ArrayLike) -> list[Array]:
    """Arguments as arrays of one real floating dtype, whose shapes broadcast."""
    arrays = reals_of_any_shape(function, **arguments)
    shapes = [a.aval.shape for a in arrays]
    if any([shape != shapes[0] for shape in shapes]):
        broadcast_named(function, dict(zip(arguments, shapes, strict=True)))
    return arrays


def reals_of_any_shape(function: str, **arguments: ArrayLike) -> list[Array]:
    """Arguments as arrays of one real floating dtype."""
    arrays = promoted(function, **arguments)
    if issubclass(arrays[0].aval.dtype, dtypes.Complex):
        for name, argument in arguments.items():
            _refuse_complex(function, name, as_array(argument, function, name))
    if dtypes.is_inexact(arrays[0].aval.dtype):
        return arrays
    weak = all([a.aval.weak_type for a in arrays])
    return [convert(a, dtypes.default_of(float), weak) for a in arrays]


SINGLE: Final = 2.0**-26
"""Relative tolerance of computations in single precision."""
SHORT: Final = 2.0**-32
"""Relative tolerance of results that are rounded to single precision, or less, in the end."""
tolerance: Final[ContextVar[float]] = ContextVar("tolerance", default=0.0)
"""Relative tolerance of the present computation; 0 where all digits of double precision are needed."""


def has_more_digits(x: Array) -> bool:
    """Return True if x has more digits than the result, which is rounded in the end."""
    return bool(tolerance.get()) and x.aval.dtype is dtypes.float64


def is_exact(x: Array) -> bool:
    """Return True if all digits of double precision are needed."""
    return not tolerance.get() and x.aval.dtype is dtypes.float64


def in_double(f: Callable[..., Array], *xs: Array, single: bool = False) -> Array:
    """f(*xs) for a function of several operations: in double precision, and rounded once.

    For `single` precision, or less, in that, as loses no more than four units in the last place.
    """
    dtype = xs[0].aval.dtype
    if dtype is dtypes.float64:
        return f(*xs)
    target, relative = (dtypes.float32, SINGLE) if single else (dtypes.float64, SHORT)
    with setting(tolerance, relative):
        value = f(*[convert(x, target, x.aval.weak_type) for x in xs])
    return rounded(value, dtype)


def in_double_complex(f: Callable[[Array], Array], z: Array) -> Array:
    """f(z) for a function of several operations on complex numbers: in double precision, and rounded once."""
    if z.aval.dtype is dtypes.complex128:
        return f(z)
    value = f(convert(z, dtypes.complex128, z.aval.weak_type))
    return convert(value, z.aval.dtype, value.aval.weak_type)


def rounded(result: Array, dtype: type[DType]) -> Array:
    """Round a result in double precision to a dtype."""
    weak = result.aval.weak_type
    if dtype in dtypes.NARROW:
        result = convert(result, dtypes.float32, weak)
    return convert(result, dtype, weak)


def where_some(some: Array, f: Callable[..., Array], otherwise: Callable[..., Array], *args: Array) -> Array:
    """f(*args) if `some` element asks for it, so that it costs nothing else; where that is known, it is decided now."""
    if isinstance(some, Concrete):
        return (f if some else otherwise)(*args)
    return handlers.cond(some, f, otherwise, *args)


def nan_where(undefined: Array, like: Array) -> Array:
    """A factor that makes an argument, a value and all of its derivatives NaN where it is undefined; else it is 1."""
    return where(undefined, constant_like(math.nan, like), constant_like(1, like))


def ordered(a: Array, b: Array) -> tuple[Array, Array]:
    """The lesser and the greater, by a choice: in a tie each moves as one of them, and not as their mean."""
    swapped = b < a
    return where(swapped, b, a), where(swapped, a, b)


def _refuse_complex(function: str, name: str, array: Array) -> None:
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: {name} must be real, got {array.aval}")


def of(kind: SpecialKind, *xs: Array) -> Array:
    """The function of arrays of one dtype, as exact as what is computed of it."""
    return perform(Special(kind, xs, (), tolerance.get()))


def of_one(kind: SpecialKind, function: str, x: ArrayLike) -> Array:
    """The function of one argument, which is called `function`."""
    return of(kind, real(function, x))
