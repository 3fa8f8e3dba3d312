"""The methods that NumPy's arrays have: they are there and give the same, or say what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import UnknownAttribute
from handlers import grad, vmap
from lowering import jit

PAGE: Final = Path(__file__).parents[2] / "docs" / "numpy.md"
X: Final = np.sin(np.arange(24.0)).reshape(2, 3, 4)
LINE: Final = np.array([1.0, 2.0, 4.0])

CALLS: Final[dict[str, tuple[np.ndarray[Any, Any], Callable[[Any], Any]]]] = {
    "argsort": (X, lambda x: x.argsort()),
    "argsort of an axis": (X, lambda x: x.argsort(0)),
    "argpartition": (LINE, lambda x: x.argpartition(1)[1:2]),
    "choose": (np.array([1, 0, 1]), lambda i: i.choose([i + 1, i * 5])),
    "compress": (X, lambda x: x.compress([True, False, True], axis=1)),
    "conjugate": (X + 1j, lambda x: x.conjugate()),
    "copy": (X, lambda x: x.copy()),
    "cumprod": (X, lambda x: x.cumprod(axis=1)),
    "cumsum": (X, lambda x: x.cumsum()),
    "cumsum of an axis": (X, lambda x: x.cumsum(2)),
    "diagonal": (X, lambda x: x.diagonal()),
    "diagonal, offset": (X, lambda x: x.diagonal(1)),
    "diagonal of axes": (X, lambda x: x.diagonal(0, 2, 1)),
    "diagonal of one axis by name": (X, lambda x: x.diagonal(axis2=2)),
    "nonzero": (X > 0, lambda x: x.nonzero()[1]),
    "repeat": (X, lambda x: x.repeat(2, 1)),
    "searchsorted": (LINE, lambda x: x.searchsorted(2.0)),
    "searchsorted behind": (LINE, lambda x: x.searchsorted(2.0, "right")),
    "take": (X, lambda x: x.take([2, 0], axis=1)),
    "take of all": (X, lambda x: x.take(7)),
    "trace": (X, lambda x: x.trace()),
    "trace of axes": (X, lambda x: x.trace(1, axis1=1, axis2=2)),
}


@pytest.mark.parametrize("called", CALLS)
def test_methods_give_what_numpys_give(called: str) -> None:
    value, f = CALLS[called]
    expected = f(value)
    x = fx.asarray(value)
    np.testing.assert_allclose(np.asarray(f(x)), expected, rtol=1e-14)
    if called != "nonzero":  # whose size is not known before it runs
        np.testing.assert_allclose(np.asarray(jit(f)(x)), expected, rtol=1e-14)
        np.testing.assert_allclose(np.asarray(vmap(f)(fx.stack([x, x]))[1]), expected, rtol=1e-14)


def test_range_and_derivatives() -> None:
    x = fx.asarray(X)
    np.testing.assert_allclose(np.asarray(x.ptp(1)), np.ptp(X, 1))
    assert fx.all(grad(lambda x: x.cumsum().take(3))(x).ravel() == fx.asarray([1.0] * 4 + [0.0] * 20))
    np.testing.assert_array_equal(np.asarray(grad(lambda x: x.trace().sum())(x)[0, 0]), np.ones(4))


def test_every_method_of_numpys_arrays_is_there_or_says_what_to_write() -> None:
    x = fx.asarray(X)
    for name in dir(np.ndarray):
        if name.startswith("_") or hasattr(x, name):
            continue
        with pytest.raises(UnknownAttribute, match=rf"arrays have no `\.{name}`: \w+"):
            getattr(x, name)


def test_what_is_listed_is_there() -> None:
    for x in (fx.asarray(X), jit(lambda x: x * 1.0)(X)):
        names = {name for name in dir(x) if not name.startswith("_")}
        assert all(hasattr(x, name) for name in names) and {"sum", "take", "at", "T"} <= names
        assert not names & {"sort", "fill", "flat", "host", "leaked", "owner", "stored", "unknown_reason"}
    listed = re.findall(r"`(\w+)`", re.findall(r"^Methods: (.*)$", PAGE.read_text(), re.MULTILINE)[0])
    public = {name for name in dir(fx.Array) if not name.startswith("_") and callable(getattr(fx.Array, name))}
    assert set(listed) == {name for name in public if name in dir(x)} - {"known"}


def test_unknown_attributes_are_of_an_array() -> None:
    with pytest.raises(AttributeError, match="'Array' object has no attribute 'foo'"):
        fx.asarray(X).foo  # type: ignore[attr-defined]  # as is said
