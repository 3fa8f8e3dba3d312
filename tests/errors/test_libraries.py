"""Errors in a line of another library: what to give the library, since the line is not the user's to change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from effects.errors import ArgumentError, ConcretizationError, EffaxError, UnknownAttribute
from tests.errors.untyped import fx, grad, handlers, jit

X = fx.asarray([1.0, 2.0, 3.0])


def installed(folder: str, body: str) -> Callable[[Any], Any]:
    """A function of x and `numpy` whose code is in a file where libraries are installed."""
    names: dict[str, Any] = {}
    text = f"import numpy\ndef f(x):\n    {body}\n    return x"
    exec(compile(text, f"/usr/lib/python3/site-packages/{folder}/code.py", "exec"), names)
    called: Callable[[Any], Any] = names["f"]
    return called


ASSIGNED, TRUTH, HOST = "x[x > 0] = 1.0", "x = 1.0 if x[0] > 0 else x", "x = numpy.may_share_memory(x, x)"
TOLD: dict[str, tuple[str, str, Callable[[Any], object], type[EffaxError], str]] = {
    "memory": ("mpl_toolkits", "x.strides", lambda f: f(X), UnknownAttribute, "give matplotlib numpy.asarray(x), whi"),
    "an assignment": (
        "sklearn",
        ASSIGNED,
        lambda f: f(X),
        ArgumentError,
        "x[mask] = … : arrays are immutable; scikit-",
    ),
    "one in writable": (
        "sklearn",
        ASSIGNED,
        lambda f: handlers.writable(lambda y: f(X))(X),
        ArgumentError,
        "scikit-learn writes into it: all arrays must be arguments of writable, or give it numpy.asarray(x)",
    ),
    "out=": (
        "pandas",
        "numpy.add(x, 1.0, out=x)",
        lambda f: f(X),
        ArgumentError,
        "pandas writes into it: run the call in writable, of handlers, or give it numpy.asarray(x)",
    ),
    "truth": ("sklearn", TRUTH, lambda f: jit(f)(X), ConcretizationError, "scikit-learn looks at values here: call it"),
    "a number": ("scipy/stats", "x = float(x[0])", grad, ConcretizationError, "Set SCIPY_ARRAY_API=1 in the"),
    "an array": (
        "sklearn",
        "x = numpy.asarray(x)",
        jit,
        ConcretizationError,
        "sklearn.set_config(array_api_dispatch=T",
    ),
    "a function of NumPy's": ("sklearn", HOST, jit, ConcretizationError, "sklearn.set_config(array_api_dispatch=True)"),
    "the user's own": (
        "mine",
        ASSIGNED,
        lambda f: f(X),
        ArgumentError,
        "write x = x.at[mask].set(…), or run the functi",
    ),
}


@pytest.mark.parametrize("told", TOLD)
def test_what_to_give_it(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, body, use, kind, words = TOLD[told]
    dispatch = {"array_api_dispatch": told == "truth"}
    monkeypatch.setitem(sys.modules, "sklearn", SimpleNamespace(get_config=lambda: dispatch))
    with pytest.raises(kind) as caught:
        transformed: Any = use(installed(folder, body))
        transformed(X)
    assert words in caught.value.message
    assert caught.value.source is not None and f"/{folder}/" in caught.value.source.file
