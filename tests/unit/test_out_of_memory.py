"""Programs that need more memory than there can be: an error with function and line, and the process lives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects.errors import OutOfMemoryError
from lowering import block_until_ready, clear_caches, device_put, jit, lower
from lowering.pjrt import executable

BEYOND = 2**22
"""Elements of which an outer product has more bytes than addresses have bits for."""


def outer(x: Any) -> Any:
    return fx.sort(x[:, None] * x[None], axis=0)


def test_the_call_says_which_function() -> None:
    with pytest.raises(
        OutOfMemoryError, match=r"outer needs more memory than there is: 140,737,488,355,328 bytes"
    ) as caught:
        jit(outer)(fx.ones(BEYOND))
    assert caught.value.source is not None and caught.value.source.file == __file__


LOOKS: dict[str, Callable[[Any], object]] = {
    "an element": lambda y: y[0, 0],
    "str": str,
    "asarray": np.asarray,
    "block_until_ready": block_until_ready,
    "sum": fx.sum,
    "device_put": lambda y: device_put(y, "cpu:0").tolist(),
    "a jitted function": lambda y: jit(fx.sum)(y).item(),
    "a number": lambda y: float(y[1, 1]),
    "dlpack": lambda y: np.from_dlpack(y),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_result_that_was_not_computed_is_refused(
    look: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_caches()
    monkeypatch.setattr(executable, "_LARGE", 2**60)
    y = jit(outer)(fx.ones(BEYOND))
    clear_caches()
    with pytest.raises(OutOfMemoryError, match="needs more memory than there is"):
        look(y)
    assert jit(fx.sum)(fx.ones(3)) == 3


def test_peak_is_no_less_than_what_is_there_at_once() -> None:
    program = lambda x: fx.sum(outer(x) @ fx.ones((300, 300)))
    plan = lower(program, fx.ones(300)).compile().memory_analysis()
    assert plan.peak >= plan.temporaries + plan.arguments > 300 * 300 * 8
