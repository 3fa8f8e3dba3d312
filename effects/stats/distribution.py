"""Distributions: functions of their standard form, moved by `loc` and stretched by `scale`.

Everything is computed in double precision and rounded once, and is differentiable in x, `loc`, `scale` and the shape
parameters. Outside of the support densities are 0, distribution functions 0 or 1; parameters outside of their domain
give NaN, and so do probabilities outside of [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, final

from typing_extensions import TypeVar

import handlers
from effects.arrays.array import Array, ArrayLike
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.functions.reductions import reduction
from effects.special.calling import has_more_digits, rounded
from effects.stats import densities
from effects.stats.advice import Advising, described
from effects.stats.densities import Density
from effects.stats.standard import (
    End,
    Function,
    as_reals,
    assigned,
    between,
    ends_of,
    logarithm,
    of_standard,
    valued,
    within,
)
from effects.types.signatures import typed_as

if TYPE_CHECKING:
    from effects.types.signatures import distributions

type Densities = Callable[..., Array | Density]
"""A density, or its logarithm."""
type Domain = Callable[..., Array | bool]

N_co = TypeVar("N_co", bound=tuple[str, ...], default=tuple[str, ...], covariant=True)
"""The names of the shape parameters: as many strings, to type checkers."""

_ROUNDING: Final = 32 * 2.0**-52
_SLACK: Final = 2.0**-40
"""Tolerances for reaching a probability: SciPy's and compiled ones differ by so much of it and of the lesser tail."""


def positive(*shapes: Array) -> Array | bool:
    """The domain of most shape parameters."""
    valid: Array | bool = True
    for shape in shapes:
        valid = (shape > 0) & valid
    return valid


