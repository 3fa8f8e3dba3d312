"""Functions of one argument, element by element.

Names and semantics are the Array API standard's, then NumPy's. The argument is an array or a Python number; integers
and bools become the default float where the function is one of real or complex numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects import dtypes
from effects.array import Array
from effects.chain import perform
from effects.functions import arithmetic, creation, logic
from effects.operations.elementwise import Convert, Unary, UnaryKind
from effects.promotion import as_array, constant_like, inexact
from effects.signatures import typed_as

if TYPE_CHECKING:
    import effects.signatures.elementwise as signatures
    from effects.array import ArrayLike
    from effects.dtypes import DTypeLike


@typed_as(lambda: signatures.inexact)
def acos(x: ArrayLike, /) -> Array:
    """arccos(x), for each element.

    Special cases: NaN outside [-1, 1].

    >>> acos(1.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ACOS, inexact("acos", x)))


@typed_as(lambda: signatures.inexact)
def acosh(x: ArrayLike, /) -> Array:
    """arcosh(x), for each element.

    Special cases: NaN below 1.

    >>> acosh(1.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ACOSH, inexact("acosh", x)))


@typed_as(lambda: signatures.inexact)
def asin(x: ArrayLike, /) -> Array:
    """arcsin(x), for each element.

    Special cases: NaN outside [-1, 1].

    >>> asin(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ASIN, inexact("asin", x)))


@typed_as(lambda: signatures.inexact)
def asinh(x: ArrayLike, /) -> Array:
    """arsinh(x), for each element.

    Special cases: ±∞ and NaN give themselves.

    >>> asinh(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ASINH, inexact("asinh", x)))


@typed_as(lambda: signatures.inexact)
def atan(x: ArrayLike, /) -> Array:
    """arctan(x), for each element.

    Special cases: ±∞ give ±π/2.

    >>> atan(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ATAN, inexact("atan", x)))


@typed_as(lambda: signatures.inexact)
def atanh(x: ArrayLike, /) -> Array:
    """artanh(x), for each element.

    Special cases: ±1 give ±∞, NaN outside [-1, 1].

    >>> atanh(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ATANH, inexact("atanh", x)))


@typed_as(lambda: signatures.inexact)
def cos(x: ArrayLike, /) -> Array:
    """cos(x), for each element.

    Special cases: ±∞ give NaN.

    >>> cos(0.0)
    Array(1.0, float64)
    """
    return perform(Unary(UnaryKind.COS, inexact("cos", x)))


@typed_as(lambda: signatures.inexact)
def cosh(x: ArrayLike, /) -> Array:
    """cosh(x), for each element.

    Special cases: ±∞ give ∞.

    >>> cosh(0.0)
    Array(1.0, float64)
    """
    return perform(Unary(UnaryKind.COSH, inexact("cosh", x)))


@typed_as(lambda: signatures.inexact)
def erf(x: ArrayLike, /) -> Array:
    """2/√π ∫₀ˣ exp(-t²) dt, for each element.

    Special cases: ±∞ give ±1; real only.

    >>> erf(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.ERF, inexact("erf", x)))


@typed_as(lambda: signatures.inexact)
def erfc(x: ArrayLike, /) -> Array:
    """1 - erf(x), accurate for large x, for each element.

    Special cases: ∞ gives 0; real only.

    >>> erfc(0.0)
    Array(1.0, float64)
    """
    return perform(Unary(UnaryKind.ERFC, inexact("erfc", x)))


@typed_as(lambda: signatures.inexact)
def exp(x: ArrayLike, /) -> Array:
    """eˣ, for each element.

    Special cases: -∞ gives 0, overflow gives ∞.

    >>> exp(0.0)
    Array(1.0, float64)
    """
    return perform(Unary(UnaryKind.EXP, inexact("exp", x)))


@typed_as(lambda: signatures.inexact)
def expm1(x: ArrayLike, /) -> Array:
    """eˣ - 1, accurate near 0, for each element.

    Special cases: -∞ gives -1.

    >>> expm1(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.EXPM1, inexact("expm1", x)))


@typed_as(lambda: signatures.inexact)
def digamma(x: ArrayLike, /) -> Array:
    """d/dx log Γ(x), for each element.

    Special cases: poles give NaN; real only.

    >>> digamma(1.0)
    Array(-0.5772156649015323, float64)
    """
    return perform(Unary(UnaryKind.DIGAMMA, inexact("digamma", x)))


@typed_as(lambda: signatures.inexact)
def lgamma(x: ArrayLike, /) -> Array:
    """log |Γ(x)|, for each element.

    Special cases: poles give ∞; real only.

    >>> lgamma(1.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.LGAMMA, inexact("lgamma", x)))


