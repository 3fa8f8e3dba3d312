"""Choices that differ between lanes: their derivatives are those of the conditional, whatever the order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import cond, grad, hvp, jacfwd, scan, switch, vmap
from lowering import jit

type Scalar = Callable[[Any, Any], Any]
"""A function of a number of each lane and one that all lanes have."""

CHOICES: Final[dict[str, Scalar]] = {
    "root": lambda x, w: cond(x < 1, lambda: w * 2.0, lambda: fx.sqrt(x) * w),
    "shared": lambda x, w: cond(x < 1, lambda: x, lambda: fx.sqrt(w - 4.0) * fx.log(x)),
    "operands": lambda x, w: cond(x > 0, lambda x, w: fx.log(x) / w, lambda x, w: x * w, x, w),
    "of three": lambda x, w: switch(fx.astype(x, fx.int32), [lambda: w, lambda: w / x, lambda: 1 / (x - 1.0)]),
    "in each other": lambda x, w: cond(
        x > 0, lambda: cond(x > 2, lambda: 1 / (x - 2.0), lambda: w * fx.log(x)), lambda: x**2
    ),
    "array": lambda x, w: fx.sum(cond(x > 0, lambda: fx.log(x * fx.ones(2)) * w, lambda: fx.zeros(2) + x * w)),
    "in a loop": lambda x, w: scan(lambda c, _: (cond(x > 0, lambda: c * fx.sqrt(x), lambda: c * w), None), w, None, 2)[
        0
    ],
}
LANES: Final = np.array([0.0, 1.0, 2.0, 3.0])


def one_by_one(f: Callable[[Any], Any]) -> Any:
    return np.stack([np.asarray(f(x)) for x in fx.asarray(LANES)])


@pytest.mark.parametrize("name", CHOICES)
def test_derivatives_of_lanes_are_those_of_each(name: str) -> None:
    f, w = CHOICES[name], 4.0

    def total(xs: Any, w: Any) -> Any:
        return fx.sum(vmap(f, in_axes=(0, None))(xs, w))

    by_lane = one_by_one(lambda x: grad(f)(x, w))
    by_shared = one_by_one(lambda x: grad(f, 1)(x, w)).sum()
    curved = one_by_one(lambda x: grad(grad(f))(x, w))

    @jit
    def compiled(xs: Any, w: Any) -> Any:
        return (
            grad(total, (0, 1))(xs, w),
            vmap(grad(f), in_axes=(0, None))(xs, w),
            hvp(lambda xs: total(xs, w), (xs,), (fx.ones(4),)),
            grad(lambda xs: fx.sum(vmap(jacfwd(f), in_axes=(0, None))(xs, w)))(xs),
        )

    (of_xs, of_w), lanes, (second,), mixed = compiled(LANES, w)
    for gradient in (of_xs, lanes, grad(total)(LANES, w), grad(jit(total))(LANES, w)):
        np.testing.assert_allclose(gradient, by_lane, rtol=1e-14)
    for gradient in (of_w, grad(total, 1)(LANES, w)):
        np.testing.assert_allclose(gradient, by_shared, rtol=1e-14)
    for gradient in (second, mixed):
        np.testing.assert_allclose(gradient, curved, rtol=1e-14, atol=1e-15)


def test_lanes_that_do_not_take_a_branch_may_hold_anything() -> None:
    def masked(x: Any, w: Any) -> Any:
        return cond(fx.isfinite(x), lambda: x * w, lambda: 0.0)

    def total(w: Any) -> fx.Array:
        return fx.sum(vmap(masked, in_axes=(0, None))(np.array([1.0, np.nan, np.inf, 3.0]), w))

    assert jit(grad(total))(2.0) == 4.0
