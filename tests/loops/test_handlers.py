"""Loops under handlers of a user's own, and the law of every handler: handle(jit(f)) = jit(handle(f))."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from examples.flops import flops
from examples.interval import Bounds, interval
from examples.units import Quantity, units
from handlers import fori_loop, grad, scan, vmap, while_loop
from lowering import jit
from tests.own_handlers.operations import Count
from tests.own_handlers.plain import Plain
from tests.reference.agreement import close
from tests.reference.test_users_handlers import ONE_TO_TWO, placements, slope

type Function = Callable[..., Any]


def cube(x: Array) -> Array:
    one: Any = 1.0
    return while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x), (0, one))[1]  # type: ignore[no-any-return]  # becomes an array


def counted_cube(x: Array) -> Array:
    return fori_loop(0, 3, lambda i, c: c * x, fx.asarray(1.0))


def test_example_26_intervals_of_a_cube_by_a_loop() -> None:
    for f in (cube, counted_cube):
        for g in placements(interval, f):
            close(g(ONE_TO_TWO), Bounds(1.0, 8.0))
        for g in placements(interval, slope(f)) + placements(interval, slope(jit(f))):
            close(g(ONE_TO_TWO), Bounds(3.0, 12.0))
    for g in placements(interval, grad(counted_cube)):
        close(g(ONE_TO_TWO), Bounds(3.0, 12.0))
    lanes = Bounds(fx.asarray([1.0, 0.5]), fx.asarray([2.0, 3.0]))
    for g in placements(interval, vmap(cube)) + placements(lambda f: vmap(interval(f)), cube):
        close(g(lanes), Bounds(fx.asarray([1.0, 0.125]), fx.asarray([8.0, 27.0])))


def test_intervals_over_a_scan() -> None:
    def f(xs: Array) -> tuple[Array, Array]:
        return scan(lambda c, x: (c * x + x, c * x), fx.asarray(0.5), xs)

    box = Bounds(fx.asarray([1.0, 2.0, 3.0]), fx.asarray([1.5, 2.5, 3.5]))
    for g in placements(interval, f) + placements(interval, lambda xs: grad(lambda v: f(v)[0])(xs)):
        result = g(box)
        for point in np.linspace(np.asarray(box.lo), np.asarray(box.hi), 5):
            values = f(fx.asarray(point)) if isinstance(result, tuple) and not isinstance(result, Bounds) else None
            if values is not None:
                for bounds, value in zip(result, values, strict=True):
                    assert np.all(np.asarray(bounds.lo) <= np.asarray(value) + 1e-12)
                    assert np.all(np.asarray(value) <= np.asarray(bounds.hi) + 1e-12)


def test_operations_are_counted_in_every_step() -> None:
    for f in placements(flops, cube):
        close(f(fx.asarray(2.0)), (8.0, 4 + 3 * 2))  # four comparisons; three additions and multiplications
    for f in placements(flops, counted_cube):
        close(f(fx.asarray(2.0)), (8.0, 3 * 2))
    for f in placements(flops, lambda n: fori_loop(0, n, lambda i, c: fx.sin(c) + c, fx.ones(5)))[1:]:
        close(f(fx.asarray(4))[1], 5 + 4 * (1 + 10))
    for f in placements(flops, vmap(counted_cube)):
        close(f(fx.ones(6))[1], 3 + 3 * 6)


def test_units_meet_in_the_carry() -> None:
    metre = (("m", 1),)
    length = Quantity(fx.asarray(2.0), metre)
    for f in placements(units, lambda x: fori_loop(0, 3, lambda i, c: c + x, 0.0)):
        result = f(length)
        assert result.unit == metre
        close(result.value, 6.0)
    for f in placements(units, lambda x: scan(lambda c, y: (c + x, y * x), 0.0, x * fx.arange(3.0))):
        total, areas = f(length)
        assert (total.unit, areas.unit) == (metre, (("m", 2),))
    for f in placements(units, cube):
        with pytest.raises(fx.ArgumentError, match="different units"):
            f(length)


class Above(Plain):
    """Does nothing but decide by its own `predicate`: turns go on for as long as the opposite holds."""

    def predicate(self, value: Array, /) -> Array:
        return fx.logical_not(value)


def test_a_handler_decides_by_its_own_predicate() -> None:
    def run() -> Array:
        return while_loop(lambda c: c >= 100, lambda c: c * 2, fx.asarray(3))

    for f in (run, jit(run)):
        with Above():
            close(f(), 192)


def test_a_handler_has_its_state_in_conditions_too() -> None:
    def run() -> Array:
        return while_loop(lambda c: c < 100, lambda c: c * 2, fx.asarray(3))

    for f in (run, jit(run)):
        with Count() as handler:
            close(f(), 192)
        close(handler.count, 7 + 6)
