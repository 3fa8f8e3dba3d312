"""Optimisers: the chains of gradient transformations that have names.

Each ends with `scale_by_learning_rate`; the learning rate is a number or a schedule. Updates are added to parameters
(`apply_updates`).
"""

from __future__ import annotations

from effects.arguments import flag
from effects.arrays.array import ArrayLike
from effects.optim.clipping import add_decayed_weights
from effects.optim.composition import ParameterMask, identity, masked
from effects.optim.factored import (
    AxisSquares,
    FactoredSquares,
    clip_by_block_rms,
    scale_by_diagonal_shampoo,
    scale_by_factored_rms,
    scale_by_param_block_rms,
)
from effects.optim.gradient_transformation import GradientTransformation
from effects.optim.scaling import (
    Average,
    Moments,
    StepCount,
    Trace,
    scale_by_adam,
    scale_by_learning_rate,
    scale_by_lion,
    scale_by_rms,
    scale_by_rss,
    scale_by_trust_ratio,
    trace,
)
from effects.optim.settings import Schedule

type Rate = ArrayLike | Schedule
type Nothing = tuple[()]


def sgd(learning_rate: Rate) -> GradientTransformation[StepCount]:
    """Gradient descent: -learning_rate · gradient.

    >>> import effects as fx
    >>> fx.optim.sgd(0.1).update(fx.ones(1), fx.optim.sgd(0.1).init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.1], float64)
    """
    return scale_by_learning_rate(learning_rate)


def momentum(
    learning_rate: Rate, decay: float = 0.9, *, nesterov: bool = False
) -> GradientTransformation[tuple[Trace, StepCount]]:
    """Gradient descent with momentum, or Nesterov's: `trace`, then the learning rate.

    >>> import effects as fx
    >>> optimizer = fx.optim.momentum(0.1, nesterov=True)
    >>> optimizer.update(fx.ones(1), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.19], float64)
    """
    return trace(decay, nesterov=nesterov) >> scale_by_learning_rate(learning_rate)


def adam(
    learning_rate: Rate, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, *, nesterov: bool = False
) -> GradientTransformation[tuple[Moments, StepCount]]:
    """Adam, or Nadam with `nesterov`: `scale_by_adam`, then the learning rate.

    >>> import effects as fx
    >>> from handlers import grad, scan
    >>> optimizer = fx.optim.adam(0.1)
    >>> def step(state, _):
    ...     x, inner = state
    ...     updates, inner = optimizer.update(grad(lambda x: (x - 3.0) ** 2)(x), inner, x)
    ...     return (fx.optim.apply_updates(x, updates), inner), None
    >>> x = fx.asarray(0.0)
    >>> scan(step, (x, optimizer.init(x)), length=200)[0][0].round(2)
    Array(3., float64)
    """
    return scale_by_adam(b1, b2, eps, nesterov=nesterov) >> scale_by_learning_rate(learning_rate)


def adamw(
    learning_rate: Rate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
    *,
    weight_decay: float = 1e-4,
    mask: ParameterMask = True,
    nesterov: bool = False,
) -> GradientTransformation[tuple[tuple[Moments, Nothing], StepCount]]:
    """Adam with decoupled decay of the weights that `mask` chooses (see `masked`).

    Source: Loshchilov and Hutter, Decoupled weight decay regularization, 2019.

    >>> import effects as fx
    >>> optimizer = fx.optim.adamw(0.1, weight_decay=0.5)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.15], float64)
    """
    scaled = scale_by_adam(b1, b2, eps, nesterov=nesterov)
    return scaled >> masked(add_decayed_weights(weight_decay), mask) >> scale_by_learning_rate(learning_rate)


