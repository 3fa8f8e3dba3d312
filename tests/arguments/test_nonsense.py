"""Nonsense in every argument of every public function: only errors of effax come out, and they name the argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from inspect import Parameter
from typing import Any, Final

import pytest

from effects.errors import ArgumentError, EffaxError
from handlers import make_jaxpr
from tests.arguments.nonsense import NONSENSE, TRACED
from tests.arguments.signatures import CALLS, Argument, Call


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_is_valid_is_taken(call: Call) -> None:
    call({})


OPERANDS: Final = {
    *("args", "axis_name", "init", "init_val", "jaxpr", "lower", "primals"),
    *("series", "static_argnums", "tangents", "tree", "upper", "xs"),
}
"""Arguments that hold others, or what another one needs: errors name these."""
THEIRS: Final = r"|argument|(multiply|square|less): x|Jaxpr|the program takes|axis|tangent|primal|bounds"


def _attempts(call: Call, argument: Argument, values: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    for name, value in values.items():
        if (callable(argument.valid) or argument.name == "is_leaf") and callable(value):
            continue  # a function; what it gives is not this test's
        yield name, partial(call, {argument.name: value})
        if argument.kind is Parameter.POSITIONAL_OR_KEYWORD and not call.takes_more:
            yield name, partial(call, {argument.name: value}, by_keyword=True)


def _judged(call: Call, argument: Argument, name: str, attempt: Callable[[], object]) -> str:
    """What is wrong with what a call with nonsense gives; nothing for what is right."""
    what = f"{call}({argument.name}={name})"
    try:
        attempt()
    except EffaxError as error:
        theirs = argument.kind is Parameter.VAR_POSITIONAL or argument.name in OPERANDS
        words = rf"\b{argument.name}\b|takes a function{THEIRS if theirs else ''}"
        named = re.search(words, error.message)
        if isinstance(error, ArgumentError) and not named:
            return f"{what} does not name it: {error.message[:200]}"
        return ""
    except BaseException as error:  # whatever it is, it is not ours
        if name == "no repr" and call.name == "debug_print":
            return ""  # which is asked to print it
        return f"{what} raises {type(error).__name__}: {str(error)[:200]}"
    if argument.accepted is not None and name not in argument.accepted:
        return f"{what} is taken"
    return ""


def wrong_of(call: Call, values: dict[str, Any]) -> list[str]:
    """What is wrong with a call, of all its arguments with all these values."""
    return [
        wrong
        for a in call.arguments
        for name, attempt in _attempts(call, a, values)
        if (wrong := _judged(call, a, name, attempt))
    ]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_eager(call: Call) -> None:
    wrong = wrong_of(call, NONSENSE)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_traced(call: Call) -> None:
    wrong: list[str] = []
    make_jaxpr(lambda i: wrong.extend(wrong_of(call, {TRACED: i, **NONSENSE})))(0)
    assert not wrong, "\n".join(wrong)
