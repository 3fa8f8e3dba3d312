"""Transformations made of others: for some of the parameters, for every so many steps, for finite gradients only."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import effects as fx
import handlers
from effects.arguments import flag, refusal, step_count
from effects.arrays.array import Array
from effects.arrays.promotion import convert
from effects.errors import ArgumentError
from effects.optim.gradient_transformation import GradientTransformation, instead_of, stateless
from effects.optim.scaling import mixed, next_count, no_steps, unbiased
from effects.optim.settings import decay_rate
from effects.trees.pytree import broadcast_prefix, tree_leaves_with_path
from effects.types.dtypes import real_of

type ParameterMask = object | Callable[[object], object]
"""A tree of bools that parameters begin with, or the function of the parameters that gives it."""


class Every[S](NamedTuple):
    """The mean of the gradients of the last `steps`, and the state of the inner transformation."""

    steps: Array
    mean: object
    inner: S


class Finite[S](NamedTuple):
    """Numbers of skipped steps, in all and since the last step taken; and the state of the others."""

    skipped: Array
    in_a_row: Array
    inner: S


class Averaged(NamedTuple):
    """An average that began at 0, a tree like the parameters; `steps` were taken."""

    steps: Array
    average: object


def checked[S](function: str, argument: str, transformation: GradientTransformation[S]) -> GradientTransformation[S]:
    """A gradient transformation, or an ArgumentError."""
    if not isinstance(transformation, GradientTransformation):
        raise refusal(function, argument, "a gradient transformation", transformation, instead_of(transformation))
    return transformation


def identity() -> GradientTransformation[tuple[()]]:
    """The gradients as they are.

    >>> import effects as fx
    >>> fx.optim.identity().update(fx.ones(1), (), fx.ones(1))[0]
    Array([1.], float64)
    """
    return stateless(lambda g, x: g)


def freeze() -> GradientTransformation[tuple[()]]:
    """Updates of zeros: constant parameters.

    >>> import effects as fx
    >>> fx.optim.freeze().update(fx.ones(1), (), fx.ones(1))[0]
    Array([0.], float64)
    """
    return stateless(lambda g, x: fx.zeros_like(g))


def masked[S](inner: GradientTransformation[S], mask: ParameterMask) -> GradientTransformation[S]:
    """The transformation for the parameters whose mask is True; all other gradients are unchanged.

    `mask` is a tree of bools, a prefix of the parameters, or a function from the parameters to one.

    >>> import effects as fx
    >>> matrices = lambda params: fx.tree_map(lambda x: x.ndim > 1, params)
    >>> decay = fx.optim.masked(fx.optim.add_decayed_weights(0.5), matrices)
    >>> params = {"w": fx.ones((1, 2)), "b": fx.ones(2)}
    >>> decay.update(params, decay.init(params), params)[0]
    {'b': Array([1., 1.], float64), 'w': Array([[1.5, 1.5]], float64)}
    """
    checked("masked", "inner", inner)
    places_of = _places("masked", mask)

    def init(params: object) -> S:
        return inner._init(_chosen(places_of(params), params))

    def update[P](gradients: P, state: S, params: P) -> tuple[P, S]:
        places = places_of(params)
        updates, after = inner._step(_chosen(places, gradients), state, _chosen(places, params))
        return fx.tree_map(lambda old, place, new: new if place else old, gradients, places, updates), after

    return GradientTransformation(init, update)


def partition[S, T](
    mask: ParameterMask, inside: GradientTransformation[S], outside: GradientTransformation[T]
) -> GradientTransformation[tuple[S, T]]:
    """Two groups of parameters, each with its own transformation: `inside` where the mask is True.

    All others have `outside`. For more groups, partition a group again. `mask` is as for `masked`.

    >>> import effects as fx
    >>> optimizer = fx.optim.partition({"w": True, "b": False}, fx.optim.sgd(0.1), fx.optim.freeze())
    >>> params = {"w": fx.ones(2), "b": fx.ones(1)}
    >>> optimizer.update(params, optimizer.init(params), params)[0]
    {'b': Array([0.], float64), 'w': Array([-0.1, -0.1], float64)}
    """
    checked("partition", "inside", inside)
    checked("partition", "outside", outside)
    places_of = _places("partition", mask)

    def others(params: object) -> object:
        return fx.tree_map(lambda place: not place, places_of(params))

    return masked(inside, places_of) >> masked(outside, others)


def _places(function: str, mask: ParameterMask) -> Callable[[object], object]:
    """The function from parameters to a tree like them of bools."""

    def spread(prefix: object, params: object) -> object:
        subject = f"{function}: the tree of parameters, which must begin as that of the mask does,"
        places = broadcast_prefix(flags(prefix), params, lambda difference: f"{subject} {difference}")
        if None in places:
            path, _ = tree_leaves_with_path(params)[places.index(None)]
            raise ArgumentError(f"{function}: mask must be True or False for each parameter, got None for params{path}")
        return fx.tree_structure(params).unflatten(places)

    def flags(prefix: object) -> object:
        named = tree_leaves_with_path(prefix)
        return fx.tree_structure(prefix).unflatten([flag(function, f"mask{path}", place) for path, place in named])

    if callable(mask):
        return lambda params: spread(mask(params), params)
    if mask is None:
        raise refusal(function, "mask", "a tree of bools", mask)
    known = flags(mask)
    return lambda params: spread(known, params)


def _chosen[P](places: object, tree: P) -> P:
    """The tree with an empty tuple for each leaf that is not chosen."""
    return fx.tree_map(lambda leaf, place: leaf if place else (), tree, places)


def every[S](k: int, inner: GradientTransformation[S]) -> GradientTransformation[Every[S]]:
    """Accumulation: one step of `inner` with the mean of k gradients; updates of zeros for the k - 1 before it.

    The transformation itself runs in the k-th step only.

    >>> import effects as fx
    >>> slow = fx.optim.every(2, fx.optim.sgd(1.0))
    >>> x = fx.zeros(1)
    >>> first, state = slow.update(fx.asarray([1.0]), slow.init(x), x)
    >>> first, slow.update(fx.asarray([4.0]), state, x)[0]
    (Array([0.], float64), Array([-2.5], float64))
    """
    steps = step_count("every", "k", k)
    checked("every", "inner", inner)

    def init(params: object) -> Every[S]:
        return Every(no_steps(), fx.tree_map(fx.zeros_like, params), inner._init(params))

    def update[P](gradients: P, state: Every[S], params: P) -> tuple[P, Every[S]]:
        count = state.steps + 1

        def averaged(g: Array, mean: Array) -> Array:
            return mean + (g - mean) / convert(count, real_of(g.aval.dtype))

        mean = fx.tree_map(averaged, gradients, state.mean)
        return handlers.cond(
            count == steps,
            lambda: _stepped(inner._step(mean, state.inner, params)),
            lambda: (fx.tree_map(fx.zeros_like, gradients), Every(count, mean, state.inner)),
        )

    def _stepped[P](step: tuple[P, S]) -> tuple[P, Every[S]]:
        updates, state = step
        return updates, Every(no_steps(), fx.tree_map(fx.zeros_like, updates), state)

    return GradientTransformation(init, update)


def apply_if_finite[S](inner: GradientTransformation[S]) -> GradientTransformation[Finite[S]]:
    """Skip steps whose gradients have NaN or infinities: updates of zeros, and `inner` keeps its state.

    The state counts them: `skipped` in all, and `in_a_row` since the last step that was taken.

    >>> import effects as fx
    >>> guarded = fx.optim.apply_if_finite(fx.optim.sgd(1.0))
    >>> x = fx.zeros(2)
    >>> updates, state = guarded.update(fx.asarray([1.0, fx.nan]), guarded.init(x), x)
    >>> updates, state.skipped
    (Array([0., 0.], float64), Array(1, int32))
    """
    checked("apply_if_finite", "inner", inner)

    def init(params: object) -> Finite[S]:
        return Finite(no_steps(), no_steps(), inner._init(params))

    def update[P](gradients: P, state: Finite[S], params: P) -> tuple[P, Finite[S]]:
        finite = fx.asarray(True)
        for leaf in fx.tree_leaves(gradients):
            finite = fx.logical_and(finite, fx.all(fx.isfinite(leaf)))

        def stepped() -> tuple[P, Finite[S]]:
            updates, after = inner._step(gradients, state.inner, params)
            return updates, Finite(state.skipped, no_steps(), after)

        def skipped() -> tuple[P, Finite[S]]:
            return fx.tree_map(fx.zeros_like, gradients), Finite(
                next_count(state.skipped), next_count(state.in_a_row), state.inner
            )

        return handlers.cond(finite, stepped, skipped)

    return GradientTransformation(init, update)


def ema(decay: float, *, debias: bool = True) -> GradientTransformation[Averaged]:
    """The exponential average of the updates; with `debias` divided by the sum of its weights.

    At the end of a chain it averages updates. Parameters are averaged by `update(params, state, params)`.

    >>> import effects as fx
    >>> average = fx.optim.ema(0.5)
    >>> x = fx.asarray([4.0])
    >>> _, state = average.update(x, average.init(x), x)
    >>> average.update(fx.asarray([1.0]), state, x)[0]
    Array([2.], float64)
    """
    share, corrected = decay_rate("ema", "decay", decay), flag("ema", "debias", debias)

    def update[P](gradients: P, state: Averaged, params: P) -> tuple[P, Averaged]:
        count, average = next_count(state.steps), mixed(share, state.average, gradients)
        return unbiased(average, share, count) if corrected else average, Averaged(count, average)

    return GradientTransformation(lambda params: Averaged(no_steps(), fx.tree_map(fx.zeros_like, params)), update)
