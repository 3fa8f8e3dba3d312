"""What a distribution is: functions of its standard form, moved by `loc` and stretched by `scale`.

Everything is computed in double precision and rounded once, and is differentiable in x, `loc`, `scale` and the shape
parameters. Outside of the support densities are 0, distribution functions 0 or 1; parameters outside of their domain
give NaN, and so do probabilities outside of [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from effects.arguments import shown
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.functions import elementwise, logic, reduction, transcendental
from effects.functions.logic import where
from effects.runtime.names import transformation
from effects.special.calling import in_double, reals, rounded
from effects.stats.advice import Advising, described
from effects.types.signatures import Call, typed_as

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike
    from effects.types.signatures.distributions import continuous, discrete

type Function = Callable[..., Array]
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
    name: str, names: tuple[str, ...], first: tuple[str, ArrayLike], given: tuple[ArrayLike, ...], **others: ArrayLike
) -> list[Array]:
    """x, the shape parameters and the others, which may be given by position, too, as arrays of one dtype."""
    listed = (*names, *others)
    if not len(names) <= len(given) <= len(listed):
        takes = ", ".join((first[0], *names, *[f"{n}={v}" for n, v in zip(others, (0, 1), strict=False)]))
        raise ArgumentError(f"{name} takes ({takes}), got {len(given)} arguments after {first[0]}: {shown(given)}")
    arguments: dict[str, ArrayLike] = {first[0]: first[1], **others, **dict(zip(listed, given, strict=False))}
    ordered = {n: arguments[n] for n in (first[0], *listed)}
    return reals(name, **ordered)


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
    log_density: Function
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

    def __repr__(self) -> str:
        return f"stats.{self.name}"

    def _of(
        self, method: str, x: ArrayLike, given: tuple[ArrayLike, ...], loc: ArrayLike, scale: ArrayLike
    ) -> list[Array]:
        return _parameters(f"{self.name}.{method}", self.shapes, ("x", x), given, loc=loc, scale=scale)

    def _ends(self, shapes: list[Array]) -> list[float | Array]:
        return [end(*shapes) if callable(end) else end for end in self.ends]

    def _at(self, f: Function, below: float, above: float, log: bool, values: list[Array]) -> Array:
        """f of the standard form where there is support; `below` and `above` elsewhere."""

        def standard(x: Array, *parameters: Array) -> Array:
            *shapes, loc, scale = parameters
            y = (x - loc) / scale
            low, high = self._ends(shapes)
            under, over = (y < low) | (y == -math.inf), (y > high) | (y == math.inf)
            value = f(where(under | over, _between(low, high), y), *shapes)
            if log:
                value = value - transcendental.log(scale)
            value = where(under, below, where(over, above, value))
            valid = (scale > 0) & self.valid(*shapes)
            return where(valid & logic.logical_not(elementwise.isnan(y)), value, math.nan)

        return in_double(standard, *values)

    @typed_as(lambda: Call(continuous))
    def logpdf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The logarithm of the density."""
        given = self._of("logpdf", x, shapes, loc, scale)
        return self._at(self.log_density, -math.inf, -math.inf, True, given)

    @typed_as(lambda: Call(continuous))
    def pdf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The density."""
        given = self._of("pdf", x, shapes, loc, scale)
        return in_double(
            lambda *v: transcendental.exp(self._at(self.log_density, -math.inf, -math.inf, True, list(v))), *given
        )

    @typed_as(lambda: Call(continuous))
    def cdf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The probability of at most x."""
        return self._at(self.lower, 0.0, 1.0, False, self._of("cdf", x, shapes, loc, scale))

    @typed_as(lambda: Call(continuous))
    def sf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The probability of more than x, also where it is small."""
        return self._at(self.upper, 1.0, 0.0, False, self._of("sf", x, shapes, loc, scale))

    @typed_as(lambda: Call(continuous))
    def logcdf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """log(cdf(x))."""
        f = self.log_lower or logarithm(self.lower, self.upper)
        return self._at(f, -math.inf, 0.0, False, self._of("logcdf", x, shapes, loc, scale))

    @typed_as(lambda: Call(continuous))
    def logsf(self, x: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """log(sf(x))."""
        f = self.log_upper or logarithm(self.upper, self.lower)
        return self._at(f, 0.0, -math.inf, False, self._of("logsf", x, shapes, loc, scale))

    @typed_as(lambda: Call(continuous))
    def ppf(self, q: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The quantile: the x with cdf(x) = q."""
        given = _parameters(f"{self.name}.ppf", self.shapes, ("q", q), shapes, loc=loc, scale=scale)
        return self._quantile(self.quantile, False, given)

    @typed_as(lambda: Call(continuous))
    def isf(self, q: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> Array:
        """The x with sf(x) = q."""
        given = _parameters(f"{self.name}.isf", self.shapes, ("q", q), shapes, loc=loc, scale=scale)
        f = self.upper_quantile or (lambda q, *v: self.quantile(1.0 - q, *v))
        return self._quantile(f, True, given)

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
    log_density: Function
    lower: Function
    upper: Function
    ends: tuple[End, End]
    valid: Domain

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", described(self.name, "discrete", "k", self.shapes, "loc=0"))

    def __repr__(self) -> str:
        return f"stats.{self.name}"

    def _at(
        self,
        method: str,
        f: Function,
        outside: tuple[float, float, float],
        k: ArrayLike,
        given: tuple[ArrayLike, ...],
        loc: ArrayLike,
    ) -> Array:
        """f of whole k where there is support; what is outside of it, and between the numbers of a density."""
        values = _parameters(f"{self.name}.{method}", self.shapes, ("k", k), given, loc=loc)

        def standard(k: Array, *parameters: Array) -> Array:
            *shapes, loc = parameters
            moved = k - loc
            whole = elementwise.floor(moved)
            low, high = [end(*shapes) if callable(end) else end for end in self.ends]
            under, over = (whole < low) | (whole == -math.inf), (whole > high) | (whole == math.inf)
            value = f(where(under | over, low, whole), *shapes)
            value = where(under, outside[0], where(over, outside[1], value))
            if method == "logpmf":
                value = where(whole == moved, value, outside[2])
            return where(self.valid(*shapes) & logic.logical_not(elementwise.isnan(moved)), value, math.nan)

        return in_double(standard, *values)

    @typed_as(lambda: Call(discrete))
    def logpmf(self, k: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0) -> Array:
        """The logarithm of the probability of k."""
        nothing = (-math.inf, -math.inf, -math.inf)
        return self._at("logpmf", self.log_density, nothing, k, shapes, loc)

    @typed_as(lambda: Call(discrete))
    def pmf(self, k: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0) -> Array:
        """The probability of k."""
        return transcendental.exp(self.logpmf(k, *shapes, loc=loc))

    @typed_as(lambda: Call(discrete))
    def cdf(self, k: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0) -> Array:
        """The probability of at most k."""
        return self._at("cdf", self.lower, (0.0, 1.0, 0.0), k, shapes, loc)

    @typed_as(lambda: Call(discrete))
    def sf(self, k: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0) -> Array:
        """The probability of more than k, also where it is small."""
        return self._at("sf", self.upper, (1.0, 0.0, 0.0), k, shapes, loc)

    @typed_as(lambda: Call(discrete))
    def ppf(self, q: ArrayLike, /, *shapes: ArrayLike, loc: ArrayLike = 0.0) -> Array:
        """The least k whose cdf reaches q, to a few units in q's last place, by bisection; in q it is constant."""
        values = _parameters(f"{self.name}.ppf", self.shapes, ("q", q), shapes, loc=loc)
        still, loop = transformation("stop_gradient"), transformation("while_loop")
        given = still(values[0])

        def standard(q: Array, *parameters: Array) -> Array:
            *shapes, loc = parameters
            shapes = [still(p) for p in shapes]
            low, high = [end(*shapes) if callable(end) else end for end in self.ends]
            proper = (q > 0) & (q < 1) & self.valid(*shapes)
            wanted = where(proper, given, 0.5)
            zero = 0.0 * (where(proper, q, 0.5) + sum(shapes, start=0.0 * q))
            start = low - 1.0 + zero

            def reaches(k: Array) -> Array:
                bounded = logic.clip(k, low, high)
                reached = self.lower(bounded, *shapes) * (1.0 + _SLACK)
                enough = rounded(reached, given.aval.dtype) >= wanted  # as the cdf is
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
