"""Programs of loops that stop when they are done, each beside its value by NumPy.

Those in `FORWARD_ONLY` have no reverse mode, as their number of steps depends on values; those in `BOUNDED_BY_VALUES`
have one where these values are known.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import effects as fx
from effects import Array
from handlers import cond, fori_loop, jvp, scan, vmap, while_loop
from tests.compositions.beside import Beside, beside
from tests.compositions.closure import Host
from tests.compositions.programs import numbers, scalar


def newton_until_close(a: Array) -> tuple[Array, Array]:
    """How often it steps is an integer result."""

    def improve(c: tuple[Array, Array]) -> tuple[Array, Array]:
        value, slope = jvp(lambda x: x**3 - a, (c[0],), (fx.asarray(1.0),))
        return c[0] - value / slope, c[1] + 1

    return while_loop(lambda c: fx.abs(c[0] ** 3 - a) > 1e-2, improve, (a, fx.asarray(0)))


def newton_until_close_by_numpy(a: Host) -> Any:
    x, n = a, 0
    while abs(x**3 - a) > 1e-2:
        x, n = x - (x**3 - a) / (3 * x**2), n + 1
    return x, np.asarray(n)


def bisection(lo: Array, hi: Array) -> Array:
    def halve(c: tuple[Array, Array]) -> tuple[Array, Array]:
        middle = (c[0] + c[1]) / 2.0
        right = fx.cos(middle) > middle
        return fx.where(right, middle, c[0]), fx.where(right, c[1], middle)

    a, b = while_loop(lambda c: c[1] - c[0] > 0.3, halve, (lo, hi))
    return a * b


def bisection_by_numpy(lo: Host, hi: Host) -> Any:
    while hi - lo > 0.3:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if np.cos(middle) > middle else (lo, middle)
    return lo * hi


def scan_in_cond_in_while(x: Array, ys: Array) -> Array:
    def body(c: tuple[Array, Array]) -> tuple[Array, Array]:
        i, v = c
        longer = cond(i > 0, lambda: scan(lambda d, y: (fx.sin(d) + y * x, d * y), v, ys)[0], lambda: v * x)
        return i + 1, longer

    return while_loop(lambda c: (c[0] < 3) & (c[1] < 9.0), body, (fx.asarray(0), x))[1]


def scan_in_cond_in_while_by_numpy(x: Host, ys: Host) -> Any:
    v = x * x
    for _ in range(2):
        for y in ys:
            v = np.sin(v) + y * x
    return v


def while_in_scan_in_cond(x: Array, ys: Array) -> Array:
    def step(c: Array, y: Array) -> tuple[Array, Array]:
        up = while_loop(lambda v: v < 3.0, lambda v: v * 1.5 + y * x, c)
        return up * 0.3, up

    return cond(x > 0.0, lambda: fx.sum(scan(step, x, ys)[1]), lambda: x)


def while_in_scan_in_cond_by_numpy(x: Host, ys: Host) -> Any:
    c, total = x, np.zeros(())
    for y in ys:
        while c < 3:
            c = c * 1.5 + y * x
        total, c = total + c, c * 0.3
    return total


def bounds_from_values(x: Array) -> Array:
    return fori_loop(0, fx.astype(4.4 * x, fx.int64), lambda i, c: fx.sin(c) * x + i, x)


def bounds_from_values_by_numpy(x: Host) -> Any:
    c = x
    for i in range(int(4.4 * x)):
        c = np.sin(c) * x + i
    return c


def lanes_that_stop(xs: Array) -> Array:
    """A vmap in the program: its lanes stop at different steps."""
    result: Array = vmap(lambda x: while_loop(lambda c: c < 3.0, lambda c: c * (1.0 + x) + 0.1, x))(xs)
    return result


def lanes_that_stop_by_numpy(xs: Host) -> Any:
    out = []
    for x in xs:
        c = x
        while c < 3:
            c = c * (1 + x) + 0.1
        out.append(c)
    return np.stack(out)


_X: Final = scalar(0.7)
_YS: Final = numbers(2, seed=51)
FORWARD_ONLY: Final[dict[str, Beside]] = {
    "newton until close": beside(newton_until_close, newton_until_close_by_numpy, scalar(2.5)),
    "bisection": beside(bisection, bisection_by_numpy, scalar(0.1), scalar(1.4)),
    "scan in cond in while": beside(scan_in_cond_in_while, scan_in_cond_in_while_by_numpy, _X, _YS),
    "while in scan in cond": beside(while_in_scan_in_cond, while_in_scan_in_cond_by_numpy, _X, _YS),
    "lanes that stop": beside(lanes_that_stop, lanes_that_stop_by_numpy, numbers(2, seed=69)),
}
BOUNDED_BY_VALUES: Final[dict[str, Beside]] = {
    "bounds from values": beside(bounds_from_values, bounds_from_values_by_numpy, _X)
}
