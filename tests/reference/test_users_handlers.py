"""Example 26, the handlers of examples/: over and under every transformation, without a rule for it."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from examples.flops import flops
from examples.interval import Bounds, interval
from examples.units import Quantity, units
from handlers import cond, grad, jvp, vmap
from lowering import jit
from tests.reference.agreement import close

type Function = Callable[..., Any]

ONE_TO_TWO = Bounds(fx.asarray(1.0), fx.asarray(2.0))
LOWER, UPPER = fx.asarray([1.0, -2.0, 0.5]), fx.asarray([2.0, 1.0, 0.75])
LANES = Bounds(LOWER, UPPER)


def cube(x: Array) -> Array:
    return x * x * x


def wavy(x: Array) -> Array:
    return fx.sin(x) * x + jit(lambda y: fx.exp(-y) * x)(x * 0.5)


def branching(x: Array) -> Array:
    return cond(x > 0.25, lambda x: fx.sin(x) + x, lambda x: x * x, x)


def slope(f: Function) -> Function:
    """The derivative by forward mode."""
    return lambda x: jvp(f, (x,), (1.0,))[1]


def placements(handle: Callable[[Function], Function], f: Function) -> list[Function]:
    """jit in every place."""
    return [handle(f), handle(jit(f)), jit(handle(f)), jit(handle(jit(f)))]


# -- intervals -------------------------------------------------------------------------------------------------------


def test_intervals_of_a_cube() -> None:
    for f in placements(interval, cube):
        close(f(ONE_TO_TWO), Bounds(1.0, 8.0))
    for derivative in (slope(cube), grad(cube), jit(slope(cube)), grad(jit(cube))):
        for f in placements(interval, derivative):
            close(f(ONE_TO_TWO), Bounds(3.0, 12.0))


@pytest.mark.parametrize("f", [wavy, grad(wavy), slope(wavy), grad(grad(wavy)), branching, grad(branching)])
def test_intervals_contain_the_values(f: Function) -> None:
    results = [g(ONE_TO_TWO) for g in placements(interval, f)]
    for result in results[1:]:
        close(result, results[0], 1e-11)
    for x in np.linspace(1.0, 2.0, 21):
        y = float(f(fx.asarray(x)))
        assert float(results[0].lo) - 1e-12 <= y <= float(results[0].hi) + 1e-12


@pytest.mark.parametrize("f", [cube, wavy, grad(wavy)])
def test_intervals_and_batches(f: Function) -> None:
    expected = [interval(f)(Bounds(lo, hi)) for lo, hi in zip(LOWER, UPPER, strict=True)]
    stacked = Bounds(fx.stack([b.lo for b in expected]), fx.stack([b.hi for b in expected]))
    for under in placements(interval, vmap(f)) + placements(lambda f: vmap(interval(f)), f):
        close(under(LANES), stacked, 1e-11)


def test_derivatives_of_the_ends() -> None:
    one = fx.asarray(1.0)
    for f in placements(interval, cube):
        value, rate = jvp(f, (ONE_TO_TWO,), (Bounds(one, one),))
        close((value, rate), (Bounds(1.0, 8.0), Bounds(3.0, 12.0)))
        close(grad(lambda b, f=f: f(b).hi)(ONE_TO_TWO), Bounds(0.0, 12.0))


def test_intervals_where_branches_meet() -> None:
    over: Function = interval(branching)
    close(over(ONE_TO_TWO), Bounds(1.0 + np.sin(1.0), 2.0 + 1.0), 1e-12)
    across = Bounds(fx.asarray(0.0), fx.asarray(0.5))
    for joined in (over(across), jit(over)(across)):
        for x in np.linspace(0.0, 0.5, 11):
            assert float(joined.lo) <= float(branching(fx.asarray(x))) <= float(joined.hi)


def test_truth_of_an_interval() -> None:
    ends = fx.asarray([-1.0, 0.0, 1.0, -1.0]), fx.asarray([1.0, 0.0, 2.0, 0.0])
    sure, possible = interval(lambda x: x.astype(fx.bool))(Bounds(*ends))
    assert fx.asarray(sure).tolist() == [False, False, True, False]
    assert fx.asarray(possible).tolist() == [True, False, True, True]


# -- operations counted ----------------------------------------------------------------------------------------------


def polynomial(x: Array) -> Array:
    return fx.sum(x * x + 2.0 * x)


def test_operations_are_counted() -> None:
    x = fx.ones(10)
    for f in placements(flops, polynomial):
        value, count = f(x)
        close((value, count), (30.0, 39))
    for f in placements(flops, lambda x: fx.asarray([[1.0, 2.0, 3.0]] * 4) @ x):
        close(f(fx.ones((3, 5)))[1], 2 * 4 * 5 * 3)


def test_the_branch_that_is_taken_is_counted() -> None:
    def f(x: Array) -> Array:
        return cond(x > 0.0, lambda: fx.sin(x) + x, lambda: x)

    for g in placements(flops, f):
        close(g(fx.asarray(1.0))[1], 3)
        close(g(fx.asarray(-1.0))[1], 1)


def test_counts_over_and_under_transformations() -> None:
    x = fx.ones(10)
    for derivative in (grad(polynomial), slope_along(polynomial), jit(grad(polynomial))):
        counts = [int(f(x)[1]) for f in placements(flops, derivative)]
        assert min(counts) >= 39
        assert counts[0] == counts[2]
        assert counts[1] == counts[3]
    xs = fx.ones((4, 10))
    for f in placements(flops, vmap(polynomial)):
        close(f(xs), (np.full(4, 30.0), 4 * 39))
    for f in placements(lambda f: vmap(flops(f)), polynomial):
        close(f(xs), (np.full(4, 30.0), np.full(4, 39)))
    for f in placements(flops, polynomial):
        (value, count), (rate, _) = jvp(f, (x,), (x,))
        close((value, count, rate), (30.0, 39, 40.0))
        close(grad(lambda x, f=f: f(x)[0])(x), np.full(10, 4.0))


def test_operations_of_windows_are_counted() -> None:
    x, kernel = fx.ones((2, 3, 8)), fx.ones((4, 3, 3))
    assert int(flops(lambda x: fx.conv(x, kernel, padding="same"))(x)[1]) == 2 * (2 * 4 * 8) * (3 * 3)
    assert int(flops(lambda x: fx.window_sum(x, (1, 1, 4), (1, 1, 4)))(x)[1]) == 3 * (2 * 3 * 2)
    assert int(flops(lambda x: fx.cumulative_sum(x, axis=2))(x)[1]) == 2 * 3 * 7
    assert int(flops(lambda x: x.at[fx.asarray([0, 0])].add(1.0))(x)[1]) == 2 * 3 * 8
    for f in (lambda x: fx.sum(fx.window_max(x, (1, 1, 2))), lambda x: fx.sum(fx.conv(x, kernel))):
        close(jit(flops(grad(f)))(x)[1], flops(grad(f))(x)[1])


def slope_along(f: Function) -> Function:
    return lambda x: jvp(f, (x,), (x,))[1]


# -- units -----------------------------------------------------------------------------------------------------------

METRE, SECOND = (("m", 1),), (("s", 1),)
SPEED = (("m", 1), ("s", -1))


def metres(value: float) -> Quantity:
    return Quantity(fx.asarray(value), METRE)


def seconds(value: float) -> Quantity:
    return Quantity(fx.asarray(value), SECOND)


def energy(x: Array, t: Array) -> Array:
    return (x / t) * (x / t) * 0.5


def measured(result: Quantity, value: float, unit: object) -> None:
    assert result.unit == unit
    close(result.value, value)


def test_units_are_worked_out() -> None:
    for f in placements(units, energy):
        measured(f(metres(6.0), seconds(2.0)), 4.5, (("m", 2), ("s", -2)))
    for f in placements(units, grad(energy)) + placements(units, grad(jit(energy))):
        measured(f(metres(6.0), seconds(2.0)), 1.5, (("m", 1), ("s", -2)))
    along = lambda x, t: jvp(lambda t: energy(x, t), (t,), (t,))[1]
    for f in placements(units, along):
        measured(f(metres(6.0), seconds(2.0)), -9.0, (("m", 2), ("s", -2)))


def test_units_and_batches() -> None:
    xs, ts = Quantity(fx.asarray([6.0, 3.0]), METRE), Quantity(fx.asarray([2.0, 1.0]), SECOND)
    divide: Function = lambda x, t: x / t
    for f in placements(units, vmap(divide)) + placements(lambda f: vmap(units(f)), divide):
        result = f(xs, ts)
        assert result.unit == SPEED
        close(result.value, np.asarray([3.0, 3.0]))


def nonsense(x: Array, t: Array) -> Array:
    return x + t


@pytest.mark.parametrize(
    "wrong",
    [
        nonsense,
        grad(nonsense),
        lambda x, t: fx.sin(x) * t,
        lambda x, t: cond(x < x * 2.0, lambda: x, lambda: t),
        lambda x, t: fx.where(x > t, x, x),
        grad(lambda x, t: x * x + x * t),
    ],
)
def test_units_that_differ_are_refused(wrong: Function) -> None:
    for f in placements(units, wrong):
        with pytest.raises(fx.ArgumentError, match="different units"):
            f(metres(6.0), seconds(2.0))


def test_the_line_is_this_programs_and_not_that_of_an_equal_one() -> None:
    def sum_of_two(x: Array, t: Array) -> Array:  # the same program as `nonsense`, at another place
        return x + t

    close(jit(sum_of_two)(fx.asarray(3.0), fx.asarray(2.0)), 5.0)
    for f in placements(units, nonsense):
        with pytest.raises(fx.ArgumentError, match="add of different units: m and s") as caught:
            f(metres(3.0), seconds(2.0))
        assert caught.value.source is not None
        assert caught.value.source.line == nonsense.__code__.co_firstlineno + 1


def test_units_through_a_conditional() -> None:
    def f(x: Array, t: Array) -> Array:
        return cond(x > 2.0 * x, lambda: x / t, lambda: (x + x) / t)

    for g in placements(units, f):
        measured(g(metres(6.0), seconds(2.0)), 6.0, SPEED)


# -- both, and the others --------------------------------------------------------------------------------------------


def test_operations_without_a_rule() -> None:
    with pytest.raises(fx.MissingRule, match="Intervals has no rule for erf"):
        interval(fx.erf)(ONE_TO_TWO)
    with pytest.raises(fx.MissingRule, match="Units has no rule for erf"):
        units(fx.erf)(metres(1.0))


@pytest.mark.parametrize("name", ["own_operation", "watch"])
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"examples.{name}")).failed == 0
