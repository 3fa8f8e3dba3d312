"""Names of networks, initialisers and optimisers in torch, flax and optax, and what to write for them."""

from __future__ import annotations

from typing import Final

_LAYER: Final = "there are no layers here; write "

_ENTROPY: Final = "write -sum(labels * log_softmax(logits), axis=-1), of nn; integral labels are one_hot(labels, n)"

OPTIMISERS: Final[dict[str, str]] = {
    "chain": "write a >> b",
    "MultiSteps": "write every(k, optimizer)",
    "apply_every": "write every(k, optimizer)",
    "multi_transform": "write partition(mask, inside, outside)",
    "set_to_zero": "write freeze()",
    "nadam": "write adam(rate, nesterov=True)",
    "scale": "write scale_by_learning_rate(schedule)",
    "scale_by_schedule": "write scale_by_learning_rate(schedule), which turns the sign",
    "inject_hyperparams": "a rate may be a schedule, a function of the step, or an array",
    "clip_grad_norm_": "write clip_by_global_norm(most) >> sgd(rate), or another optimiser",
    "clip_grad_value_": "write clip(most) >> sgd(rate), or another optimiser",
    "lr_scheduler": "a rate may be a schedule, as of cosine_decay_schedule(rate, steps)",
    "CosineAnnealingLR": "write cosine_decay_schedule(rate, steps)",
    "ExponentialLR": "write exponential_decay(rate, steps, factor)",
    "MultiStepLR": "write piecewise_constant_schedule(rate, {step: factor})",
    "polynomial_schedule": "write linear_schedule(begin, end, steps), for power 1",
    "zero_grad": "gradients are results of grad(loss), and nothing is added to them",
    "softmax_cross_entropy": _ENTROPY,
    "softmax_cross_entropy_with_integer_labels": _ENTROPY,
    "minimize": "a loss is followed by grad(loss), update and apply_updates",
}
"""Names of optax's that are written in another way here."""

_PARAMETERS: Final = "parameters are containers of your own, and layers functions of them"
_ATTENTION: Final = "write dot_product_attention(query, key, value), whose axis -2 has the heads"

_CROSS_ENTROPY: Final = "write -sum(one_hot(labels, n) * log_softmax(logits), axis=-1)"

NETWORKS: Final[dict[str, str]] = {
    "adaptive_avg_pool": "write mean(x, axis), of effects",
    "conv": "write conv(x, kernel), of effects",
    "conv_transpose": "write conv_transpose(x, kernel), of effects",
    "cross_entropy": _CROSS_ENTROPY,
    "cross_entropy_loss": _CROSS_ENTROPY,
    "dense": f"{_LAYER}x @ w + b",
    "embed": f"{_LAYER}table[ids]",
    "embedding": f"{_LAYER}table[ids]",
    "flatten": "write reshape(x, (n, -1)), of effects",
    "functional": "the functions are in nn itself",
    "hard_swish": "write hard_silu(x)",
    "identity": "leave it out, or write a function",
    "init": "write initializers",
    "instance_norm": "write group_norm(x, groups), with a group for each channel",
    "layer_norm": f"{_LAYER}standardize(x) * scale + bias",
    "linear": f"{_LAYER}x @ w + b",
    "module": _PARAMETERS,
    "mse_loss": "write mean((x - y) ** 2)",
    "multi_head_attention": _ATTENTION,
    "multi_head_dot_product_attention": _ATTENTION,
    "normalize": "write standardize(x)",
    "parameter": _PARAMETERS,
    "scaled_dot_product_attention": "write dot_product_attention(query, key, value)",
    "self_attention": _ATTENTION,
    "sequential": "there are no layers here; write one function of the result of another",
    "softsign": "write soft_sign(x)",
}

INITIALISERS: Final[dict[str, str]] = {
    f"{other}_{kind}": f"write {own}_{kind}()"
    for other, own in (("kaiming", "he"), ("xavier", "glorot"))
    for kind in ("normal", "uniform")
}
"""Names of torch's that are written in another way here."""
