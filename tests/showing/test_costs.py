"""Costs of programs against counts by hand: arithmetic, bytes, and the most bytes that are alive at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import effects as fx
from handlers import cond, grad, make_jaxpr, scan, vmap, while_loop
from lowering import jit, show

N = 1000
"""Elements of the vectors here, of 8 bytes each."""

x, m, w = fx.ones(N), fx.ones((3, 4)), fx.ones((4, 5))
image, kernel = fx.ones((2, 3, 8, 8)), fx.ones((6, 3, 3, 3))


def square_sum(x: fx.Array) -> fx.Array:
    shifted = x + 1.0
    squares = shifted * shifted
    return fx.sum(squares)


def stepped(x: fx.Array) -> fx.Array:
    return scan(lambda carry, _: (carry * 2.0 + 1.0, None), x, None, length=7)[0]


def stacked(x: fx.Array) -> fx.Array:
    return scan(lambda carry, _: (carry + 1.0, carry * carry), x, None, length=7)[1]


# Of each program: its FLOPs, the bytes that it moves, the bytes at the peak, and if all is counted.
COUNTS: list[tuple[Callable[..., object], tuple[fx.Array, ...], int, int, int, bool]] = [
    (lambda x: fx.sin(x), (x,), N, 16 * N, 16 * N, True),
    (square_sum, (x,), N + N + N - 1, (16 + 24 - 8 + 8) * N + 8, 24 * N, True),
    (lambda x: cond(x[0] > 0, fx.sin, fx.sin, x), (x,), N + 1, 16 * N + 41, 16 * N + 1, True),
    (lambda a: fx.linalg.cholesky(a), (fx.eye(6),), 6**3 // 3, 8 * 72, 8 * 72, True),
    (fx.matmul, (m, w), 2 * 3 * 4 * 5, 8 * (12 + 20 + 15), 8 * (12 + 20 + 15), True),
    (
        lambda a, k: fx.conv(a, k),
        (image, kernel),
        2 * (2 * 6 * 6 * 6) * (3 * 3 * 3),
        8 * (image.size + kernel.size + 2 * 6 * 6 * 6),
        8 * (image.size + kernel.size + 2 * 6 * 6 * 6),
        True,
    ),
    (stepped, (x,), 7 * 2 * N, 7 * 32 * N, (8 + 8 + 16) * N, True),  # x, the result, a product and a sum
    (stacked, (x,), 7 * 2 * N, 7 * (16 + 16) * N, (8 + 8 + 56 + 16) * N, True),
    (
        lambda x: cond(x[0] > 0, lambda x: fx.sin(fx.cos(x)), lambda x: -x, x),
        (x,),
        2 * N + 1,
        32 * N + 41,
        24 * N + 1,
        True,
    ),
    (jit(square_sum), (x,), 3 * N - 1, 40 * N + 8, 24 * N, True),
    (lambda x: while_loop(lambda x: x[0] < 9, lambda x: x + 1.0, x), (x,), N + 1, 16 * N + 41, 24 * N, False),
    (lambda a: fx.linalg.svd(a)[1], (m,), 0, 8 * (12 + 9 + 3 + 16), 8 * (12 + 9 + 3 + 16), False),
]


@pytest.mark.parametrize("f, arguments, flops, moved, peak, known", COUNTS)
def test_against_counts_by_hand(
    f: Callable[..., object], arguments: tuple[fx.Array, ...], flops: int, moved: int, peak: int, known: bool
) -> None:
    measured = show(f, *arguments).columns[-1].program.measured
    assert (measured.cost.flops, measured.cost.bytes, measured.peak, measured.cost.known) == (flops, moved, peak, known)


def test_the_peak_is_at_its_line() -> None:
    (column,) = show(square_sum, x).columns
    peak = column.program.peak
    assert peak is not None and peak.operation == "mul"
    assert peak.line.number == square_sum.__code__.co_firstlineno + 2


def test_lines_add_up_to_the_program() -> None:
    for column in show(
        vmap(grad(lambda x: stepped(x).sum() + cond(x[0] > 0, fx.sum, square_sum, x))), fx.ones((3, N))
    ).columns:
        measured = column.program.measured
        assert sum([cost.flops for cost in measured.lines.values()]) == measured.cost.flops
        assert sum([cost.bytes for cost in measured.lines.values()]) == measured.cost.bytes
        assert sum([cost.equations for cost in measured.lines.values()]) == measured.cost.equations


def test_a_program_that_is_called_often_is_measured_once() -> None:
    f: Callable[[fx.Array], fx.Array] = fx.sin
    for _ in range(60):
        f = jit(lambda x, f=f: f(f(x)))
    cost = show(make_jaxpr(f)(fx.asarray(1.0))).columns[0].program.measured.cost
    assert cost.flops == 2**60
