"""Values that hardly any argument of a function may be."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import effects as fx


class Rude:
    """What cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def cyclic() -> list[Any]:
    """A list that holds itself."""
    found: list[Any] = []
    found.append(found)
    return found


def _deep() -> object:
    found: object = 1.0
    for _ in range(1500):
        found = [found]
    return found


NONSENSE: Final[dict[str, Any]] = {
    "None": None,
    "'a'": "a",
    "''": "",
    "'int8'": "int8",
    "bytes": b"ab",
    "object": object(),
    "no repr": Rude(),
    "-1": -1,
    "2**100": 2**100,
    "-10**30": -(10**30),
    "nan": float("nan"),
    "inf": float("inf"),
    "2.5": 2.5,
    "True": True,
    "1j": 1j,
    "()": (),
    "[]": [],
    "{}": {},
    "{1: 2, 'a': 3}": {1: 2, "a": 3},
    "[0, 0]": [0, 0],
    "[[1], [1, 2]]": [[1], [1, 2]],
    "(True,)": (True,),
    "(2.0, 'a')": (2.0, "a"),
    "(2**100,)": (2**100,),
    "range(100)": tuple(range(100)),
    "set": {1, 2},
    "slice": slice(None),
    "Ellipsis": ...,
    "lambda": lambda *_: None,
    "int": int,
    "object()": object,
    "masked": np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
    "NumPy's 1": np.int64(1),
    "NumPy's True": np.bool_(True),
    "NumPy vector": np.array([0, 1]),
    "NumPy words": np.array(["a", "b"]),
    "NumPy objects": np.array([None, object()]),
    "datetime64": np.datetime64("2020-01-01"),
    "longdouble": np.longdouble(1.5),
    "vector": fx.asarray([1.0, 2.0, 3.0]),
    "cyclic": cyclic(),
    "deep": _deep(),
}
TRACED: Final = "traced"
"""The name of one more: an integer scalar that is not known."""
