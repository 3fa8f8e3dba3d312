"""Nonsense for methods, operators, stages of compilation, handlers, rules and nodes: only errors of effax come out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from effects.errors import EffaxError
from handlers import make_jaxpr
from tests.arguments.nonsense import NONSENSE, TRACED
from tests.arguments.objects import METHODS, OTHERS
from tests.arguments.signatures import Call
from tests.arguments.test_nonsense import wrong_of


@pytest.mark.parametrize("call", METHODS, ids=str)
def test_methods(call: Call) -> None:
    wrong = wrong_of(call, NONSENSE)
    make_jaxpr(lambda i: wrong.extend(wrong_of(call, {TRACED: i, **NONSENSE})))(0)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_valid_is_taken(name: str) -> None:
    f, valid = OTHERS[name]
    f(**valid)


@pytest.mark.parametrize("name", OTHERS)
def test_others(name: str) -> None:
    f, valid = OTHERS[name]
    wrong = _wrong(f, valid, NONSENSE)
    make_jaxpr(lambda i: wrong.extend(_wrong(f, valid, {TRACED: i, **NONSENSE})))(0)
    assert not wrong, "\n".join(wrong)


def _wrong(f: Callable[..., object], valid: dict[str, Any], values: dict[str, Any]) -> list[str]:
    wrong = []
    for argument, right in valid.items():
        for name, value in values.items():
            if callable(right) and callable(value):
                continue  # a function; what it gives is not this test's
            try:
                f(**(valid | {argument: value}))
            except EffaxError:
                continue
            except BaseException as error:  # whatever it is, it is not ours
                wrong.append(f"({argument}={name}) raises {type(error).__name__}: {str(error)[:200]}")
    return wrong
