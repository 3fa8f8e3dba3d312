"""The handler of `Choice`: every path at once.

`enumerated` resumes the program for every choice at once: the choice becomes an axis of a vmap that is put around all
that follows, and the handler keeps the logarithm of the weight of every path. So posteriors and evidence are exact, and
differentiable. No continuation is captured: the rest of the program simply computes with one more axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Concatenate, Final, NamedTuple

import effects as fx
from effects.arguments import check_callable, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, MissingRule, ShapeError
from effects.functions.elementwise import logic
from effects.program.chain import installed
from effects.requests.effect import request
from effects.requests.forms import take_apart
from effects.requests.standard import Choice
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import Merging
from handlers.requests.link import EffectLink
from handlers.transformations.derivatives.stop_gradient import stop_gradient
from handlers.vmap.rules import materialized

_MOST_PATHS: Final = 2**26


class Weight(NamedTuple):
    """The weight of a path, `weight` times exp(`scale`). The scale has no derivative, so that zero weights have one."""

    scale: Array
    weight: Array


def _normal(scale: Array, weight: Array) -> Weight:
    """The same weight with its `weight` 1, or 0."""
    size = stop_gradient(weight)
    some = size > 0
    safe = logic.where(some, size, 1.0)
    return Weight(scale + fx.log(safe), weight / safe)


def _total(paths: Weight, axis: tuple[int, ...] | None) -> Weight:
    """The total weight over axes, relative to the greatest scale of a path whose weight is not 0."""
    scale, weight = paths
    greatest = fx.max(logic.where(weight > 0, scale, -math.inf), axis=axis, keepdims=True)
    finite = fx.isfinite(greatest)
    greatest = logic.where(finite, greatest, fx.max(scale, axis=axis, keepdims=True))
    sums = fx.sum(_relative(paths, greatest), axis=axis)
    return _normal(greatest.reshape(sums.shape), sums)


def _relative(paths: Weight, to: Array) -> Array:
    """Weights relative to a scale; no path of weight 0 is out of the range of floats."""
    difference = paths.scale - to
    return paths.weight * fx.exp(logic.where(paths.weight > 0, difference, fx.minimum(difference, 700.0)))


def _log(weight: Weight) -> Array:
    some = weight.weight > 0
    return logic.where(some, weight.scale + fx.log(logic.where(some, weight.weight, 1.0)), -math.inf)


class Posterior[T](NamedTuple):
    """The results of all paths, with a leading axis for every choice that may affect them, and their weights."""

    values: T
    weights: Weight

    @property
    def log_weights(self) -> Array:
        """The logarithm of the weight of each path."""
        return _log(self.weights)

    @property
    def log_evidence(self) -> Array:
        """The logarithm of the weight of all paths together."""
        return _log(_total(self.weights, None))

    def expectation(self, of: Callable[[T], Array] | None = None) -> Array:
        """The weighted mean over all paths of the values, or of `of(value)`."""
        relative = _relative(self.weights, _total(self.weights, None).scale)
        values: object = self.values if of is None else of(self.values)
        if not isinstance(values, Array):
            subject = "the values are" if of is None else "of gives"
            raise ArgumentError(
                f"Posterior.expectation: the mean is of an array, and {subject} {shown(values)}; say by "
                "of=lambda values: … which array to make of the values"
            )
        spread = (relative / fx.sum(relative)).reshape((*relative.shape, *[1] * (values.ndim - relative.ndim)))
        return fx.sum(spread * values, axis=tuple(range(relative.ndim)))


class Enumerating(Merging[Weight], Choice):
    """Runs every path at once. Choices inside a derivative are made outside, so that each path has its own."""

    _title = "Choice"
    resumes_often = True
    merges_paths = True

    def choose(self, weights: Array) -> Array:
        weights = _weights(weights)
        within = self.link.within
        if within is not None:
            if weights.owner is within:
                raise MissingRule(f"Choice: probabilities that vary within {within!r}; take the derivative outside")
            with installed(within.outer):
                outside: Array = request(self.link.label, "choose", weights)
            self.link.forks.choices.append(outside)
            return outside
        (size,) = weights.aval.shape
        paths = self.link.forks.paths * size
        if paths > _MOST_PATHS:
            raise ArgumentError(
                f"Choice.choose: {paths} paths are too many (at most {_MOST_PATHS}): every choice so far may still be "
                "read; make them in the steps of a scan, or in jitted functions, which hand on what is read"
            )
        index = self.link.forks.fork(size)
        with installed(self.link.outer):  # whose first axis is the new one
            is_chosen = fx.arange(size) == index
            self.weigh(fx.sum(logic.where(is_chosen, weights, 0.0)) / fx.sum(weights))
            return index + 0

    def factor(self, log_weight: ArrayLike) -> None:
        weight = _rank_0("factor", "log_weight", log_weight)
        scale = stop_gradient(logic.where(fx.isfinite(weight), weight, 0.0))
        self.merge(Weight(scale, fx.exp(weight - scale)))

    def weigh(self, weight: ArrayLike) -> None:
        factor = _rank_0("weigh", "weight", weight)
        self.merge(Weight(fx.zeros_like(factor), factor))

    def unreachable(self, paths: Array) -> None:
        self.state = self.state._replace(weight=logic.where(paths, 0.0, self.state.weight))

    def merged_paths(self, size: int, state: Weight) -> Weight:
        return _total(state, (0,))

    def unit(self) -> Weight:
        return Weight(fx.asarray(0.0), fx.asarray(1.0))

    def merge(self, state: Weight) -> None:
        self.state = _normal(self.state.scale + state.scale, self.state.weight * state.weight)

    def into_lanes(self, size: int) -> Weight:
        raise MissingRule(
            f"Choice: enumerated outside of a vmap, whose {size} lanes would choose independently, which are too many "
            "paths; enumerate inside of it (vmap(enumerated(f))), or use scan"
        )

    def from_lanes(self, size: int, state: Weight) -> None:
        """Never called, since `into_lanes` raises."""


def _weights(weights: ArrayLike) -> Array:
    array = as_array(weights, "Choice.choose", "weights")
    if array.aval.ndim != 1 or not array.aval.shape[0]:
        raise ShapeError(f"Choice.choose: weights must be a vector with an element for each choice, got {array.aval}")
    return array


def _rank_0(method: str, argument: str, value: ArrayLike) -> Array:
    weight = as_array(value, f"Choice.{method}", argument)
    if weight.aval.ndim:
        raise ShapeError(f"Choice.{method}: {argument} must have rank 0, got {weight.aval}")
    return weight


def enumerated[**P, R](f: Callable[Concatenate[Choice, P], R]) -> Callable[P, Posterior[R]]:
    """`f` without its first argument, on every path through its choices.

    >>> import effects as fx
    >>> def two_coins(choice: fx.Choice) -> fx.Array:
    ...     a, b = choice.flip(0.5), choice.flip(0.5)
    ...     choice.observe(a | b)
    ...     return a & b
    >>> enumerated(two_coins)().expectation()
    Array(0.33333333, float64)
    """
    check_callable("enumerated", f)

    @instead_of(f)
    def explored(*args: P.args, **kwargs: P.kwargs) -> Posterior[R]:
        handler = Enumerating(Weight(fx.asarray(0.0), fx.asarray(1.0)))

        def run(choice: Choice) -> Posterior[R]:
            result = f(choice, *args, **kwargs)
            arrays, form = take_apart((result, handler.state), "the result of a function under enumerated")
            values, weights = form.build([_all_paths(handler.link, a) for a in arrays])
            return Posterior(values, weights)

        return handled(handler, run)

    return explored


def _all_paths(link: EffectLink, value: Array) -> Array:
    for lanes in [fork.lanes for fork in reversed(link.forks.forks)]:
        with installed(lanes.outer):
            value = materialized(lanes.lift(value), lanes.size)
    return value
