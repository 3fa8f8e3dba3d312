"""Every function of NumPy's that the page says is taken gives for arrays what it gives for NumPy's, everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import ConcretizationError
from handlers import jvp, vmap
from lowering import jit
from tests.each import each
from tests.functions.calls import SPECIAL, Call, normal
from tests.functions.compared import agree, check_slopes, expected, quietly, split
from tests.functions.named import KNOWN
from tests.functions.test_functions import CALLS

_PAGE: Final = (Path(__file__).parents[2] / "docs" / "numpy.md").read_text()
TAKEN: Final = sorted(re.findall(r"`(\w+)`", re.findall(r"^\| taken \|.*\| (.*) \|$", _PAGE, re.MULTILINE)[0]))
X, V, K = normal(3, 4), normal(4), np.array([3, 1, 3, 0])


def _own() -> Iterator[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    """Calls of what has no call of NumPy's own function elsewhere."""
    yield from [(f, (K,), {}) for f in (np.bincount, np.unique, np.unique_values, np.unique_counts)]
    yield from [(f, (K,), {}) for f in (np.unique_all, np.unique_inverse, np.flatnonzero, np.argwhere, np.nonzero)]
    yield from [(f, (K, np.array([3, 5])), {}) for f in (np.union1d, np.setdiff1d, np.setxor1d)]
    yield from [(f, (X,), {}) for f in (np.amax, np.amin, np.around, np.radians, np.degrees, np.fix, np.diagonal)]
    yield from [(f, (X,), {}) for f in (np.trace, np.matrix_transpose, np.copy, np.unstack)]
    yield from [(f, (V,), {}) for f in (np.cumulative_sum, np.cumulative_prod)]
    yield from [(f, (X, 1), {"axis": 0}) for f in (np.partition, np.argpartition)]  # of three the rest is in order
    yield np.floor_divide, (X, V), {}
    yield np.signbit, (X,), {}
    yield np.lexsort, ((K, np.array([1, 0, 0, 2])),), {}
    yield np.reshape, (X, (2, -1)), {}
    yield np.roots, (np.array([1.0, 0.0, 4.0]),), {}  # of other polynomials NumPy's may be real, by their values
    yield np.astype, (X, np.float32), {}
    yield np.apply_along_axis, (np.cumsum, 1, X), {}
    yield np.histogramdd, (X,), {"bins": 2}
    yield np.compress, ([True, False, True], X), {"axis": 0}
    yield np.empty_like, (X[:0],), {}


def _calls() -> dict[str, Call]:
    """One call of each function, that with most to tell: of several elements, with arguments besides."""
    found: dict[str, Call] = {}
    by_function: dict[int, list[Call]] = {}
    for call in [*CALLS, *KNOWN]:
        by_function.setdefault(id(call.expected), []).append(call)
    own = {id(f): Call(f.__name__, f, args, options) for f, args, options in _own()}
    for name in TAKEN:
        f = getattr(np, name)
        known = [c for c in by_function.get(id(f), []) if c.args and not any(_is_wide(a) for a in c.args)]
        if id(f) in own:
            known = []
        best = sorted(known, key=lambda c: (c.smooth, len(c.args) + len(c.options)))
        if best or id(f) in own:
            found[name] = best[-1] if best else own[id(f)]
    return found


def _is_wide(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == SPECIAL.shape


OF: Final = _calls()
ANSWERS: Final[dict[str, Callable[..., Any]]] = {
    "can_cast": lambda f, x: f(x.dtype, "float64"),
    "common_type": lambda f, x: f(x),
    "einsum_path": lambda f, x: f("...,...->...", x, x)[0],
    **{name: lambda f, x: f(x) for name in ("iscomplexobj", "isrealobj", "ndim", "shape", "size", "result_type")},
}
"""What gives no arrays: an answer of Python's, also of what is not known."""
_PROGRAMS: Final = 8


def test_no_function_is_left_out() -> None:
    assert set(OF) | set(ANSWERS) == set(TAKEN)


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    f = getattr(np, name)
    for x in (X, X.astype("float32"), V[:0]):
        wanted = ANSWERS[name](f, x)
        seen: list[Any] = []
        jit(lambda x, seen=seen, f=f: seen.append(ANSWERS[name](f, x)))(x)
        for actual in (ANSWERS[name](f, fx.asarray(x)), *seen):
            assert actual == wanted or np.dtype(str(actual)) == wanted


def test_at_once() -> None:
    def check(name: str) -> None:
        f, arrays = split(OF[name], getattr(np, name))
        actual = f(*arrays)
        assert all([isinstance(leaf, fx.Array) for leaf in fx.tree_leaves(actual)])
        agree(actual, expected(OF[name]))

    each(OF, check)


ASKING: Final = {
    *("argwhere", "bincount", "compress", "extract", "flatnonzero", "intersect1d", "nonzero", "real_if_close"),
    *("repeat", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique", "unique_all", "unique_counts"),
    *("unique_inverse", "unique_values", "histogram", "histogram_bin_edges", "delete", "insert", "array_split"),
}
"""Functions that may ask for values, which decide shapes."""


@pytest.mark.parametrize("part", range(_PROGRAMS))
def test_compiled(part: int) -> None:
    """What functions give in one compiled program, but for those that ask for values."""
    calls = {name: split(OF[name], getattr(np, name)) for name in list(OF)[part::_PROGRAMS]}
    taken = {name: arrays for name, (_, arrays) in calls.items()}

    def program(given: dict[str, Any]) -> dict[str, Any]:
        actual = {}
        for name, arrays in given.items():
            try:
                actual[name] = calls[name][0](*arrays)
            except ConcretizationError as error:
                assert re.search("must be known|decides? the|static", str(error)), error
        return actual

    results = jit(program)(taken)
    assert calls.keys() - results.keys() <= ASKING
    each(results, lambda name: agree(results[name], expected(OF[name])))


ORDERED: Final = {"searchsorted"}
"""Functions of vectors whose order is known beforehand."""


def test_in_lanes() -> None:
    def check(name: str) -> None:
        call = OF[name]
        f, arrays = split(call, getattr(np, name))
        lanes = [fx.stack([x, 2 * x if name in ORDERED else fx.flip(x)]) for x in arrays]
        got = fx.tree_leaves(vmap(f)(*lanes))
        plain, _ = split(call, call.expected)
        for i in range(2):
            with quietly():
                one = plain(*[np.asarray(x[i]) for x in lanes])
            for batched, single in zip(got, fx.tree_leaves(one), strict=True):
                np.testing.assert_allclose(np.asarray(batched[i]), single, rtol=1e-6, atol=1e-7)

    each([n for n, call in OF.items() if n not in ASKING and split(call)[1]], check)


def test_derivatives() -> None:
    def check(name: str) -> None:
        call = OF[name]
        f, arrays = split(call, getattr(np, name))
        rng = np.random.default_rng(1)
        along = [fx.asarray(rng.normal(size=x.shape)) for x in arrays]
        slopes = jvp(f, tuple(arrays), tuple(along))[1]
        hosts = [[np.asarray(x) for x in xs] for xs in (arrays, along)]
        check_slopes(split(call, call.expected)[0], hosts[0], slopes, hosts[1])

    each([n for n, call in OF.items() if call.smooth], check)
