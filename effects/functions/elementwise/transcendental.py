"""Transcendental and algebraic functions of one argument: exponentials, logarithms, trigonometry, roots, erf, gamma.

Names and semantics are the Array API standard's, then NumPy's. The argument is an array or a Python number; integers
and bools become the default float.
"""

from __future__ import annotations

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import inexact
from effects.functions.elementwise import arithmetic, unary
from effects.operations.elementwise import Unary, UnaryKind
from effects.program.chain import perform
from effects.types import dtypes
from effects.types.signatures.elementwise import Floats


@Floats
def acos(x: ArrayLike, /) -> Array:
    """arccos(x), for each element.

    Special cases: NaN outside [-1, 1].

    >>> import effects as fx
    >>> fx.acos(1.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ACOS, inexact("acos", x)))


@Floats
def acosh(x: ArrayLike, /) -> Array:
    """arcosh(x), for each element.

    Special cases: NaN below 1.

    >>> import effects as fx
    >>> fx.acosh(1.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ACOSH, inexact("acosh", x)))


@Floats
def asin(x: ArrayLike, /) -> Array:
    """arcsin(x), for each element.

    Special cases: NaN outside [-1, 1].

    >>> import effects as fx
    >>> fx.asin(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ASIN, inexact("asin", x)))


@Floats
def asinh(x: ArrayLike, /) -> Array:
    """arsinh(x), for each element.

    Special cases: ±∞ and NaN give themselves.

    >>> import effects as fx
    >>> fx.asinh(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ASINH, inexact("asinh", x)))


@Floats
def atan(x: ArrayLike, /) -> Array:
    """arctan(x), for each element.

    Special cases: ±∞ give ±π/2.

    >>> import effects as fx
    >>> fx.atan(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ATAN, inexact("atan", x)))


@Floats
def atanh(x: ArrayLike, /) -> Array:
    """artanh(x), for each element.

    Special cases: ±1 give ±∞, NaN outside [-1, 1].

    >>> import effects as fx
    >>> fx.atanh(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ATANH, inexact("atanh", x)))


@Floats
def cos(x: ArrayLike, /) -> Array:
    """cos(x), for each element.

    Special cases: ±∞ give NaN.

    >>> import effects as fx
    >>> fx.cos(0.0)
    Array(1., float64)
    """
    return perform(Unary(UnaryKind.COS, inexact("cos", x)))


@Floats
def cosh(x: ArrayLike, /) -> Array:
    """cosh(x), for each element.

    Special cases: ±∞ give ∞.

    >>> import effects as fx
    >>> fx.cosh(0.0)
    Array(1., float64)
    """
    return perform(Unary(UnaryKind.COSH, inexact("cosh", x)))


@Floats
def erf(x: ArrayLike, /) -> Array:
    """2/√π ∫₀ˣ exp(-t²) dt, for each element.

    Special cases: ±∞ give ±1; real only.

    >>> import effects as fx
    >>> fx.erf(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.ERF, inexact("erf", x)))


@Floats
def exp(x: ArrayLike, /) -> Array:
    """eˣ, for each element.

    Special cases: -∞ gives 0, overflow gives ∞.

    >>> import effects as fx
    >>> fx.exp(0.0)
    Array(1., float64)
    """
    return perform(Unary(UnaryKind.EXP, inexact("exp", x)))


@Floats
def expm1(x: ArrayLike, /) -> Array:
    """eˣ - 1, accurate near 0, for each element.

    Special cases: -∞ gives -1.

    >>> import effects as fx
    >>> fx.expm1(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.EXPM1, inexact("expm1", x)))


