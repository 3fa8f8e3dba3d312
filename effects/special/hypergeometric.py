"""Hypergeometric functions. Names are scipy's."""

from __future__ import annotations

from effects.arrays.array import Array, ArrayLike
from effects.operations.special import SpecialKind
from effects.special.calling import of, reals
from effects.types.signatures.special import Four, Three


@Three
def hyp1f1(a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Array:
    """Kummer's function Σ (a)ₙ / (b)ₙ xⁿ / n!, differentiable in all three.

    For a, b > 0 right to 2e-14, of polynomials and where it oscillates (a < 0, or x < 0 with a > b) to 1e-13 of the
    values around, far out to 1e-12; for b < 0 it may lose some digits, down to 1e-10. Special cases:
    ∞ where b is 0 or a negative whole number, but for polynomials of whole a from b to -1; NaN where more than six
    digits would be lost, which takes b < -100 or so, or where 5000 terms or steps are not enough, as for whole
    a < -5000.

    >>> import effects as fx
    >>> fx.special.hyp1f1(1.0, 2.0, 1.0)
    Array(1.71828183, float64)
    """
    return of(SpecialKind.HYP1F1, *reals("hyp1f1", a=a, b=b, x=x))


@Four
def hyp2f1(a: ArrayLike, b: ArrayLike, c: ArrayLike, x: ArrayLike, /) -> Array:
    """Gauss's function Σ (a)ₙ (b)ₙ / (c)ₙ xⁿ / n! and its continuation to x < -1, differentiable in all four.

    For c > 0 and parameters up to 20 right to 2e-13, for c > -6 and others up to 5 to 1e-10, next to roots of the
    values around; for c < -6 digits may be lost, down to six. Special cases: 1 where x = 0; at x = 1 Gauss's theorem,
    ∞ for c ≤ a + b; ∞ for x > 1 and where c is 0 or a negative whole number, but for polynomials and where a or b is c;
    NaN for x = -∞, and where more than six digits would be lost or 5000 terms or steps are not enough.

    >>> import effects as fx
    >>> fx.special.hyp2f1(1.0, 1.0, 2.0, 0.5)
    Array(1.38629436, float64)
    """
    return of(SpecialKind.HYP2F1, *reals("hyp2f1", a=a, b=b, c=c, x=x))
