"""Operators: functions of two arguments that defer to an operand of a foreign class.

An operator of one operation is written out, so that it makes no more calls than its function.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from numbers import Number
from typing import Any, Final

import numpy as np

from effects.arrays.array import Array
from effects.errors import ArgumentError, DTypeError
from effects.functions.ordering import lexicographic
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind
from effects.program.chain import perform

type Operator = Callable[[Any, Any], Any]
type Pair = Callable[[str, Any, Any], tuple[Array, Array]]

_SAME: Final = ("__eq__", "__ne__")


def binary(function: Operator, pair: Pair, kind: BinaryKind, reflected: str) -> Operator:
    """The operator of a function that is `perform(Binary(kind, *pair(name, x, y)))`."""
    name = function.__name__

    def operator(x: object, y: object, /) -> object:
        try:
            a, b = pair(name, x, y)
        except ArgumentError:
            if _is_left_to(y, reflected):
                return NotImplemented
            raise
        return perform(Binary(kind, a, b))

    return _named(operator, function)


def comparison(function: Operator, pair: Pair, kind: CompareKind, reflected: str) -> Operator:
    """The operator of a function that is `perform(Compare(kind, *pair(name, x, y)))`.

    It repeats `binary`, since a shared function would add a call to every `x < y`.
    """
    name = function.__name__

    def operator(x: object, y: object, /) -> object:
        try:
            a, b = pair(name, x, y)
        except ArgumentError:
            if _is_left_to(y, reflected):
                return NotImplemented
            return function(x, y)  # it handles integers out of the range of the other dtype
        try:
            return perform(Compare(kind, a, b))
        except DTypeError as error:
            return lexicographic.compared(kind, a, b, error)

    return _named(operator, function)


def composed(function: Operator, reflected: str) -> Operator:
    """The operator of a function that is more than one operation."""

    def operator(x: object, y: object, /) -> object:
        try:
            return function(x, y)
        except ArgumentError:
            if _is_left_to(y, reflected):
                return NotImplemented
            raise

    return _named(operator, function)


def _named(operator: Operator, function: Operator) -> Operator:
    """Errors name the function by its code."""
    operator.__code__ = operator.__code__.replace(co_name=function.__name__)
    return functools.wraps(function)(operator)


def _is_left_to(other: object, reflected: str) -> bool:
    """Return True if the operator defers to the method `reflected` of `other`.

    It does for an object that is no number and no array of any library, and whose method is not one of Python's own
    classes, which know no arrays. Equality defers to all such objects, since none equals an array.
    """
    kind = type(other)
    if isinstance(other, Array | Number | np.ndarray | np.generic | list | tuple) and not _own(kind, reflected):
        return False
    if hasattr(kind, "__array__") and not hasattr(kind, "__array_ufunc__"):
        return False
    return reflected in _SAME or _own(kind, reflected)


def _own(kind: type, method: str) -> bool:
    defining = next((each for each in kind.__mro__ if method in vars(each)), object)
    return defining.__module__.partition(".")[0] not in _ARRAYS_UNKNOWN


_ARRAYS_UNKNOWN: Final = sys.stdlib_module_names | {"effects", "numpy"}
