"""What a distribution is: functions of its standard form, moved by `loc` and stretched by `scale`.

Everything is computed in double precision and rounded once, and is differentiable in x, `loc`, `scale` and the shape
parameters. Outside of the support densities are 0, distribution functions 0 or 1; parameters outside of their domain
give NaN, and so do probabilities outside of [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from effects.arguments import shown
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.functions import elementwise, logic, reduction, transcendental
from effects.functions.logic import where
from effects.runtime.names import transformation
from effects.special.calling import in_double, reals, rounded
from effects.stats import densities
from effects.stats.advice import Advising, described
from effects.stats.densities import Density
from effects.types.signatures import Call, typed_as

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.types.signatures.distributions import continuous, discrete

type Function = Callable[..., Array]
type Densities = Callable[..., Array | Density]
"""A density, or its logarithm."""
type Domain = Callable[..., Array | bool]
type End = float | Function

_SLACK: Final = 32 * 2.0**-52
"""What may be missing of a probability that is reached: two ways to one number differ by that."""


def positive(*shapes: Array) -> Array | bool:
    """The domain of most shape parameters."""
    valid: Array | bool = True
    for shape in shapes:
        valid = (shape > 0) & valid
    return valid


def _parameters(
    function: str,
    names: tuple[str, ...],
    others: dict[str, float],
    given: tuple[ArrayLike, ...],
    named: dict[str, ArrayLike],
) -> list[Array]:
    """What is quantified, the shape parameters and the others, by position or by name, as arrays of one dtype."""
    listed = (*names, *others)
    arguments = {**others, **dict(zip(listed, given, strict=False)), **named}
    wrong = [f"{n} twice" for n in listed[: len(given)] if n in named]
    wrong += [f"also {n}" for n in named if n not in listed] + [f"no {n}" for n in names if n not in arguments]
    if wrong or len(given) > len(listed):
        takes = ", ".join((*names, *[f"{n}={v:g}" for n, v in others.items()]))
        got = " and ".join(wrong) or f"{len(given)} arguments: {shown(given)}"
        raise ArgumentError(f"{function} takes ({takes}), got {got}")
    return reals(function, **{n: arguments[n] for n in listed})


@final
@dataclass(frozen=True, repr=False)
class Continuous(Advising):
    """A continuous distribution; its methods take x, the shape parameters, `loc` and `scale`.

    >>> from effects.stats import norm
    >>> norm.logpdf(1.0), norm.cdf(1.0, 1.0, 2.0), norm.ppf(0.975, scale=2.0)
    (Array(-1.41893853, float64), Array(0.5, float64), Array(3.91992797, float64))
    """

    name: str
    shapes: tuple[str, ...]
    density: Densities
    lower: Function
    upper: Function
    quantile: Function
    upper_quantile: Function | None = None
    log_lower: Function | None = None
    log_upper: Function | None = None
    ends: tuple[End, End] = (-math.inf, math.inf)
    valid: Domain = positive

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", described(self.name, "continuous", "x", self.shapes, "loc=0, scale=1"))

    def _of(
        self, method: str, given: tuple[ArrayLike, ...], named: dict[str, ArrayLike], first: str = "x"
    ) -> list[Array]:
        names, others = (first, *self.shapes), {"loc": 0.0, "scale": 1.0}
        return _parameters(f"{self.name}.{method}", names, others, given, named)

    def _ends(self, shapes: list[Array]) -> list[float | Array]:
        return [end(*shapes) if callable(end) else end for end in self.ends]

    def _at(
        self,
        f: Callable[..., Any],
        below: float,
        above: float,
        values: list[Array],
        give: Callable[[Density], Array] | None = None,
    ) -> Array:
        """f of the standard form where there is support, `below` and `above` elsewhere; of a density what to `give`."""

        def standard(x: Array, *parameters: Array) -> Array:
            *shapes, loc, scale = parameters
            y = (x - loc) / scale
            low, high = self._ends(shapes)
            under, over = (y < low) | (y == -math.inf), (y > high) | (y == math.inf)
            found = f(where(under | over, _between(low, high), y), *shapes)
            value = give(densities.of(found).over(scale)) if give else found
            value = where(under, below, where(over, above, value))
            valid = (scale > 0) & self.valid(*shapes)
            return where(valid & logic.logical_not(elementwise.isnan(y)), value, math.nan)

        return in_double(standard, *values)

    @typed_as(lambda: Call(continuous))
    def logpdf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The logarithm of the density."""
        values = self._of("logpdf", given, named)
        return self._at(self.density, -math.inf, -math.inf, values, Density.logarithm)

    @typed_as(lambda: Call(continuous))
    def pdf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The density."""
        return self._at(self.density, 0.0, 0.0, self._of("pdf", given, named), Density.value)

    @typed_as(lambda: Call(continuous))
    def cdf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of at most x."""
        return self._at(self.lower, 0.0, 1.0, self._of("cdf", given, named))

    @typed_as(lambda: Call(continuous))
    def sf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of more than x, also where it is small."""
        return self._at(self.upper, 1.0, 0.0, self._of("sf", given, named))

    @typed_as(lambda: Call(continuous))
    def logcdf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """log(cdf(x))."""
        f = self.log_lower or logarithm(self.lower, self.upper)
        return self._at(f, -math.inf, 0.0, self._of("logcdf", given, named))

    @typed_as(lambda: Call(continuous))
    def logsf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """log(sf(x))."""
        f = self.log_upper or logarithm(self.upper, self.lower)
        return self._at(f, 0.0, -math.inf, self._of("logsf", given, named))

    @typed_as(lambda: Call(continuous))
    def ppf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The quantile: the x with cdf(x) = q."""
        return self._quantile(self.quantile, False, self._of("ppf", given, named, "q"))

    @typed_as(lambda: Call(continuous))
    def isf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The x with sf(x) = q."""
        f = self.upper_quantile or (lambda q, *v: self.quantile(1.0 - q, *v))
        return self._quantile(f, True, self._of("isf", given, named, "q"))

    def _quantile(self, f: Function, upper: bool, values: list[Array]) -> Array:
        def standard(q: Array, *parameters: Array) -> Array:
            *shapes, loc, scale = parameters
            ends = self._ends(shapes)
            low, high = ends[::-1] if upper else ends
            inside = (q > 0) & (q < 1)
            x = f(where(inside, q, 0.5), *shapes)
            x = where(inside, x, where(q == 0, low, where(q == 1, high, math.nan)))
            valid = (scale > 0) & self.valid(*shapes)
            return where(valid, loc + scale * x, math.nan)

        return in_double(standard, *values)


def logarithm(f: Function, rest: Function) -> Function:
    """log(f), by what f lacks to 1 where that is less."""

    def found(*values: Array) -> Array:
        most, least = f(*values), rest(*values)
        near = least < 0.5
        value = transcendental.log(where(near, 1.0, most))
        return where(near, transcendental.log1p(-where(near, least, 0.0)), value)

    return found


def _between(low: float | Array, high: float | Array) -> float | Array:
    """A point inside, at which what is not asked for is computed."""
    if isinstance(low, float) and isinstance(high, float):
        if math.isinf(high):
            return 0.0 if math.isinf(low) else low + 1.0
        return (low + high) / 2
    return where(elementwise.isfinite(low), low, 0.0) * 0.5 + where(elementwise.isfinite(high), high, 0.0) * 0.5


@final
@dataclass(frozen=True, repr=False)
class Discrete(Advising):
    """A distribution of whole numbers; its methods take k, the shape parameters and `loc`.

    >>> from effects.stats import poisson
    >>> poisson.pmf(2, 3.0), poisson.cdf(2, 3.0), poisson.ppf(0.5, 3.0)
    (Array(0.22404181, float64), Array(0.42319008, float64), Array(3., float64))
    """

    name: str
    shapes: tuple[str, ...]
    density: Densities
    lower: Function
    upper: Function
    ends: tuple[End, End]
    valid: Domain

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", described(self.name, "discrete", "k", self.shapes, "loc=0"))

    def _of(
        self, method: str, given: tuple[ArrayLike, ...], named: dict[str, ArrayLike], first: str = "k"
    ) -> list[Array]:
        return _parameters(f"{self.name}.{method}", (first, *self.shapes), {"loc": 0.0}, given, named)

    def _at(
        self,
        f: Callable[..., Any],
        below: float,
        above: float,
        values: list[Array],
        give: Callable[[Density], Array] | None = None,
    ) -> Array:
        """f of whole k where there is support, `below` and `above` elsewhere; of a density what to `give`.

        Between whole numbers a density is as below.
        """

        def standard(k: Array, *parameters: Array) -> Array:
            *shapes, loc = parameters
            moved = k - loc
            whole = elementwise.floor(moved)
            low, high = [end(*shapes) if callable(end) else end for end in self.ends]
            under, over = (whole < low) | (whole == -math.inf), (whole > high) | (whole == math.inf)
            value = f(where(under | over, low, whole), *shapes)
            if give is not None:
                value, under = give(densities.of(value)), under | (whole != moved)
            value = where(under, below, where(over, above, value))
            return where(self.valid(*shapes) & logic.logical_not(elementwise.isnan(moved)), value, math.nan)

        return in_double(standard, *values)

    @typed_as(lambda: Call(discrete))
    def logpmf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The logarithm of the probability of k."""
        values = self._of("logpmf", given, named)
        return self._at(self.density, -math.inf, -math.inf, values, Density.logarithm)

    @typed_as(lambda: Call(discrete))
    def pmf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of k."""
        return self._at(self.density, 0.0, 0.0, self._of("pmf", given, named), Density.value)

    @typed_as(lambda: Call(discrete))
    def cdf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of at most k."""
        return self._at(self.lower, 0.0, 1.0, self._of("cdf", given, named))

    @typed_as(lambda: Call(discrete))
    def sf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The probability of more than k, also where it is small."""
        return self._at(self.upper, 1.0, 0.0, self._of("sf", given, named))

    @typed_as(lambda: Call(discrete))
    def ppf(self, *given: ArrayLike, **named: ArrayLike) -> Array:
        """The least k whose cdf reaches q, to a few units in q's last place, by bisection; in q it is constant."""
        values = self._of("ppf", given, named, "q")
        still, loop = transformation("stop_gradient"), transformation("while_loop")
        probability = still(values[0])

        def standard(q: Array, *parameters: Array) -> Array:
            *shapes, loc = parameters
            shapes = [still(p) for p in shapes]
            low, high = [end(*shapes) if callable(end) else end for end in self.ends]
            proper = (q > 0) & (q < 1) & self.valid(*shapes)
            wanted = where(proper, probability, 0.5)
            zero = 0.0 * (where(proper, q, 0.5) + sum(shapes, start=0.0 * q))
            start = low - 1.0 + zero

            def reaches(k: Array) -> Array:
                bounded = logic.clip(k, low, high)
                reached = self.lower(bounded, *shapes) * (1.0 + _SLACK)
                enough = rounded(reached, probability.aval.dtype) >= wanted  # as the cdf is
                return enough | (k >= high) | logic.logical_not(proper)

            def further(s: tuple[Array, Array]) -> tuple[Array, Array]:
                width, k = s
                return 2.0 * width, where(reaches(k), k, start + 2.0 * width)

            _, last = loop(
                lambda s: reduction.any(logic.logical_not(reaches(s[1]))), further, (zero + 1.0, start + 1.0)
            )

            def halved(s: tuple[Array, Array]) -> tuple[Array, Array]:
                first, last = s
                middle = elementwise.floor((first + last) / 2.0)
                enough = reaches(middle)
                return where(enough, first, middle), where(enough, middle, last)

            _, found = loop(lambda s: reduction.any(s[1] - s[0] > 1.0), halved, (start, last))
            found = where(reaches(found - 1.0), found - 1.0, found)  # by the same steps that give the cdf, of one call
            found = where(proper, logic.clip(found, low, high), math.nan)
            found = where(q == 0, low - 1.0, where(q == 1, high, found))
            moved: Array = loc + where(self.valid(*shapes), found, math.nan)
            return moved

        return in_double(lambda q, *v: standard(still(q), *v), *values)
