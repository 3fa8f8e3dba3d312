"""Comparisons, logic, and the choice between values.

Comparisons give bools. Logical functions take an element for true if it is not zero.
"""

from __future__ import annotations

import numpy as np

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, promote_pair, promoted, scalar
from effects.errors import ArgumentError, DTypeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, unary
from effects.functions.ordering import lexicographic
from effects.operations.elementwise import Clamp, Compare, CompareKind, Select
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.elementwise import Limits, Predicate
from effects.types.signatures.pairs import Comparison


@Comparison
def equal(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x == y; False where either is NaN. As in all comparisons, a Python int may be any beside integers.

    >>> import effects as fx
    >>> fx.equal(1, 1.0)
    Array(True, bool)
    """
    return perform(Compare(CompareKind.EQ, *_pair("equal", x, y)))


@Comparison
def not_equal(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x != y; True where either is NaN.

    >>> import effects as fx
    >>> fx.not_equal(1, 1.0)
    Array(False, bool)
    """
    return perform(Compare(CompareKind.NE, *_pair("not_equal", x, y)))


@Comparison
def less(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x < y; False where either is NaN. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.less(1, 2)
    Array(True, bool)
    """
    return _ordered(CompareKind.LT, "less", x, y)


@Comparison
def less_equal(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x <= y; False where either is NaN. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.less_equal(2, 2)
    Array(True, bool)
    """
    return _ordered(CompareKind.LE, "less_equal", x, y)


@Comparison
def greater(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x > y; False where either is NaN. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.greater(2, 1)
    Array(True, bool)
    """
    return _ordered(CompareKind.GT, "greater", x, y)


@Comparison
def greater_equal(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """x >= y; False where either is NaN. Complex numbers are ordered as by `sort`.

    >>> import effects as fx
    >>> fx.greater_equal(1, 2)
    Array(False, bool)
    """
    return _ordered(CompareKind.GE, "greater_equal", x, y)


def _ordered(kind: CompareKind, function: str, x: ArrayLike, y: ArrayLike) -> Array:
    a, b = _pair(function, x, y)
    try:
        return perform(Compare(kind, a, b))
    except DTypeError as error:
        return lexicographic.compared(kind, a, b, error)


def _pair(function: str, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """x and y in a common dtype; a Python int out of the range of the other dtype is greater or less than all."""
    try:
        return promote_pair(function, x, y)
    except ArgumentError:
        array, number = (x, y) if isinstance(x, Array) else (y, x)
        if type(number) is not int or not isinstance(array, Array) or not issubclass(array.aval.dtype, dtypes.Integer):
            raise
    zeros, beyond = creation.zeros_like(array, dtype=dtypes.int8), scalar(1 if number > 0 else -1, dtypes.int8)
    return (zeros, beyond) if array is x else (beyond, zeros)


def truth(function: str, x: ArrayLike, argument: str) -> Array:
    """Truth value of each element: True where it is not zero."""
    array = as_array(x, function, argument)
    return array if array.aval.dtype is dtypes.bool_ else unary.astype(array, dtypes.bool_)


@Comparison
def logical_and(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """True where x and y are both not zero.

    >>> import effects as fx
    >>> fx.logical_and(True, False)
    Array(False, bool)
    """
    return truth("logical_and", x, "x") & truth("logical_and", y, "y")


@Comparison
def logical_or(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """True where x or y is not zero.

    >>> import effects as fx
    >>> fx.logical_or(True, False)
    Array(True, bool)
    """
    return truth("logical_or", x, "x") | truth("logical_or", y, "y")


@Comparison
def logical_xor(x: ArrayLike, y: ArrayLike, /) -> Array[dtypes.bool_]:
    """True where exactly one of x and y is not zero.

    >>> import effects as fx
    >>> fx.logical_xor(True, True)
    Array(False, bool)
    """
    return truth("logical_xor", x, "x") ^ truth("logical_xor", y, "y")


@Predicate
def logical_not(x: ArrayLike, /) -> Array[dtypes.bool_]:
    """True where x is zero.

    >>> import effects as fx
    >>> fx.logical_not(True)
    Array(False, bool)
    """
    return unary.bitwise_invert(truth("logical_not", x, "x"))


def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> Array:
    """x where `condition` holds, else y: the function `where` of three arguments."""
    a, b = promote_pair("where", x, y)
    return perform(Select(truth("where", condition, "condition"), a, b))


def _less(x: object, y: object) -> bool:
    return type(x) is int and type(y) is int and x < y


@Limits
def clip(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """x limited to [min, max]; a bound that is None does not limit. Special cases: NaN where any of them is NaN.

    An int that is less than all numbers of an integral dtype is a `min` that does not limit, a greater one such a max.

    >>> import effects as fx
    >>> fx.clip(5.0, 0.0, 1.0)
    Array(1., float64)
    """
    bounds: tuple[object, object] = (min, max)
    if int in map(type, bounds):
        x = as_array(x, "clip", "x")
        if issubclass(x.aval.dtype, dtypes.Integer) and not x.aval.weak_type:
            limits = np.iinfo(x.aval.dtype.dtype)
            min, max = None if _less(min, limits.min) else min, None if _less(limits.max, max) else max
    if min is None:
        if max is None:
            return as_array(x, "clip", "x")
        return arithmetic.minimum(*promote_pair("clip", x, max, ("x", "max")))
    if max is None:
        return arithmetic.maximum(*promote_pair("clip", x, min, ("x", "min")))
    low, value, high = promoted("clip", min=min, x=x, max=max)
    if lexicographic.is_complex(value):
        return arithmetic.minimum(arithmetic.maximum(value, low), high)
    return perform(Clamp(low, value, high))
