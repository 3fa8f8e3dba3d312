"""What `make check` leaves out, what is interpreted rather than compiled, and where compiled programs are kept.

What takes seconds, or compiles hundreds of programs, is marked slow. Programs of tests of meaning, orders of
transformations above all, are run by StableHLO's interpreter, the others by XLA, or loaded from disk where one of an
earlier run is the same. LLVM's optimisations are a third of what many small programs take: tests whose subject is
neither speed nor what vectors of the processor do to the last digits go without.
"""

import contextlib
import ctypes
import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from _pytest.runner import runtestprotocol

from lowering import clear_caches, keep_on_disk, pjrt
from lowering.disk.programs import OFF, default_folder
from tests.interpretation import interpreted, unoptimised

SLOW: Final = (
    "arguments/test_nonsense.py",
    "assignment/test_programs.py",
    "callbacks/test_laws.py",
    "checking",
    "checkpoint/test_composition.py",
    "checkpoint/test_derivatives.py",
    "compositions",
    "distributed",
    "errors/test_interrupts.py",
    "errors/test_large_programs.py",
    "examples",
    "functions/test_agreement.py",
    "functions/test_complex_order.py",
    "functions/test_counted.py",
    "functions/test_derivatives_at_ends.py",
    "grid/test_batching.py",
    "grid/test_compiled.py",
    "grid/test_derivatives.py",
    "grid/test_precisions.py",
    "jet",
    "laws",
    "linalg/test_derivatives.py",
    "linalg/test_implicit.py",
    "loops",
    "narrow",
    "programs/test_every_operation.py",
    "programs/test_sizes.py",
    "random/test_by_rejection.py",
    "requests/test_laws.py",
    "sharding",
    "special/test_orders.py",
    "special/test_values.py",
    "stablehlo",
    "stats",
    "typing/test_pyright.py",
    "typing/test_editors.py",
)
LONG: Final = ("checking", "distributed", "examples", "sharding", "typing/test_pyright.py", "typing/test_editors.py")
"""What waits for other processes, and so comes first: no worker is left with it at the end."""
INTERPRETED: Final = (
    "arguments/test_nonsense.py",
    "caches",
    "callbacks",
    "checkpoint",
    "collectives",
    "compositions",
    "custom_rules",
    "errors",
    "grid/test_batching.py",
    "grid/test_derivatives.py",
    "grid/test_precisions.py",
    "grid/test_programs.py",
    "integrate/test_odes.py",
    "integrate/test_quad.py",
    "jet",
    "laws",
    "linalg/test_derivatives.py",
    "linalg/test_implicit.py",
    "linalg/test_known.py",
    "loops",
    "narrow/test_derivatives.py",
    "nn",
    "optim",
    "optimize",
    "own_handlers",
    "requests",
    "signal",
    "special/test_orders.py",
    "stats/test_distributions.py",
    "stats/test_orders.py",
)
UNOPTIMISED: Final = ("stablehlo/test_cumulative.py", "stablehlo/test_elementwise.py")


_HERE: Final = os.fspath(Path(__file__).parent)


@cache
def _is_among(path: str, names: tuple[str, ...]) -> bool:
    return any([path == f"{_HERE}/{name}" or path.startswith(f"{_HERE}/{name}/") for name in names])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Tests are no garbage: the collector would go over them again and again, while they are collected and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_file: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_file[os.fspath(item.path)].append(item)
    for path, tests in by_file.items():
        marks = [mark for names, mark in _MARKS.items() if _is_among(path, names)]
        for mark, test in product(marks, tests):
            test.add_marker(mark)
    items.sort(key=lambda item: not _is_among(os.fspath(item.path), LONG))


_MARKS: Final = {
    SLOW: pytest.mark.slow,
    INTERPRETED: pytest.mark.interpreted,
    UNOPTIMISED: pytest.mark.unoptimised,
}
_OTHER_WAYS: Final = {"interpreted": interpreted, "unoptimised": unoptimised}
"""To run programs, by the marks of the tests; of two marks the first."""
_TRIM: Final = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Returns freed memory to the system, which glibc keeps: half of what a worker has."""


_COMPILE: Final = pjrt.compile_module
_DISK: Final = os.environ.setdefault("EFFAX_DISK", str(default_folder().with_name("tests")))
KEPT: Final = "off" if _DISK.strip().lower() in OFF else _DISK
"""The folder of compiled programs, also of the processes that tests start; `off` for none."""
if KEPT != "off":
    keep_on_disk(KEPT, max_bytes=2**32, min_seconds=0)


def pytest_runtest_setup(item: pytest.Item) -> None:
    wanted = next((way for mark, way in _OTHER_WAYS.items() if item.get_closest_marker(mark)), _COMPILE)
    if pjrt.compile_module is not wanted:
        clear_caches()  # of programs that are run in the other way
        pjrt.compile_module = wanted


_GROWTH: Final = 350 * 2**20
"""Bytes by which a worker may grow before it lets its programs go, also between two tests of a file."""
_BEFORE: Final = pytest.StashKey[int]()
"""The bytes that a worker had when it last did."""


def resident() -> int:
    """The bytes of this process that are in memory; 0 where the system does not say."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    stash = item.config.stash
    grown = resident() - stash.setdefault(_BEFORE, resident())
    if nextitem is None or nextitem.path != item.path or grown > _GROWTH:
        clear_caches()  # programs of a whole run are gigabytes
        if _TRIM is not None:
            _TRIM(0)
        stash[_BEFORE] = resident()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """In a worker, what was set up and taken down without an error is not told: half of what a short test costs."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True
