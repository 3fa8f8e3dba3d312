"""Names of JAX's."""

from __future__ import annotations

from typing import Final

_NO_LIBRARY: Final = "this is the core only, without "

_DEVICES: Final = {
    **dict.fromkeys(["NamedSharding", "PartitionSpec"], "write mesh.sharding(…), of a Mesh from lowering"),
    "make_mesh": "write Mesh({name: n}), from lowering",
    "pmap": "write shard_map(f, Mesh({name: n}), in_specs=name, out_specs=name), with Mesh from lowering",
}

_FUNCTIONS: Final = {
    **_DEVICES,
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

_TRANSFORMATIONS: Final = {
    **_DEVICES,
    "jacobian": "write jacfwd(f) or jacrev(f)",
    "numpy": "write import effects",
}

_POLICIES: Final = {
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

_RANDOM: Final = {
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

_IMAGES: Final = {
    "resize_image": "write resize(image, shape, method)",
    "scale_and_translate": "write resize(image, shape, method), which scales; moving is take(image, places, axis)",
}

_METHODS: Final = {
    "addressable_data": "write x.shards[i].block",
    "block_until_ready": "write block_until_ready(x), from lowering",
    "copy_to_host_async": "write numpy.asarray(x)",
    "addressable_shards": "write x.shards",
    "delete": "arrays are freed when nobody holds them; jit(f, donate_argnums=…) gives the memory of one away",
    "devices": "write x.device",
    "is_deleted": "a donated array says so where it is used",
    "weak_type": "write x.aval.weak_type",
}

_EQUATION: Final = {
    "invars": "write eqn.op.operands",
    "outvars": "write eqn.outs",
    "params": "write eqn.op.params",
    "primitive": "write type(eqn.op), or eqn.op.name",
    "source_info": "write eqn.source",
}
_JAXPR: Final = {
    **dict.fromkeys(["constvars", "consts"], "a program is closed: what it closes over is among its inputs"),
    "invars": "write jaxpr.inputs",
    "jaxpr": "a program is closed: what it closes over is among its inputs",
    "outvars": "write jaxpr.outputs",
}
_PROGRAM: Final = {
    "call": "write program(x)",
    "fun_name": "write program.name",
    "in_avals": "write program.types",
    **dict.fromkeys(["mlir_module", "mlir_module_serialized"], "write program.portable_artifact(), which is StableHLO"),
    "out_avals": "write program.results",
    "platforms": "write program.platform",
    "serialize": "write program.save(path), and load_program(path), of lowering",
    "vjp": "write export(f, …, derivatives=1), and grad(program), of handlers",
}

NAMES: Final[dict[str, dict[str, str]]] = {
    "Array": _METHODS,
    "Convolution": {"lhs": "write op.x", "rhs": "write op.kernel"},
    "DotGeneral": {"dimension_numbers": "write op.contracting, op.batch", "lhs": "write op.x", "rhs": "write op.y"},
    "Eqn": _EQUATION,
    "Jaxpr": _JAXPR,
    "Program": _PROGRAM,
    "Shard": {"data": "write shard.block"},
    "effects": _FUNCTIONS,
    "effects.image": _IMAGES,
    "effects.random": _RANDOM,
    "handlers": _TRANSFORMATIONS,
    "handlers.transformations.memory.checkpoint_policies": _POLICIES,
    "lowering": _DEVICES,
}