@typed_as(lambda: signatures.inexact)
def log(x: ArrayLike, /) -> Array:
    """natural logarithm of x, for each element.

    Special cases: 0 gives -∞, negative reals give NaN.

    >>> log(1.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.LOG, inexact("log", x)))


@typed_as(lambda: signatures.inexact)
def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), accurate near 0, for each element.

    Special cases: -1 gives -∞, below it NaN.

    >>> log1p(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.LOG1P, inexact("log1p", x)))


@typed_as(lambda: signatures.inexact)
def logistic(x: ArrayLike, /) -> Array:
    """1 / (1 + e⁻ˣ), for each element.

    Special cases: ±∞ give 1 and 0.

    >>> logistic(0.0)
    Array(0.5, float64)
    """
    return perform(Unary(UnaryKind.LOGISTIC, inexact("logistic", x)))


@typed_as(lambda: signatures.inexact)
def rsqrt(x: ArrayLike, /) -> Array:
    """1 / √x, for each element.

    Special cases: 0 gives ∞, negative reals give NaN.

    >>> rsqrt(4.0)
    Array(0.5, float64)
    """
    return perform(Unary(UnaryKind.RSQRT, inexact("rsqrt", x)))


@typed_as(lambda: signatures.inexact)
def sin(x: ArrayLike, /) -> Array:
    """sin(x), for each element.

    Special cases: ±∞ give NaN.

    >>> sin(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.SIN, inexact("sin", x)))


@typed_as(lambda: signatures.inexact)
def sinh(x: ArrayLike, /) -> Array:
    """sinh(x), for each element.

    Special cases: ±∞ give themselves.

    >>> sinh(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.SINH, inexact("sinh", x)))


@typed_as(lambda: signatures.inexact)
def sqrt(x: ArrayLike, /) -> Array:
    """√x, for each element.

    Special cases: negative reals give NaN, -0 gives -0.

    >>> sqrt(4.0)
    Array(2.0, float64)
    """
    return perform(Unary(UnaryKind.SQRT, inexact("sqrt", x)))


@typed_as(lambda: signatures.inexact)
def cbrt(x: ArrayLike, /) -> Array:
    """∛x, for each element.

    Special cases: the real root, also of negative numbers; real only.

    >>> cbrt(8.0)
    Array(2.0, float64)
    """
    return perform(Unary(UnaryKind.CBRT, inexact("cbrt", x)))


@typed_as(lambda: signatures.inexact)
def tan(x: ArrayLike, /) -> Array:
    """tan(x), for each element.

    Special cases: ±∞ give NaN.

    >>> tan(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.TAN, inexact("tan", x)))


@typed_as(lambda: signatures.inexact)
def tanh(x: ArrayLike, /) -> Array:
    """tanh(x), for each element.

    Special cases: ±∞ give ±1.

    >>> tanh(0.0)
    Array(0.0, float64)
    """
    return perform(Unary(UnaryKind.TANH, inexact("tanh", x)))


@typed_as(lambda: signatures.inexact)
def log2(x: ArrayLike, /) -> Array:
    """Logarithm to base 2: log(x) / log(2), for each element.

    >>> log2(8.0)
    Array(3.0, float64)
    """
    y = log(inexact("log2", x))
    return y / constant_like(0.6931471805599453, y)


@typed_as(lambda: signatures.inexact)
def log10(x: ArrayLike, /) -> Array:
    """Logarithm to base 10: log(x) / log(10), for each element.

    >>> log10(100.0)
    Array(2.0, float64)
    """
    y = log(inexact("log10", x))
    return y / constant_like(2.302585092994046, y)


@typed_as(lambda: signatures.inexact)
def exp2(x: ArrayLike, /) -> Array:
    """2ˣ = exp(x log 2), for each element.

    >>> exp2(3.0)
    Array(8., float64)
    """
    y = inexact("exp2", x)
    return exp(y * constant_like(0.6931471805599453, y))


@typed_as(lambda: signatures.keeping)
def negative(x: ArrayLike, /) -> Array:
    """-x, for each element. Unsigned integers wrap; bools are refused.

    >>> negative(3)
    Array(-3, int64)
    """
    return perform(Unary(UnaryKind.NEG, as_array(x, "negative", "x")))


@typed_as(lambda: signatures.keeping)
def positive(x: ArrayLike, /) -> Array:
    """x itself, as an array.

    >>> positive(3)
    Array(3, int64)
    """
    return as_array(x, "positive", "x")


@typed_as(lambda: signatures.real_valued)
def abs(x: ArrayLike, /) -> Array:
    """|x|, for each element; real also for complex numbers. The least signed integer wraps to itself.

    >>> abs(3 + 4j)
    Array(5.0, float64)
    """
    array = as_array(x, "abs", "x")
    if array.aval.dtype is dtypes.bool_ or issubclass(array.aval.dtype, dtypes.Unsigned):
        return array
    return perform(Unary(UnaryKind.ABS, array))


absolute = abs


@typed_as(lambda: signatures.keeping)
def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by the sign of x, for each element; x / |x| for complex numbers, NaN for NaN.

    >>> sign(-3.0)
    Array(-1., float64)
    """
    array = as_array(x, "sign", "x")
    return perform(Unary(UnaryKind.SIGN, array))


@typed_as(lambda: signatures.keeping)
def square(x: ArrayLike, /) -> Array:
    """x², for each element.

    >>> square(3.0)
    Array(9., float64)
    """
    array = as_array(x, "square", "x")
    return array * array


@typed_as(lambda: signatures.inexact)
def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x, for each element; ±0 gives ±∞.

    >>> reciprocal(4.0)
    Array(0.25, float64)
    """
    array = inexact("reciprocal", x)
    return constant_like(1, array) / array


