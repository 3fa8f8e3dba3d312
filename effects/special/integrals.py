"""Exponential, trigonometric and elliptic integrals, Dawson's, the dilogarithm. Names are scipy's."""

from __future__ import annotations

from effects.arrays.array import Array, ArrayLike
from effects.operations.special import SpecialKind
from effects.special.calling import in_double, of, of_one, real, reals
from effects.types.signatures.elementwise import PairOfFloats, RealFloats
from effects.types.signatures.pairs import Reals


@RealFloats
def exp1(x: ArrayLike, /) -> Array:
    """∫ₓ^∞ exp(-t) / t dt.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.exp1(1.0)
    Array(0.21938393, float64)
    """
    return of_one(SpecialKind.EXP1, "exp1", x)


@Reals
def expn(n: ArrayLike, x: ArrayLike, /) -> Array:
    """∫₁^∞ exp(-xt) / tⁿ dt for whole n ≥ 0, differentiable in x (DLMF 8.19.3).

    Special cases: 1 / (n - 1) at x = 0, for n ≤ 1 ∞; NaN for x < 0 and for other n.

    >>> import effects as fx
    >>> fx.special.expn(2, 1.0)
    Array(0.14849551, float64)
    """
    return of(SpecialKind.EXPN, *reals("expn", n=n, x=x))


@RealFloats
def expi(x: ArrayLike, /) -> Array:
    """∫ exp(t) / t dt from -∞ to x, the principal value.

    Special cases: 0 gives -∞.

    >>> import effects as fx
    >>> fx.special.expi(1.0)
    Array(1.89511782, float64)
    """
    return of_one(SpecialKind.EXPI, "expi", x)


@RealFloats
def spence(x: ArrayLike, /) -> Array:
    """∫₁ˣ log(t) / (1 - t) dt, the dilogarithm of 1 - x.

    Special cases: below 0 NaN.

    >>> import effects as fx
    >>> fx.special.spence(1.0)
    Array(0., float64)
    """
    return of_one(SpecialKind.SPENCE, "spence", x)


@RealFloats
def dawsn(x: ArrayLike, /) -> Array:
    """exp(-x²) ∫₀ˣ exp(t²) dt, Dawson's integral.

    >>> import effects as fx
    >>> fx.special.dawsn(1.0)
    Array(0.53807951, float64)
    """
    return of_one(SpecialKind.DAWSN, "dawsn", x)


@PairOfFloats
def sici(x: ArrayLike, /) -> tuple[Array, Array]:
    """Si(x) = ∫₀ˣ sin(t) / t dt and Ci(x) = γ + log|x| + ∫₀ˣ (cos(t) - 1) / t dt (DLMF 6.2).

    Ci is right next to its first two roots, and to the values around at those farther out. Special cases: Si(±∞) =
    ±π/2; Ci(0) = -∞, Ci(∞) = 0, Ci(-∞) = NaN, as in SciPy.

    >>> import effects as fx
    >>> fx.special.sici(1.0)
    (Array(0.94608307, float64), Array(0.33740392, float64))
    """
    array = real("sici", x)
    return of(SpecialKind.SI, array), of(SpecialKind.CI, array)


@PairOfFloats
def fresnel(x: ArrayLike, /) -> tuple[Array, Array]:
    """S(x) = ∫₀ˣ sin(πt² / 2) dt and C(x) = ∫₀ˣ cos(πt² / 2) dt (DLMF 7.2.7, 7.2.8), with all digits of the phase.

    Special cases: ±½ at ±∞.

    >>> import effects as fx
    >>> fx.special.fresnel(1.0)
    (Array(0.43825915, float64), Array(0.7798934, float64))
    """
    array = real("fresnel", x)
    return of(SpecialKind.FRESNEL_S, array), of(SpecialKind.FRESNEL_C, array)


@RealFloats
def exprel(x: ArrayLike, /) -> Array:
    """(exp(x) - 1) / x, which is 1 at 0.

    >>> import effects as fx
    >>> fx.special.exprel(0.0), fx.special.exprel(1e-9)
    (Array(1., float64), Array(1., float64))
    """
    return of_one(SpecialKind.EXPREL, "exprel", x)


@RealFloats
def ellipk(m: ArrayLike, /) -> Array:
    """∫ dt / √(1 - m sin²t) over a quarter turn, the complete elliptic integral of the first kind.

    Special cases: 1 gives ∞, beyond it NaN. Next to 1 `ellipkm1` has the digits of 1 - m.

    >>> import effects as fx
    >>> fx.special.ellipk(0.5)
    Array(1.85407468, float64)
    """
    return in_double(lambda m: of(SpecialKind.ELLIPKM1, 1.0 - m), real("ellipk", m, "m"))


@RealFloats
def ellipkm1(p: ArrayLike, /) -> Array:
    """`ellipk` of 1 - p, exact also where p is small.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.ellipkm1(1e-100)
    Array(116.51554901, float64)
    """
    return of(SpecialKind.ELLIPKM1, real("ellipkm1", p, "p"))


@RealFloats
def ellipe(m: ArrayLike, /) -> Array:
    """∫ √(1 - m sin²t) dt over a quarter turn, the complete elliptic integral of the second kind.

    Special cases: 1 gives 1, beyond it NaN.

    >>> import effects as fx
    >>> fx.special.ellipe(0.5)
    Array(1.35064388, float64)
    """
    return of(SpecialKind.ELLIPE, real("ellipe", m, "m"))
