"""Arguments have the names that they have in NumPy, or the documents say what to write."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
import pytest

import effects as fx
from effects import fft, linalg
from effects.arrays.search_methods import SearchMethods
from effects.errors import ArgumentError
from tests.each import each
from tests.numpy_calls.test_defaults import NEEDED, same

PAGE: Final = (Path(__file__).parents[2] / "docs" / "numpy.md").read_text()
ABSENT: Final = re.findall(r"`(\w+)=`", PAGE[PAGE.index("NumPy's arguments that are missing here") :])
ONLY_OF: Final = {"copy": ("meshgrid",), "dtype": ("corrcoef", "cov"), "weights": ("histogram_bin_edges",), "where": ()}
"""Names on the page that other functions have."""
BY_NAME: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _named(function: Any) -> list[str]:
    return [name for name, p in inspect.signature(function).parameters.items() if p.kind in BY_NAME]


def _functions() -> Iterator[tuple[str, Any, Any]]:
    for theirs, ours in ((np, fx), (np.linalg, linalg), (np.fft, fft)):
        for name in sorted(theirs.__all__):
            function = getattr(theirs, name)
            if inspect.isroutine(function) and hasattr(ours, name):
                yield name, function, getattr(ours, name)


def test_every_name_is_taken_or_on_the_page() -> None:
    each(_functions(), lambda named: check_names(*named))


def check_names(name: str, theirs: Any, ours: Any) -> None:
    try:
        first, *others = inspect.signature(theirs).parameters
    except ValueError:  # a function in C without a text
        return
    absent = {key for key in ABSENT if name in ONLY_OF.get(key, (name,))}
    assert set(others) & set(_named(theirs)) <= {first, *_named(ours), *absent, *_many(ours)}


def _many(function: Any) -> list[str]:
    """Names that `*more` or `**options` of a function stand for: all of NumPy's."""
    rest = [p for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD]
    return _named(getattr(np, function.__name__)) if rest else []


CALLS: Final = {name: args for name, args in NEEDED.items() if len(args) > 1 and name not in ("einsum", "einsum_path")}


def test_what_follows_the_first_array_is_given_by_name() -> None:
    each(CALLS, check_by_name)


def check_by_name(name: str) -> None:
    theirs, ours = getattr(np, name), getattr(fx, name, None)
    if ours is None or isinstance(theirs, np.ufunc):
        return
    names = [*inspect.signature(theirs).parameters][: len(CALLS[name])]
    first = next((i for i, key in enumerate(names) if key in _named(ours)), len(names))
    by_position, by_name = CALLS[name][:first], dict(zip(names[first:], CALLS[name][first:], strict=True))
    same(ours(*by_position, **by_name), theirs(*CALLS[name]))


MORE: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "arange": ({"start": 1, "stop": 3}, np.arange(1, 3)),
    "eye": ({"N": 2, "M": 3}, np.eye(2, 3)),
    "geomspace": ({"start": 1.0, "stop": 8.0, "num": 4}, np.geomspace(1.0, 8.0, 4)),
    "hanning": ({"M": 4}, np.hanning(4)),
    "identity": ({"n": 2}, np.identity(2)),
    "indices": ({"dimensions": (2, 2)}, np.indices((2, 2))),
    "kaiser": ({"M": 4, "beta": 2.0}, np.kaiser(4, 2.0)),
    "linspace": ({"start": 0.0, "stop": 1.0, "num": 3}, np.linspace(0.0, 1.0, 3)),
    "tri": ({"N": 2, "M": 3}, np.tri(2, 3)),
}


@pytest.mark.parametrize("name", MORE)
def test_what_makes_arrays_takes_all_by_name(name: str) -> None:
    options, expected = MORE[name]
    same(getattr(fx, name)(**options), expected)


def test_arange_of_a_stop_by_name_begins_at_0() -> None:
    same(fx.arange(stop=3), np.arange(3))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(6, 4), (2, -1), (4, 3, 2), (-1,), (24, 1)])
def test_order_of_reshape(shape: tuple[int, ...], order: Literal["C", "F"]) -> None:
    x = np.arange(24).reshape(2, 3, 4)
    y = fx.asarray(x)
    same(fx.reshape(y, shape, order=order), x.reshape(shape, order=order))
    same(y.reshape(*shape, order=order), x.reshape(shape, order=order))
    same(np.reshape(cast("Any", y), shape, order=order), x.reshape(shape, order=order))
    for found in (y.ravel(order), y.flatten(order), fx.ravel(y, order)):
        same(found, x.ravel(order))


def test_an_order_that_is_none_is_refused() -> None:
    y: Any = fx.ones(2)
    with pytest.raises(ArgumentError, match="reshape: order must be 'C' or 'F', got 'A'"):
        fx.reshape(y, (1, 2), order=cast("Any", "A"))
    with pytest.raises(ArgumentError, match="ravel: order must be 'C' or 'F', got 1"):
        y.ravel(1)


METHODS: Final[dict[str, dict[str, Any]]] = {
    "argpartition": {"kth": 1},
    "astype": {"dtype": "float32"},
    "choose": {"choices": [np.arange(3)] * 3},
    "compress": {"condition": [True, False, True]},
    "repeat": {"repeats": 2},
    "take": {"indices": [1, 0]},
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_by_name_what_they_say(name: str) -> None:
    x = np.array([2, 0, 1])
    same(getattr(fx.asarray(x), name)(**METHODS[name]), getattr(np, name)(*_as_function(name, x, METHODS[name])))


def _as_function(name: str, x: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    return (*options.values(), x) if name == "compress" else (x, *options.values())


PASSED_ON: Final = [
    name for name, method in vars(SearchMethods).items() if inspect.isfunction(method) and name != "compress"
]


def test_names_of_methods_are_those_of_their_functions() -> None:
    for name in PASSED_ON:
        assert {*_named(getattr(SearchMethods, name))} - {"self"} <= {*_named(getattr(fx, name))}, name
