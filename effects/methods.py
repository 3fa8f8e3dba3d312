"""What arrays can do that is one public function: operators, and methods named as the functions are.

`Array` says their types. Here each gets its function, once both are there: an operator *is* the function, so that
`x + y` costs no call more than `add(x, y)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from effects.array import Array
from effects.errors import ArgumentError
from effects.functions import arithmetic, contraction, elementwise, logic, reduction
from effects.spellings import METHODS, elsewhere

type Function = Callable[..., Array]

DIRECT: Final[dict[str, Function]] = {
    "__neg__": elementwise.negative,
    "__pos__": elementwise.positive,
    "__abs__": elementwise.abs,
    "__invert__": elementwise.bitwise_invert,
    "__add__": arithmetic.add,
    "__sub__": arithmetic.subtract,
    "__mul__": arithmetic.multiply,
    "__truediv__": arithmetic.divide,
    "__floordiv__": arithmetic.floor_divide,
    "__mod__": arithmetic.remainder,
    "__pow__": arithmetic.pow,
    "__matmul__": contraction.matmul,
    "__and__": arithmetic.bitwise_and,
    "__or__": arithmetic.bitwise_or,
    "__xor__": arithmetic.bitwise_xor,
    "__lshift__": arithmetic.bitwise_left_shift,
    "__rshift__": arithmetic.bitwise_right_shift,
    "__eq__": logic.equal,
    "__ne__": logic.not_equal,
    "__lt__": logic.less,
    "__le__": logic.less_equal,
    "__gt__": logic.greater,
    "__ge__": logic.greater_equal,
    "astype": elementwise.astype,
    "clip": logic.clip,
    "conj": elementwise.conj,
    "dot": contraction.matmul,
    "round": elementwise.round,
}
"""Operators and methods whose arguments are those of the function."""

REFLECTED: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
"""Operators that are also asked of the right operand, by a method of their own."""

BY_AXIS: Final[tuple[Function, ...]] = (
    reduction.sum,
    reduction.prod,
    reduction.mean,
    reduction.var,
    reduction.std,
    reduction.max,
    reduction.min,
    reduction.any,
    reduction.all,
    reduction.argmax,
    reduction.argmin,
)
"""Methods that take the axis by position too: `x.sum(0)`."""


def _reflected(function: Function) -> Function:
    @functools.wraps(function)
    def method(self: Array, other: object, /) -> Array:
        return function(other, self)

    return method


def _by_axis(function: Function) -> Function:
    @functools.wraps(function)
    def method(self: Array, axis: object = None, **options: object) -> Array:
        if "out" in options:  # numpy.sum(x) is x.sum(axis=None, dtype=None, out=None)
            raise ArgumentError(f"numpy.{function.__name__} was given {self.from_numpy()}")
        return function(self, axis=axis, **options)

    return method


for name, function in DIRECT.items():
    setattr(Array, name, function)
for operator in REFLECTED:
    setattr(Array, f"__r{operator}__", _reflected(DIRECT[f"__{operator}__"]))
for function in BY_AXIS:
    setattr(Array, function.__name__, _by_axis(function))
for name in METHODS:
    setattr(Array, name, elsewhere(name))
