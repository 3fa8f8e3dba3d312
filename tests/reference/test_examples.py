"""Example 26 and the scripts of examples/: handlers of a user's own go through everything without a rule for it."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, MissingRule
from examples.flops import flops
from examples.interval import Bounds, interval
from examples.units import Quantity, units
from handlers import cond, grad, jvp, vmap
from lowering import jit
from tests.reference.agreement import close

EXAMPLES = Path(__file__).parents[2] / "examples"
METRE, SECOND = (("m", 1.0),), (("s", 1.0),)


def curve(x: Any) -> Any:
    return x * fx.sin(x) + cond(x > 1.0, lambda: x * 2.0, lambda: -x)


def contains(bounds: Bounds, f: Any, lo: float, hi: float) -> None:
    """Assert that the values of `f` on points between lie within the bounds."""
    values = [float(f(fx.asarray(point))) for point in np.linspace(lo, hi, 17)]
    assert float(bounds.lo) <= min(values) + 1e-12
    assert float(bounds.hi) >= max(values) - 1e-12


@pytest.mark.parametrize("f", [curve, jit(curve), grad(curve), jit(grad(curve)), grad(jit(curve))])
def test_intervals_contain_what_points_give(f: Any) -> None:
    bounds = interval(f)(Bounds(2.0, 3.0))
    contains(bounds, f, 2.0, 3.0)
    close(jit(interval(f))(Bounds(2.0, 3.0)), bounds)


def test_intervals_of_a_batch() -> None:
    lanes = Bounds(fx.asarray([0.5, 2.0]), fx.asarray([0.75, 3.0]))
    expected = [interval(curve)(Bounds(0.5, 0.75)), interval(curve)(Bounds(2.0, 3.0))]
    for f in (vmap(interval(curve)), interval(vmap(curve)), interval(jit(vmap(jit(curve))))):
        result = f(lanes)
        close(result.lo, fx.stack([e.lo for e in expected]))
        close(result.hi, fx.stack([e.hi for e in expected]))


def test_interval_of_a_derivative() -> None:
    value, slope = interval(lambda x: jvp(lambda x: x * x * x, (x,), (1.0,)))(Bounds(1.0, 2.0))
    close(value, Bounds(1.0, 8.0))
    close(slope, Bounds(3.0, 12.0))


def test_truth_of_an_interval() -> None:
    ends = fx.asarray([-1.0, 0.0, 1.0, -1.0]), fx.asarray([1.0, 0.0, 2.0, 0.0])
    sure, possible = interval(lambda x: x.astype(fx.bool))(Bounds(*ends))
    assert fx.asarray(sure).tolist() == [False, False, True, False]
    assert fx.asarray(possible).tolist() == [True, False, True, True]


def test_undecided_condition() -> None:
    for f in (interval(curve), jit(interval(curve))):
        contains(f(Bounds(0.5, 2.0)), curve, 0.5, 2.0)


def test_flops_are_the_same_wherever_jit_stands() -> None:
    x = fx.ones((3, 3))

    def f(x: Any) -> Any:
        return fx.sum(fx.sin(x) @ x)

    assert int(flops(f)(x)[1]) == 9 + 2 * 27 + 8
    for g in (f, grad(f), grad(jit(f))):
        count = flops(g)(x)[1]
        close(flops(jit(g))(x)[1], count)
        close(jit(flops(g))(x)[1], count)


def test_flops_of_windows() -> None:
    x, kernel = fx.ones((2, 3, 8)), fx.ones((4, 3, 3))
    assert int(flops(lambda x: fx.conv(x, kernel, padding="same"))(x)[1]) == 2 * (2 * 4 * 8) * (3 * 3)
    assert int(flops(lambda x: fx.window_sum(x, (1, 1, 4), (1, 1, 4)))(x)[1]) == 3 * (2 * 3 * 2)
    assert int(flops(lambda x: fx.cumulative_sum(x, axis=2))(x)[1]) == 2 * 3 * 7
    assert int(flops(lambda x: x.at[fx.asarray([0, 0])].add(1.0))(x)[1]) == 2 * 3 * 8
    for f in (lambda x: fx.sum(fx.window_max(x, (1, 1, 2))), lambda x: fx.sum(fx.conv(x, kernel))):
        close(jit(flops(grad(f)))(x)[1], flops(grad(f))(x)[1])


def test_flops_follow_the_branch_that_is_taken() -> None:
    def f(x: Any) -> Any:
        return cond(x > 0.0, lambda: fx.sin(x) * 2.0 + x, lambda: x)

    for g in (flops(f), flops(jit(f)), jit(flops(f))):
        assert [int(g(fx.asarray(point))[1]) for point in (1.0, -1.0)] == [4, 1]


def speed(x: Any, t: Any) -> Any:
    return cond(t > 0.0, lambda: x / t * 2.0, lambda: x * 0.0 / t)


def test_units() -> None:
    x, t = Quantity(3.0, METRE), Quantity(2.0, SECOND)
    for f in (units(speed), units(jit(speed)), jit(units(speed))):
        result = f(x, t)
        close(result.value, 3.0)
        assert result.unit == (("m", 1.0), ("s", -1.0))
    assert units(grad(speed))(x, t).unit == (("s", -1.0),)
    assert units(jit(grad(speed, argnums=1)))(x, t).unit == (("m", 1.0), ("s", -2.0))


def nonsense(x: Any, t: Any) -> Any:
    return x + t


@pytest.mark.parametrize("f", [nonsense, jit(nonsense), grad(nonsense), jit(grad(nonsense))])
def test_adding_metres_to_seconds(f: Any) -> None:
    with pytest.raises(ArgumentError, match="add of different units: m and s") as caught:
        units(f)(Quantity(3.0, METRE), Quantity(2.0, SECOND))
    assert caught.value.source is not None
    assert caught.value.source.line == nonsense.__code__.co_firstlineno + 1


def test_the_line_is_this_programs_and_not_that_of_an_equal_one() -> None:
    def sum_of_two(x: Any, t: Any) -> Any:  # the same program as `nonsense`, at another place
        return x + t

    jitted = jit(sum_of_two)
    jitted(fx.asarray(3.0), fx.asarray(2.0))
    test_adding_metres_to_seconds(jit(nonsense))


def test_operations_without_a_rule() -> None:
    with pytest.raises(MissingRule, match="Intervals has no rule for erf"):
        interval(fx.erf)(Bounds(0.0, 1.0))
    with pytest.raises(MissingRule, match="Units has no rule for erf"):
        units(fx.erf)(Quantity(1.0))


@pytest.mark.parametrize("name", ["own_operation", "watch"])
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"examples.{name}")).failed == 0