@final
@dataclass(frozen=True, repr=False)
class Continuous(Advising, Generic[N_co]):
    """A continuous distribution; its methods take x, the shape parameters, `loc` and `scale`.

    >>> import effects as fx
    >>> fx.stats.norm.logpdf(1.0), fx.stats.norm.cdf(1.0, 1.0, 2.0), fx.stats.norm.ppf(0.975, scale=2.0)
    (Array(-1.41893853, float64), Array(0.5, float64), Array(3.91992797, float64))
    """

    name: str
    shapes: N_co
    density: Densities
    lower: Function
    upper: Function
    quantile: Function
    upper_quantile: Function | None = None
    log_lower: Function | None = None
    log_upper: Function | None = None
    ends: tuple[End, End] = (-math.inf, math.inf)
    valid: Domain = positive
    single: frozenset[str] = frozenset()
    """Methods that keep single precision when they are computed in it: densities, others of a standard form only."""
    everywhere: frozenset[str] = frozenset()
    """Methods whose formula has the right values and derivatives at ±∞ as well."""
    vanishes_beyond: tuple[End, End] | None = None
    """Points beyond which the density is less than the least number, and the slope of its logarithm overflows."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", described(self.name, "continuous", "x", self.shapes, "loc=0, scale=1"))

    def _of(
        self, method: str, args: tuple[ArrayLike, ...], named: dict[str, ArrayLike], first: str = "x"
    ) -> dict[str, Array]:
        function, others = f"{self.name}.{method}", {"loc": 0.0, "scale": 1.0}
        return as_reals(function, assigned(function, (first, *self.shapes), others, args, named))

    def _keeps_single(self, method: str, values: dict[str, Array]) -> bool:
        return method in self.single and (method == "logpdf" or not values.keys() & {"loc", "scale"})

    def _at(
        self,
        method: str,
        f: Callable[..., Any],
        beyond: tuple[float, float],
        args: tuple[ArrayLike, ...],
        named: dict[str, ArrayLike],
        give: Callable[[Density], Array] | None = None,
    ) -> Array:
        """f of the standard form where there is support, what is `beyond` elsewhere; of a density what to `give`."""
        values = self._of(method, args, named)

        def standard(x: Array, shapes: list[Array], loc: Array | None, scale: Array | None) -> Array:
            valid = self.valid(*shapes)
            y = x if loc is None else x - loc
            if scale is not None:
                scale = scale * where((scale > 0) & valid, 1.0, math.nan)
                y = y * (1.0 / scale) if has_more_digits(y) else y / scale  # results in float32 lose these last digits
            elif valid is not True:
                y = y * where(valid, 1.0, math.nan)
            ends = ends_of(self.vanishes_beyond if self.vanishes_beyond and method == "pdf" else self.ends, shapes)
            inside = None if method in self.everywhere else within(y, *ends)
            value = f(y if inside is None else where(inside, y, handlers.stop_gradient(between(*ends))), *shapes)
            if give is not None:
                density = densities.of(value)
                value = give(density if scale is None else density.over(scale))
            return valued(inside, value, y, ends, beyond)

        return of_standard(standard, self.shapes, values, self._keeps_single(method, values))

    @typed_as(lambda: distributions.continuous)
    def logpdf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The logarithm of the density."""
        return self._at("logpdf", self.density, (-math.inf, -math.inf), args, named, Density.logarithm)

    @typed_as(lambda: distributions.continuous)
    def pdf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The density."""
        return self._at("pdf", self.density, (0.0, 0.0), args, named, Density.value)

    @typed_as(lambda: distributions.continuous)
    def cdf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of at most x."""
        return self._at("cdf", self.lower, (0.0, 1.0), args, named)

    @typed_as(lambda: distributions.continuous)
    def sf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of more than x, also where it is small."""
        return self._at("sf", self.upper, (1.0, 0.0), args, named)

    @typed_as(lambda: distributions.continuous)
    def logcdf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """log(cdf(x))."""
        f = self.log_lower or logarithm(self.lower, self.upper)
        return self._at("logcdf", f, (-math.inf, 0.0), args, named)

    @typed_as(lambda: distributions.continuous)
    def logsf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """log(sf(x))."""
        f = self.log_upper or logarithm(self.upper, self.lower)
        return self._at("logsf", f, (0.0, -math.inf), args, named)

    @typed_as(lambda: distributions.continuous)
    def ppf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The quantile: the x with cdf(x) = q."""
        return self._quantile("ppf", self.quantile, args, named)

    @typed_as(lambda: distributions.continuous)
    def isf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The x with sf(x) = q."""
        f = self.upper_quantile or (lambda q, *v: self.quantile(1.0 - q, *v))
        return self._quantile("isf", f, args, named)

    def _quantile(self, method: str, f: Function, args: tuple[ArrayLike, ...], named: dict[str, ArrayLike]) -> Array:
        values = self._of(method, args, named, "q")

        def standard(q: Array, shapes: list[Array], loc: Array | None, scale: Array | None) -> Array:
            ends = ends_of(self.ends, shapes)
            low, high = ends[::-1] if method == "isf" else ends
            q = q * where((q >= 0) & (q <= 1) & self.valid(*shapes), 1.0, math.nan)
            none, all_below = q == 0, q == 1
            x = f(where(none | all_below, 0.5, q), *shapes)
            x = where(none, low, where(all_below, high, x)) + _at_ends(self, method)(q, *shapes)
            if scale is not None:
                x = scale * where(scale > 0, 1.0, math.nan) * x
            return x if loc is None else loc + x

        return of_standard(standard, self.shapes, values, self._keeps_single(method, values))


@cache
def _at_ends(distribution: Continuous[Any], method: str) -> Function:
    """0, with the slope in q that the quantile has at 0 and 1: the inverse of the density there, which may be ∞."""

    def inverse(end: float | Array, shapes: list[Array]) -> Array | float:
        if isinstance(end, float) and math.isinf(end):
            return math.inf
        infinite = False if isinstance(end, float) else unary.isinf(end)
        density = densities.of(distribution.density(where(infinite, 0.0, end), *shapes)).value()
        return where(infinite, math.inf, 1.0 / density)

    def slope(_: Array, q: Array, *shapes: Array) -> Array:
        still = [handlers.stop_gradient(p) for p in shapes]  # what is infinite would meet a cotangent 0
        low, high = [inverse(end, still) for end in ends_of(distribution.ends, still)]
        if method == "isf":
            low, high = -high, -low
        return where(q == 0, low, where(q == 1, high, 0.0))

    return with_derivatives(slope, *[None] * len(distribution.shapes))(lambda q, *shapes: 0.0 * q)


@dataclass(frozen=True, repr=False)
class Masses(Advising, Generic[N_co]):
    """A discrete distribution with probabilities alone; its methods take k, the shape parameters and `loc`.

    >>> import effects as fx
    >>> fx.stats.betabinom.pmf(2, 5, 1.0, 1.0)
    Array(0.16666667, float64)
    """

    name: str
    shapes: N_co
    density: Densities
    ends: tuple[End, End]
    valid: Domain
    single: frozenset[str] = frozenset()
    """Methods that keep single precision when they are computed in it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", described(self.name, "discrete", "k", self.shapes, "loc=0"))

    def _of(
        self, method: str, args: tuple[ArrayLike, ...], named: dict[str, ArrayLike], first: str = "k"
    ) -> dict[str, Array]:
        function = f"{self.name}.{method}"
        return as_reals(function, assigned(function, (first, *self.shapes), {"loc": 0.0}, args, named))

    def _at(
        self,
        method: str,
        f: Callable[..., Any],
        beyond: tuple[float, float],
        values: dict[str, Array],
        give: Callable[[Density], Array] | None = None,
    ) -> Array:
        """f of whole k where there is support, what is `beyond` elsewhere; of a density what to `give`.

        Between whole numbers a density is as beyond the ends.
        """

        def standard(k: Array, shapes: list[Array], loc: Array | None, _: None) -> Array:
            undefined = where(self.valid(*shapes), 1.0, math.nan)
            shapes = [p * undefined for p in shapes]  # not k as well: what depends on a known k alone stays known
            moved = k if loc is None else k - loc
            whole = unary.floor(moved)
            ends = ends_of(self.ends, shapes)
            inside = within(whole, *ends)
            if give is not None:
                inside = inside & ~(whole < moved)
            value = f(where(inside, whole, ends[0]), *shapes)
            if give is not None:
                value = give(densities.of(value))
            return valued(inside, value, moved, ends, beyond) * undefined

        return of_standard(standard, self.shapes, values, method in self.single)

    @typed_as(lambda: distributions.discrete)
    def logpmf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The logarithm of the probability of k."""
        values = self._of("logpmf", args, named)
        return self._at("logpmf", self.density, (-math.inf, -math.inf), values, Density.logarithm)

    @typed_as(lambda: distributions.discrete)
    def pmf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of k."""
        return self._at("pmf", self.density, (0.0, 0.0), self._of("pmf", args, named), Density.value)


