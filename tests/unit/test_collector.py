"""The cyclic collector around recording: it rests, resumes, and finds in time what users' functions leave."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from weakref import ref

import pytest

import effects as fx
from effects.runtime.cpython.collector import Collector
from handlers import make_jaxpr, stage as staging


@pytest.fixture(autouse=True, scope="module")
def nothing_is_frozen() -> Iterator[None]:
    """As in a program of a user, who froze nothing."""
    gc.unfreeze()
    yield
    gc.freeze()


class Cycle:
    def __init__(self) -> None:
        self.me = self


def cycle() -> ref[Cycle]:
    """A reference to garbage that only the collector can free."""
    return ref(Cycle())


def test_it_rests_while_the_outermost_program_is_recorded() -> None:
    seen: list[bool] = []

    def f(x: fx.Array) -> fx.Array:
        seen.append(gc.isenabled())
        make_jaxpr(fx.sin)(x)
        seen.append(gc.isenabled())
        return x

    make_jaxpr(f)(fx.ones(3))
    assert seen == [False, False] and gc.isenabled()


def test_it_stays_off_where_it_was_off() -> None:
    gc.disable()
    try:
        make_jaxpr(fx.sin)(1.0)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_garbage_of_long_recordings_is_found_when_finding_it_is_a_small_part_of_the_time() -> None:
    collector = Collector()
    garbage = cycle()
    found_after = 0.0
    for _ in range(1000):
        collector._catch_up(time.perf_counter() - 1.0)  # as if it had taken a second
        assert gc.isenabled()
        found_after += 1.0
        if garbage() is None:
            break
    assert 0 < found_after < 100


def test_garbage_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "collector", Collector(cost=0.001))
    left: list[ref[Cycle]] = []

    def f(x: fx.Array) -> fx.Array:
        left.append(cycle())
        time.sleep(0.006)
        return x

    for _ in range(60):
        make_jaxpr(f)(fx.ones(3))
    assert sum(garbage() is not None for garbage in left) < len(left)


def test_what_the_user_froze_stays_so_and_is_counted_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    counted: list[float] = []

    def count() -> int:
        counted.append(clock[0])
        clock[0] += 0.01
        return 10**6

    def thaw() -> None:
        raise AssertionError("thawed")

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(gc, "get_freeze_count", count)
    monkeypatch.setattr(gc, "unfreeze", thaw)
    collector = Collector()
    for _ in range(100):
        clock[0] += 0.001
        collector._catch_up(clock[0] - 1.0)
    assert len(counted) == 1
    clock[0] += 0.25
    collector._catch_up(clock[0] - 1.0)
    assert len(counted) == 2
