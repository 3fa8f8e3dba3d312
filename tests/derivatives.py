"""Derivatives of orders 1 to 4 of elementwise functions beside those of a table, which has 60 digits of them.

In single precision, derivatives are those of programs in double precision, rounded: the first two orders show that.
Forward mode nests; reverse mode goes back through each order but the last, since what `where` leaves out may be
infinite and meet a zero there. Double precision is computed as it comes, single precision by a program: the interpreter
of tests would take ten times as long for the higher orders.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import effects as fx
from handlers import jvp, linear_transpose, linearize
from lowering import jit

ORDERS: Final = 4
BOUNDS: Final = {"float64": (1e-13, 2e-13, 2e-12, 1e-11, 1e-10), "float32": (5e-7, 2e-6, 2e-5)}
"""Of the relative errors, for each order that is computed."""

_LEAST: Final = 1e-140
"""Less is nothing, as the derivatives of a high power at 0 are."""

type Row = tuple[tuple[float, ...], list[list[float]]]
"""The arguments, and for each order the derivative, or at a kink those from both sides."""


class Moved(NamedTuple):
    """A function and which of how many arguments is moved."""

    name: str
    argument: int
    of: int

    def __str__(self) -> str:
        return f"{self.name}-{self.argument}"


def table(path: Path) -> dict[Moved, list[Row]]:
    rows: dict[Moved, list[Row]] = {}
    for line in path.read_text().splitlines():
        head, _, rest = line.partition("(")
        arguments, _, numbers = rest.partition(")")
        name, argument = head.split()
        derivatives = [[float(side) for side in number.split("|")] for number in numbers.split()]
        values = literal_eval(f"({arguments},)")
        rows.setdefault(Moved(name, int(argument), len(values)), []).append((values, derivatives))
    return rows


def with_derivatives(f: Callable[[fx.Array], fx.Array], orders: int) -> Callable[[fx.Array], tuple[fx.Array, ...]]:
    """f and its derivatives up to that order."""
    if not orders:
        return lambda x: (f(x),)
    before = with_derivatives(f, orders - 1)

    def derivatives(x: fx.Array) -> tuple[fx.Array, ...]:
        values, slopes = jvp(before, (x,), (fx.ones_like(x),))
        return *values, slopes[-1]

    return derivatives


def _computed(
    f: Callable[..., fx.Array], argument: int, xs: Sequence[NDArray[Any]], orders: int, run: Any
) -> list[list[NDArray[Any]]]:
    """For each order what each mode gives: derivatives of derivatives, the last one linearised, and its transpose."""

    def program(*xs: Any) -> tuple[tuple[fx.Array, ...], tuple[fx.Array, ...], list[fx.Array]]:
        def along(x: fx.Array) -> fx.Array:
            return f(*xs[:argument], x, *xs[argument + 1 :])

        values, forward = linearize(with_derivatives(along, orders - 1), xs[argument])
        back = linear_transpose(forward, xs[argument])
        units = [[fx.ones_like(v) if i == k else fx.zeros_like(v) for i, v in enumerate(values)] for k in range(orders)]
        return values, forward(fx.ones_like(xs[argument])), [back(tuple(unit))[0] for unit in units]

    values, forward, reverse = run(program)(*xs)
    nested = [*values[1:], forward[-1]]
    modes = [[values[0]], *[list(order) for order in zip(nested, forward, reverse, strict=True)]]
    return [[np.asarray(v, np.float64) for v in order] for order in modes]


def _scales(x: float, derivatives: list[list[float]]) -> list[float]:
    """How large errors are measured by: of what is 0, as by symmetry, its neighbours say so."""
    sizes = [max(map(abs, sides)) for sides in derivatives]
    following = sizes[3] * np.sqrt(sizes[3] / sizes[1]) if sizes[1] else sizes[3]
    beside = [
        0.0 if sizes[0] else abs(x) * sizes[1],
        *[np.sqrt(sizes[k - 1]) * np.sqrt(sizes[k + 1]) for k in range(1, ORDERS)],
        following,
    ]
    return [max(pair) for pair in zip(sizes, beside, strict=True)]


def _roundings(x: float, derivatives: list[list[float]]) -> list[float]:
    """What is rounded on the way to each order: the argument, and beyond the first order what is of those below."""
    sizes = [max(map(abs, sides)) for sides in derivatives]
    return [abs(x) * sizes[1], 0.0, *[8.0 * 4.0 ** (k - 2) * max(sizes[1:k]) for k in range(2, ORDERS + 1)]]


def wrong(
    f: Callable[..., fx.Array],
    moved: Moved,
    rows: list[Row],
    dtype: str,
    bounds: Sequence[float] | None = None,
    eager: bool = False,
) -> list[str]:
    """The differences from the table above the bounds, in words; single precision is computed by a program."""
    kind = np.dtype(dtype)
    xs = [np.array(column, kind) for column in zip(*[row[0] for row in rows], strict=True)]
    limits = np.finfo(kind)
    bounds = bounds or BOUNDS[dtype]
    run = jit if dtype == "float32" and not eager else lambda program: program
    lines = []
    for order, modes in enumerate(_computed(f, moved.argument, xs, len(bounds) - 1, run)):
        for values in modes:
            for value, (arguments, derivatives) in zip(values, rows, strict=True):
                low, high = min(derivatives[order]), max(derivatives[order])
                if max(abs(side) for sides in derivatives for side in sides) > float(limits.max):
                    continue
                error = max(low - value, value - high, 0.0) if np.isfinite(value) else np.inf
                x = arguments[moved.argument]
                bound = bounds[order] * _scales(x, derivatives)[order]
                bound += 4 * float(limits.eps) * _roundings(x, derivatives)[order]
                if error > bound + max(4 * float(limits.tiny), _LEAST):
                    lines.append(f"{moved.name}{arguments}, order {order}: {value!r}, not {low!r} (error {error:.1e})")
    return lines
