"""Distribution functions that tests of hypotheses ask for. Names are scipy's; `fx.stats` has distributions."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import constant_like
from effects.functions.elementwise.logic import where
from effects.operations.special import SpecialKind
from effects.special.calling import in_double, nan_where, of, reals
from effects.types.signatures.pairs import Reals
from effects.types.signatures.special import Three

_NORMAL: Final = 1e25
"""From so many degrees of freedom on Student's distribution is the normal one, to all digits."""


@Three
def betaincc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Array:
    """1 - `betainc`(a, b, x), exact also where it is small.

    >>> import effects as fx
    >>> fx.special.betaincc(2.0, 3.0, 0.5)
    Array(0.3125, float64)
    """
    return in_double(lambda a, b, x: of(SpecialKind.BETA_PART, b, a, 1.0 - x, x), *reals("betaincc", a=a, b=b, x=x))


@Reals
def chdtr(v: ArrayLike, x: ArrayLike, /) -> Array:
    """The probability of at most x, for the χ² distribution with v degrees of freedom.

    Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.special.chdtr(2.0, 1.0)
    Array(0.39346934, float64)
    """
    return in_double(lambda v, x: of(SpecialKind.GAMMAINC, 0.5 * v, 0.5 * x), *reals("chdtr", v=v, x=x))


@Reals
def chdtrc(v: ArrayLike, x: ArrayLike, /) -> Array:
    """The probability of more than x, for the χ² distribution with v degrees of freedom.

    Special cases: NaN where one is negative.

    >>> import effects as fx
    >>> fx.special.chdtrc(2.0, 1.0)
    Array(0.60653066, float64)
    """
    return in_double(lambda v, x: of(SpecialKind.GAMMAINCC, 0.5 * v, 0.5 * x), *reals("chdtrc", v=v, x=x))


@Three
def fdtr(dfn: ArrayLike, dfd: ArrayLike, x: ArrayLike, /) -> Array:
    """The probability of at most x, for the F distribution with dfn and dfd degrees of freedom.

    Special cases: NaN where x is negative or another is not positive.

    >>> import effects as fx
    >>> fx.special.fdtr(2.0, 3.0, 1.0)
    Array(0.535242, float64)
    """
    n, d, value = reals("fdtr", dfn=dfn, dfd=dfd, x=x)
    return fx.stats.f.cdf(_not_negative(value), n, d)


@Three
def fdtrc(dfn: ArrayLike, dfd: ArrayLike, x: ArrayLike, /) -> Array:
    """The probability of more than x, for the F distribution with dfn and dfd degrees of freedom.

    Special cases: NaN where x is negative or another is not positive.

    >>> import effects as fx
    >>> fx.special.fdtrc(2.0, 3.0, 1.0)
    Array(0.464758, float64)
    """
    n, d, value = reals("fdtrc", dfn=dfn, dfd=dfd, x=x)
    return fx.stats.f.sf(_not_negative(value), n, d)


def _not_negative(x: Array) -> Array:
    return x * nan_where(x < 0, x)


@Reals
def stdtr(df: ArrayLike, t: ArrayLike, /) -> Array:
    """The probability of at most t, for Student's distribution with df degrees of freedom.

    Special cases: NaN where df is not positive; the normal distribution where it is ∞.

    >>> import effects as fx
    >>> fx.special.stdtr(3.0, 1.0)
    Array(0.80449889, float64)
    """
    n, value = reals("stdtr", df=df, t=t)
    normal = n > _NORMAL
    share: Array = fx.stats.t.cdf(value, where(normal, constant_like(1, n), n))
    return where(normal, of(SpecialKind.NDTR, value), share)


@Reals
def stdtrit(df: ArrayLike, p: ArrayLike, /) -> Array:
    """The t with `stdtr`(df, t) = p.

    Special cases: NaN where df is not positive or p not in [0, 1]; the normal distribution where df is ∞.

    >>> import effects as fx
    >>> fx.special.stdtrit(3.0, 0.975)
    Array(3.18244631, float64)
    """
    n, share = reals("stdtrit", df=df, p=p)
    normal = n > _NORMAL
    value: Array = fx.stats.t.ppf(share, where(normal, constant_like(1, n), n))
    return where(normal, of(SpecialKind.NDTRI, share), value)
