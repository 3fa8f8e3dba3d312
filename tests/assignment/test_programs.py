"""Random programs of views and assignments give what NumPy gives, under every transformation and in control flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import cond, fori_loop, jvp, scan, vmap, writable
from lowering import jit
from tests.assignment.programs import InPython, program

START = np.arange(12.0).reshape(3, 4) - 2.877
"""No element is a number that programs compare with, where derivatives would not be."""


class InEffax:
    """Loops and branches as programs: by `fori_loop`, or by a `scan` over the numbers of the steps."""

    def __init__(self, scanned: bool) -> None:
        self.scanned = scanned

    def repeat(self, times: int, body: Callable[[Any], Any]) -> None:
        step: Any = lambda carry, i: (carry, body(i))
        if self.scanned:
            scan(step, None, fx.arange(times))
        else:
            fori_loop(0, times, lambda i, carry: step(carry, i)[0], None)

    def branch(self, holds: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> None:
        cond(holds, then, otherwise)


def of_numpy(seed: int, control: bool, x: Any = START) -> list[Any]:
    return program(seed, control)(np, InPython(), x.copy())


def of_effax(seed: int, control: bool) -> Callable[[Array], list[Array]]:
    run = program(seed, control)
    return writable(lambda x: run(x.__array_namespace__(), InEffax(seed % 2 == 0), x))


def assert_same(actual: list[Array], expected: list[Any], case: object) -> None:
    assert len(actual) == len(expected)
    for number, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-13, err_msg=f"{case}, array {number}")


@pytest.mark.parametrize("block", range(4))
def test_statements(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        assert_same(of_effax(seed, False)(fx.asarray(START)), of_numpy(seed, False), seed)


@pytest.mark.parametrize("block", range(3))
def test_loops_and_branches(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        assert_same(of_effax(seed, True)(fx.asarray(START)), of_numpy(seed, True), seed)


@pytest.mark.parametrize("seed", range(100, 106))
def test_compiled(seed: int) -> None:
    assert_same(jit(of_effax(seed, True))(fx.asarray(START)), of_numpy(seed, True), seed)


@pytest.mark.parametrize("compiled", [False, True])
def test_lanes(compiled: bool) -> None:
    batch = np.stack([START, START * 2, -START])
    for seed in range(200, 204 if compiled else 215):
        lanes = vmap(of_effax(seed, True))
        rows = [of_numpy(seed, True, x) for x in batch]
        expected = [np.stack(parts) for parts in zip(*rows, strict=True)]
        assert_same((jit(lanes) if compiled else lanes)(fx.asarray(batch)), expected, seed)


def test_derivatives() -> None:
    direction = np.cos(START)
    step = 1e-6
    for seed in range(300, 330):
        _, slopes = jvp(of_effax(seed, True), (fx.asarray(START),), (fx.asarray(direction),))
        above, below = (of_numpy(seed, True, START + sign * step * direction) for sign in (1, -1))
        for ours, a, b in zip(slopes, above, below, strict=True):
            np.testing.assert_allclose(np.asarray(ours), (a - b) / (2 * step), rtol=1e-5, atol=1e-5, err_msg=f"{seed}")
