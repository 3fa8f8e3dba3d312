"""What other libraries call functions and methods that are called otherwise here, or are written with others.

Whoever types such a name is told what to write. A name that is not here is simply unknown.
"""

from __future__ import annotations

from typing import Final

from effects.errors import UnknownAttribute

_NOWHERE: Final = "is not provided yet; "
_IN_HANDLERS: Final = ("grad", "value_and_grad", "jvp", "vjp", "vmap", "cond", "scan", "while_loop", "make_jaxpr")
_IN_LOWERING: Final = ("jit", "device_put", "devices", "block_until_ready")

FUNCTIONS: Final[dict[str, str]] = {
    **{name: f"write from handlers import {name}" for name in _IN_HANDLERS},
    **{name: f"write from lowering import {name}" for name in _IN_LOWERING},
    "amax": "write max(x)",
    "amin": "write min(x)",
    "arccos": "write acos(x)",
    "arccosh": "write acosh(x)",
    "arcsin": "write asin(x)",
    "arcsinh": "write asinh(x)",
    "arctan": "write atan(x)",
    "arctan2": "write atan2(y, x)",
    "arctanh": "write atanh(x)",
    "concatenate": "write concat(xs)",
    "conjugate": "write conj(x)",
    "cumsum": f"{_NOWHERE}associative_scan(add, x) of handlers gives it",
    "cumprod": f"{_NOWHERE}associative_scan(multiply, x) of handlers gives it",
    "diag": "write diagonal(x) for the diagonal of a matrix, v * eye(v.size) for a matrix of one",
    "dot": "write matmul(x, y), or vecdot(x, y) for vectors",
    "float_power": "write pow(x, y)",
    "hstack": "write concat(xs, axis=1)",
    "inner": "write vecdot(x, y)",
    "invert": "write bitwise_invert(x)",
    "left_shift": "write bitwise_left_shift(x, y)",
    "mod": "write remainder(x, y)",
    "power": "write pow(x, y)",
    "ravel": "write reshape(x, (-1,))",
    "relu": "write maximum(x, 0)",
    "right_shift": "write bitwise_right_shift(x, y)",
    "rollaxis": "write moveaxis(x, source, destination)",
    "sigmoid": "write logistic(x)",
    "take": f"{_NOWHERE}stack([x[i] for i in ...]), or a product with a one-hot matrix, gives it",
    "transpose": "write permute_dims(x, axes), x.T or x.mT",
    "true_divide": "write divide(x, y)",
    "vstack": "write concat(xs), or stack(xs) for vectors",
}

METHODS: Final[dict[str, str]] = {
    "at": "write where(mask, new, x), or dynamic_update_slice(x, new, starts) for x.at[...].set(new)",
    "block_until_ready": "write block_until_ready(x), from lowering",
    "conjugate": "write x.conj()",
    "copy": "arrays are immutable, so x itself serves; numpy.array(x) is a copy to write to",
    "cumsum": FUNCTIONS["cumsum"],
    "cumprod": FUNCTIONS["cumprod"],
    "data": "numpy.asarray(x) is a view to read, numpy.array(x) a copy to write to",
    "diagonal": "write diagonal(x)",
    "fill": "arrays are immutable; write full_like(x, value)",
    "repeat": "write repeat(x, n)",
    "take": FUNCTIONS["take"],
    "trace": "write trace(x)",
    "view": "write x.astype(dtype) for the same numbers in another dtype",
}


def elsewhere(name: str) -> property:
    """The method `name` that arrays do not have."""

    def refuse(_: object) -> object:
        raise UnknownAttribute(f"arrays have no `.{name}`: {METHODS[name]}")

    return property(refuse)
