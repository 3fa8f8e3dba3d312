"""What the library computes on the way to a number raises no alarm: the choice of a constant is no violation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from effects import nn, random, special, stats
from handlers import checking, debug_nans
from lowering import jit

SHAPES = {"beta": (2.0, 3.0), "f": (2.0, 3.0), "gamma": (2.0,), "t": (2.0,), "chi2": (2.0,), "lognorm": (2.0,)}
DISTRIBUTIONS = ("beta", "cauchy", "chi2", "f", "gamma", "laplace", "lognorm", "norm", "t", "uniform")
MASK = fx.asarray([True, False])


def with_parameters(f: Callable[..., Any], *parameters: float) -> Callable[[Any], Any]:
    return lambda x: f(x, *parameters)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "softmax of a mask": lambda x: nn.softmax(fx.stack([x, x]), where=MASK),
    "causal attention": lambda x: nn.dot_product_attention(*(fx.ones((1, 3, 2, 2)) * x,) * 3, is_causal=True),
    "truncated_normal": lambda x: random.truncated_normal(random.key(0), -x, x),
    "gammasgn": special.gammasgn,
    **{
        name: with_parameters(getattr(special, name), 2.0)
        for name in ("beta", "binom", "comb", "kl_div", "poch", "rel_entr")
    },
    **{
        f"{name}.{what}": with_parameters(getattr(getattr(stats, name), what), *SHAPES.get(name, ()))
        for name in DISTRIBUTIONS
        for what in ("ppf", "isf")
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_finite_results_raise_no_alarm(name: str) -> None:
    f, x = FUNCTIONS[name], fx.asarray(0.3)
    expected = f(x)
    with debug_nans(inf=True):
        assert fx.all(f(x) == expected)
    assert fx.all(checking(f, inf=True)(x).result().unwrap() == expected)


def test_what_is_computed_with_a_chosen_nan_is_a_violation() -> None:
    f = lambda x: 2.0 * fx.where(x > 0, x, fx.nan)
    for run in (checking(f), jit(checking(f))):
        assert run(fx.asarray(-1.0)).result().failure().operation == "mul"
        assert run(fx.asarray(1.0)).result().unwrap() == 2.0
    assert checking(lambda p: 1.0 + stats.norm.ppf(p))(fx.asarray(2.0)).result().failure().what == "nan"
