"""Every name of NumPy's is there, or says what to write; NumPy's functions are taken as the documents say."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.arrays import protocols
from effects.errors import ArgumentError, UnknownAttribute
from effects.runtime.names import listed
from effects.runtime.spellings import names_of
from tests.each import each

NAMES: Final = [name for name in dir(np) if not name.startswith("_")]
PAGE: Final = Path(__file__).parents[2] / "docs" / "numpy.md"


def test_every_name_is_there_or_says_what_to_write() -> None:
    def check(name: str) -> None:
        if name in listed("effects"):
            assert hasattr(fx, name)
            return
        with pytest.raises(UnknownAttribute, match=rf"module 'effects' has no `{name}`: \w+"):
            getattr(fx, name)

    each(NAMES, check)


def test_all_that_is_spelled_otherwise_is_numpys() -> None:
    assert names_of("numpy")["effects"].keys() <= {*NAMES, "complex256", "float128"}


def _kinds() -> dict[str, list[str]]:
    """The functions of NumPy's that ask arrays what to do, by what becomes of them."""
    found: dict[str, list[str]] = {"taken": [], "in place": [], "NumPy's": []}
    for name in NAMES:
        value: Any = getattr(np, name)
        if isinstance(value, np.ufunc):
            found["NumPy's" if protocols.elementwise(value) is None else "taken"].append(name)
        elif hasattr(value, "_implementation"):
            kind = "in place" if name in protocols.IN_PLACE else "taken" if protocols.counterpart(value) else "NumPy's"
            found[kind].append(name)
    return found


def test_the_page_says_which_functions_are_taken() -> None:
    table = dict(re.findall(r"^\| (taken|in place|NumPy's) \|.*\| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    for kind, names in _kinds().items():
        assert set(re.findall(r"`(\w+)`", table[kind])) == set(names), kind


@pytest.mark.parametrize("name", ["concatenate", "power", "transpose", "arccos", "conjugate", "amax", "mod"])
def test_names_of_the_same_function(name: str) -> None:
    function: Any = getattr(fx, name)
    home = getattr(fx, function.__code__.co_qualname)
    assert function is not home and function.__code__.co_code == home.__code__.co_code
    assert f"Another name of `{home.__name__}`." in function.__doc__ and inspect.signature(
        function
    ) == inspect.signature(home)
    assert function.__name__ == name and pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(ArgumentError, match=rf"^{name}( takes|: \w+ must)"):
        function("a", "a") if name in ("mod", "power") else function("a")
