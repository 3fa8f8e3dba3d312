"""Caches hold no more than they may, keep what is used, and are emptied by `clear_caches`."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import effects as fx
from effects import Array, ShapedArray
from effects.runtime.caches import PROGRAMS, Cache, Limit
from handlers import grad, scan, vmap
from lowering import clear_caches, jit, keep_programs
from lowering.pjrt import Executable
from tests.processes import printed

x3 = fx.asarray([0.5, 1.0, 1.5])


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    """Few programs are kept, and none of those of other tests."""
    before = PROGRAMS.count
    clear_caches()
    keep_programs(6)
    yield
    keep_programs(before)


def executables() -> int:
    """How many executables there are in this process."""
    gc.collect()
    return sum(isinstance(found, Executable) for found in gc.get_objects())


def test_a_cache_forgets_what_was_not_used_of_late() -> None:
    cache: Cache[int, int] = Cache(Limit(8))
    cache.keep(-1, -1)
    for i in range(100):
        assert cache.keep(i, 2 * i) == 2 * i
        assert cache.find(-1) == -1
        assert len(cache) <= 8
    assert cache.find(99) == 198
    assert cache.find(50) is None
    assert cache.keep(99, 0) == 198  # the first one is kept
    cache.clear()
    assert len(cache) == 0
    assert cache.find(99) is None


def test_threads_get_one_value_for_a_key() -> None:
    cache: Cache[int, object] = Cache(Limit(10000))
    found: list[list[object]] = []

    def work() -> None:
        found.append([cache.keep(i, object()) for i in range(2000)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one is other for values in zip(*found, strict=True) for one in values for other in values)


def scaled(i: int) -> Callable[[Array], Array]:
    return lambda x: fx.sin(x * float(i))


def of_fresh_functions(i: int) -> object:
    return jit(scaled(i))(x3)


def loop(i: int, x: Array) -> Array:
    def step(h: Array, _: None) -> tuple[Array, None]:
        return scaled(i)(h), None

    return scan(step, x, length=2)[0]


def of_loops(i: int) -> object:
    return loop(i, x3)


def of_gradients(i: int) -> object:
    return grad(lambda x: fx.sum(loop(i, x)))(x3)


@pytest.mark.parametrize("use", [of_fresh_functions, of_loops, of_gradients])
def test_programs_of_functions_that_are_gone_are_forgotten(use: Callable[[int], object]) -> None:
    before = executables()
    for i in range(10):
        use(i)
    assert executables() - before <= 6
    clear_caches()
    assert executables() == before


def test_kinds_of_one_function_are_forgotten() -> None:
    before = executables()
    f = jit(scaled(2))
    used = fx.ones(50)
    for i in range(12):
        assert f(fx.ones(i)).shape == (i,)
        f(used)
    assert executables() - before <= 12  # as many for the function, and in all
    clear_caches()
    assert executables() == before
    assert f(used).shape == (50,)


def test_what_is_used_again_is_not_compiled_again() -> None:
    traced: list[int] = []

    def f(x: Array) -> Array:
        traced.append(x.shape[0])
        return x + 1.0

    jitted = jit(f)
    used = fx.ones(50)
    for i in range(12):
        jitted(used)
        jitted(fx.ones(i))
    assert traced.count(50) == 1


def test_what_is_derived_of_a_live_program_is_bounded() -> None:
    jitted = jit(scaled(2))
    for i in range(12):
        assert vmap(jitted)(fx.ones((i, 3))).shape == (i, 3)


def test_types_in_use_stay_the_same_objects() -> None:
    kept = [ShapedArray((i, 7), fx.float32) for i in range(10000)]
    assert all(ShapedArray((i, 7), fx.float32) is kept[i] for i in range(10000))
    clear_caches()
    assert all(ShapedArray((i, 7), fx.float32) is kept[i] for i in range(10000))


def test_arrays_made_before_work_after_everything_is_forgotten() -> None:
    f = jit(scaled(2))
    y = f(x3)
    clear_caches()
    assert fx.all(f(x3) == y)
    assert (y + x3).shape == (3,)
    assert fx.sum(y).dtype is fx.float64


CALLS = """
import gc, resource
from pathlib import Path
import effects as fx
from lowering import jit

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

x = fx.ones(3)
step = jit(lambda x: x + 1.0)
compiled = step.lower(x).compile()
gc.disable()
for call in (step, compiled):
    for _ in range(5000):
        x = call(x)
    before = memory()
    for _ in range(30_000):
        x = call(x)
    print(memory() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells there")
def test_calls_leave_nothing_behind_though_the_collector_rests() -> None:
    grown = [int(line) for line in printed(CALLS).split()]
    assert len(grown) == 2 and max(grown) < 1_000_000, grown
