"""Functions for neural networks: activations, encodings, normalisation, attention, pooling.

    from effects import nn                      # or fx.nn

At a kink the derivative is that of the side where the function is flat (flatter), so that of `relu` at 0 is 0. Narrow
floats are computed in float32 and rounded once.
"""

from typing import TYPE_CHECKING

from effects.functions.reductions.exponentials import log_softmax, logsumexp, softmax
from effects.nn import initializers
from effects.nn.activations import (
    celu,
    elu,
    gelu,
    glu,
    hard_sigmoid,
    hard_silu,
    hard_tanh,
    leaky_relu,
    log_sigmoid,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softplus,
    swish,
)
from effects.nn.algebraic import log1mexp, logmeanexp, soft_sign, sparse_plus, sparse_sigmoid, squareplus
from effects.nn.attention import dot_product_attention
from effects.nn.encodings import one_hot
from effects.nn.layers import BatchStatistics, batch_norm, dropout, group_norm, rms_norm, standardize
from effects.nn.pooling import avg_pool, max_pool
from effects.runtime.names import refuse_other_names
from effects.runtime.network_spellings import NETWORKS

if not TYPE_CHECKING:  # to the type checker the names below are all there are
    __getattr__ = refuse_other_names("effects.nn", NETWORKS)


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "BatchStatistics",
    "avg_pool",
    "batch_norm",
    "celu",
    "dot_product_attention",
    "dropout",
    "elu",
    "gelu",
    "glu",
    "group_norm",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "initializers",
    "leaky_relu",
    "log1mexp",
    "log_sigmoid",
    "log_softmax",
    "logmeanexp",
    "logsumexp",
    "max_pool",
    "mish",
    "one_hot",
    "relu",
    "relu6",
    "rms_norm",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softmax",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "standardize",
    "swish",
]
