"""Promotion: the dtype that several meet in.

Between arrays it is NumPy's (a superset of the Array API's tables) and jax's for narrow floats; Python scalars are
weak: they take the other operand's dtype when its kind is at least theirs.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Final

import numpy as np

from effects.errors import DTypeError
from effects.types.dtypes import (
    BY_NUMPY,
    NARROW,
    Complex,
    DType,
    Floating,
    complex64,
    complex128,
    default_of,
    float32,
    float64,
    is_inexact,
)

_promoted: Final[dict[tuple[type[DType], type[DType]], type[DType]]] = {}


def promote(a: type[DType], b: type[DType]) -> type[DType]:
    """The dtype that arrays of dtypes `a` and `b` meet in: NumPy's tables, but for floats narrower than float32.

    Those are chosen to stay narrow: they keep their dtype beside every integer. Beside another float the wider one is
    taken, float32 for float16 and bfloat16. Raises DTypeError for two float8 dtypes, of which neither holds the other.

    >>> import effects as fx
    >>> promote(fx.int8, fx.uint8), promote(fx.int64, fx.bfloat16), promote(fx.bfloat16, fx.float16)
    (int16, bfloat16, float32)
    """
    try:
        return _promoted[a, b]
    except KeyError:
        pass
    common = _common(a, b)
    if common is None:
        raise DTypeError(f"{a} and {b} have no common dtype; convert one of them with astype")
    _promoted[a, b] = common
    return common


def _common(a: type[DType], b: type[DType]) -> type[DType] | None:
    if a is b or (a not in NARROW and b not in NARROW):
        return BY_NUMPY[np.promote_types(a.dtype, b.dtype)]
    narrow, other = (a, b) if a in NARROW else (b, a)
    if other not in NARROW:
        return other if is_inexact(other) else narrow
    if narrow.itemsize != other.itemsize:
        return max(narrow, other, key=lambda d: d.itemsize)
    return float32 if narrow.itemsize == 2 else None


def promote_all(several: Iterable[type[DType]]) -> type[DType]:
    """The dtype that arrays of several dtypes meet in, in whichever order they come: the greatest kind first.

    >>> import effects as fx
    >>> promote_all([fx.int64, fx.bfloat16, fx.float32]), promote_all([fx.int16, fx.uint16, fx.float32])
    (float64, float32)
    """
    first, *others = sorted(set(several), key=lambda d: (-d.rank, -d.itemsize, d.name))
    for other in others:
        first = promote(first, other)
    return first


def promote_weak(strong: type[DType], weak: type[DType]) -> type[DType]:
    """The dtype of an operation between an array of dtype `strong` and a weakly typed value of dtype `weak`.

    >>> import effects as fx
    >>> promote_weak(fx.float32, fx.float64), promote_weak(fx.int8, fx.int64), promote_weak(fx.int8, fx.float64)
    (float32, int8, float64)
    """
    if weak.rank <= strong.rank:
        return strong
    if issubclass(weak, Complex) and issubclass(strong, Floating):
        return promote(strong, complex64)
    return default_of((builtins.bool, int, float, complex)[weak.rank])


def complex_of(dtype: type[DType]) -> type[DType]:
    """The complex dtype whose parts have the real dtype `dtype`."""
    return complex64 if dtype is float32 else complex128 if dtype is float64 else promote(dtype, complex64)
