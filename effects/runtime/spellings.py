"""What other libraries call functions and methods that are called otherwise here, or are written with others.

Whoever types such a name is told what to write; so is who looks for
a name in the wrong package (`effects.runtime.names`). A name that is not here is simply unknown.
"""

from __future__ import annotations

from typing import Final

from effects.errors import UnknownAttribute

_NOWHERE: Final = "is not provided yet; "
_NO_LIBRARY: Final = "is not provided: this is the core only, without "

FUNCTIONS: Final[dict[str, str]] = {
    "conv_general_dilated": "write conv(x, kernel, strides=…, padding=…, dimension_numbers=…)",
    "fft": f"{_NO_LIBRARY}Fourier transforms",
    "gelu": "write nn.gelu(x)",
    "issubdtype": "write isdtype(dtype, kind)",
    "lax": "there is one namespace: operations are functions of effects, control flow is in handlers",
    "linalg": f"{_NO_LIBRARY}linear algebra; matmul, vecdot, cross, outer, trace and diagonal are functions of effects",
    "ndarray": "write Array",
    "one_hot": "write nn.one_hot(x, n)",
    "polyfit": f"{_NO_LIBRARY}least squares",
    "promote_types": "write result_type(a, b)",
    "relu": "write nn.relu(x)",
    "roots": f"{_NO_LIBRARY}eigenvalues",
    "sigmoid": "write logistic(x), or nn.sigmoid(x)",
    "silu": "write nn.silu(x)",
    "softplus": "write nn.softplus(x)",
    "swish": "write nn.silu(x)",
    "tree_all": "write all(tree_leaves(tree)), with Python's all",
    "tree_reduce": "write functools.reduce(f, tree_leaves(tree))",
}

TRANSFORMATIONS: Final[dict[str, str]] = {
    "jacobian": "write jacfwd(f) or jacrev(f)",
    "numpy": "write import effects",
    "pmap": f"{_NO_LIBRARY}shardings; vmap(f, axis_name=name) has the collectives",
    "shard_map": f"{_NO_LIBRARY}shardings; vmap(f, axis_name=name) has the collectives",
}

POLICIES: Final[dict[str, str]] = {
    "checkpoint_dots": "write dots_saveable",
    "checkpoint_dots_with_no_batch_dims": "write dots_with_no_batch_dims_saveable",
    "offload_dot_with_no_batch_dims": f"{_NO_LIBRARY}memory of the host; write dots_with_no_batch_dims_saveable",
    "save_and_offload_only_these_names": f"{_NO_LIBRARY}memory of the host; write save_only_these_names(*names)",
    "save_any_names_but_these": "write a function of the operation: isinstance(op, Name) and op.label not in names",
    "save_anything_except_these_names": "write a function of the operation, which says what may be kept",
    "save_from_both_policies": "write a function of the operation: first(op) or second(op)",
}

METHODS: Final[dict[str, str]] = {
    "block_until_ready": "write block_until_ready(x), from lowering",
    "conjugate": "write x.conj()",
    "copy": "arrays are immutable, so x itself serves; copy(x) has memory of its own, numpy.array(x) can be written to",
    "cumsum": "write cumsum(x)",
    "cumprod": "write cumprod(x)",
    "data": "numpy.asarray(x) is a view to read, numpy.array(x) a copy to write to",
    "delete": "arrays are freed when nobody holds them; jit(f, donate_argnums=…) gives the memory of one away",
    "devices": "write x.device",
    "diagonal": "write diagonal(x)",
    "fill": "arrays are immutable; write full_like(x, value)",
    "is_deleted": "a donated array says so where it is used",
    "itemsize": "write x.dtype.itemsize",
    "ptp": "write x.max() - x.min()",
    "repeat": "write repeat(x, n)",
    "sort": "write sort(x)",
    "argsort": "write argsort(x)",
    "trace": "write trace(x)",
    "view": "write x.astype(dtype) for the same numbers in another dtype",
}


def elsewhere(name: str) -> property:
    """The method `name` that arrays do not have."""

    def refuse(_: object) -> object:
        raise UnknownAttribute(f"arrays have no `.{name}`: {METHODS[name]}")

    return property(refuse)
