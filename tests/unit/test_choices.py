"""Choices that another one makes again are left out of compiled programs, and nothing else changes."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from handlers import grad
from lowering import jit, lower

X: Final = fx.asarray([-2.0, -1.0, -0.0, 0.5, 1.0, 3.0, np.inf, np.nan])


def selects(f: Any, *args: Any) -> int:
    return lower(f, *args).as_text().count("stablehlo.select")


def test_a_guard_is_left_out_where_its_value_is_chosen_by_the_same_mask() -> None:
    def guarded(x: Any) -> Any:
        inside = x > 0
        return fx.where(inside, 1 / fx.where(inside, x, 1.0), fx.where(inside, 7.0, -x))

    np.testing.assert_array_equal(jit(guarded)(X), guarded(X))
    assert selects(guarded, X) == 1 + selects(lambda x: 1 / x, X)
    slope = grad(lambda x: fx.sum(guarded(x)))
    np.testing.assert_allclose(jit(slope)(X), slope(X), rtol=1e-15)


def test_a_guard_is_left_out_also_of_a_product_with_a_logarithm() -> None:
    def f(x: Any) -> Any:
        inside = x > 0
        return fx.where(inside, fx.special.xlogy(2.5, fx.where(inside, x, 1.0)), -1.0)

    np.testing.assert_allclose(jit(f)(X), f(X), rtol=1e-15)
    assert selects(f, X) == 1 + selects(lambda x: fx.special.xlogy(2.5, x), X)


def test_a_guard_stays_where_its_value_is_read_otherwise() -> None:
    def f(x: Any) -> Any:
        inside, row = x > 0, fx.asarray([1.0, 2.0]) > x[4]
        y, z = fx.where(inside, x, 2.0), fx.where(inside, x, 3.0)
        rows = fx.where(row, x[:2], 5.0)
        return (
            fx.where(inside, fx.log(y), 0.0) + y,
            fx.where(inside, fx.flip(z), 0.0),
            fx.where(inside, fx.sum(fx.where(inside, x, 4.0)), 0.0),
            fx.where(row, fx.stack([rows, rows[::-1]]), 0.0),
        )

    for got, expected in zip(jit(f)(X), f(X), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-15)


@pytest.mark.parametrize("divide", [fx.floor_divide, fx.remainder, fx.gcd])
def test_divisors_stay_guarded(divide: Any) -> None:
    """A processor stops a program that divides by 0."""

    def f(x: Any, y: Any) -> Any:
        usual = y != 0
        return fx.where(usual, divide(x, fx.where(usual, y, 1)), 7)

    x, y = fx.asarray([5, 7, -9, 4]), fx.asarray([2, 0, 4, 0])
    np.testing.assert_array_equal(jit(f)(x, y), f(x, y))
    assert selects(f, x, y) == 2 + selects(divide, x, y)


@pytest.mark.parametrize("seed", range(20))
def test_programs_of_choices_give_what_they_give_one_operation_after_another(seed: int) -> None:
    """Of a few masks, which are read as numbers too, with choices among choices to any depth, of columns and rows."""
    choose = random.Random(seed)

    def program(x: Any, y: Any) -> Any:
        masks = [x > 0, y < 1, x[:1] > y[:1], (x > y) & (y < 1)]
        values = [x, y, x[:1] + 1]
        for _ in range(25):
            a, b, mask = choose.choice(values), choose.choice(values), choose.choice(masks)
            values += [choose.choice([a * b, fx.sin(a), a - 2, fx.where(mask, a, b)])]
            values.append(fx.where(mask, values[-1], b))
            if choose.random() < 0.1:
                masks.append(values[-1] > a)
                values.append(fx.where(mask, mask, a > b) * a)
        return fx.stack(fx.broadcast_arrays(*values[-6:]))

    draw = np.random.default_rng(seed)
    x, y = [fx.asarray(draw.normal(size=(4, 5))) for _ in range(2)]
    state = choose.getstate()
    expected = program(x, y)
    choose.setstate(state)
    np.testing.assert_allclose(jit(program)(x, y), expected, rtol=1e-12)
