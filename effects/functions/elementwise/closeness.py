"""Comparison of whole arrays, exact and up to tolerances, and tests of an array's kind.

Names and semantics are NumPy's.
"""

from __future__ import annotations

import math

import numpy as np

from effects.arguments import flag
from effects.arrays.array import Array, ArrayLike, Like, Scalar
from effects.arrays.operators import DT
from effects.arrays.promotion import as_array, constant_like, scalar
from effects.errors import DTypeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, unary
from effects.functions.reductions import reduction
from effects.types import dtypes, shapes
from effects.types.dtypes import bool_
from effects.types.signatures.elementwise import Predicate


def isclose(
    x: ArrayLike, y: ArrayLike, /, rtol: ArrayLike = 1e-5, atol: ArrayLike = 1e-8, equal_nan: bool = False
) -> Array[bool_]:
    """Test |x - y| <= atol + rtol |y| for each element; infinite ones are close to themselves.

    Special cases: NaN is close to nothing, or to NaN with `equal_nan`.

    >>> import effects as fx
    >>> fx.isclose(1.0, 1.0 + 1e-9)
    Array(True, bool)
    """
    nan_equal = flag("isclose", "equal_nan", equal_nan)
    a, b = arithmetic.inexact_pair("isclose", x, y)
    margin = as_array(atol, "isclose", "atol") + as_array(rtol, "isclose", "rtol") * unary.abs(b)
    near = (unary.abs(a - b) <= margin) & unary.isfinite(b)
    close = near | (a == b)
    return close | (unary.isnan(a) & unary.isnan(b)) if nan_equal else close


def allclose(
    x: ArrayLike, y: ArrayLike, /, rtol: ArrayLike = 1e-5, atol: ArrayLike = 1e-8, equal_nan: bool = False
) -> Scalar[bool_]:
    """Test whether all elements are close: `all` of `isclose`.

    >>> import effects as fx
    >>> fx.allclose(1.0, 1.0 + 1e-9)
    Array(True, bool)
    """
    return reduction.all(isclose(x, y, rtol, atol, equal_nan))


def array_equal(x: ArrayLike, y: ArrayLike, /, equal_nan: bool = False) -> Scalar[bool_]:
    """Test whether x and y have one shape and equal elements; with `equal_nan` NaN equals NaN.

    >>> import effects as fx
    >>> fx.array_equal(1.0, 1)
    Array(True, bool)
    """
    nan_equal = flag("array_equal", "equal_nan", equal_nan)
    a, b = as_array(x, "array_equal", "x"), as_array(y, "array_equal", "y")
    if a.aval.shape != b.aval.shape:
        return scalar(False, dtypes.bool_)
    equal = a == b
    if nan_equal:
        equal = equal | (unary.isnan(a) & unary.isnan(b))
    return reduction.all(equal)


def array_equiv(x: ArrayLike, y: ArrayLike, /) -> Scalar[bool_]:
    """Test whether x and y have shapes that broadcast, and elements that are equal then.

    >>> import effects as fx
    >>> fx.array_equiv(1.0, fx.ones(3))
    Array(True, bool)
    """
    a, b = as_array(x, "array_equiv", "x"), as_array(y, "array_equiv", "y")
    pairs = zip(a.aval.shape[::-1], b.aval.shape[::-1], strict=False)
    if any([n != m and 1 not in (n, m) for n, m in pairs]):
        return scalar(False, dtypes.bool_)
    return reduction.all(a == b)


@Predicate
def iscomplex(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for an imaginary part that is not zero.

    >>> import effects as fx
    >>> fx.iscomplex(1 + 0j)
    Array(False, bool)
    """
    part = unary.imag(as_array(x, "iscomplex", "x"))
    return creation.zeros_like(part) if part.aval.dtype is dtypes.bool_ else part != constant_like(0, part)


@Predicate
def isreal(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for an imaginary part that is zero.

    >>> import effects as fx
    >>> fx.isreal(1 + 0j)
    Array(True, bool)
    """
    return unary.bitwise_invert(iscomplex(as_array(x, "isreal", "x")))


def _infinite(function: str, x: ArrayLike, sign: int) -> Array:
    array = as_array(x, function, "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: x must be real, got {array.aval}")
    if not dtypes.is_inexact(array.aval.dtype):
        return creation.zeros_like(array, dtype=dtypes.bool_)
    return array == constant_like(sign * math.inf, array)


@Predicate
def isneginf(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for -∞.

    >>> import effects as fx
    >>> fx.isneginf(-1.0 / 0.0 if False else float("-inf"))
    Array(True, bool)
    """
    return _infinite("isneginf", x, -1)


@Predicate
def isposinf(x: ArrayLike, /) -> Array[bool_]:
    """Test each element for +∞.

    >>> import effects as fx
    >>> fx.isposinf(float("inf"))
    Array(True, bool)
    """
    return _infinite("isposinf", x, 1)


def iscomplexobj(x: ArrayLike, /) -> bool:
    """Test for a complex dtype, whatever the values are.

    >>> import effects as fx
    >>> fx.iscomplexobj(1 + 0j)
    True
    """
    return issubclass(as_array(x, "iscomplexobj", "x").aval.dtype, dtypes.Complex)


def isrealobj(x: ArrayLike, /) -> bool:
    """Test for a dtype that is not complex.

    >>> import effects as fx
    >>> fx.isrealobj(1.0)
    True
    """
    return not issubclass(as_array(x, "isrealobj", "x").aval.dtype, dtypes.Complex)


def isscalar(element: object, /) -> bool:
    """Test for a number of Python's or NumPy's; an array of rank 0 is none.

    >>> import effects as fx
    >>> fx.isscalar(1.0), fx.isscalar(fx.ones(()))
    (True, False)
    """
    return isinstance(element, int | float | complex | str | bytes | np.generic)


def shape(x: ArrayLike, /) -> tuple[int, ...]:
    """The sizes of the axes.

    >>> import effects as fx
    >>> fx.shape(1.0), fx.shape(fx.ones((2, 3)))
    ((), (2, 3))
    """
    return as_array(x, "shape", "x").aval.shape


def ndim(x: ArrayLike, /) -> int:
    """Number of axes.

    >>> import effects as fx
    >>> fx.ndim(fx.ones((2, 3)))
    2
    """
    return as_array(x, "ndim", "x").aval.ndim


def size(x: ArrayLike, /, axis: int | tuple[int, ...] | None = None) -> int:
    """Number of elements, or of elements along `axis`.

    >>> import effects as fx
    >>> fx.size(fx.ones((2, 3))), fx.size(fx.ones((2, 3)), 1)
    (6, 3)
    """
    own = as_array(x, "size", "x").aval.shape
    return math.prod([own[a] for a in shapes.normalize_axes("size", own, shapes.as_axes("size", axis))])


def copy(x: Like[DT], /) -> Array[DT]:
    """An array of the elements of x in memory of its own, which stays where x is donated to a compiled function.

    >>> import effects as fx
    >>> fx.copy(3.0)
    Array(3., float64)
    """
    return as_array(x, "copy", "x").__copy__()
