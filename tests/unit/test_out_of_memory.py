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
from tests.processes import printed

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


def test_a_call_without_room_leaves_what_was_donated() -> None:
    x = fx.ones(BEYOND)
    with pytest.raises(OutOfMemoryError, match="needs more memory than there is"):
        jit(lambda x: (outer(x)[0], x + 1), donate_argnums=0)(x)
    assert fx.sum(x) == BEYOND


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


_LITTLE = """
import mmap, resource, sys
import numpy as np
import effects as fx
from effects.arrays.mesh import Mesh
from effects.errors import OutOfMemoryError
from lowering import block_until_ready, clear_caches, device_put, jit, keep_on_disk
from lowering.pjrt import executable
keep_on_disk(False)
outer = jit(lambda x, shift: fx.exp(x[:, None] * x[None] + shift))
over, across = [Mesh({"i": 2}, [f"cpu:{i}" for i in order]).sharding("i") for order in ([0, 1], [1, 0])]
x = device_put(fx.ones(2**12), over)

def refused(words, f):
    try:
        f()
    except OutOfMemoryError as error:
        assert words in str(error) and error.source.file == "<string>", error
        return
    raise AssertionError(words)

# Results that were not computed, over a mesh.
executable._LARGE_TOGETHER = 2**60
many = device_put(fx.ones(2**21), over)
failed = outer(many, 0.0)
for look in (lambda: [shard.block for shard in failed.shards], lambda: device_put(failed, across)):
    refused("needs more memory than there is: 17,592,186,044,416 bytes", look)

# A device that finds no memory, where the other does: they would wait for each other.
executable._LARGE_TOGETHER = 2**26
clear_caches()
block_until_ready(outer(x, 0.0))
used = int(open("/proc/self/statm").read().split()[0]) * mmap.PAGESIZE
unlimited = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, unlimited[1]))
results = []
refused("lambda needs more memory than there is", lambda: [results.append(outer(x, float(i))) for i in range(9)])

# No room for the compiler, whose threads would end the process.
refused("compiling lambda needs more memory than there is", lambda: jit(lambda x: fx.sin(x) * 3)(x))
del results[1:]
assert np.isclose(np.asarray(results[0])[0, 0], np.e)
del results
resource.setrlimit(resource.RLIMIT_AS, unlimited)  # XLA's threads take addresses, more or fewer of them
assert jit(lambda x: fx.sum(x) * 3)(np.ones(4)) == 12
"""


def test_where_memory_is_short_the_process_lives() -> None:
    printed(_LITTLE, EFFAX_CPU_DEVICES="2")


def test_peak_is_no_less_than_what_is_there_at_once() -> None:
    program = lambda x: fx.sum(outer(x) @ fx.ones((300, 300)))
    plan = lower(program, fx.ones(300)).compile().memory_analysis()
    assert plan.peak >= plan.temporaries + plan.arguments > 300 * 300 * 8
