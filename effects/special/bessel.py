"""Bessel functions of orders 0 and 1. Names are scipy's."""

from __future__ import annotations

from effects.arrays.array import Array, ArrayLike
from effects.operations.special import SpecialKind
from effects.special.calling import of_one
from effects.types.signatures.elementwise import RealFloats


@RealFloats
def i0(x: ArrayLike, /) -> Array:
    """The modified Bessel function of the first kind and order 0.

    Special cases: beyond 713 it is ∞.

    >>> import effects as fx
    >>> fx.i0(1.0)
    Array(1.26606588, float64)
    """
    return of_one(SpecialKind.I0, "i0", x)


@RealFloats
def i0e(x: ArrayLike, /) -> Array:
    """exp(-|x|) · i0(x), which does not overflow.

    >>> import effects as fx
    >>> fx.special.i0e(1.0)
    Array(0.46575961, float64)
    """
    return of_one(SpecialKind.I0E, "i0e", x)


@RealFloats
def i1(x: ArrayLike, /) -> Array:
    """The modified Bessel function of the first kind and order 1.

    Special cases: beyond ±713 it is ±∞.

    >>> import effects as fx
    >>> fx.special.i1(1.0)
    Array(0.5651591, float64)
    """
    return of_one(SpecialKind.I1, "i1", x)


@RealFloats
def i1e(x: ArrayLike, /) -> Array:
    """exp(-|x|) · i1(x), which does not overflow.

    >>> import effects as fx
    >>> fx.special.i1e(1.0)
    Array(0.20791042, float64)
    """
    return of_one(SpecialKind.I1E, "i1e", x)


@RealFloats
def j0(x: ArrayLike, /) -> Array:
    """The Bessel function of the first kind and order 0.

    Next to its third root and those beyond it is exact to the values around. Special cases: ±∞ give 0.

    >>> import effects as fx
    >>> fx.special.j0(1.0)
    Array(0.76519769, float64)
    """
    return of_one(SpecialKind.J0, "j0", x)


@RealFloats
def j1(x: ArrayLike, /) -> Array:
    """The Bessel function of the first kind and order 1.

    Next to its third root and those beyond it is exact to the values around. Special cases: ±∞ give 0.

    >>> import effects as fx
    >>> fx.special.j1(1.0)
    Array(0.44005059, float64)
    """
    return of_one(SpecialKind.J1, "j1", x)


@RealFloats
def k0(x: ArrayLike, /) -> Array:
    """The modified Bessel function of the second kind and order 0.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.k0(1.0)
    Array(0.42102444, float64)
    """
    return of_one(SpecialKind.K0, "k0", x)


@RealFloats
def k0e(x: ArrayLike, /) -> Array:
    """exp(x) · k0(x), which does not underflow.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.k0e(1.0)
    Array(1.14446308, float64)
    """
    return of_one(SpecialKind.K0E, "k0e", x)


@RealFloats
def k1(x: ArrayLike, /) -> Array:
    """The modified Bessel function of the second kind and order 1.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.k1(1.0)
    Array(0.60190723, float64)
    """
    return of_one(SpecialKind.K1, "k1", x)


@RealFloats
def k1e(x: ArrayLike, /) -> Array:
    """exp(x) · k1(x), which does not underflow.

    Special cases: 0 gives ∞, below it NaN.

    >>> import effects as fx
    >>> fx.special.k1e(1.0)
    Array(1.63615349, float64)
    """
    return of_one(SpecialKind.K1E, "k1e", x)


@RealFloats
def y0(x: ArrayLike, /) -> Array:
    """The Bessel function of the second kind and order 0.

    Next to its roots it is exact to the values around. Special cases: 0 gives -∞, below it NaN, ∞ gives 0.

    >>> import effects as fx
    >>> fx.special.y0(1.0)
    Array(0.08825696, float64)
    """
    return of_one(SpecialKind.Y0, "y0", x)


@RealFloats
def y1(x: ArrayLike, /) -> Array:
    """The Bessel function of the second kind and order 1.

    Next to its roots it is exact to the values around. Special cases: 0 gives -∞, below it NaN, ∞ gives 0.

    >>> import effects as fx
    >>> fx.special.y1(1.0)
    Array(-0.78121282, float64)
    """
    return of_one(SpecialKind.Y1, "y1", x)
