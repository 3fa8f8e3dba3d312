"""Names of functions and methods in other libraries that are spelled differently here, and what to write for them.

The error for such a name says what to write; so is who looks for a name in the wrong package (`effects.runtime.names`).
A name that is not here is simply unknown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from effects.errors import UnknownAttribute
from effects.runtime.libraries import library

_NO_LIBRARY: Final = "this is the core only, without "

DEVICES: Final[dict[str, str]] = {
    **dict.fromkeys(["NamedSharding", "PartitionSpec"], "write mesh.sharding(…), of a Mesh from lowering"),
    "make_mesh": "write Mesh({name: n}), from lowering",
    "pmap": "write shard_map(f, Mesh({name: n}), in_specs=name, out_specs=name), with Mesh from lowering",
}

FUNCTIONS: Final[dict[str, str]] = {
    **DEVICES,
    "array_api": "effects itself follows the standard",
    "bitcast_convert_type": "write view(x, dtype)",
    "broadcast_in_dim": "write broadcast_to(expand_dims(x, axes), shape)",
    "broadcasted_iota": "write iota(dtype, shape, axis)",
    "clamp": "write clip(x, low, high)",
    "conv_general_dilated": "write conv(x, kernel, strides=…, padding=…, dimension_numbers=…)",
    "convert_element_type": "write astype(x, dtype)",
    "debug": "write debug_print or debug_callback, from handlers",
    "device_get": "write numpy.asarray(x), or tree_map(numpy.asarray, tree)",
    "erfinv": "write special.erfinv(x)",
    "expit": "write logistic(x), or special.expit(x)",
    "gammaln": "write special.gammaln(x)",
    "gelu": "write nn.gelu(x)",
    "inv": "write linalg.inv(x)",
    "issubdtype": "write isdtype(dtype, kind)",
    "lax": "there is one namespace: operations are functions of effects, control flow is in handlers",
    "ndarray": "write Array",
    "norm": "write linalg.norm(x), or linalg.vector_norm(x, axis=axis)",
    "numpy": "write import effects: the functions are here",
    "PRNGKey": "write random.key(seed)",
    "one_hot": "write nn.one_hot(x, n)",
    "segment_mean": "write segment_sum(x, ids, n) / segment_sum(ones_like(x), ids, n)",
    "promote_types": "write result_type(a, b)",
    "psi": "write special.psi(x)",
    "relu": "write nn.relu(x)",
    "rem": "write fmod(x, y)",
    "rev": "write flip(x, axis)",
    "select_n": "write where(which, y, x)",
    "ShapeDtypeStruct": "write ShapedArray(shape, dtype)",
    "sigmoid": "write logistic(x), or nn.sigmoid(x)",
    "silu": "write nn.silu(x)",
    "sliding_window_view": "write x[arange(n - size + 1)[:, None] + arange(size)], for n elements",
    "softplus": "write nn.softplus(x)",
    "solve": "write linalg.solve(a, b)",
    "swish": "write nn.silu(x)",
    "Tracer": "write Array: what stands for an array under a transformation is one",
    "tensor": "write asarray(x)",
    "tree_all": "write all(tree_leaves(tree)), with Python's all",
    "tree_reduce": "write functools.reduce(f, tree_leaves(tree))",
    **dict.fromkeys(["tree", "tree_util"], "write tree_map, tree_leaves, …: the functions are in effects itself"),
    "xlogy": "write special.xlogy(x, y)",
}

TRANSFORMATIONS: Final[dict[str, str]] = {
    **DEVICES,
    "jacobian": "write jacfwd(f) or jacrev(f)",
    "numpy": "write import effects",
}

POLICIES: Final[dict[str, str]] = {
    "checkpoint_dots": "write dots_saveable",
    "dots_savable": "write dots_saveable",
    "checkpoint_dots_with_no_batch_dims": "write dots_with_no_batch_dims_saveable",
    "offload_dot_with_no_batch_dims": f"{_NO_LIBRARY}memory of the host; write dots_with_no_batch_dims_saveable",
    "save_and_offload_only_these_names": f"{_NO_LIBRARY}memory of the host; write save_only_these_names(*names)",
    "save_any_names_but_these": "write a function of the operation: isinstance(op, Name) and op.label not in names",
    "save_anything_except_these_names": "write a function of the operation, which says what may be kept",
    "save_from_both_policies": "write a function of the operation: first(op) or second(op)",
}

_KEYS: Final = "there is no hidden state: write key(seed), and pass keys on"

RANDOM: Final[dict[str, str]] = {
    **dict.fromkeys(["Generator", "RandomState", "default_rng", "get_state", "seed", "set_state"], _KEYS),
    "PRNGKey": "write key(seed)",
    "PRNGKeyArray": "write Key",
    "integers": "write randint(key, shape, minval, maxval)",
    "key_impl": "write key.impl",
    **dict.fromkeys(["rand", "random", "random_sample"], "write uniform(key, shape)"),
    **dict.fromkeys(["randn", "standard_normal"], "write normal(key, shape)"),
    "shuffle": "arrays are immutable; write x = permutation(key, x)",
    "standard_cauchy": "write cauchy(key, shape)",
    "standard_exponential": "write exponential(key, shape)",
    "standard_gamma": "write gamma(key, a, shape)",
    **dict.fromkeys(["standard_t", "student_t"], "write t(key, df, shape)"),
    "weibull": "write weibull_min(key, scale, concentration)",
}

IMAGES: Final[dict[str, str]] = {
    "resize_image": "write resize(image, shape, method)",
    "scale_and_translate": "write resize(image, shape, method), which scales; moving is take(image, places, axis)",
}

_PLACES: Final = "a program runs where its arguments are; write device_put(x, device), from lowering"
_BY_POSITION: Final = "arrays come first, by position"

KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "abstracted_axes": (
        "programs are compiled for each shape; export(f, SizedArray(…)), from lowering, leaves sizes open",
    ),
    "args": ("further arguments follow by position",),
    "argnames": ("argnums",),
    "assume_a": ("cho_solve(cho_factor(a), b) solves for a positive definite a",),
    "axes": ("axis",),
    "axis": ("axes",),
    "backend": (_PLACES,),
    "batch_size": ("size",),
    "bounds": ("write x = lower + (upper - lower) * logistic(u), and find u",),
    "ddof": ("correction",),
    "dense_output": ("leave it out: the result has sol(t)",),
    "device": (_PLACES,),
    "dim": ("axis", "axes"),
    "dims": ("axis", "axes"),
    "high": ("maxval",),
    "in_dims": ("in_axes",),
    "inline": ("leave it out: XLA decides what is inlined",),
    "input": (_BY_POSITION,),
    "jac": ("derivatives are found by grad or linearize; custom_jvp gives f one of your own",),
    "keepdim": ("keepdims",),
    "loc": ("write loc + scale * the result",),
    "low": ("minval",),
    "n": ("num", "length"),
    "other": (_BY_POSITION,),
    "out": ("arrays are immutable; use the result",),
    "out_dims": ("out_axes",),
    "requires_grad": ("any argument can be differentiated by; write grad(f)(x), from handlers",),
    "scale": ("write loc + scale * the result",),
    "shuffle": ("write key=random.key(seed), which orders each epoch anew",),
    "size": ("shape",),
    "t_eval": ("write sol(t_eval), of the result",),
    "static_args": ("static_argnums",),
    "unbiased": ("correction",),
}
"""By keyword, the names that functions here may have for it, or a sentence (`effects.runtime.keywords`)."""

POSITIONS: Final[dict[str, str]] = {"view": "view takes a dtype; for another shape write x.reshape(shape)"}
"""By function, what to write where it is given more arguments by position than it takes."""

_BYTES: Final = "write numpy.asarray(x), which has it"
_IN_PLACE: Final = "arrays are immutable; write "
_FROZEN: Final = (
    "any argument can be differentiated by: write grad(f)(x), from handlers; stop_gradient(x), from handlers, is a "
    "constant, and parameters that optim.freeze() is for stay as they are"
)
METHODS: Final[dict[str, str]] = {
    "addressable_data": "write x.shards[i].block",
    "base": _BYTES,
    "backward": "write grad(f)(x), from handlers: derivatives are of functions",
    "block_until_ready": "write block_until_ready(x), from lowering",
    "byteswap": _BYTES,
    "copy_to_host_async": "write numpy.asarray(x)",
    "cpu": "write x.to_device('cpu:0'), or numpy.asarray(x)",
    "ctypes": _BYTES,
    "cuda": "write x.to_device('cuda:0')",
    "addressable_shards": "write x.shards",
    "data": "numpy.asarray(x) is a view to read, numpy.array(x) a copy to write to",
    "delete": "arrays are freed when nobody holds them; jit(f, donate_argnums=…) gives the memory of one away",
    "detach": "write stop_gradient(x), from handlers",
    "devices": "write x.device",
    "dump": "write pickle.dump(x, file), or save(file, x)",
    "dumps": "write pickle.dumps(x)",
    "fill": f"{_IN_PLACE}full_like(x, value)",
    "flags": _BYTES,
    "flat": "write x.ravel(), which can be indexed and iterated over",
    "getfield": _BYTES,
    "grad": "write grad(f)(x), from handlers: derivatives are of functions",
    "is_deleted": "a donated array says so where it is used",
    "itemset": f"{_IN_PLACE}x = x.at[key].set(value)",
    "itemsize": "write x.dtype.itemsize",
    "numpy": "write numpy.asarray(x)",
    "partition": f"{_IN_PLACE}x = partition(x, kth)",
    "put": f"{_IN_PLACE}x = x.at[key].set(values)",
    "requires_grad": _FROZEN,
    "requires_grad_": _FROZEN,
    "resize": f"{_IN_PLACE}x = resize(x, shape)",
    "setfield": f"{_IN_PLACE}x = x.at[key].set(values)",
    "setflags": "arrays are immutable; numpy.array(x) is a copy of NumPy's",
    "sort": f"{_IN_PLACE}x = sort(x)",
    "strides": _BYTES,
    "to": "write x.to_device(device), or x.astype(dtype)",
    "tobytes": _BYTES,
    "tofile": "write save(file, x), or numpy.asarray(x).tofile(file)",
    "weak_type": "write x.aval.weak_type",
}


def missing_attribute(x: object, name: str) -> object:
    """Raise the error of an attribute that arrays do not have."""
    words = METHODS.get(name) or import_module("effects.runtime.network_spellings").METHODS.get(name)
    if words is not None:
        other = library()
        raise UnknownAttribute(
            f"arrays have no `.{name}`: {f'give {other} numpy.asarray(x), which has it' if other else words}"
        )
    raise AttributeError(f"{type(x).__name__!r} object has no attribute {name!r}", name=name, obj=x)


_ATTRIBUTES: Final[dict[str, str]] = {
    "T": "x = v.T",
    "device": "x = x.to_device(v)",
    "dtype": "x = x.astype(v)",
    "imag": "x = complex(x.real, v)",
    "mT": "x = v.mT",
    "real": "x = complex(v, x.imag)",
    "shape": "x = x.reshape(v)",
    "sharding": "x = device_put(x, v)",
}


def read_only_attribute(name: str, read: property) -> property:
    """The attribute `name` of arrays, which cannot be assigned to."""

    def refuse(_: object, value: object) -> None:
        instead = f". Write {_ATTRIBUTES[name]}" if name in _ATTRIBUTES else ""
        raise UnknownAttribute(f"x.{name} = v: arrays are immutable{instead}")

    return property(read.fget, refuse)