def lion(
    learning_rate: Rate, b1: float = 0.9, b2: float = 0.99, *, weight_decay: float = 1e-3, mask: ParameterMask = True
) -> GradientTransformation[tuple[tuple[Average, Nothing], StepCount]]:
    """Signs of averages (`scale_by_lion`), with decoupled decay of weights.

    >>> import effects as fx
    >>> optimizer = fx.optim.lion(0.1, weight_decay=0.0)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.1], float64)
    """
    signs = scale_by_lion(b1, b2) >> masked(add_decayed_weights(weight_decay), mask)
    return signs >> scale_by_learning_rate(learning_rate)


def rmsprop(
    learning_rate: Rate, decay: float = 0.9, eps: float = 1e-8, *, centered: bool = False
) -> GradientTransformation[tuple[Moments, StepCount]]:
    """RMSProp: `scale_by_rms`, then the learning rate. `>> trace(0.9)` gives it momentum.

    >>> import effects as fx
    >>> optimizer = fx.optim.rmsprop(0.1, 0.75)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.2], float64)
    """
    return scale_by_rms(decay, eps, centered=centered) >> scale_by_learning_rate(learning_rate)


def adagrad(
    learning_rate: Rate, initial_accumulator_value: float = 0.1, eps: float = 1e-7
) -> GradientTransformation[tuple[Average, StepCount]]:
    """Adagrad: `scale_by_rss`, then the learning rate.

    >>> import effects as fx
    >>> optimizer = fx.optim.adagrad(0.1, 0.0)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.1], float64)
    """
    return scale_by_rss(initial_accumulator_value, eps) >> scale_by_learning_rate(learning_rate)


def lamb(
    learning_rate: Rate,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-6,
    *,
    weight_decay: float = 0.0,
    mask: ParameterMask = True,
) -> GradientTransformation[tuple[tuple[tuple[Moments, Nothing], Nothing], StepCount]]:
    """Adam with decay of weights, each leaf scaled to its parameter (`scale_by_trust_ratio`).

    >>> import effects as fx
    >>> optimizer = fx.optim.lamb(0.1)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.asarray([2.0]))[0]
    Array([-0.2], float64)
    """
    decayed = scale_by_adam(b1, b2, eps) >> masked(add_decayed_weights(weight_decay), mask)
    return decayed >> scale_by_trust_ratio() >> scale_by_learning_rate(learning_rate)


def adafactor(
    learning_rate: Rate,
    *,
    decay_rate: float = 0.8,
    eps: float = 1e-30,
    clipping_threshold: float = 1.0,
    min_dim_size_to_factor: int = 128,
    multiply_by_parameter_scale: bool = True,
) -> GradientTransformation[tuple[tuple[tuple[FactoredSquares, Nothing], Nothing], StepCount]]:
    """Adafactor: `scale_by_factored_rms`, `clip_by_block_rms`, `scale_by_param_block_rms`, then the learning rate.

    Its state is smaller than the parameters if these are matrices.

    >>> import effects as fx
    >>> optimizer = fx.optim.adafactor(0.1)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.asarray([2.0]))[0]
    Array([-0.2], float64)
    """
    scaled = scale_by_factored_rms(decay_rate, eps, min_dim_size_to_factor) >> clip_by_block_rms(clipping_threshold)
    by_scale = flag("adafactor", "multiply_by_parameter_scale", multiply_by_parameter_scale)
    by_parameter = scale_by_param_block_rms() if by_scale else identity()
    return scaled >> by_parameter >> scale_by_learning_rate(learning_rate)


def diagonal_shampoo(learning_rate: Rate, eps: float = 1e-4) -> GradientTransformation[tuple[AxisSquares, StepCount]]:
    """Shampoo with diagonal preconditioners: `scale_by_diagonal_shampoo`, then the learning rate.

    >>> import effects as fx
    >>> optimizer = fx.optim.diagonal_shampoo(0.1, 0.0)
    >>> optimizer.update(fx.asarray([4.0]), optimizer.init(fx.ones(1)), fx.ones(1))[0]
    Array([-0.1], float64)
    """
    return scale_by_diagonal_shampoo(eps) >> scale_by_learning_rate(learning_rate)
