"""Every public array function gives what NumPy gives: at once, compiled and batched; and its derivative is right."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.runtime.names import listed
from handlers import jvp, vmap
from lowering import jit
from tests.functions.arrays import ARRAYS
from tests.functions.calls import ELEMENTWISE, Call
from tests.functions.counting import COUNTING
from tests.functions.folds import FOLDS
from tests.functions.masked import MASKED
from tests.functions.named import NAMED
from tests.functions.of_numpy import OF_NUMPY
from tests.functions.ordering import ORDERING
from tests.functions.padded import PADDED
from tests.functions.polynomials import POLYNOMIALS
from tests.functions.positions import POSITIONS
from tests.functions.searching import SEARCHING

CALLS = [
    *ELEMENTWISE,
    *ARRAYS,
    *ORDERING,
    *FOLDS,
    *MASKED,
    *NAMED,
    *PADDED,
    *COUNTING,
    *POSITIONS,
    *SEARCHING,
    *POLYNOMIALS,
    *OF_NUMPY,
]
ELSEWHERE = {
    *("can_cast", "check_jaxpr", "default_float", "dtypes", "eval_jaxpr", "finfo", "iinfo", "isdtype", "result_type"),
    *("chain", "each_result", "operation", "perform", "register", "register_node", "shapes", "from_dlpack"),
    *("load", "save"),
    *("broadcast_shapes", "copy", "iscomplexobj", "isrealobj", "isscalar", "mask_indices", "ndim", "shape", "size"),
    *("tree_flatten", "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_structure", "tree_unflatten"),
    *("conv", "conv_transpose", "ragged_dot"),
    *("common_type", "einsum_path", "extract", "real_if_close", "trim_zeros"),
    *("path_str", "ravel_pytree", "tree_broadcast", "tree_flatten_with_path", "tree_map_with_path", "tree_transpose"),
}
"""Public names in lower case that are no functions of arrays, and what other folders test."""


def _arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return fx.asarray(value)
    return (
        [_arrays(v) for v in value]
        if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value)
        else value
    )


def _split(call: Call) -> tuple[Callable[..., Any], list[Any]]:
    """The call as a function of the arrays in it, and these."""
    leaves, tree = fx.tree_flatten([_arrays(a) for a in call.args])
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, fx.Array)]

    def f(*arrays: Any) -> Any:
        filled = dict(zip(places, arrays, strict=True))
        given = fx.tree_unflatten(tree, [filled.get(i, leaf) for i, leaf in enumerate(leaves)])
        return getattr(fx, call.name)(*given, **call.options)

    return f, [leaves[i] for i in places]


def _expected(call: Call) -> list[Any]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of means of nothing
        result = call.expected(*call.args, **call.options)
    return [np.asarray(r) for r in (result if isinstance(result, list | tuple) else [result])]


def _agree(actual: Any, expected: list[Any]) -> None:
    leaves = fx.tree_leaves(actual)
    assert len(leaves) == len(expected)
    for a, e in zip(leaves, expected, strict=True):
        host = np.asarray(a)
        assert host.shape == e.shape and host.dtype == e.dtype, f"{host.dtype}{host.shape}, not {e.dtype}{e.shape}"
        eps = np.finfo(e.dtype).eps if e.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(host, e, rtol=float(40 * eps), atol=float(4 * eps))


_PER_PROGRAM = 40


@cache
def _compiled(group: int) -> dict[int, Any]:
    """The results of a group of calls, by number, computed by one compiled program: compiling costs more than all."""
    numbers = range(len(CALLS))[group * _PER_PROGRAM :][:_PER_PROGRAM]
    calls = {i: _split(CALLS[i]) for i in numbers}
    try:
        return jit(lambda given: {i: f(*given[i]) for i, (f, _) in calls.items()})(
            {i: xs for i, (_, xs) in calls.items()}
        )
    except Exception:  # one bad call must not hide the others: each is then compiled by itself
        return {}


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda number: str(CALLS[number]))
def test_values(number: int) -> None:
    call = CALLS[number]
    f, arrays = _split(call)
    expected = _expected(call)
    _agree(f(*arrays), expected)
    results = _compiled(number // _PER_PROGRAM)
    _agree(results[number] if number in results else jit(f)(*arrays), expected)


@pytest.mark.parametrize("call", [c for c in CALLS if _split(c)[1]], ids=str)
def test_batches(call: Call) -> None:
    f, arrays = _split(call)
    twice = [fx.stack([x, fx.flip(x)]) for x in arrays]
    got = fx.tree_leaves(vmap(f)(*twice))
    one = [fx.tree_leaves(f(*[x[i] for x in twice])) for i in range(2)]
    for batched, *single in zip(got, *one, strict=True):
        np.testing.assert_allclose(np.asarray(batched), np.stack([np.asarray(s) for s in single]), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("call", [c for c in CALLS if c.smooth], ids=str)
def test_derivatives(call: Call) -> None:
    f, arrays = _split(call)
    rng = np.random.default_rng(1)
    along = [fx.asarray(rng.normal(size=x.shape)) for x in arrays]
    _, slopes = jvp(f, tuple(arrays), tuple(along))
    step = 1e-6
    ahead, behind = [[x + s * step * t for x, t in zip(arrays, along, strict=True)] for s in (1, -1)]
    for slope, a, b in zip(*[fx.tree_leaves(v) for v in (slopes, f(*ahead), f(*behind))], strict=True):
        difference = (np.asarray(a).astype("complex128") - np.asarray(b)) / (2 * step)
        tolerance = 1e-6 if np.asarray(a).dtype.itemsize >= 8 else 0.2
        np.testing.assert_allclose(np.asarray(slope).astype("complex128"), difference, rtol=tolerance, atol=tolerance)


def test_no_function_is_left_out() -> None:
    values = {name: getattr(fx, name) for name in listed("effects") if name[0].islower()}
    functions = {n: value for n, value in values.items() if callable(value) and not isinstance(value, type)}
    homes = {n: value.__code__.co_qualname for n, value in functions.items() if isinstance(value, FunctionType)}
    public = {n for n in functions if homes.get(n, n) == n or homes[n] not in functions}  # no other names of the same
    assert public - {call.name for call in CALLS} - ELSEWHERE == set()
