"""Nested lists and tuples of numbers are arrays to every function that takes arrays, as they are to NumPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from effects.errors import ArgumentError, ShapeError
from tests.arguments.signatures import CALLS, Argument, Call
from tests.boundaries.sources import NAMESPACES
from tests.errors.untyped import fx, grad, jit

LEFT_OUT: Final = {
    *(
        "common_type.arrays",
        "from_dlpack.x",
        "unpackbits.x",
        "random.wrap_key_data.words",
    ),  # which are about the dtype, or the array as such
    *("block.arrays", "histogramdd.sample"),  # where lists and tuples mean another thing, also to NumPy
}


def _as_lists(value: Any) -> Any:
    if isinstance(value, fx.Array):
        return value.tolist()
    return tuple(map(_as_lists, value)) if isinstance(value, list | tuple) else value


def _holds_arrays(argument: Argument) -> bool:
    value = argument.valid
    return isinstance(value, fx.Array) or (
        type(value) in (list, tuple) and len(value) > 0 and isinstance(value[0], fx.Array)
    )


FUNCTIONS: Final = tuple(f"effects.{folder}." for folder in ("functions", *NAMESPACES))


def _cases() -> list[tuple[Call, Argument]]:
    return [
        (call, a)
        for call in CALLS
        if call.f.__module__.startswith(FUNCTIONS)
        for a in call.arguments
        if _holds_arrays(a) and f"{call.name}.{a.name}" not in LEFT_OUT
    ]


@pytest.mark.parametrize(("call", "argument"), _cases(), ids=lambda case: getattr(case, "name", ""))
def test_a_list_is_the_array_of_its_elements(call: Call, argument: Argument) -> None:
    expected = fx.tree_leaves(call({}))
    given = fx.tree_leaves(call({argument.name: _as_lists(argument.valid)}))
    assert len(given) == len(expected)
    for a, b in zip(given, expected, strict=True):
        assert np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(b).dtype.kind in "fc")


X = fx.asarray([1.0, 2.0, 3.0])
OPERATORS: Final = ("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!=")


@pytest.mark.parametrize("sign", OPERATORS)
def test_operators(sign: str) -> None:
    host = np.asarray(X)
    for text in (f"x {sign} [3, 2, 1]", f"[3, 2, 1] {sign} x", f"x {sign} (3, 2, 1)"):
        given, expected = eval(text, {"x": X}), eval(text, {"x": host})
        assert isinstance(given, fx.Array) and np.array_equal(given, expected) and given.dtype == expected.dtype


def test_arrays_among_numbers() -> None:
    assert float(jit(lambda v: fx.interp(v, [1, 2, 3], [3, 2, v]))(2.5)) == 2.25
    assert float(grad(lambda v: fx.sum([v, v * v, 1.0]))(2.0)) == 5.0
    assert np.array_equal(np.concatenate([X, [1.0]]), [1.0, 2.0, 3.0, 1.0])
    assert float(np.average(X, weights=[1, 2, 3])) == pytest.approx(14 / 6)
    assert np.histogram(X, bins=[1, 2, 3])[0].tolist() == [1, 2]


class Pair(tuple[float, float]):
    """A class of somebody's, which means more than its fields."""


REFUSED: Final = {
    "ragged": ([X, [1.0, 2.0]], r"sum: x is ragged, and so no array: it holds elements of shape \[3\] and \[2\]"),
    "ragged numbers": ([[1], [1, 2]], "sum: x is ragged, and so no array: its parts differ in length"),
    "words": (["a"], "sum: x is not an array of numbers"),
    "objects": ([None, X], "sum: an element of x must be an array or a number, got None"),
    "classes": (Pair((1.0, 2.0)), r"sum: x is of type Pair; asarray\(x\) makes an array of it"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_array_is_refused(case: str) -> None:
    value, words = REFUSED[case]
    with pytest.raises(ShapeError if "ragged" in case else ArgumentError, match=words):
        fx.sum(value)
