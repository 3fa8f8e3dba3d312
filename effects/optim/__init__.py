"""Optimisers: gradient transformations, their parts, schedules.

    from effects import optim                      # or fx.optim

They are pure functions of a gradient, a state and the parameters, each a tree; `a >> b` is one after another.
"""

from typing import TYPE_CHECKING

from effects.optim.clipping import add_decayed_weights, clip, clip_by_global_norm, global_norm
from effects.optim.composition import (
    Averaged,
    Every,
    Finite,
    apply_if_finite,
    ema,
    every,
    freeze,
    identity,
    masked,
    partition,
)
from effects.optim.factored import (
    AxisSquares,
    FactoredSquares,
    clip_by_block_rms,
    scale_by_diagonal_shampoo,
    scale_by_factored_rms,
    scale_by_param_block_rms,
)
from effects.optim.gradient_transformation import GradientTransformation, apply_updates
from effects.optim.optimizers import (
    adafactor,
    adagrad,
    adam,
    adamw,
    diagonal_shampoo,
    lamb,
    lion,
    momentum,
    rmsprop,
    sgd,
)
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
from effects.optim.schedules import (
    constant_schedule,
    cosine_decay_schedule,
    exponential_decay,
    join_schedules,
    linear_schedule,
    piecewise_constant_schedule,
    warmup_cosine_decay_schedule,
)
from effects.runtime.names import refuse_other_names
from effects.runtime.network_spellings import OPTIMISERS

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.optim", OPTIMISERS)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Average",
    "Averaged",
    "AxisSquares",
    "Every",
    "FactoredSquares",
    "Finite",
    "GradientTransformation",
    "Moments",
    "StepCount",
    "Trace",
    "adafactor",
    "adagrad",
    "adam",
    "adamw",
    "add_decayed_weights",
    "apply_if_finite",
    "apply_updates",
    "clip",
    "clip_by_block_rms",
    "clip_by_global_norm",
    "constant_schedule",
    "cosine_decay_schedule",
    "diagonal_shampoo",
    "ema",
    "every",
    "exponential_decay",
    "freeze",
    "global_norm",
    "identity",
    "join_schedules",
    "lamb",
    "linear_schedule",
    "lion",
    "masked",
    "momentum",
    "partition",
    "piecewise_constant_schedule",
    "rmsprop",
    "scale_by_adam",
    "scale_by_diagonal_shampoo",
    "scale_by_factored_rms",
    "scale_by_learning_rate",
    "scale_by_lion",
    "scale_by_param_block_rms",
    "scale_by_rms",
    "scale_by_rss",
    "scale_by_trust_ratio",
    "sgd",
    "trace",
    "warmup_cosine_decay_schedule",
]
