"""Nonsense in every argument of every public function: only errors of effax come out, and they name the argument."""

from __future__ import annotations

import re
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
    if not call.takes_more:
        call({}, by_keyword=True)


OPERANDS: Final = {
    *("args", "axis_name", "init", "init_val", "jaxpr", "lower", "primals"),
    *("series", "static_argnums", "tangents", "tree", "upper", "xs"),
}
"""Arguments that hold others, or what another one needs: errors name these."""
THEIRS: Final = r"|argument|(multiply|square|less): x|Jaxpr|the program takes|axis|tangent|primal|bounds"


def _judged(call: Call, argument: Argument, name: str, value: Any, by_keyword: bool = False) -> tuple[bool, list[str]]:
    """True if a call with nonsense is taken, and what is wrong with what it gives."""
    what = f"{call}({argument.name}={name})"
    try:
        call({argument.name: value}, by_keyword)
    except EffaxError as error:
        theirs = argument.kind is Parameter.VAR_POSITIONAL or argument.name in OPERANDS
        words = rf"\b{argument.name}\b|takes a function{THEIRS if theirs else ''}"
        unnamed = isinstance(error, ArgumentError) and not re.search(words, error.message)
        return False, [f"{what} does not name it: {error.message[:200]}"] if unnamed else []
    except BaseException as error:  # whatever it is, it is not ours
        asked = name == "no repr" and call.name == "debug_print"  # to print it
        return False, [] if asked else [f"{what} raises {type(error).__name__}: {str(error)[:200]}"]
    refused = argument.accepted is not None and name not in argument.accepted
    return True, [f"{what} is taken"] if refused else []


def wrong_of(call: Call, values: dict[str, Any]) -> list[str]:
    """Mistakes of a call, of all its arguments with all these values; the first that it refuses is named, too."""
    wrong: list[str] = []
    for a in call.arguments:
        to_be_named = a.kind is Parameter.POSITIONAL_OR_KEYWORD and not call.takes_more
        for name, value in values.items():
            if (callable(a.valid) or a.name == "is_leaf") and callable(value):
                continue  # a function; what it gives is not this test's
            taken, faults = _judged(call, a, name, value)
            if to_be_named and not taken:
                faults += _judged(call, a, name, value, by_keyword=True)[1]
                to_be_named = False
            wrong += faults
    return wrong


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_eager(call: Call) -> None:
    wrong = wrong_of(call, NONSENSE)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_traced(call: Call) -> None:
    """Within a program, with a number that is not known, and a quarter of the others: of each call another one."""
    few = dict([*NONSENSE.items()][len(call.name) % 4 :: 4])
    wrong: list[str] = []
    make_jaxpr(lambda i: wrong.extend(wrong_of(call, {TRACED: i, **few})))(0)
    assert not wrong, "\n".join(wrong)
