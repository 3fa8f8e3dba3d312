"""Arithmetic and bitwise functions of two arguments.

Arguments are arrays or Python numbers whose shapes broadcast; they are promoted to one dtype before the operation is
performed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like, convert, promote_pair, rounded_once
from effects.errors import DTypeError
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.manipulation import movement
from effects.functions.ordering import lexicographic
from effects.operations.elementwise import Binary, BinaryKind
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.pairs import Arithmetic, Bitwise, Division, Quotient, Reals


def inexact_pair(function: str, x: ArrayLike, y: ArrayLike, names: tuple[str, str] = ("x", "y")) -> tuple[Array, Array]:
    """`x` and `y` as arrays of their common dtype; integers and bools become the default float."""
    a, b = promote_pair(function, x, y, names)
    if dtypes.is_inexact(a.aval.dtype):
        return a, b
    weak = a.aval.weak_type and b.aval.weak_type
    target = dtypes.default_of(float)
    return convert(a, target, weak), convert(b, target, weak)


@Arithmetic
def add(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x + y. Integers wrap around; of bools it is `or`.

    >>> import effects as fx
    >>> fx.add(1, 2.5)
    Array(3.5, float64)
    """
    a, b = promote_pair("add", x, y)
    return perform(Binary(BinaryKind.ADD, a, b))


