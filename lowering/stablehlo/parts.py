"""`Parts`: real functions of the two parts of complex numbers, for writing functions of these."""

from __future__ import annotations

import math
from typing import Final, final

from effects.types import dtypes
from effects.types.avals import ShapedArray
from lowering.stablehlo.context import Value
from lowering.stablehlo.conversion import bits, compared
from lowering.stablehlo.patterns import negative
from lowering.stablehlo.scope import TYPES, Scope


@final
class Parts:
    """Emits operations on the real and imaginary parts of complex numbers of type `whole`."""

    def __init__(self, whole: ShapedArray, scope: Scope) -> None:
        self.whole: Final = whole
        self.part: Final = whole.with_dtype(dtypes.real_of(whole.dtype))
        self._scope: Final = scope

    def split(self, x: Value) -> tuple[Value, Value]:
        return self.of("stablehlo.real", x), self.of("stablehlo.imag", x)

    def join(self, real: Value, imag: Value) -> Value:
        return self._scope.op("stablehlo.complex", TYPES[self.whole], (real, imag))

    def complex_op(self, name: str, real: Value, imag: Value) -> Value:
        """StableHLO's own function of the complex number."""
        return self._scope.op(name, TYPES[self.whole], (self.join(real, imag),))

    def of(self, name: str, *values: Value) -> Value:
        """The result of a real operation on parts."""
        return self._scope.op(name, TYPES[self.part], values)

    def fill(self, value: float) -> Value:
        return self._scope.fill(self.part, value)

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def plus(self, x: Value, y: Value) -> Value:
        return self.of("stablehlo.add", x, y)

    def minus(self, x: Value, y: Value | None = None) -> Value:
        return self.of("stablehlo.negate", x) if y is None else self.of("stablehlo.subtract", x, y)

    def times(self, x: Value, y: Value) -> Value:
        return self.of("stablehlo.multiply", x, y)

    def over(self, x: Value, y: Value) -> Value:
        return self.of("stablehlo.divide", x, y)

    def product(self, x: Value, y: Value) -> Value:
        """x · y, and zero if one of them is, even if the other is infinite or NaN."""
        alone = self.both(self.is_zero(x), self.logical_not(self.is_finite(y)))
        other = self.both(self.is_zero(y), self.logical_not(self.is_finite(x)))
        return self.where(alone, x, self.where(other, y, self.times(x, y)))

    def size(self, x: Value) -> Value:
        return self.of("stablehlo.abs", x)

    def signed(self, x: Value, like: Value) -> Value:
        """|x| with the sign of `like`."""
        size = self.size(x)
        return self.where(self.negative(like), self.minus(size), size)

    def length(self, x: Value, y: Value) -> Value:
        """√(x² + y²) without intermediate overflow; ∞ if a part is infinite."""
        length = self.of("stablehlo.abs", self.join(x, y))
        return self.where(self.either(self.is_infinite(x), self.is_infinite(y)), self.fill(math.inf), length)

    # -- questions -------------------------------------------------------------------------------------------------

    def compare(self, direction: str, x: Value, y: Value) -> Value:
        return compared(direction, x, y, self.part, self._scope)

    def where(self, condition: Value, x: Value, y: Value) -> Value:
        return self.of("stablehlo.select", condition, x, y)

    def negative(self, x: Value) -> Value:
        """Mask of set signs, that of -0 too."""
        return negative(x, self.part, self._scope)

    def is_zero(self, x: Value) -> Value:
        return self.compare("EQ", x, self.fill(0))

    def is_nan(self, x: Value) -> Value:
        return self.compare("NE", x, x)

    def is_infinite(self, x: Value) -> Value:
        return self.compare("EQ", self.size(x), self.fill(math.inf))

    def is_finite(self, x: Value) -> Value:
        return self._scope.op("stablehlo.is_finite", TYPES[bits(self.part)], (x,))

    def both(self, x: Value, y: Value) -> Value:
        return self._scope.do("and", x, y)

    def either(self, x: Value, y: Value) -> Value:
        return self._scope.do("or", x, y)

    def logical_not(self, x: Value) -> Value:
        return self._scope.do("not", x)
