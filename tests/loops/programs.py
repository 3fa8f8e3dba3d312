"""Programs with loops that are closed under the transformations, each beside the same in Python.

`EVERY_MODE` have derivatives of every mode; those in `FORWARD_ONLY` have no reverse mode, as their number of steps
depends on values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import effects as fx
from effects import Array
from handlers import associative_scan, cond, fori_loop, map, scan, switch, while_loop
from lowering import jit
from tests.compositions.programs import Program, numbers, scalar


class Beside(NamedTuple):
    """A program, and a function of the same arguments that has no loop but Python's."""

    program: Program
    python: Callable[..., Any]


def recurrence(x: Array, ys: Array) -> tuple[Array, Array]:
    return scan(lambda c, y: (fx.sin(c) * y + x, c * c), x, ys)


def recurrence_python(x: Array, ys: Array) -> tuple[Array, Array]:
    c, out = x, []
    for y in ys:
        c, before = fx.sin(c) * y + x, c
        out.append(before * before)
    return c, fx.stack(out)


def network(params: dict[str, Array], xs: Array) -> dict[str, Any]:
    def step(h: dict[str, Array], x: Array) -> tuple[dict[str, Array], tuple[Array, Array]]:
        new = fx.tanh(params["w"] @ h["state"] + x)
        return {"state": new, "sum": h["sum"] + new[0]}, (new, x)

    start = {"state": fx.zeros(2), "sum": fx.asarray(0.0)}
    last, (states, same) = scan(step, start, xs, reverse=True)
    return {"last": last, "states": states, "same": same}


def network_python(params: dict[str, Array], xs: Array) -> dict[str, Any]:
    state, total = fx.zeros(2), fx.asarray(0.0)
    states = []
    for x in list(xs)[::-1]:
        state = fx.tanh(params["w"] @ state + x)
        total = total + state[0]
        states.append(state)
    return {"last": {"state": state, "sum": total}, "states": fx.stack(states[::-1]), "same": xs}


def newton(a: Array) -> Array:
    return fori_loop(0, 5, lambda i, x: 0.5 * (x + a / x) + 0.1 * i, a)


def newton_python(a: Array) -> Array:
    x = a
    for i in range(5):
        x = 0.5 * (x + a / x) + 0.1 * i
    return x


def choices_in_scan(x: Array, ys: Array) -> tuple[Array, Array]:
    def step(c: Array, y: Array) -> tuple[Array, Array]:
        new = cond(y > 0.9, lambda: fx.sin(c) * x, lambda: c * y)
        return new, switch(fx.astype(y, fx.int64), [fx.sin, lambda v: v * x], new)

    return scan(step, x, ys, unroll=2)


def choices_in_scan_python(x: Array, ys: Array) -> tuple[Array, Array]:
    c, out = x, []
    functions: list[Callable[[Array], Array]] = [fx.sin, lambda v: v * x]
    for y in ys:
        c = fx.sin(c) * x if float(y) > 0.9 else c * y
        out.append(functions[int(y)](c))
    return c, fx.stack(out)


def scan_in_scan(x: Array, ys: Array) -> Array:
    def row(c: Array, y: Array) -> tuple[Array, Array]:
        inner, products = scan(lambda d, z: (d * z + c, d * y), c, ys[0] * x + ys, reverse=True)
        return fx.tanh(inner), fx.sum(products)

    last, sums = scan(row, x, ys)
    total: Array = last + fx.sum(sums)
    return total


def scan_in_scan_python(x: Array, ys: Array) -> Array:
    c, total = x, fx.asarray(0.0)
    for y in ys:
        d = c
        for z in list(ys[0] * x + ys)[::-1]:
            total = total + d * y
            d = d * z + c
        c = fx.tanh(d)
    return c + total


def prefix_products(x: Array) -> Array:
    products: Array = map(lambda v: fx.sin(v) * x[0], x)
    return associative_scan(fx.multiply, x) + products


