"""Standard forms: from what a method is called with to a function in double precision and what is at its edges."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Concatenate, Protocol

import handlers
from effects.arguments import shown
from effects.arrays.array import Array, ArrayLike
from effects.errors import ArgumentError
from effects.functions.elementwise import transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.functions.elementwise.logic import where
from effects.special.calling import in_double, reals


class Named(Protocol):
    """A distribution."""

    @property
    def name(self) -> str: ...


type Function = Callable[..., Array]
type End = float | Function


def as_reals(function: str, parameters: dict[str, ArrayLike]) -> dict[str, Array]:
    """The quantiles, the shape parameters and the other parameters, as arrays of one dtype."""
    return dict(zip(parameters, reals(function, **parameters), strict=True))


def assigned(
    function: str,
    names: tuple[str, ...],
    others: dict[str, float],
    args: tuple[ArrayLike, ...],
    named: dict[str, ArrayLike],
) -> dict[str, ArrayLike]:
    """Arguments by name, in order; ArgumentError for others than these, and where one of `names` is missing."""
    listed = (*names, *others)
    arguments = {**dict(zip(listed, args, strict=False)), **named}
    wrong = [f"{n} twice" for n in listed[: len(args)] if n in named]
    wrong += [f"{n}=" for n in named if n not in listed] + [f"no {n}" for n in names if n not in arguments]
    if wrong or len(args) > len(listed):
        takes = ", ".join((*names, *[f"{n}={v:g}" for n, v in others.items()]))
        problem = " and ".join(wrong) or f"{len(args)} arguments: {shown(args)}"
        raise ArgumentError(f"{function} takes ({takes}), got {problem}")
    return {n: arguments[n] for n in listed if n in arguments}


def naming[S: Named](method: Callable[Concatenate[S, ...], Array]) -> Callable[Concatenate[S, ...], Array]:
    """Decorator of a method of a distribution that has a parameter for each argument: refuses others as `assigned`."""
    names = tuple(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def checked(self: S, *args: ArrayLike, **named: ArrayLike) -> Array:
        return method(self, **assigned(f"{self.name}.{method.__name__}", names, {}, args, named))

    return checked


def of_standard(
    f: Callable[..., Array], shapes: tuple[str, ...], values: dict[str, Array], single: bool = False
) -> Array:
    """f of what is quantified, the shape parameters, and `loc` and `scale` where they are said."""

    def named(*numbers: Array) -> Array:
        first, *others = numbers
        said = dict(zip(list(values)[1:], others, strict=True))
        return f(first, [said[name] for name in shapes], said.get("loc"), said.get("scale"))

    return in_double(named, *values.values(), single=single)


def ends_of(ends: tuple[End, End], shapes: list[Array]) -> list[float | Array]:
    return [end(*shapes) if callable(end) else end for end in ends]


def within(y: Array, low: float | Array, high: float | Array) -> Array:
    """Mask of the support, which has no infinite numbers, and of NaN: functions give it to all of their derivatives."""
    if not (isinstance(low, float) and isinstance(high, float)):
        return ~((y < low) | (y > high) | unary.isinf(y))
    if low == -math.inf and high == math.inf:
        return ~unary.isinf(y)
    return ~((y < low) | (y >= high if math.isinf(high) else y > high))


def valued(
    inside: Array | None, value: Array, y: Array, ends: list[float | Array], beyond: tuple[float, float]
) -> Array:
    """`value` inside, where y may be NaN, and what is beyond the ends there; None is inside everywhere."""
    if inside is None:
        return value
    below, above = beyond
    return where(inside, value, below if below == above else where(y <= ends[0], below, above))


def between(low: float | Array, high: float | Array) -> float | Array:
    """A point inside, at which what is not asked for is computed."""
    if isinstance(low, float) and isinstance(high, float):
        if math.isinf(high):
            return 0.0 if math.isinf(low) else low + 1.0
        return (low + high) / 2
    return where(unary.isfinite(low), low, 0.0) * 0.5 + where(unary.isfinite(high), high, 0.0) * 0.5


@with_derivatives(lambda _, share, rest: 1.0 / share, None)
def _log_by_lesser(share: Array, rest: Array) -> Array:
    near = rest < 0.5
    return where(near, transcendental.log1p(-where(near, rest, 0.0)), transcendental.log(where(near, 1.0, share)))


def log_of(share: Array, rest: Array) -> Array:
    """log(share), by `rest` = 1 - share where that is less; slopes are those of the share, at the ends too."""
    return _log_by_lesser(share, handlers.stop_gradient(rest))


def logarithm(f: Function, rest: Function) -> Function:
    """log(f), by what f lacks to 1 where that is less."""
    return lambda *values: log_of(f(*values), rest(*values))
