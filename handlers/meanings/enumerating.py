"""Handlers of `Choice`: every path at once, or one that is drawn.

`enumerated` resumes the program for every choice at once: the choice becomes an axis of a vmap that is put around all
that follows, and the handler keeps the logarithm of the weight of every path. So posteriors and evidence are exact, and
differentiable. No continuation is captured: the rest of the program simply computes with one more axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Final, NamedTuple

from effects.arguments import check_callable
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, MissingRule, ShapeError
from effects.functions import creation, exponentials, logic, reduction, sequences, transcendental
from effects.program.chain import installed
from effects.requests.choice import Choice
from effects.requests.effect import request
from effects.requests.forms import take_apart
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import Merging
from handlers.requests.link import EffectLink
from handlers.vmap.rules import Vmap, materialized

if TYPE_CHECKING:
    from effects.arrays.array import ArrayLike


_MOST_PATHS: Final = 2**26


class Posterior[T](NamedTuple):
    """The results of all paths, an axis for every choice in front, and the logarithms of their weights."""

    values: T
    log_weights: Array

    @property
    def log_evidence(self) -> Array:
        """The logarithm of the weight of all paths together."""
        return exponentials.logsumexp(self.log_weights)

    def expectation(self, of: Callable[[T], Array] | None = None) -> Array:
        """The mean over the paths, by their weights, of the values, or of what `of` makes of them."""
        weights = transcendental.exp(self.log_weights - self.log_evidence)
        values: Any = self.values if of is None else of(self.values)
        spread = weights.reshape((*weights.shape, *[1] * (values.ndim - weights.ndim)))
        return reduction.sum(spread * values, axis=tuple(range(weights.ndim)))


class Enumerating(Merging[Array], Choice):
    """Every path, at once. Inside of a derivative it chooses outside of it: each path has its own derivative."""

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
            self.link.chosen.append(outside)
            return outside
        (size,) = weights.aval.shape
        paths = math.prod([fork.size for fork in self.link.forks if isinstance(fork, Vmap)]) * size
        if paths > _MOST_PATHS:
            raise ArgumentError(
                f"Choice.choose: {paths} paths are too many (at most {_MOST_PATHS}): every choice so far may still be "
                "read; make them in the steps of a scan, or in jitted functions, which hand on what is read"
            )
        index = self.link.fork(size)
        with installed(self.link.outer):  # which begins with the new axis now
            log_p = transcendental.log(weights) - transcendental.log(reduction.sum(weights))
            here = sequences.arange(size) == index
            self.state = self.state + reduction.sum(logic.where(here, log_p, 0.0))
            return index + 0

    def factor(self, log_weight: ArrayLike) -> None:
        self.state = self.state + _log_weight(log_weight)

    def unreachable(self, paths: Array) -> None:
        self.state = logic.where(paths, -math.inf, self.state)

    def merged_paths(self, size: int, state: Array) -> Array:
        return exponentials.logsumexp(state, axis=0)

    def unit(self) -> Array:
        return creation.asarray(0.0)

    def merge(self, state: Array) -> None:
        self.factor(state)

    def into_lanes(self, size: int) -> Array:
        raise MissingRule(
            f"Choice: enumerated outside of a vmap, whose {size} lanes would choose independently, which are too many "
            "paths; enumerate inside of it (vmap(enumerated(f))), or use scan"
        )

    def from_lanes(self, size: int, state: Array) -> None:
        """No lanes begin."""


def _weights(weights: ArrayLike) -> Array:
    given = as_array(weights, "Choice.choose", "weights")
    if given.aval.ndim != 1 or not given.aval.shape[0]:
        raise ShapeError(f"Choice.choose: weights must be a vector with an element for each choice, got {given.aval}")
    return given


def _log_weight(given: ArrayLike) -> Array:
    weight = as_array(given, "Choice.factor", "log_weight")
    if weight.aval.ndim:
        raise ShapeError(f"Choice.factor: log_weight must have rank 0, got {weight.aval}")
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
        handler = Enumerating(creation.asarray(0.0))

        def run(choice: Choice) -> Posterior[R]:
            result = f(choice, *args, **kwargs)
            arrays, form = take_apart((result, handler.state), "the result of a function under enumerated")
            values, weights = form.build([_all_paths(handler.link, a) for a in arrays])
            return Posterior(values, weights)

        return handled(handler, run)

    return explored


def _all_paths(link: EffectLink, value: Array) -> Array:
    for lanes in [fork for fork in reversed(link.forks) if isinstance(fork, Vmap)]:
        with installed(lanes.outer):
            value = materialized(lanes.lift(value), lanes.size)
    return value