def prefix_products_python(x: Array) -> Array:
    out, product = [], fx.asarray(1.0)
    for v in x:
        product = product * v
        out.append(product + fx.sin(v) * x[0])
    return fx.stack(out)


def loops_in_branch_in_jit(x: Array) -> Array:
    inner: Callable[[Array], Array] = jit(lambda v: fori_loop(0, 3, lambda i, c: c * fx.cos(v), v))
    outer: Callable[[Array], Array] = jit(lambda v: cond(v > 0.0, lambda: inner(v) + x, lambda: v))
    return outer(x * 2.0)


def loops_in_branch_in_jit_python(x: Array) -> Array:
    v = x * 2.0
    c = v
    for _ in range(3):
        c = c * fx.cos(v)
    return c + x


def doubling(x: Array) -> tuple[Array, Array]:
    """The number of steps depends on x: lanes that differ by 5 % stop at different times."""
    return while_loop(lambda c: c[0] < 10.0, lambda c: (c[0] * 1.3 * x, c[1] + fx.sin(c[0])), (x, x))


def doubling_python(x: Array) -> tuple[Array, Array]:
    c = (x, x)
    while float(c[0]) < 10.0:
        c = (c[0] * 1.3 * x, c[1] + fx.sin(c[0]))
    return c


def scan_in_while(x: Array, ys: Array) -> Array:
    def body(c: tuple[Array, Array]) -> tuple[Array, Array]:
        i, v = c
        v, _ = scan(lambda d, y: (fx.sin(d) + y * x, None), v, ys)
        return i + 1, cond(i > 1, lambda: v * x, lambda: v)

    return while_loop(lambda c: c[0] < 4, body, (0, x))[1]


def scan_in_while_python(x: Array, ys: Array) -> Array:
    v = x
    for i in range(4):
        for y in ys:
            v = fx.sin(v) + y * x
        v = v * x if i > 1 else v
    return v


def while_in_scan_in_cond(x: Array, ys: Array) -> Array:
    def step(c: Array, y: Array) -> tuple[Array, Array]:
        up = while_loop(lambda v: v < 3.0, lambda v: v * 1.5 + y * x, c)
        return up * 0.3, up

    return cond(x > 0.0, lambda: fx.sum(scan(step, x, ys)[1]), lambda: x)


def while_in_scan_in_cond_python(x: Array, ys: Array) -> Array:
    c, total = x, fx.asarray(0.0)
    for y in ys:
        while float(c) < 3.0:
            c = c * 1.5 + y * x
        total = total + c
        c = c * 0.3
    return total


_YS: Final = numbers(3, seed=31)
EVERY_MODE: Final[dict[str, Beside]] = {
    "recurrence": Beside(Program(recurrence, (scalar(0.7), _YS), {}), recurrence_python),
    "choices in scan": Beside(Program(choices_in_scan, (scalar(0.7), _YS), {}), choices_in_scan_python),
    "network": Beside(Program(network, ({"w": numbers(2, 2, seed=32)}, numbers(3, 2, seed=33)), {}), network_python),
    "newton": Beside(Program(newton, (numbers(2, seed=34),), {}), newton_python),
    "scan in scan": Beside(Program(scan_in_scan, (scalar(0.4), _YS), {}), scan_in_scan_python),
    "prefix products": Beside(Program(prefix_products, (numbers(5, seed=35),), {}), prefix_products_python),
    "loops in branch in jit": Beside(
        Program(loops_in_branch_in_jit, (scalar(0.6),), {}), loops_in_branch_in_jit_python
    ),
}
FORWARD_ONLY: Final[dict[str, Beside]] = {
    "doubling": Beside(Program(doubling, (scalar(1.2),), {}), doubling_python),
    "scan in while": Beside(Program(scan_in_while, (scalar(0.7), _YS), {}), scan_in_while_python),
    "while in scan in cond": Beside(
        Program(while_in_scan_in_cond, (scalar(0.7), _YS), {}), while_in_scan_in_cond_python
    ),
}
