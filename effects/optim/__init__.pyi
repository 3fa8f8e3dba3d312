"""The public names of `effects.optim`, each with the module that has it."""

from effects.optim.clipping import (
    add_decayed_weights as add_decayed_weights,
    clip as clip,
    clip_by_global_norm as clip_by_global_norm,
    global_norm as global_norm,
)
from effects.optim.composition import (
    Averaged as Averaged,
    Every as Every,
    Finite as Finite,
    apply_if_finite as apply_if_finite,
    ema as ema,
    every as every,
    freeze as freeze,
    identity as identity,
    masked as masked,
    partition as partition,
)
from effects.optim.factored import (
    AxisSquares as AxisSquares,
    FactoredSquares as FactoredSquares,
    clip_by_block_rms as clip_by_block_rms,
    scale_by_diagonal_shampoo as scale_by_diagonal_shampoo,
    scale_by_factored_rms as scale_by_factored_rms,
    scale_by_param_block_rms as scale_by_param_block_rms,
)
from effects.optim.gradient_transformation import (
    GradientTransformation as GradientTransformation,
    apply_updates as apply_updates,
)
from effects.optim.optimizers import (
    adafactor as adafactor,
    adagrad as adagrad,
    adam as adam,
    adamw as adamw,
    diagonal_shampoo as diagonal_shampoo,
    lamb as lamb,
    lion as lion,
    momentum as momentum,
    rmsprop as rmsprop,
    sgd as sgd,
)
from effects.optim.scaling import (
    Average as Average,
    Moments as Moments,
    StepCount as StepCount,
    Trace as Trace,
    scale_by_adam as scale_by_adam,
    scale_by_learning_rate as scale_by_learning_rate,
    scale_by_lion as scale_by_lion,
    scale_by_rms as scale_by_rms,
    scale_by_rss as scale_by_rss,
    scale_by_trust_ratio as scale_by_trust_ratio,
    trace as trace,
)
from effects.optim.schedules import (
    constant_schedule as constant_schedule,
    cosine_decay_schedule as cosine_decay_schedule,
    exponential_decay as exponential_decay,
    join_schedules as join_schedules,
    linear_schedule as linear_schedule,
    piecewise_constant_schedule as piecewise_constant_schedule,
    warmup_cosine_decay_schedule as warmup_cosine_decay_schedule,
)
