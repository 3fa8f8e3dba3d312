"""Every public array function gives what NumPy gives: at once, compiled and batched; and its derivative is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import batched
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.runtime.names import listed
from handlers import jvp, vmap
from lowering import jit
from tests.each import each
from tests.functions.arrays import ARRAYS
from tests.functions.calls import ELEMENTWISE, Call
from tests.functions.compared import agree, check_slopes, expected, split
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
    *("load", "save", "shaped"),
    *("broadcast_shapes", "copy", "iscomplexobj", "isrealobj", "isscalar", "mask_indices", "ndim", "shape", "size"),
    *("tree_flatten", "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_structure", "tree_unflatten"),
    *("conv", "conv_transpose", "ragged_dot"),
    *("common_type", "einsum_path", "extract", "real_if_close", "trim_zeros"),
    *("path_str", "ravel_pytree", "tree_broadcast", "tree_flatten_with_path", "tree_map_with_path", "tree_transpose"),
}
"""Public names in lower case that are no functions of arrays, and what other folders test."""


_PER_PROGRAM = 40
PARTS = [
    pytest.param(calls, id=f"{part}-{calls[0].name}-{calls[-1].name}")
    for part, calls in enumerate(batched(CALLS, _PER_PROGRAM))
]


def _compiled(calls: Sequence[Call]) -> Iterator[tuple[Call, Any]]:
    """The results of calls, computed by one compiled program: compiling costs more than all."""
    functions, arrays = zip(*map(split, calls))
    yield from zip(calls, jit(lambda given: [f(*xs) for f, xs in zip(functions, given)])(arrays))


@pytest.mark.interpreted  # what XLA makes of the operations of functions is tested with these
@pytest.mark.parametrize("calls", PARTS)
def test_values(calls: Sequence[Call]) -> None:
    def check(call: Call) -> None:
        f, arrays = split(call)
        agree(f(*arrays), expected(call))

    each(calls, check)
    each(_compiled(calls), lambda pair: agree(pair[1], expected(pair[0])), lambda pair: str(pair[0]))


@pytest.mark.parametrize("calls", PARTS)
def test_batches(calls: Sequence[Call]) -> None:
    each([c for c in calls if split(c)[1]], check_batches)


def check_batches(call: Call) -> None:
    f, arrays = split(call)
    twice = [fx.stack([x, fx.flip(x)]) for x in arrays]
    got = fx.tree_leaves(vmap(f)(*twice))
    one = [fx.tree_leaves(f(*[x[i] for x in twice])) for i in range(2)]
    for batch, *single in zip(got, *one, strict=True):
        np.testing.assert_allclose(np.asarray(batch), np.stack([np.asarray(s) for s in single]), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("calls", PARTS)
def test_derivatives(calls: Sequence[Call]) -> None:
    each([c for c in calls if c.smooth], check_derivatives)


def check_derivatives(call: Call) -> None:
    f, arrays = split(call)
    rng = np.random.default_rng(1)
    along = [fx.asarray(rng.normal(size=x.shape)) for x in arrays]
    _, slopes = jvp(f, tuple(arrays), tuple(along))
    check_slopes(f, arrays, slopes, along)


def test_no_function_is_left_out() -> None:
    values = {name: getattr(fx, name) for name in listed("effects") if name[0].islower()}
    functions = {n: value for n, value in values.items() if callable(value) and not isinstance(value, type)}
    homes = {n: value.__code__.co_qualname for n, value in functions.items() if isinstance(value, FunctionType)}
    public = {n for n in functions if homes.get(n, n) == n or homes[n] not in functions}  # no other names of the same
    assert public - {call.name for call in CALLS} - ELSEWHERE == set()
