"""Reverse rules that close over arrays and are transposed inside calls, branches, loops and checkpoints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import checkpoint, cond, custom_vjp, grad, jacrev, make_jaxpr, scan, vmap
from handlers.transformations.custom_rules import closures
from lowering import jit

type Function = Callable[[Array], Array]


def summed(f: Function) -> Function:
    def total(x: Array) -> Array:
        def step(h: Array, _: None) -> tuple[Array, None]:
            return h + f(x), None

        return scan(step, fx.zeros(3), length=2)[0]

    return total


PLACES: Final[dict[str, Callable[[Function], Function]]] = {
    "jit": jit,
    "checkpoint": checkpoint,
    "checkpoint in jit": lambda f: jit(checkpoint(f)),
    "scan": lambda f: lambda x: scan(lambda h, _: (f(h), h), x, length=2)[0],
    "sum of scan": summed,
    "cond": lambda f: lambda x: cond(x[0] > 0.0, f, fx.sin, x),
    "cond in scan": lambda f: lambda x: scan(lambda h, _: (cond(h[0] > 0.0, f, fx.sin, h), None), x, length=2)[0],
}


def of_sum(f: Function) -> Function:
    return lambda x: fx.sum(f(x))


DERIVATIVES: Final[dict[str, Callable[[Function], Function]]] = {
    "grad": lambda f: grad(of_sum(f)),
    "jit grad": lambda f: jit(grad(of_sum(f))),
    "jacrev": lambda f: lambda x: fx.sum(jacrev(f)(x), axis=0),
    "vmap grad": lambda f: lambda x: vmap(grad(of_sum(f)))(fx.stack([x, x]))[1],
    "grad vmap": lambda f: grad(lambda x: fx.sum(vmap(f)(fx.stack([x])))),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("place", PLACES)
def test_a_reverse_rule_may_close_over_an_array(place: str, derivative: str) -> None:
    x = fx.asarray([0.3, -0.2, 0.5])
    weights = fx.asarray([1.0, 2.0, 3.0])
    f = custom_vjp(lambda x: fx.asarray([1.0, 2.0, 3.0]) * x)
    f.defvjp(lambda x: (f(x), ()), lambda _, ct: (weights * ct,))
    by_hand = custom_vjp(lambda x: fx.asarray([1.0, 2.0, 3.0]) * x)
    by_hand.defvjp(lambda x: (f(x), weights), lambda weights, ct: (weights * ct,))
    slope, expected = [DERIVATIVES[derivative](PLACES[place](g))(x) for g in (f, by_hand)]
    np.testing.assert_allclose(np.asarray(slope), np.asarray(expected), rtol=1e-13)


def test_what_a_rule_closes_over_is_read_anew() -> None:
    weight = fx.asarray(0.0)
    f = custom_vjp(lambda x: 2.0 * x)
    f.defvjp(lambda x: (f(x), ()), lambda _, ct: (weight * ct,))
    for factor in (1.0, 3.0):
        weight = fx.asarray(factor)
        assert grad(lambda x: scan(lambda h, _: (f(h), None), x, length=2)[0])(1.0) == factor**2


def nested(depth: int) -> Function:
    f: Function = fx.sin
    for _ in range(depth):
        f = _halved(f)
    return f


def _halved(f: Function) -> Function:
    g = custom_vjp(lambda x: f(x) * 0.5)
    g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct * fx.cos(x),))
    return g


def test_functions_with_rules_in_each_other_are_looked_through_in_few_steps() -> None:
    """Each call has to look at all functions inside, as their variables may have been assigned meanwhile."""
    calls = Counter[str]()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code.co_filename] += 1

    depth = 40
    f = nested(depth)
    sys.setprofile(count)
    try:
        make_jaxpr(f)(fx.asarray(2.0))
    finally:
        sys.setprofile(None)
    assert calls.pop(closures.__file__) <= 5 * depth * (depth + 1) // 2
    assert calls.total() < 120 * depth