@final
@dataclass(frozen=True, repr=False)
class Discrete(Masses[N_co]):
    """A discrete distribution; its methods take k, the shape parameters and `loc`.

    >>> import effects as fx
    >>> fx.stats.poisson.pmf(2, 3.0), fx.stats.poisson.cdf(2, 3.0), fx.stats.poisson.ppf(0.5, 3.0)
    (Array(0.22404181, float64), Array(0.42319008, float64), Array(3., float64))
    """

    lower: Function = field(kw_only=True)
    upper: Function = field(kw_only=True)

    @typed_as(lambda: distributions.discrete)
    def cdf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of at most k."""
        return self._at("cdf", self.lower, (0.0, 1.0), self._of("cdf", args, named))

    @typed_as(lambda: distributions.discrete)
    def sf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of more than k, also where it is small."""
        return self._at("sf", self.upper, (1.0, 0.0), self._of("sf", args, named))

    @typed_as(lambda: distributions.discrete)
    def ppf(self, *args: ArrayLike, **named: ArrayLike) -> Array:
        """The least k whose cdf reaches q, to a few units in q's last place, by bisection; in q it is constant."""
        values = self._of("ppf", args, named, "q")
        probability = handlers.stop_gradient(values["q"])

        def standard(q: Array, shapes: list[Array], loc: Array | None, _: None) -> Array:
            q, shapes = handlers.stop_gradient(q), [handlers.stop_gradient(p) for p in shapes]
            low, high = ends_of(self.ends, shapes)
            proper = (q > 0) & (q < 1) & self.valid(*shapes)
            wanted = where(proper, probability, 0.5)
            zero = 0.0 * (where(proper, q, 0.5) + sum(shapes, start=0.0 * q))
            start = low - 1.0 + zero

            def reaches(k: Array) -> Array:
                bounded = logic.clip(k, low, high)
                reached = self.lower(bounded, *shapes)
                reached += _ROUNDING * reached + _SLACK * arithmetic.minimum(reached, 1.0 - reached)
                enough = rounded(reached, probability.aval.dtype) >= wanted  # as the cdf is
                return enough | (k >= high) | logic.logical_not(proper)

            def further(s: tuple[Array, Array]) -> tuple[Array, Array]:
                width, k = s
                return 2.0 * width, where(reaches(k), k, start + 2.0 * width)

            last = handlers.while_loop(
                lambda s: reduction.any(logic.logical_not(reaches(s[1]))), further, (zero + 1.0, start + 1.0)
            )[1]

            def halved(s: tuple[Array, Array]) -> tuple[Array, Array]:
                first, last = s
                middle = unary.floor((first + last) / 2.0)
                enough = reaches(middle)
                return where(enough, first, middle), where(enough, middle, last)

            quantile = handlers.while_loop(lambda s: reduction.any(s[1] - s[0] > 1.0), halved, (start, last))[1]
            quantile = where(
                reaches(quantile - 1.0), quantile - 1.0, quantile
            )  # by the same steps that give the cdf, of one call
            quantile = where(proper, logic.clip(quantile, low, high), math.nan)
            quantile = where(q == 0, low - 1.0, where(q == 1, high, quantile))
            quantile = where(self.valid(*shapes), quantile, math.nan)
            return quantile if loc is None else loc + quantile

        return of_standard(standard, self.shapes, values)
