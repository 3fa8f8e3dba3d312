"""Every public function gives for arrays that can be assigned to what it gives for ordinary ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import effects as fx
from effects import Array
from handlers import writing
from tests.functions.calls import Call
from tests.functions.compared import quietly, split
from tests.functions.named import KNOWN
from tests.functions.test_functions import CALLS


def _bits(call: Call, own: Any) -> object:
    f, arrays = split(call)
    try:
        with quietly():
            results = f(*fx.tree_map(own, arrays))
    except fx.EffaxError as error:
        return error.message
    values = [leaf.now() for leaf in fx.tree_leaves(results) if isinstance(leaf, Array)]
    return [(str(value.aval), np.asarray(value).tobytes()) for value in values]


def test_functions_take_them_as_they_are_now() -> None:
    different = []
    for call in [*CALLS, *KNOWN]:
        expected = _bits(call, lambda leaf: leaf)
        with writing() as xp:
            got = _bits(call, lambda leaf: xp.copy(leaf) if isinstance(leaf, Array) else leaf)
        if got != expected:
            different.append((str(call), got, expected))
    assert not different, f"{len(different)}: {different[:10]}"
