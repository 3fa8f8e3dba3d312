"""log and log(1 + x) in double precision on CPUs, by polynomials, for several numbers at once.

XLA calls a library function for each number. The error here is at most one unit in the last place. Subnormal numbers
are taken for zero, as by XLA's own.
"""

from __future__ import annotations

import math
import sys
from typing import Final

from jaxlib.mlir import ir

from effects.operations.elementwise import Unary, UnaryKind
from effects.program.jaxpr import Atom
from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import compared
from lowering.stablehlo.exact import opaque
from lowering.stablehlo.scope import TYPES, Scope

_LOG_2: Final = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""log 2 in two parts; integer multiples of the first are exact."""
LOG: Final = (
    *(0.666666666666667, 0.39999999999897684, 0.2857142862677037, 0.2222221100883431),
    *(0.18182898079840507, 0.15331430055741951, 0.1461998992141016),
)
"""Coefficients of (log((1 + s) / (1 - s)) - 2s) / s³, of s², for 2s / (1 - s) on [√½ - 1, √2 - 1], lowest first
(`tests.special.coefficients`).
"""
_ROOT_HALF: Final = 0x3FE6A09E00000000
_PLACES: Final = 52


_MANY: Final = 512
_NEAR: Final = 64
"""Number of values that are visited."""
_EXPONENTIALS: Final = frozenset([f"stablehlo.{name}" for name in ("exponential", "exponential_minus_one", "logistic")])
_APART: Final = frozenset(["func.call", "stablehlo.optimization_barrier", "stablehlo.while", "stablehlo.case"])
"""Operations that XLA does not fuse with their readers."""


class _Emitted:
    """Emits operations on doubles and on their bits, for one type of array."""

    def __init__(self, out: ShapedArray, scope: Scope) -> None:
        self.out, self.scope, self.bits = out, scope, out.with_dtype(dtypes.int64)

    def number(self, value: Value | float) -> Value:
        return self.scope.fill(self.out, value) if isinstance(value, int | float) else value

    def real(self, name: str, *values: Value | float) -> Value:
        return self.scope.op(f"stablehlo.{name}", TYPES[self.out], [*map(self.number, values)])

    def integer(self, name: str, *values: Value | int) -> Value:
        operands = [self.scope.fill(self.bits, v) if isinstance(v, int) else v for v in values]
        return self.scope.op(f"stablehlo.{name}", TYPES[self.bits], operands)

    def where(self, x: Value, direction: str, bound: float, then: Value | float, otherwise: Value | float) -> Value:
        condition = compared(direction, x, self.number(bound), self.out, self.scope)
        return self.real("select", condition, then, otherwise)

    def polynomial(self, x: Value, coefficients: tuple[float, ...]) -> Value:
        """Σ c[k] xᵏ by Estrin's scheme, which has short dependency chains."""
        terms: list[Value] = [self.number(c) for c in coefficients]
        power = x
        while len(terms) > 1:
            pairs = zip(terms[::2], terms[1::2], strict=False)
            joined = [self.real("add", low, self.real("multiply", high, power)) for low, high in pairs]
            terms = joined + terms[2 * len(joined) :]
            power = self.real("multiply", power, power)
        return terms[0]

    def logarithm(self, y: Value, rest: Value | None = None) -> Value:
        """log(y + rest) of normal y, by y = 2ᵏ (1 + f) with √½ - 1 ≤ f < √2 - 1."""
        moved = self.integer("subtract", self.integer("bitcast_convert", y), _ROOT_HALF)
        power = self.integer("shift_right_arithmetic", moved, _PLACES)
        mantissa = self.integer("add", self.integer("and", moved, 2**_PLACES - 1), _ROOT_HALF)
        f = self.real("subtract", self.real("bitcast_convert", mantissa), 1.0)
        if rest is not None:
            exponent = self.integer("maximum", self.integer("subtract", 1023, power), 0)
            inverse = self.integer("shift_left", exponent, _PLACES)
            f = self.real("add", f, self.real("multiply", rest, self.real("bitcast_convert", inverse)))
        k = self.real("convert", power)
        whole = self.real("multiply", k, _LOG_2[0])
        most = self.real("add", whole, f)
        least = self.real("subtract", f, self.real("subtract", most, whole))
        # times the inverse: XLA would keep a quotient with several uses in memory
        s = self.real("multiply", f, self.real("divide", 1.0, self.real("add", f, 2.0)))
        square, half = self.real("multiply", s, s), self.real("multiply", self.real("multiply", f, f), 0.5)
        rest_of_series = self.real("multiply", square, self.polynomial(square, LOG))
        curved = self.real("subtract", self.real("multiply", s, self.real("add", half, rest_of_series)), half)
        small = self.real("add", self.real("multiply", k, _LOG_2[1]), least)
        return self.real("add", most, self.real("add", curved, small))

    def with_edges(self, y: Value, value: Value) -> Value:
        """The logarithm of y, which is `value` where y is normal."""
        tiny = sys.float_info.min
        value = self.where(y, "LE", sys.float_info.max, value, y)
        return self.where(y, "LT", tiny, self.where(y, "GT", -tiny, -math.inf, math.nan), value)


def _log(x: Value, emitted: _Emitted) -> Value:
    return emitted.with_edges(x, emitted.logarithm(x))


def _log1p(x: Value, emitted: _Emitted) -> Value:
    """log(1 + x) from 1 + x and its rounding error; next to 0 x itself, with its sign."""
    total = emitted.real("add", x, 1.0)
    less = emitted.real("subtract", total, 1.0)
    lost = emitted.real("subtract", 1.0, emitted.real("subtract", total, less))
    rest = emitted.real("add", lost, emitted.real("subtract", x, less))
    value = emitted.with_edges(total, emitted.logarithm(total, rest))
    size = emitted.real("abs", x)
    return emitted.where(size, "LT", 2.0**-54, x, value)


_RULES: Final = {
    UnaryKind.LOG: (_log, "stablehlo.log"),
    UnaryKind.LOG1P: (_log1p, "stablehlo.log_plus_one"),
}


def _costly(x: Value) -> bool:
    """Return True if x is computed from an exponential nearby, which XLA would repeat for each use of x."""
    values = [x]
    for _ in range(_NEAR):
        if not values:
            return False
        value = values.pop(0)
        if isinstance(value.owner, ir.Block):
            continue
        maker: ir.Operation = value.owner.operation
        if maker.name in _EXPONENTIALS:
            return True
        if maker.name not in _APART:
            values += maker.operands
    return False


def in_double(op: Unary[Atom], x: Value, out: ShapedArray, scope: Scope) -> Value:
    """log or log1p, by polynomials for many numbers on a CPU; else XLA's own, which compiles faster."""
    rule, name = _RULES[op.kind]
    if scope.functions.tuned and out.size >= _MANY:
        return rule(scope.barrier(x) if _costly(x) else x, _Emitted(out, scope))
    argument = opaque(x, out, scope) if op.kind is UnaryKind.LOG else x
    return scope.op(name, TYPES[out], (argument,))
