"""Names of torch's, flax's and optax's."""

from __future__ import annotations

from typing import Final

_TORCH: Final = {
    "autocast": "write x.astype(bfloat16) where fewer digits do",
    "autograd": "write grad(f), from handlers: derivatives are of functions",
    "bmm": "write x @ y",
    "cat": "write concat(arrays, axis=axis)",
    "compile": "write jit(f), from lowering",
    "cuda": "write devices(), from lowering, for those that there are, x.to_device('cuda:0') for an array there",
    "device": "a device is its name: x.to_device('cuda:0')",
    "from_numpy": "write asarray(x)",
    "inference_mode": "nothing is recorded but in grad(f): leave it out",
    "manual_seed": "there is no hidden state: write random.key(seed), and pass keys on",
    "mm": "write x @ y",
    "no_grad": "nothing is recorded but in grad(f); write stop_gradient(x), from handlers, for constants in it",
    "rand": "write random.uniform(key, shape)",
    "randint": "write random.randint(key, shape, minval, maxval)",
    "randn": "write random.normal(key, shape)",
    "Tensor": "write Array",
    "utils": "data sets are read by Loader, from lowering; trees by tree_map, tree_leaves, …",
}

_IN_PLACE: Final = "arrays are immutable; write "
_CASTS: Final = {
    "bfloat16": "bfloat16",
    "bool": "bool",
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "int": "int32",
    "long": "int64",
}

_FROZEN: Final = (
    "any argument can be differentiated by: write grad(f)(x), from handlers; stop_gradient(x), from handlers, is a "
    "constant, and parameters that optim.freeze() is for stay as they are"
)
_METHODS: Final = {
    "backward": "write grad(f)(x), from handlers: derivatives are of functions",
    "cpu": "write x.to_device('cpu:0'), or numpy.asarray(x)",
    "cuda": "write x.to_device('cuda:0')",
    "detach": "write stop_gradient(x), from handlers",
    "grad": "write grad(f)(x), from handlers: derivatives are of functions",
    "numpy": "write numpy.asarray(x)",
    "requires_grad": _FROZEN,
    "requires_grad_": _FROZEN,
    "to": "write x.to_device(device), or x.astype(dtype)",
    **{name: f"write {name}(x), of effects" for name in ("abs", "cos", "exp", "log", "sin", "sqrt", "tanh")},
    **{name: f"write nn.{name}(x)" for name in ("relu", "sigmoid", "softmax")},
    **{
        f"{name}_": f"{_IN_PLACE}x = {text}"
        for name, text in {"add": "x + y", "copy": "y", "mul": "x * y", "sub": "x - y", "zero": "zeros_like(x)"}.items()
    },
    **{name: f"write x.astype({dtype})" for name, dtype in _CASTS.items()},
    "bmm": "write x @ y",
    "chunk": "write split(x, parts, axis=axis), of effects",
    "clone": f"{_IN_PLACE}x: nobody changes it",
    "contiguous": "the order in memory is not yours to choose; numpy.asarray(x) has one",
    "dim": "write x.ndim",
    "expand": "write broadcast_to(x, shape), of effects",
    "inverse": "write linalg.inv(x)",
    "masked_fill": "write where(mask, value, x), of effects",
    "matmul": "write x @ y",
    "mm": "write x @ y",
    "norm": "write linalg.norm(x)",
    "numel": "write x.size",
    "permute": "write x.transpose(axes)",
    "split": "write split(x, parts, axis=axis), of effects",
    "t": "write x.T",
    "unsqueeze": "write expand_dims(x, axis=axis), of effects, or x[None]",
}

_LAYER: Final = "there are no layers here; write "

_ENTROPY: Final = "write -sum(labels * log_softmax(logits), axis=-1), of nn; integral labels are one_hot(labels, n)"

_OPTIMISERS: Final = {
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
    "GradScaler": "write bfloat16, which has the range of float32, and needs none",
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

_PARAMETERS: Final = "parameters are containers of your own, and layers functions of them"
_ATTENTION: Final = "write dot_product_attention(query, key, value), whose axis -2 has the heads"

_CROSS_ENTROPY: Final = "write -sum(one_hot(labels, n) * log_softmax(logits), axis=-1)"

_NETWORKS: Final = {
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
    **dict.fromkeys(
        ["gru", "lstm", "rnn"], "there are no layers here; write a step, and scan(step, state, xs), from handlers"
    ),
    "module": _PARAMETERS,
    "mse_loss": "write mean((x - y) ** 2)",
    "multi_head_attention": _ATTENTION,
    "multi_head_dot_product_attention": _ATTENTION,
    "normalize": "write standardize(x)",
    "parameter": _PARAMETERS,
    "scaled_dot_product_attention": "write dot_product_attention(query, key, value)",
    "self_attention": _ATTENTION,
    "sequential": "there are no layers here; write one function of the result of another",
    "utils": "clipping is in optim, clip_by_global_norm(most); what is padded is padded by pad, of effects",
    "softsign": "write soft_sign(x)",
}

_INITIALISERS: Final = {
    f"{other}_{kind}": f"write {own}_{kind}()"
    for other, own in (("kaiming", "he"), ("xavier", "glorot"))
    for kind in ("normal", "uniform")
}

_STATELESS: Final = (
    "it holds nothing; write updates, state = optimizer.update(gradients, state, params), and params = "
    "optim.apply_updates(params, updates)"
)

NAMES: Final[dict[str, dict[str, str]]] = {
    "Array": _METHODS,
    "GradientTransformation": dict.fromkeys(
        ["load_state_dict", "param_groups", "state_dict", "step", "zero_grad"], _STATELESS
    ),
    "effects": _TORCH,
    "effects.nn": _NETWORKS,
    "effects.nn.initializers": _INITIALISERS,
    "effects.optim": _OPTIMISERS,
}
