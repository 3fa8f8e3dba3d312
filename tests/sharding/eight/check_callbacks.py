"""Callbacks in programs over a mesh: once per device over blocks, elsewhere once; and what becomes of an exception."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from effects.errors import MissingRule
from handlers import axis_index, debug_callback, io_callback, psum, pure_callback, shard_map
from lowering import Mesh, block_until_ready
from tests.errors.untyped import cond, device_put, jit, scan, while_loop

MESH: Final = Mesh({"a": 4, "b": 2})
BOTH: Final = MESH.sharding("a", "b")
X: Final[Any] = np.arange(32.0).reshape(8, 4)


class Called:
    """A function on the host that remembers what it was called with."""

    def __init__(self) -> None:
        self.args: list[Any] = []
        self.lock = threading.Lock()

    def __call__(self, x: Any) -> Any:
        with self.lock:
            self.args.append(np.array(x))
        return np.sin(x)

    def watch(self, x: Any) -> None:
        self(x)


def test_once_in_a_program_that_is_cut(capfd: pytest.CaptureFixture[str]) -> None:
    host = Called()
    found = jit(lambda x: pure_callback(host, x, 2 * x) @ x.T)(device_put(X, BOTH))
    assert np.allclose(found, np.sin(2 * X) @ X.T)
    assert [x.shape for x in host.args] == [(8, 4)] and np.array_equal(host.args[0], 2 * X)
    assert "rematerialization" not in capfd.readouterr().err
    looped = jit(lambda x: scan(lambda c, _: (pure_callback(host, c, c), None), x, length=3)[0])
    assert np.allclose(looped(device_put(X, BOTH)), np.sin(np.sin(np.sin(X)))) and len(host.args) == 4


def test_once_per_device_over_blocks() -> None:
    host = Called()
    assert np.allclose(shard_map(lambda x: pure_callback(host, x, x), MESH, BOTH, BOTH)(X), np.sin(X))
    assert sorted([x.tolist() for x in host.args]) == sorted(
        [X[i : i + 2, j : j + 2].tolist() for i in range(0, 8, 2) for j in (0, 2)]
    )


def test_in_order() -> None:
    host = Called()

    def both(x: Any) -> Any:
        io_callback(host.watch, None, x, ordered=True)
        io_callback(host.watch, None, x[0], ordered=True)
        return x + 1

    block_until_ready(jit(both)(device_put(X, BOTH)))
    assert [x.shape for x in host.args] == [(8, 4), (4,)]
    host.args.clear()
    block_until_ready(jit(lambda x: both(shard_map(both, MESH, "a", "a")(x)))(X))
    assert [x.shape for x in host.args[-2:]] == [(8, 4), (4,)] and len(host.args) == 18
    for device in range(4):
        of_it = [x.ndim for x in host.args[:16] if x.ravel()[0] == 8 * device]
        assert sorted(of_it[:2]) in ([1, 2], [2, 2]) and of_it.count(2) == of_it.count(1) == 2 and of_it[0] == 2


def _raising(x: Any) -> Any:
    raise ValueError("mine")


PROGRAMS: Final[dict[str, Callable[[Any], Any]]] = {
    "cut": lambda x: fx.sum(pure_callback(_raising, x, x)),
    "over blocks": shard_map(lambda x: psum(pure_callback(_raising, x, x), "a"), MESH, "a", None),
    "on one device": shard_map(
        lambda x: psum(cond(axis_index("a") == 2, lambda x: pure_callback(_raising, x, x), lambda x: x, x), "a"),
        MESH,
        "a",
        None,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_exceptions_end_the_program_and_not_the_process(name: str) -> None:
    f = jit(PROGRAMS[name])
    for _ in range(2):
        with pytest.raises(ValueError, match="mine"):
            f(device_put(X, BOTH))
    assert np.allclose(jit(lambda x: x + 1)(device_put(X, BOTH)), X + 1)


def test_only_devices_that_take_a_branch_call() -> None:
    host = Called()

    def told(x: Any) -> Any:
        debug_callback(host.watch, x)
        return x

    chosen: Any = shard_map(
        lambda x: cond(axis_index("a") > 1, told, lambda x: x + psum(x, "a"), x), MESH, MESH.sharding("a", "b"), BOTH
    )
    block_until_ready(chosen(X))
    assert len(host.args) == 4 and min([x.min() for x in host.args]) == 16
    loop: Any = lambda x: while_loop(lambda c: fx.sum(c) < 9, lambda c: told(c) + psum(c, "a"), x)
    mapped: Any = shard_map(loop, MESH, BOTH, BOTH)
    with pytest.raises(MissingRule, match="devices need different numbers of steps"):
        mapped(X)
