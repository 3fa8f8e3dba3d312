"""The public names of `effects.nn`, each with the module that has it."""

from effects.functions.reductions.exponentials import (
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    softmax as softmax,
)
from effects.nn import initializers as initializers
from effects.nn.activations import (
    celu as celu,
    elu as elu,
    gelu as gelu,
    glu as glu,
    hard_sigmoid as hard_sigmoid,
    hard_silu as hard_silu,
    hard_tanh as hard_tanh,
    leaky_relu as leaky_relu,
    log_sigmoid as log_sigmoid,
    mish as mish,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    softplus as softplus,
    swish as swish,
)
from effects.nn.algebraic import (
    log1mexp as log1mexp,
    logmeanexp as logmeanexp,
    soft_sign as soft_sign,
    sparse_plus as sparse_plus,
    sparse_sigmoid as sparse_sigmoid,
    squareplus as squareplus,
)
from effects.nn.attention import dot_product_attention as dot_product_attention
from effects.nn.encodings import one_hot as one_hot
from effects.nn.layers import (
    BatchStatistics as BatchStatistics,
    batch_norm as batch_norm,
    dropout as dropout,
    group_norm as group_norm,
    rms_norm as rms_norm,
    standardize as standardize,
)
from effects.nn.pooling import avg_pool as avg_pool, max_pool as max_pool