@Floats
def log(x: ArrayLike, /) -> Array:
    """natural logarithm of x, for each element.

    Special cases: 0 gives -∞, negative reals give NaN.

    >>> import effects as fx
    >>> fx.log(1.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.LOG, inexact("log", x)))


@Floats
def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), accurate near 0, for each element.

    Special cases: -1 gives -∞, below it NaN.

    >>> import effects as fx
    >>> fx.log1p(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.LOG1P, inexact("log1p", x)))


@Floats
def logistic(x: ArrayLike, /) -> Array:
    """1 / (1 + e⁻ˣ), for each element.

    Special cases: ±∞ give 1 and 0.

    >>> import effects as fx
    >>> fx.logistic(0.0)
    Array(0.5, float64)
    """
    return perform(Unary(UnaryKind.LOGISTIC, inexact("logistic", x)))


@Floats
def rsqrt(x: ArrayLike, /) -> Array:
    """1 / √x, for each element.

    Special cases: 0 gives ∞, negative reals give NaN.

    >>> import effects as fx
    >>> fx.rsqrt(4.0)
    Array(0.5, float64)
    """
    return perform(Unary(UnaryKind.RSQRT, inexact("rsqrt", x)))


@Floats
def sin(x: ArrayLike, /) -> Array:
    """sin(x), for each element.

    Special cases: ±∞ give NaN.

    >>> import effects as fx
    >>> fx.sin(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.SIN, inexact("sin", x)))


@Floats
def sinh(x: ArrayLike, /) -> Array:
    """sinh(x), for each element.

    Special cases: ±∞ give themselves.

    >>> import effects as fx
    >>> fx.sinh(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.SINH, inexact("sinh", x)))


@Floats
def sqrt(x: ArrayLike, /) -> Array:
    """√x, for each element.

    Special cases: negative reals give NaN, -0 gives -0.

    >>> import effects as fx
    >>> fx.sqrt(4.0)
    Array(2., float64)
    """
    return perform(Unary(UnaryKind.SQRT, inexact("sqrt", x)))


@Floats
def cbrt(x: ArrayLike, /) -> Array:
    """∛x, for each element.

    Special cases: the real root, also of negative numbers; real only.

    >>> import effects as fx
    >>> fx.cbrt(8.0)
    Array(2., float64)
    """
    return perform(Unary(UnaryKind.CBRT, inexact("cbrt", x)))


@Floats
def tan(x: ArrayLike, /) -> Array:
    """tan(x), for each element.

    Special cases: ±∞ give NaN.

    >>> import effects as fx
    >>> fx.tan(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.TAN, inexact("tan", x)))


@Floats
def tanh(x: ArrayLike, /) -> Array:
    """tanh(x), for each element.

    Special cases: ±∞ give ±1.

    >>> import effects as fx
    >>> fx.tanh(0.0)
    Array(0., float64)
    """
    return perform(Unary(UnaryKind.TANH, inexact("tanh", x)))


def _log_to_base(kind: UnaryKind, x: Array, log_of_base: float) -> Array:
    if issubclass(x.aval.dtype, dtypes.Complex):
        y = log(x)
        return arithmetic.complex(unary.real(y) / log_of_base, unary.imag(y) / log_of_base)
    return perform(Unary(kind, x))


@Floats
def log2(x: ArrayLike, /) -> Array:
    """Logarithm to base 2, exact for its whole powers, for each element.

    >>> import effects as fx
    >>> fx.log2(8.0)
    Array(3., float64)
    """
    return _log_to_base(UnaryKind.LOG2, inexact("log2", x), 0.6931471805599453)


@Floats
def log10(x: ArrayLike, /) -> Array:
    """Logarithm to base 10, exact for its whole powers, for each element.

    >>> import effects as fx
    >>> fx.log10(1000.0)
    Array(3., float64)
    """
    return _log_to_base(UnaryKind.LOG10, inexact("log10", x), 2.302585092994046)


@Floats
def exp2(x: ArrayLike, /) -> Array:
    """2ˣ, exact for whole x, for each element.

    >>> import effects as fx
    >>> fx.exp2(3.0)
    Array(8., float64)
    """
    array = inexact("exp2", x)
    if issubclass(array.aval.dtype, dtypes.Complex):
        log_2 = 0.6931471805599453
        return exp(arithmetic.complex(unary.real(array) * log_2, unary.imag(array) * log_2))
    return perform(Unary(UnaryKind.EXP2, array))
