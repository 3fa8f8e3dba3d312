"""Calls beside what NumPy gives for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import effects as fx
from tests.functions.calls import Call


def _arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return fx.asarray(value)
    if isinstance(value, list | tuple) and any([isinstance(leaf, np.ndarray) for leaf in fx.tree_leaves(value)]):
        return type(value)([_arrays(v) for v in value])
    return value


def split(call: Call, called: Callable[..., Any] | None = None) -> tuple[Callable[..., Any], list[Any]]:
    """The call, of the function of its name or of another one, as a function of the arrays in it; and these."""
    leaves, tree = fx.tree_flatten([_arrays(a) for a in call.args])
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, fx.Array)]

    def f(*arrays: Any) -> Any:
        filled = dict(zip(places, arrays, strict=True))
        given = fx.tree_unflatten(tree, [filled.get(i, leaf) for i, leaf in enumerate(leaves)])
        return (getattr(fx, call.name) if called is None else called)(*given, **call.options)

    return f, [leaves[i] for i in places]


def expected(call: Call) -> list[Any]:
    """What NumPy gives."""
    with quietly():
        result = call.expected(*call.args, **call.options)
    return [np.asarray(r) for r in (fx.tree_leaves(result) if isinstance(result, list | tuple) else [result])]


@contextmanager
def quietly() -> Iterator[None]:
    """Without NumPy's warnings, of means of nothing for instance."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def agree(actual: Any, wanted: list[Any]) -> None:
    """Assert that values, shapes and dtypes are those."""
    leaves = fx.tree_leaves(actual)
    assert len(leaves) == len(wanted)
    for a, e in zip(leaves, wanted, strict=True):
        host = np.asarray(a)
        assert host.shape == e.shape and host.dtype == e.dtype, f"{host.dtype}{host.shape}, not {e.dtype}{e.shape}"
        eps = np.finfo(e.dtype).eps if e.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(host, e, rtol=float(40 * eps), atol=float(4 * eps))


def check_slopes(f: Callable[..., Any], arrays: list[Any], slopes: Any, along: list[Any]) -> None:
    """Assert that tangents are differences of values."""
    step = 1e-6
    ahead, behind = [[x + s * step * t for x, t in zip(arrays, along, strict=True)] for s in (1, -1)]
    for slope, a, b in zip(*[fx.tree_leaves(v) for v in (slopes, f(*ahead), f(*behind))], strict=True):
        difference = (np.asarray(a).astype("complex128") - np.asarray(b)) / (2 * step)
        tolerance = 1e-6 if np.asarray(a).dtype.itemsize >= 8 else 0.2
        np.testing.assert_allclose(np.asarray(slope).astype("complex128"), difference, rtol=tolerance, atol=tolerance)
