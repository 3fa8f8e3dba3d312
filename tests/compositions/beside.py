"""A program beside its value by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from effects import tree_map
from tests.compositions.closure import Host, call, leaves, same
from tests.compositions.programs import Program


class Beside(NamedTuple):
    """A program, and a function of the same arguments as host arrays that computes its value without the library."""

    program: Program
    reference: Callable[..., Any]


def beside(f: Callable[..., Any], reference: Callable[..., Any], *args: Any, **kwargs: Any) -> Beside:
    """`f` on its arguments, beside `reference`."""
    return Beside(Program(f, args, kwargs), reference)


def check_value(p: Beside) -> None:
    """The program's value is that of the reference."""
    args, kwargs = tree_map(np.asarray, (p.program.args, p.program.kwargs))
    expected: list[Host] = leaves(p.reference(*args, **kwargs))
    same(leaves(call(p.program)), expected, 1e-13)
