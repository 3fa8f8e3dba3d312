"""What `inspect.signature` and `help` say of the public functions of handlers is what these take."""

from __future__ import annotations

import inspect
import pydoc
import typing
from collections.abc import Callable
from typing import Any

import pytest

import handlers
import lowering

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{module.__name__}.{name}": value
    for module in (handlers, lowering)
    for name in module.__all__
    if inspect.isfunction(value := getattr(module, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_keyword_is_accepted(name: str) -> None:
    """Python itself refuses an unknown keyword by its name; any other error comes from the function."""
    signature = inspect.signature(FUNCTIONS[name])
    for parameter in signature.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            continue
        try:
            FUNCTIONS[name](**{parameter.name: object()})
        except Exception as error:
            assert "unexpected keyword" not in str(error), (parameter.name, error)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_stands_for_named_parameters(name: str) -> None:
    """What is gathered is what a function is called with, its first argument, or what a text is filled with."""
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters.values())
    gathered = [p.name for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    assert set(gathered) <= {"args", "kwargs", "primals", "operands", "example_args"}
    assert not gathered or parameters[0].name in ("f", "func1d", "fmt", "pred", "index", "handler")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_overloads_and_help_name_what_is_taken(name: str) -> None:
    f = FUNCTIONS[name]
    taken = inspect.signature(f).parameters
    for overload in typing.get_overloads(f):
        said = [p.name for p in inspect.signature(overload).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert set(said) <= set(taken), overload
    text = pydoc.plain(pydoc.render_doc(f))
    assert inspect.getdoc(f), name
    assert all([parameter in text for parameter in taken])