@Arithmetic
def subtract(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x - y. Integers wrap around; bools are refused.

    >>> import effects as fx
    >>> fx.subtract(1, 2.5)
    Array(-1.5, float64)
    """
    a, b = promote_pair("subtract", x, y)
    return perform(Binary(BinaryKind.SUB, a, b))


@Arithmetic
def multiply(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · y. Integers wrap around; of bools it is `and`.

    >>> import effects as fx
    >>> fx.multiply(2, 2.5)
    Array(5., float64)
    """
    a, b = promote_pair("multiply", x, y)
    return perform(Binary(BinaryKind.MUL, a, b))


@Division
def divide(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x / y; integers become the default float. x / 0 is ±∞, 0 / 0 is NaN.

    >>> import effects as fx
    >>> fx.divide(1, 4)
    Array(0.25, float64)
    """
    a, b = inexact_pair("divide", x, y)
    return perform(Binary(BinaryKind.DIV, a, b))


@Quotient
def floor_divide(x: ArrayLike, y: ArrayLike, /) -> Array:
    """⌊x / y⌋ in the dtype of the operands. Integers divided by 0 give -1 (all bits set).

    Special cases: floats divided by 0, divided by ∞ and infinite ones give what x / y is.

    >>> import effects as fx
    >>> fx.floor_divide(-7, 2)
    Array(-4, int64)
    """
    a, b = promote_pair("floor_divide", x, y)
    return perform(Binary(BinaryKind.FLOOR_DIV, a, b))


@Quotient
def remainder(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x - y ⌊x / y⌋: the remainder with the sign of y. x of integers for y = 0; NaN for floats.

    >>> import effects as fx
    >>> fx.remainder(-7, 3)
    Array(2, int64)
    """
    a, b = promote_pair("remainder", x, y)
    return perform(Binary(BinaryKind.REM, a, b))


@Arithmetic
def pow(x: ArrayLike, y: ArrayLike, /) -> Array:
    """xʸ. A small static integer exponent is a product, so that its derivative is exact at 0.

    Special cases: x⁰ is 1; integers to a negative integer power are 0, except those of 1 and -1. Complex powers with ∞
    or NaN are exp(y log(x)) with 0 · ∞ = 0, where NumPy has NaN: on the positive axis those of real numbers.

    >>> import effects as fx
    >>> fx.pow(2.0, 3)
    Array(8., float64)
    """
    if type(y) is int and isinstance(x, Array) and 0 <= y <= 3:
        return _small_power(x, y)
    a, b = promote_pair("pow", x, y)
    return perform(Binary(BinaryKind.POW, a, b))


def _small_power(x: Array, exponent: int) -> Array:
    if exponent == 0:
        return movement.broadcast_to(constant_like(1, x), x.aval.shape)
    if exponent == 1:
        return unary.positive(x)
    square = x * x
    return square if exponent == 2 else square * x


@Arithmetic
def maximum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The greater of x and y; NaN when either is. Of 0 and -0 it may be either one. Complex numbers: as by `sort`.

    >>> import effects as fx
    >>> fx.maximum(1, 2.5)
    Array(2.5, float64)
    """
    a, b = promote_pair("maximum", x, y)
    try:
        return perform(Binary(BinaryKind.MAX, a, b))
    except DTypeError as error:
        return lexicographic.chosen(BinaryKind.MAX, a, b, error)


@Arithmetic
def minimum(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The lesser of x and y; NaN when either is. Of 0 and -0 it may be either one. Complex numbers: as by `sort`.

    >>> import effects as fx
    >>> fx.minimum(1, 2.5)
    Array(1., float64)
    """
    a, b = promote_pair("minimum", x, y)
    try:
        return perform(Binary(BinaryKind.MIN, a, b))
    except DTypeError as error:
        return lexicographic.chosen(BinaryKind.MIN, a, b, error)


@Reals
def atan2(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The angle of the point (y, x): arctan(x / y) in the right quadrant.

    >>> import effects as fx
    >>> fx.atan2(0.0, 1.0)
    Array(0., float64)
    """
    a, b = inexact_pair("atan2", x, y)
    return perform(Binary(BinaryKind.ATAN2, a, b))


@Reals
def hypot(x: ArrayLike, y: ArrayLike, /) -> Array:
    """√(x² + y²) without overflow in between; ∞ where an operand is infinite, even beside NaN. Its slope at 0 is 0.

    >>> import effects as fx
    >>> fx.hypot(3.0, 4.0)
    Array(5., float64)
    """
    a, b = inexact_pair("hypot", x, y)
    return perform(Binary(BinaryKind.HYPOT, a, b))


@Division
def logaddexp(x: ArrayLike, y: ArrayLike, /) -> Array:
    """log(eˣ + eʸ) without overflow in between; of complex numbers the principal value, as that of SciPy's `logsumexp`.

    >>> import effects as fx
    >>> fx.logaddexp(0.0, 0.0)
    Array(0.69314718, float64)
    """
    return rounded_once(partial(log_of_sum, power=transcendental.exp), *inexact_pair("logaddexp", x, y))


def log_of_sum(a: Array, b: Array, power: Callable[[Array], Array], scale: float | None = None) -> Array:
    """log(power(a) + power(b)) to the base of `power`: natural logarithms are divided by `scale`, that of the base."""
    swapped = b > a  # a selection: a maximum and an absolute value would have kinks at a = b
    great, difference = logic.where(swapped, b, a), logic.where(swapped, a - b, b - a)
    missing = unary.isnan(difference) & (a == b)  # equal infinities share the derivative
    rest = transcendental.log1p(power(logic.where(missing, constant_like(0, difference), difference)))
    rest = rest if scale is None else rest * constant_like(1 / scale, rest)
    value = logic.where(missing, maximum(a, b), great + rest)
    if not issubclass(value.aval.dtype, dtypes.Complex):
        return value
    angle = unary.imag(value)  # at most half a turn from 0 in the principal value
    turn = constant_like(2 * math.pi / (scale or 1), angle)
    return complex(unary.real(value), angle - unary.round(angle / turn) * turn)


@Reals
def copysign(x: ArrayLike, y: ArrayLike, /) -> Array:
    """|x| with the sign bit of y.

    >>> import effects as fx
    >>> fx.copysign(3.0, -0.0)
    Array(-3., float64)
    """
    a, b = inexact_pair("copysign", x, y)
    return perform(Binary(BinaryKind.COPY_SIGN, a, b))


@Reals
def nextafter(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The next representable number after x towards y.

    >>> import effects as fx
    >>> fx.nextafter(1.0, 2.0) > 1.0
    Array(True, bool)
    """
    a, b = inexact_pair("nextafter", x, y)
    return perform(Binary(BinaryKind.NEXT_AFTER, a, b))


def complex(real: ArrayLike, imag: ArrayLike, /) -> Array:
    """real + imag · i.

    >>> import effects as fx
    >>> fx.complex(1.0, 2.0)
    Array(1.+2.j, complex128)
    """
    a, b = inexact_pair("complex", real, imag, ("real", "imag"))
    if issubclass(a.aval.dtype, dtypes.Complex):
        raise DTypeError(f"complex: real and imag must be real numbers, got {a.aval} and {b.aval}")
    return perform(Binary(BinaryKind.COMPLEX, a, b))


@Bitwise
def bitwise_and(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Bits set in both; `and` for bools.

    >>> import effects as fx
    >>> fx.bitwise_and(6, 3)
    Array(2, int64)
    """
    a, b = promote_pair("bitwise_and", x, y)
    return perform(Binary(BinaryKind.AND, a, b))


@Bitwise
def bitwise_or(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Bits set in either; `or` for bools.

    >>> import effects as fx
    >>> fx.bitwise_or(6, 3)
    Array(7, int64)
    """
    a, b = promote_pair("bitwise_or", x, y)
    return perform(Binary(BinaryKind.OR, a, b))


@Bitwise
def bitwise_xor(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Bits set in one of the two; "differs" for bools.

    >>> import effects as fx
    >>> fx.bitwise_xor(6, 3)
    Array(5, int64)
    """
    a, b = promote_pair("bitwise_xor", x, y)
    return perform(Binary(BinaryKind.XOR, a, b))


@Bitwise
def bitwise_left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """x · 2ʸ on integers; 0 when y is the width or more.

    >>> import effects as fx
    >>> fx.bitwise_left_shift(3, 2)
    Array(12, int64)
    """
    a, b = promote_pair("bitwise_left_shift", x, y)
    return perform(Binary(BinaryKind.SHIFT_LEFT, a, b))


@Bitwise
def bitwise_right_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """⌊x / 2ʸ⌋ on integers: the sign bit is shifted in for signed ones, zeros for unsigned ones.

    >>> import effects as fx
    >>> fx.bitwise_right_shift(-8, 1)
    Array(-4, int64)
    """
    a, b = promote_pair("bitwise_right_shift", x, y)
    return perform(Binary(BinaryKind.SHIFT_RIGHT, a, b))
