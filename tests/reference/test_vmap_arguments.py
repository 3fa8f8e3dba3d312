"""What `vmap` takes besides arrays and axes: lists of axes, and anything that all lanes share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import ArgumentError
from handlers import custom_batching, custom_jvp, custom_vjp, grad, vmap
from lowering import jit
from tests.reference.agreement import close

X = fx.asarray([1.0, 2.0])


def test_axes_in_a_list() -> None:
    close(vmap(lambda x, y: x + y, in_axes=[0, None])(X, 1.0), np.asarray([2.0, 3.0]))
    close(vmap(lambda t, y: t[0] + t[1] + y, in_axes=[[0, None], None])([X, 3.0], 1.0), np.asarray([5.0, 6.0]))
    with pytest.raises(ArgumentError, match=r"in_axes has 1 entry but .* was called with 2 positional arguments"):
        vmap(lambda x, y: x + y, in_axes=[0])(X, 1.0)


def test_what_is_shared_comes_as_it_is() -> None:
    assert vmap(lambda x, mode: x + (mode == "add"), in_axes=(0, None))(X, "add").shape == (2,)
    close(vmap(lambda x, f: f(x), in_axes=(0, None))(X, fx.sin), np.sin([1.0, 2.0]))
    close(vmap(lambda x, n: x * len(range(n)), in_axes=(0, None))(X, 3), np.asarray([3.0, 6.0]))
    close(vmap(lambda x, t: x * t[0] * len(t[1]), in_axes=(0, (0, None)))(X, (X, "ab")), np.asarray([2.0, 8.0]))
    given: list[object] = []

    def keeping(x: Any, shared: Any) -> Any:
        given.append(shared)
        return x

    vmap(keeping, in_axes=(0, None))(X, X)
    assert given[0] is X
    powers: Any = lambda x, mode: x**2 if mode == "square" else x
    of_lanes: Any = vmap(grad(powers), in_axes=(0, None))
    close(of_lanes(X, "square"), np.asarray([2.0, 4.0]))
    close(jit(of_lanes, static_argnums=1)(X, "square"), np.asarray([2.0, 4.0]))
    with pytest.raises(ArgumentError, match="vmap: argument mode must be an array"):
        vmap(lambda x, mode: x)(X, "add")


@pytest.mark.parametrize("which", [0, 1, 2])
def test_functions_with_rules_of_what_all_lanes_share(which: int) -> None:
    """They are called once, and their results are one for all lanes."""
    double = custom_jvp(lambda x: x * 2.0)
    double.defjvp(lambda primals, tangents: (primals[0] * 2.0, tangents[0] * 5.0))
    triple = custom_vjp(lambda x: x * 3.0)
    triple.defvjp(lambda x: (x * 3.0, ()), lambda _, ct: (ct * 5.0,))
    fourfold = custom_batching(lambda x: x * 4.0)
    fourfold.defbatch(lambda size, batched, x: (x * 4.0, batched[0]))
    f: Any = (double, triple, fourfold)[which]
    factor, slope = (2.0, 3.0, 4.0)[which], (5.0, 5.0, 4.0)[which]
    lanes = np.asarray([1.0, 2.0])
    shared: Any = vmap(lambda x, y: f(y), in_axes=(0, None), out_axes=None)
    close(shared(X, 3.0), 3.0 * factor)
    close(jit(shared)(X, 3.0), 3.0 * factor)
    close(grad(lambda y: shared(X, y))(3.0), slope)
    close(grad(lambda y: fx.sum(vmap(lambda x: x * f(y))(X)))(3.0), 3.0 * slope)
    product: Any = lambda y, x: x * f(y)
    close(vmap(grad(product), in_axes=(None, 0))(3.0, X), slope * lanes)
