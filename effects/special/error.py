"""The error function, its inverses, and the normal distribution. Names are scipy's."""

from __future__ import annotations

from typing import overload

from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import convert, inexact
from effects.operations.special import SpecialKind
from effects.special import faddeeva
from effects.special.calling import in_double_complex, of, of_one, reals
from effects.types.dtypes import c64, c128, f32, f64
from effects.types.promotion import complex_of
from effects.types.signatures import Shape
from effects.types.signatures.elementwise import RealFloats
from effects.types.signatures.pairs import Reals


@RealFloats
def erfc(x: ArrayLike, /) -> Array:
    """1 - erf(x), as exact for large x.

    >>> import effects as fx
    >>> fx.erfc(1.0)
    Array(0.15729921, float64)
    """
    return of_one(SpecialKind.ERFC, "erfc", x)


@RealFloats
def erfcx(x: ArrayLike, /) -> Array:
    """exp(x²) · erfc(x), which neither underflows nor loses digits for large x.

    >>> import effects as fx
    >>> fx.special.erfcx(1.0)
    Array(0.42758358, float64)
    """
    return of_one(SpecialKind.ERFCX, "erfcx", x)


@RealFloats
def erfinv(x: ArrayLike, /) -> Array:
    """The y with erf(y) = x.

    Special cases: ±1 give ±∞, outside of them NaN.

    >>> import effects as fx
    >>> fx.special.erfinv(0.5)
    Array(0.47693628, float64)
    """
    return of_one(SpecialKind.ERFINV, "erfinv", x)


@RealFloats
def erf_inv(x: ArrayLike, /) -> Array:
    """The y with erf(y) = x: `erfinv`, under the name of other libraries.

    >>> import effects as fx
    >>> fx.erf_inv(0.5)
    Array(0.47693628, float64)
    """
    return of_one(SpecialKind.ERFINV, "erf_inv", x)


@RealFloats
def erfcinv(x: ArrayLike, /) -> Array:
    """The y with erfc(y) = x.

    Special cases: 0 and 2 give ∞ and -∞, outside of them NaN.

    >>> import effects as fx
    >>> fx.special.erfcinv(0.5)
    Array(0.47693628, float64)
    """
    return of_one(SpecialKind.ERFCINV, "erfcinv", x)


@RealFloats
def log_ndtr(x: ArrayLike, /) -> Array:
    """log(ndtr(x)), also where that underflows.

    >>> import effects as fx
    >>> fx.special.log_ndtr(-40.0)
    Array(-804.60844201, float64)
    """
    return of_one(SpecialKind.LOG_NDTR, "log_ndtr", x)


@RealFloats
def ndtr(x: ArrayLike, /) -> Array:
    """The distribution function of the standard normal distribution.

    >>> import effects as fx
    >>> fx.special.ndtr(0.0)
    Array(0.5, float64)
    """
    return of_one(SpecialKind.NDTR, "ndtr", x)


@RealFloats
def ndtri(x: ArrayLike, /) -> Array:
    """The inverse of `ndtr`, the quantiles of the standard normal distribution.

    Special cases: 0 and 1 give -∞ and ∞, outside of them NaN.

    >>> import effects as fx
    >>> fx.special.ndtri(0.975)
    Array(1.95996398, float64)
    """
    return of_one(SpecialKind.NDTRI, "ndtri", x)


@Reals
def owens_t(h: ArrayLike, a: ArrayLike, /) -> Array:
    """1/2π ∫₀ᵃ exp(-h² (1 + x²) / 2) / (1 + x²) dx, Owen's function, differentiable in both.

    It is the probability that of two standard normal variables X > h and 0 < Y < aX. Special cases: ¼ erfc(|h| / √2)
    with the sign of a at a = ±∞; 0 at h = ±∞.

    >>> import effects as fx
    >>> fx.special.owens_t(1.0, 2.0)
    Array(0.07846819, float64)
    """
    return of(SpecialKind.OWENS_T, *reals("owens_t", h=h, a=a))


@overload
def wofz[S: Shape](z: Array[c128, S] | Array[f64, S], /) -> Array[c128, S]: ...
@overload
def wofz[S: Shape](z: Array[c64, S] | Array[f32, S], /) -> Array[c64, S]: ...
@overload
def wofz(z: ArrayLike, /) -> Array: ...
def wofz(z: ArrayLike, /) -> Array:
    """exp(-z²) erfc(-iz), the Faddeeva function w, complex (DLMF 7.2.3).

    Both parts are right, beside each other, to some units in the last place, next to the real axis too. Its real part
    is Voigt's profile. Special cases: 0 at infinities of the upper half plane.

    >>> import effects as fx
    >>> fx.special.wofz(1.0)
    Array(0.36787944+0.60715771j, complex128)
    """
    array = inexact("wofz", z, "z")
    array = convert(array, complex_of(array.aval.dtype), array.aval.weak_type)
    return in_double_complex(faddeeva.wofz, array)
