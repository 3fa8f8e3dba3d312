"""The law of observation: to look on changes no bit of what any public function gives, nor a word of its errors."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects import Array
from handlers import Log
from tests.arguments.signatures import CALLS as BY_SIGNATURE
from tests.functions.calls import Call
from tests.functions.compared import quietly, split
from tests.functions.named import KNOWN
from tests.functions.test_functions import CALLS
from tests.linalg.calls import CALLS as OF_MATRICES
from tests.own_handlers.operations import Count
from tests.random.test_by_rejection import CALLS as OF_NUMBERS
from tests.special.test_values import REGIONS
from tests.stats.test_distributions import CONTINUOUS, DISCRETE, Q, X

type Run = Callable[[], object]


OBSERVERS: Final[dict[str, Callable[[], AbstractContextManager[object]]]] = {
    "Log": lambda: Log(file=io.StringIO()),
    "Count": Count,
}


def _bits(run: Run) -> object:
    """The types and elements of the arrays that a call gives, or the words of its error."""
    try:
        with quietly():
            leaves = [leaf for leaf in fx.tree_leaves(run()) if isinstance(leaf, Array)]
    except fx.EffaxError as error:
        return error.message
    return [(str(leaf.aval), np.asarray(leaf).tobytes()) for leaf in leaves]


def _called(f: Callable[..., Any], *args: Any) -> Run:
    return lambda: f(*[fx.asarray(a) if isinstance(a, np.ndarray) else a for a in args])


def _of_arrays() -> Iterator[tuple[str, Run]]:
    def run(call: Call) -> object:
        f, arrays = split(call)
        return f(*arrays)

    for call in [*CALLS, *KNOWN]:
        yield str(call), partial(run, call)


def _of_distributions() -> Iterator[tuple[str, Run]]:
    for name, shapes in {**CONTINUOUS, **DISCRETE}.items():
        distribution = getattr(fx.stats, name)
        for method in ("logpdf", "pdf", "logpmf", "pmf", "logcdf", "cdf", "logsf", "sf", "ppf", "isf"):
            if (f := getattr(distribution, method, None)) is not None:
                yield f"{name}.{method}", _called(f, Q if method in ("ppf", "isf") else X, *shapes)


def _of_reals() -> Iterator[tuple[str, Run]]:
    def run(name: str, kind: str, args: tuple[Any, ...]) -> object:
        return getattr(fx.special, name)(*[fx.asarray(np.asarray(x).astype(kind)) for x in args])

    for name, (args, _) in REGIONS.items():
        for kind in ("float64", "float32"):
            yield f"{name} of {kind}", partial(run, name, kind, args)


UNOBSERVED: Final = {"operation_times": "it measures operations outside of all handlers, and says so"}
TABLES: Final[dict[str, Callable[[], Iterator[tuple[str, Run]]]]] = {
    "every public function": lambda: ((str(call), partial(call, {})) for call in BY_SIGNATURE),
    "functions of arrays": _of_arrays,
    "distributions": _of_distributions,
    "special functions": _of_reals,
    "linear algebra": lambda: ((name, _called(f, *args)) for name, (f, _, args) in OF_MATRICES.items()),
    "random numbers": lambda: iter(OF_NUMBERS.items()),
}


@pytest.mark.parametrize("table", TABLES)
def test_looking_on_changes_no_bit(table: str) -> None:
    changed = []
    for name, run in TABLES[table]():
        if name in UNOBSERVED:
            continue
        bits = _bits(run)
        for observer, new in OBSERVERS.items():
            with new():
                observed = _bits(run)
            if observed != bits:
                changed.append(f"{name} under {observer}")
    assert not changed
