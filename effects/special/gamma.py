"""The gamma and beta functions, incomplete ones, and derivatives. Names are scipy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import constant_like, inexact
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import taking
from effects.functions.indexing.value_dependent import outside_of_tracing
from effects.functions.manipulation import movement
from effects.functions.reductions import reduction
from effects.operations.special import SpecialKind
from effects.runtime.names import named
from effects.special import complex_gamma
from effects.special.calling import in_double, in_double_complex, nan_where, of, of_one, real, reals, where_some
from effects.special.riemann import riemann
from effects.types import dtypes
from effects.types.shapes import broadcast_all
from effects.types.signatures.elementwise import Floats, RealFloats
from effects.types.signatures.pairs import Reals
from effects.types.signatures.special import Three, Zeta

_FIRST: Final = {0.0: SpecialKind.DIGAMMA, 1.0: SpecialKind.TRIGAMMA}
_FACTORIALS: Final = (*[float(math.factorial(n)) for n in range(171)], math.inf)


@Floats
def gamma(x: ArrayLike, /) -> Array:
    """Γ(x), the factorial of x - 1, of complex x too, to the digits that its logarithm has after the point.

    Special cases: 0 gives ∞ with its sign, the other poles and -∞ NaN; complex poles and infinities NaN.

    >>> import effects as fx
    >>> fx.special.gamma(4.0), fx.special.gamma(1j)
    (Array(6., float64), Array(-0.15494983-0.49801567j, complex128))
    """
    array = inexact("gamma", x)
    if issubclass(array.aval.dtype, dtypes.Complex):
        return in_double_complex(complex_gamma.gamma, array)
    return of(SpecialKind.GAMMA, array)


@Floats
def loggamma(x: ArrayLike, /) -> Array:
    """log Γ(x), the branch that is real on the positive axis, which is cut along the negative one only.

    It is right next to the roots 1 and 2. Special cases: real x < 0 give NaN, as logarithms do there, and 0 and ∞ give
    ∞; complex poles and infinities NaN. `gammaln` is the real part on the whole axis.

    >>> import effects as fx
    >>> fx.special.loggamma(4.0), fx.special.loggamma(1j)
    (Array(1.79175947, float64), Array(-0.6509232-1.87243665j, complex128))
    """
    array = inexact("loggamma", x)
    if issubclass(array.aval.dtype, dtypes.Complex):
        return in_double_complex(complex_gamma.loggamma, array)
    return of(SpecialKind.GAMMALN, array * nan_where(array < 0, array))


@RealFloats
def gammaln(x: ArrayLike, /) -> Array:
    """log |Γ(x)|, for x < 0 next to its roots exact to the values around.

    Special cases: poles and ±∞ give ∞.

    >>> import effects as fx
    >>> fx.special.gammaln(4.0)
    Array(1.79175947, float64)
    """
    return of_one(SpecialKind.GAMMALN, "gammaln", x)


@RealFloats
def lgamma(x: ArrayLike, /) -> Array:
    """log |Γ(x)|: `gammaln`, under the name of other libraries.

    >>> import effects as fx
    >>> fx.lgamma(4.0)
    Array(1.79175947, float64)
    """
    return of_one(SpecialKind.GAMMALN, "lgamma", x)


@RealFloats
def rgamma(x: ArrayLike, /) -> Array:
    """1 / Γ(x), which has no poles: where Γ has some it is 0.

    Special cases: ±∞ give 0.

    >>> import effects as fx
    >>> fx.special.rgamma(4.0), fx.special.rgamma(-1.0)
    (Array(0.16666667, float64), Array(0., float64))
    """
    return of_one(SpecialKind.RGAMMA, "rgamma", x)


@RealFloats
def digamma(x: ArrayLike, /) -> Array:
    """d/dx log Γ(x), for x < 0 next to its roots exact to the values around.

    Special cases: 0 gives ∞ of the other sign, the other poles NaN.

    >>> import effects as fx
    >>> fx.digamma(1.0)
    Array(-0.57721566, float64)
    """
    return of_one(SpecialKind.DIGAMMA, "digamma", x)


psi = named(digamma, "psi")


@RealFloats
def gammasgn(x: ArrayLike, /) -> Array:
    """The sign of Γ(x): 1 or -1; at 0 and -0 those of the infinities there, 1 and -1; NaN at the other poles.

    >>> import effects as fx
    >>> fx.special.gammasgn(-0.5)
    Array(-1., float64)
    """
    return of_one(SpecialKind.GAMMASGN, "gammasgn", x)


@Reals
def polygamma(n: ArrayLike, x: ArrayLike, /) -> Array:
    """The n-th derivative of `digamma` at x, for whole n ≥ 0.

    Special cases: NaN for other n; infinite at the poles 0 and, for n ≥ 2, -1, -2, …

    >>> import effects as fx
    >>> fx.special.polygamma(1, 1.0)
    Array(1.64493407, float64)
    """
    order, argument = reals("polygamma", n=n, x=x)
    if isinstance(order, Concrete) and order.aval.shape == () and float(order.host) in _FIRST:
        return of(_FIRST[float(order.host)], argument)
    occurring = _occurring(order)
    factorial = where_some(occurring[2], _factorial, lambda n: unary.astype(n, dtypes.float64), order)
    return in_double(partial(_polygamma, occurring), order, argument, factorial)


def _orders(n: Array) -> tuple[Array, ...]:
    """Masks of the orders 0 and 1, and of those from 2 on; what is none counts as 0."""
    one, more = n == 1, n >= 2
    return logic.logical_not(logic.logical_or(one, more)), one, more


@outside_of_tracing
def _occurring(n: Array) -> list[Array]:
    """For each order, True if some element has it."""
    return [reduction.any(some) for some in _orders(n)]


@outside_of_tracing
def _factorial(n: Array) -> Array:
    """(-1)ⁿ⁺¹ n! in double precision, for n ≥ 2."""
    order = _second(unary.astype(n, dtypes.float64)) + 1.0
    if isinstance(n, Concrete):
        place = unary.astype(arithmetic.minimum(order, float(len(_FACTORIALS))), dtypes.int32) - 1
        factorial = taking.take(creation.asarray(_FACTORIALS), place)
    else:
        factorial = of(SpecialKind.GAMMA, order)
    return logic.where(unary.floor(order / 2.0) == order / 2.0, factorial, -factorial)


def _second(n: Array) -> Array:
    """n from 2 on."""
    return logic.where(n >= 2, n, constant_like(2, n))


def _polygamma(occurring: list[Array], n: Array, x: Array, factorial: Array) -> Array:
    functions: tuple[Callable[[Array, Array], Array], ...] = (
        lambda n, x: of(SpecialKind.DIGAMMA, x),
        lambda n, x: of(SpecialKind.TRIGAMMA, x),
        lambda n, x: factorial * of(SpecialKind.ZETA, _second(n) + constant_like(1, n), x),
    )
    x = x * nan_where(logic.logical_not(logic.logical_and(unary.floor(n) == n, n >= 0)), x)
    value = movement.broadcast_to(x, broadcast_all([n.aval.shape, x.aval.shape]))
    for here, some, function in zip(_orders(n), occurring, functions, strict=True):
        value = _where_some(here, some, function, n, x, value)
    return value


def _where_some(here: Array, some: Array, f: Callable[..., Array], n: Array, x: Array, otherwise: Array) -> Array:
    """f(n, x) here, which `some` says is somewhere."""

    def chosen(n: Array, x: Array, otherwise: Array) -> Array:
        return logic.where(here, f(n, x), otherwise)

    return where_some(some, chosen, lambda n, x, otherwise: otherwise, n, x, otherwise)


@Zeta
def zeta(x: ArrayLike, q: ArrayLike | None = None, /) -> Array:
    """Σ (k + q)⁻ˣ over k ≥ 0, Hurwitz's zeta function; without q Riemann's, of q = 1, also for x < 1.

    Special cases: ∞ for x = 1 and at the poles q = 0, -1, …; with q NaN for x < 1, and where q < 0 and x is not whole.

    >>> import effects as fx
    >>> fx.special.zeta(2.0), fx.special.zeta(2.0, 2.0), fx.special.zeta(-1.0)
    (Array(1.64493407, float64), Array(0.64493407, float64), Array(-0.08333333, float64))
    """
    if q is None:
        return in_double(riemann, real("zeta", x))
    s, shift = reals("zeta", x=x, q=q)
    return of(SpecialKind.ZETA, s * nan_where(s < 1, s), shift)


@Reals
def betaln(a: ArrayLike, b: ArrayLike, /) -> Array:
    """log |B(a, b)|, without cancellation where one is large; its slopes are differences of `digamma`, exact to that.

    Special cases: at poles as `beta`.

    >>> import effects as fx
    >>> fx.special.betaln(1.0, 4.0)
    Array(-1.38629436, float64)
    """
    return of(SpecialKind.BETALN, *reals("betaln", a=a, b=b))


@Reals
def beta(a: ArrayLike, b: ArrayLike, /) -> Array:
    """B(a, b) = Γ(a) Γ(b) / Γ(a + b), beyond 30 by its logarithm, of which it has the digits after the point.

    Special cases: where one is a pole ∞, but for whole numbers with a + b ≤ 0 the limit along the poles; where only
    their sum is one 0.

    >>> import effects as fx
    >>> fx.special.beta(2.0, 3.0)
    Array(0.08333333, float64)
    """
    return of(SpecialKind.BETA, *reals("beta", a=a, b=b))


@Reals
def gammainc(a: ArrayLike, x: ArrayLike, /) -> Array:
    """P(a, x) = 1/Γ(a) ∫₀ˣ tᵃ⁻¹ e⁻ᵗ dt, differentiable in both.

    Special cases: NaN where one is negative, and where both are 0 or ∞.

    >>> import effects as fx
    >>> fx.special.gammainc(2.0, 1.0)
    Array(0.26424112, float64)
    """
    return of(SpecialKind.GAMMAINC, *reals("gammainc", a=a, x=x))


@Reals
def gammaincc(a: ArrayLike, x: ArrayLike, /) -> Array:
    """Q(a, x) = 1 - P(a, x), exact also where it is small; differentiable in both.

    Special cases: NaN where one is negative, and where both are 0 or ∞.

    >>> import effects as fx
    >>> fx.special.gammaincc(2.0, 1.0)
    Array(0.73575888, float64)
    """
    return of(SpecialKind.GAMMAINCC, *reals("gammaincc", a=a, x=x))


@Three
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Array:
    """I(x; a, b) = 1/B(a, b) ∫₀ˣ tᵃ⁻¹ (1 - t)ᵇ⁻¹ dt, differentiable in all three.

    Where a and b are large it changes steeply, and what x is rounded by is magnified up to √(a + b) times. Special
    cases: NaN unless a and b are positive and finite and x is in [0, 1].

    >>> import effects as fx
    >>> fx.special.betainc(2.0, 3.0, 0.5)
    Array(0.6875, float64)
    """
    return of(SpecialKind.BETAINC, *reals("betainc", a=a, b=b, x=x))


@Reals
def gammaincinv(a: ArrayLike, y: ArrayLike, /) -> Array:
    """The x with gammainc(a, x) = y, differentiable in both.

    >>> import effects as fx
    >>> fx.special.gammaincinv(2.0, 0.5)
    Array(1.67834699, float64)
    """
    return of(SpecialKind.GAMMAINCINV, *reals("gammaincinv", a=a, y=y))


@Reals
def gammainccinv(a: ArrayLike, y: ArrayLike, /) -> Array:
    """The x with gammaincc(a, x) = y, differentiable in both.

    >>> import effects as fx
    >>> fx.special.gammainccinv(2.0, 0.5)
    Array(1.67834699, float64)
    """
    return of(SpecialKind.GAMMAINCCINV, *reals("gammainccinv", a=a, y=y))


@Three
def betaincinv(a: ArrayLike, b: ArrayLike, x: ArrayLike, /) -> Array:
    """The y with betainc(a, b, y) = x, differentiable in all three.

    >>> import effects as fx
    >>> fx.special.betaincinv(2.0, 2.0, 0.5)
    Array(0.5, float64)
    """
    return of(SpecialKind.BETAINCINV, *reals("betaincinv", a=a, b=b, x=x))