def _rounding(kind: UnaryKind, name: str, x: ArrayLike) -> Array:
    array = as_array(x, name, "x")
    if not dtypes.is_inexact(array.aval.dtype):
        return array
    return perform(Unary(kind, array))


@typed_as(lambda: signatures.keeping)
def ceil(x: ArrayLike, /) -> Array:
    """The least integer that is not less than x, for each element, in the same dtype.

    >>> ceil(1.2)
    Array(2., float64)
    """
    return _rounding(UnaryKind.CEIL, "ceil", x)


@typed_as(lambda: signatures.keeping)
def floor(x: ArrayLike, /) -> Array:
    """The greatest integer that is not greater than x, for each element, in the same dtype.

    >>> floor(1.8)
    Array(1., float64)
    """
    return _rounding(UnaryKind.FLOOR, "floor", x)


@typed_as(lambda: signatures.keeping)
def trunc(x: ArrayLike, /) -> Array:
    """The integer part of x, rounded toward zero, for each element, in the same dtype.

    >>> trunc(-1.8)
    Array(-1., float64)
    """
    array = as_array(x, "trunc", "x")
    if not dtypes.is_inexact(array.aval.dtype):
        return array
    return logic.where(array < constant_like(0, array), ceil(array), floor(array))


@typed_as(lambda: signatures.keeping)
def round(x: ArrayLike, /) -> Array:
    """The nearest integer, halves to the even one, for each element, in the same dtype; complex by parts.

    >>> round(2.5)
    Array(2., float64)
    """
    array = as_array(x, "round", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return arithmetic.complex(round(real(array)), round(imag(array)))
    return _rounding(UnaryKind.ROUND, "round", array)


@typed_as(lambda: signatures.real_valued)
def real(x: ArrayLike, /) -> Array:
    """The real part; real numbers themselves.

    >>> real(3 + 4j)
    Array(3., float64)
    """
    array = as_array(x, "real", "x")
    return perform(Unary(UnaryKind.REAL, array)) if issubclass(array.aval.dtype, dtypes.Complex) else array


@typed_as(lambda: signatures.real_valued)
def imag(x: ArrayLike, /) -> Array:
    """The imaginary part; zeros for real numbers.

    >>> imag(3 + 4j)
    Array(4., float64)
    """
    array = as_array(x, "imag", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return perform(Unary(UnaryKind.IMAG, array))
    return creation.zeros_like(array)


@typed_as(lambda: signatures.keeping)
def conj(x: ArrayLike, /) -> Array:
    """The complex conjugate; real numbers themselves.

    >>> conj(3 + 4j)
    Array(3.-4.j, complex128)
    """
    array = as_array(x, "conj", "x")
    return perform(Unary(UnaryKind.CONJ, array)) if issubclass(array.aval.dtype, dtypes.Complex) else array


@typed_as(lambda: signatures.keeping)
def bitwise_invert(x: ArrayLike, /) -> Array:
    """All bits flipped; `not` for bools.

    >>> bitwise_invert(5)
    Array(-6, int64)
    """
    return perform(Unary(UnaryKind.NOT, as_array(x, "bitwise_invert", "x")))


@typed_as(lambda: signatures.predicate)
def isfinite(x: ArrayLike, /) -> Array:
    """Whether each element is neither infinite nor NaN.

    >>> isfinite(1.0)
    Array(True, bool)
    """
    array = as_array(x, "isfinite", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return isfinite(real(array)) & isfinite(imag(array))
    if not dtypes.is_inexact(array.aval.dtype):
        return creation.ones_like(array, dtype=dtypes.bool_)
    return perform(Unary(UnaryKind.IS_FINITE, array))


@typed_as(lambda: signatures.predicate)
def isnan(x: ArrayLike, /) -> Array:
    """Whether each element is NaN.

    >>> isnan(1.0)
    Array(False, bool)
    """
    array = as_array(x, "isnan", "x")
    return array != array


@typed_as(lambda: signatures.predicate)
def isinf(x: ArrayLike, /) -> Array:
    """Whether each element is infinite; a complex number is when one of its parts is.

    >>> isinf(1.0)
    Array(False, bool)
    """
    array = as_array(x, "isinf", "x")
    if issubclass(array.aval.dtype, dtypes.Complex):
        return isinf(real(array)) | isinf(imag(array))
    return bitwise_invert(isfinite(array) | isnan(array))


@typed_as(lambda: signatures.conversion)
def astype(x: ArrayLike, dtype: DTypeLike, /) -> Array:
    """The same values as `dtype`.

    Special cases: float to integer truncates toward zero, saturates, and NaN gives 0; to bool asks for "not zero";
    complex to real drops the imaginary part; narrowing integers wraps.

    >>> astype(2.7, "int32")
    Array(2, int32)
    """
    array = as_array(x, "astype", "x")
    target = dtypes.as_dtype(dtype)
    if array.aval.dtype is target and not array.aval.weak_type:
        return array
    return perform(Convert(target, False, array))
