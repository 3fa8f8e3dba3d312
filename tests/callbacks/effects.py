"""One small function per kind of callback: it reports what it was called with, and gives something differentiable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import effects as fx
from effects import Array, ShapedArray
from handlers import debug_callback, io_callback, pure_callback

type HostEffect = Callable[[list[float], Array], Array]
"""Performs an effect that appends its operand to a list, and gives the square of the operand."""


def _reporting(calls: list[float]) -> Callable[[Any], Any]:
    def report(value: Any) -> Any:
        calls.append(float(value))
        return value * 0

    return report


def debug(calls: list[float], x: Array) -> Array:
    debug_callback(_reporting(calls), x)
    return x * x


def ordered_debug(calls: list[float], x: Array) -> Array:
    debug_callback(_reporting(calls), x, ordered=True)
    return x * x


def pure(calls: list[float], x: Array) -> Array:
    return x * x + pure_callback(_reporting(calls), ShapedArray((), fx.float64), x)


def io(calls: list[float], x: Array) -> Array:
    return x * x + io_callback(_reporting(calls), ShapedArray((), fx.float64), x)


def ordered_io(calls: list[float], x: Array) -> Array:
    return x * x + io_callback(_reporting(calls), ShapedArray((), fx.float64), x, ordered=True)


EFFECTS: Final[dict[str, HostEffect]] = {
    "debug": debug,
    "ordered debug": ordered_debug,
    "pure": pure,
    "io": io,
    "ordered io": ordered_io,
}
