"""What arrays can do that is one public function: operators, and methods named as the functions are.

`Array` says their types. Here each gets its function, once both are there. An operator is the function written out
(`effects.functions.infix`), so that `x + y` costs no call more than `add(x, y)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from effects.arrays.array import Array, ArrayLike
from effects.arrays.folding import Folding
from effects.arrays.promotion import promote_pair
from effects.functions import arithmetic, contraction, elementwise, infix, logic, reduction
from effects.functions.infix import Pair
from effects.operations.elementwise import BinaryKind, CompareKind
from effects.runtime.spellings import METHODS, elsewhere

type Function = Callable[..., Array]


def divmod(x: ArrayLike, y: ArrayLike, /) -> tuple[Array, Array]:
    """⌊x / y⌋ and what remains."""
    return arithmetic.floor_divide(x, y), arithmetic.remainder(x, y)


DIRECT: Final[dict[str, Function]] = {
    "__neg__": elementwise.negative,
    "__pos__": elementwise.positive,
    "__abs__": elementwise.abs,
    "__invert__": elementwise.bitwise_invert,
    "dot": contraction.matmul,
}
"""Operators and methods whose arguments are those of the function."""

BINARY: Final[dict[str, tuple[Function, Pair, BinaryKind]]] = {
    "add": (arithmetic.add, promote_pair, BinaryKind.ADD),
    "sub": (arithmetic.subtract, promote_pair, BinaryKind.SUB),
    "mul": (arithmetic.multiply, promote_pair, BinaryKind.MUL),
    "truediv": (arithmetic.divide, arithmetic.inexact_pair, BinaryKind.DIV),
    "and": (arithmetic.bitwise_and, promote_pair, BinaryKind.AND),
    "or": (arithmetic.bitwise_or, promote_pair, BinaryKind.OR),
    "xor": (arithmetic.bitwise_xor, promote_pair, BinaryKind.XOR),
    "lshift": (arithmetic.bitwise_left_shift, promote_pair, BinaryKind.SHIFT_LEFT),
    "rshift": (arithmetic.bitwise_right_shift, promote_pair, BinaryKind.SHIFT_RIGHT),
}
"""Operators that are one operation, after what makes a pair of the operands."""

COMPOSED: Final[dict[str, Callable[..., object]]] = {
    "floordiv": arithmetic.floor_divide,
    "mod": arithmetic.remainder,
    "pow": arithmetic.pow,
    "matmul": contraction.matmul,
    "divmod": divmod,
}
"""Operators that are several."""

COMPARISONS: Final[dict[str, tuple[Function, CompareKind, str]]] = {
    "eq": (logic.equal, CompareKind.EQ, "eq"),
    "ne": (logic.not_equal, CompareKind.NE, "ne"),
    "lt": (logic.less, CompareKind.LT, "gt"),
    "le": (logic.less_equal, CompareKind.LE, "ge"),
    "gt": (logic.greater, CompareKind.GT, "lt"),
    "ge": (logic.greater_equal, CompareKind.GE, "le"),
}
"""Comparisons, and what the right operand is asked."""

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


def _reflected(function: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(function)
    def method(self: Array, other: object, /) -> object:
        return function(other, self)

    return method


def _by_axis(function: Function) -> Function:
    @functools.wraps(getattr(Folding, function.__name__))
    def method(self: Array, axis: object = None, **options: object) -> Array:
        return function(self, axis=axis, **options)

    return method


for name, function in DIRECT.items():
    setattr(Array, name, function)
for name, (function, pair, kind) in BINARY.items():
    setattr(Array, f"__{name}__", infix.binary(function, pair, kind, f"__r{name}__"))
    setattr(Array, f"__r{name}__", _reflected(function))
for name, composed in COMPOSED.items():
    setattr(Array, f"__{name}__", infix.composed(composed, f"__r{name}__"))
    setattr(Array, f"__r{name}__", _reflected(composed))
for name, (function, comparison, reflected) in COMPARISONS.items():
    setattr(Array, f"__{name}__", infix.comparison(function, promote_pair, comparison, f"__{reflected}__"))
for function in BY_AXIS:
    setattr(Folding, function.__name__, _by_axis(function))
for name in METHODS:
    setattr(Array, name, elsewhere(name))
