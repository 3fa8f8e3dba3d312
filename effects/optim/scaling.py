"""Parts of optimisers: gradients scaled by averages of their past.

`decay` is the share of an average that stays in a step. Averages are in the dtypes of the parameters, at least float32,
and begin at 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import effects as fx
from effects.arguments import at_least, flag
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import convert
from effects.optim.gradient_transformation import GradientTransformation, stateless
from effects.optim.settings import Schedule, decay_rate, rate, scaled
from effects.types.dtypes import real_of


class StepCount(NamedTuple):
    """Number of steps that were taken."""

    steps: Array


class Trace(NamedTuple):
    """A decaying sum of gradients, a tree like the parameters."""

    trace: object


class Moments(NamedTuple):
    """Averages of the gradients and of their squares, trees like the parameters; `steps` were taken."""

    steps: Array
    mean: object
    square: object


class Average(NamedTuple):
    """An average of gradients, or of their squares, a tree like the parameters."""

    average: object


def no_steps() -> Array:
    """The count before the first step."""
    return fx.zeros((), dtype=fx.int32)


def next_count(count: Array) -> Array:
    """One step more, up to the greatest number."""
    return fx.minimum(count, 2**31 - 2) + 1


def mixed[P](share: float, old: object, new: P) -> P:
    """share · old + (1 - share) · new."""
    return fx.tree_map(lambda x, average: (1 - share) * x + share * average, new, old)


def power(x: Array) -> Array:
    """|x|², of real numbers."""
    return fx.square(x) if issubclass(x.aval.dtype, fx.Floating) else fx.square(fx.real(x)) + fx.square(fx.imag(x))


def real_zeros(params: object) -> object:
    """Zeros of the shapes of the parameters, of real numbers."""
    return fx.tree_map(lambda x: fx.zeros(x.aval.shape, dtype=real_of(x.aval.dtype)), params)


def root(x: Array) -> Array:
    """√x of numbers that are not negative, with derivative 0 at 0."""
    nothing = x == 0
    zero = fx.zeros_like(x)
    positive = fx.where(nothing, zero + 1, x)
    return fx.where(nothing, zero, fx.sqrt(positive))


def scaled_norm(leaves: list[Array]) -> tuple[Array, Array]:
    """A norm as a unit, about the greatest size of an element, and its multiple, so that squares stay in range."""
    leaves = [leaf for leaf in leaves if leaf.aval.size]
    if not leaves:
        return fx.zeros(()) + 1, fx.zeros(())
    dtype = fx.float64 if any([real_of(x.aval.dtype) is fx.float64 for x in leaves]) else fx.float32
    sizes = [convert(abs(leaf), dtype) for leaf in leaves]
    greatest = fx.max(fx.stack([fx.max(size) for size in sizes]))
    unit = fx.where(fx.logical_and(greatest > 0, fx.isfinite(greatest)), greatest, 1.0)
    return unit, root(fx.sum(fx.stack([fx.sum(fx.square(size / unit)) for size in sizes])))


def squares[P](tree: P) -> P:
    """|x|² of each leaf."""
    return fx.tree_map(power, tree)


def unbiased[P](average: P, share: float, count: Array) -> P:
    """An average of `count` terms that began at 0, divided by the sum of its weights, 1 - shareⁿ."""
    logarithm = math.log(share) if share else -math.inf

    def of_leaf(x: Array) -> Array:
        wide = fx.float64 if real_of(x.aval.dtype) is fx.float64 else fx.float32
        weights = -fx.expm1(convert(count, wide) * logarithm)
        return x / convert(weights, real_of(x.aval.dtype))

    return fx.tree_map(of_leaf, average)


def scale_by_learning_rate(learning_rate: ArrayLike | Schedule) -> GradientTransformation[StepCount]:
    """-rate · gradient: the last part of an optimiser. The rate is a number, or a function of the number of steps.

    Raises ArgumentError for a known rate that is negative or not finite.

    >>> import effects as fx
    >>> descent = fx.optim.scale_by_learning_rate(lambda step: 0.5 / (step + 1))
    >>> x = fx.asarray([2.0])
    >>> state = descent.init(x)
    >>> step, state = descent.update(x, state, x)
    >>> descent.update(x, state, x)
    (Array([-0.5], float64), StepCount(steps=Array(2, int32)))
    """
    schedule = rate("scale_by_learning_rate", "learning_rate", learning_rate)

    def update[P](gradients: P, state: StepCount, params: P) -> tuple[P, StepCount]:
        return scaled(schedule(state.steps), gradients, -1.0), StepCount(next_count(state.steps))

    return GradientTransformation(lambda params: StepCount(no_steps()), update)


def trace(decay: float, *, nesterov: bool = False) -> GradientTransformation[Trace]:
    """Momentum: the sum of all gradients, each multiplied by `decay` once for every step since.

    With `nesterov` the trace that the next step would begin with, decay · trace + gradient. Source: Sutskever et al.,
    On the importance of initialization and momentum in deep learning, 2013.

    >>> import effects as fx
    >>> momentum = fx.optim.trace(0.5)
    >>> _, state = momentum.update(fx.ones(1), momentum.init(fx.ones(1)), fx.ones(1))
    >>> momentum.update(fx.ones(1), state, fx.ones(1))[0]
    Array([1.5], float64)
    """
    share, ahead = decay_rate("trace", "decay", decay), flag("trace", "nesterov", nesterov)

    def update[P](gradients: P, state: Trace, params: P) -> tuple[P, Trace]:
        summed = _sums(gradients, state.trace)
        return (_sums(gradients, summed) if ahead else summed), Trace(summed)

    def _sums[P](gradients: P, earlier: object) -> P:
        return fx.tree_map(lambda g, past: g + share * past, gradients, earlier)

    return GradientTransformation(lambda params: Trace(fx.tree_map(fx.zeros_like, params)), update)


def scale_by_adam(
    b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, *, nesterov: bool = False
) -> GradientTransformation[Moments]:
    """mean / (√square + eps), the averages of gradients (decay b1) and of their squares (b2) without bias.

    With `nesterov` the mean is that after one more step with the same gradient. Sources: Kingma and Ba, Adam, 2015;
    Dozat, Incorporating Nesterov momentum into Adam, 2016.

    >>> import effects as fx
    >>> adam = fx.optim.scale_by_adam()
    >>> adam.update(fx.asarray([4.0, -0.5]), adam.init(fx.zeros(2)), fx.zeros(2))[0]
    Array([ 1.        , -0.99999998], float64)
    """
    name = "scale_by_adam"
    first, second = decay_rate(name, "b1", b1), decay_rate(name, "b2", b2)
    small, ahead = at_least(name, "eps", eps), flag(name, "nesterov", nesterov)

    def update[P](gradients: P, state: Moments, params: P) -> tuple[P, Moments]:
        count = next_count(state.steps)
        mean, spread = mixed(first, state.mean, gradients), mixed(second, state.square, squares(gradients))
        if ahead:
            centre = fx.tree_map(
                lambda m, g: first * m + (1 - first) * g,
                unbiased(mean, first, next_count(count)),
                unbiased(gradients, first, count),
            )
        else:
            centre = unbiased(mean, first, count)
        scales = unbiased(spread, second, count)
        return fx.tree_map(lambda m, s: m / (root(s) + small), centre, scales), Moments(count, mean, spread)

    return GradientTransformation(_no_moments, update)


def _no_moments(params: object) -> Moments:
    return Moments(no_steps(), fx.tree_map(fx.zeros_like, params), real_zeros(params))


def scale_by_lion(b1: float = 0.9, b2: float = 0.99) -> GradientTransformation[Average]:
    """The sign of b1 · average + (1 - b1) · gradient, of the average with decay b2 up to the step before.

    Source: Chen et al., Symbolic discovery of optimization algorithms, 2023.

    >>> import effects as fx
    >>> lion = fx.optim.scale_by_lion()
    >>> lion.update(fx.asarray([4.0, -0.5]), lion.init(fx.zeros(2)), fx.zeros(2))[0]
    Array([ 1., -1.], float64)
    """
    first, second = decay_rate("scale_by_lion", "b1", b1), decay_rate("scale_by_lion", "b2", b2)

    def update[P](gradients: P, state: Average, params: P) -> tuple[P, Average]:
        signs = fx.tree_map(fx.sign, mixed(first, state.average, gradients))
        return signs, Average(mixed(second, state.average, gradients))

    return GradientTransformation(lambda params: Average(fx.tree_map(fx.zeros_like, params)), update)


def scale_by_rms(decay: float = 0.9, eps: float = 1e-8, *, centered: bool = False) -> GradientTransformation[Moments]:
    """gradient / √(square + eps), of the average of squares; with `centered` of the variance, square - mean².

    Sources: Tieleman and Hinton, RMSProp, 2012; Graves, Generating sequences with recurrent neural networks, 2013.

    >>> import effects as fx
    >>> rms = fx.optim.scale_by_rms(0.75)
    >>> rms.update(fx.asarray([4.0]), rms.init(fx.zeros(1)), fx.zeros(1))[0]
    Array([2.], float64)
    """
    share, small = decay_rate("scale_by_rms", "decay", decay), at_least("scale_by_rms", "eps", eps)
    subtracted = flag("scale_by_rms", "centered", centered)

    def update[P](gradients: P, state: Moments, params: P) -> tuple[P, Moments]:
        spread = mixed(share, state.square, squares(gradients))
        mean = mixed(share, state.mean, gradients) if subtracted else ()
        variance = fx.tree_map(lambda s, m: fx.maximum(s - power(m), 0.0), spread, mean) if subtracted else spread
        scaled_by = fx.tree_map(lambda g, v: g * fx.rsqrt(v + small), gradients, variance)
        return scaled_by, Moments(next_count(state.steps), mean, spread)

    def init(params: object) -> Moments:
        moments = _no_moments(params)
        return moments if subtracted else moments._replace(mean=())

    return GradientTransformation(init, update)


def scale_by_rss(initial_accumulator_value: float = 0.1, eps: float = 1e-7) -> GradientTransformation[Average]:
    """gradient / √(sum of all squares + eps), where the sum, which begins at the given value, is not 0; else 0.

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods, 2011.

    >>> import effects as fx
    >>> adagrad = fx.optim.scale_by_rss(0.0, 0.0)
    >>> adagrad.update(fx.asarray([4.0, 0.0]), adagrad.init(fx.zeros(2)), fx.zeros(2))[0]
    Array([1., 0.], float64)
    """
    start = at_least("scale_by_rss", "initial_accumulator_value", initial_accumulator_value)
    small = at_least("scale_by_rss", "eps", eps)

    def of_leaf(g: Array, total: Array) -> Array:
        nothing = total == 0
        return fx.where(nothing, fx.zeros_like(g), g * fx.rsqrt(fx.where(nothing, 1.0, total) + small))

    def update[P](gradients: P, state: Average, params: P) -> tuple[P, Average]:
        totals = fx.tree_map(lambda g, total: total + power(g), gradients, state.average)
        return fx.tree_map(of_leaf, gradients, totals), Average(totals)

    def init(params: object) -> Average:
        return Average(fx.tree_map(lambda zero: zero + start, real_zeros(params)))

    return GradientTransformation(init, update)


def scale_by_trust_ratio(eps: float = 0.0) -> GradientTransformation[tuple[()]]:
    """Each leaf times ‖parameter‖ / (‖leaf‖ + eps), or as it is where one of the norms is 0.

    Source: You et al., Large batch optimization for deep learning (LAMB), 2020.

    >>> import effects as fx
    >>> fx.optim.scale_by_trust_ratio().update(fx.asarray([0.0, 2.0]), (), fx.asarray([3.0, 4.0]))[0]
    Array([0., 5.], float64)
    """
    small = at_least("scale_by_trust_ratio", "eps", eps)

    def of_leaf(g: Array, x: Array) -> Array:
        if not g.aval.size:
            return g
        (unit, of_step), (scale, of_parameter) = scaled_norm([g]), scaled_norm([x])
        nothing = fx.logical_or(of_step == 0, of_parameter == 0)
        ratio = of_parameter / fx.where(nothing, 1.0, of_step + small / unit)
        return fx.where(nothing, g, g / unit * ratio * scale)

    return stateless(of_leaf)
