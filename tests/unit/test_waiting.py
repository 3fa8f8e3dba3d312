"""Waiting for the compiler: an interrupt takes effect at once, and a long compilation says so once."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import effects as fx
from lowering import clear_caches, jit
from lowering.disk.programs import DISK, Settings
from lowering.pjrt import compile_threads
from tests.processes import printed

_PROGRAM = """
import os, signal, threading, time
import effects as fx
from lowering import jit, keep_on_disk
keep_on_disk(False)
jit(fx.sin)(fx.ones(3))

@jit
def slow(x):
    for i in range(1500):
        x = fx.sin(x) @ x + i
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return x

start = time.perf_counter()
try:
    slow(fx.ones((8, 8)))
except KeyboardInterrupt:
    print("interrupted" if time.perf_counter() - start < 10 else "late")
print(jit(lambda x: fx.cos(x) + 1)(fx.zeros(2)))
raise SystemExit(7)
"""


def test_an_interrupt_takes_effect_while_xla_compiles() -> None:
    assert printed(_PROGRAM, status=7).splitlines() == ["interrupted", "Array([2., 2.], float64)"]


_ENDING = """
import os, signal, sys, threading, time
import effects as fx
from lowering import jit, keep_on_disk
keep_on_disk(False)
size, wait, pause = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])

@jit
def slow(x):
    for i in range(size):
        x = fx.sin(x) @ x + i
    threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
    return x

try:
    slow(fx.ones((8, 8)))
except KeyboardInterrupt:
    time.sleep(pause)
    print("interrupted")
raise SystemExit(7)
"""


@pytest.mark.parametrize("at", [("50", "0.2", "0.5"), ("5", "0.02", "0")], ids=["LLVM is at work", "it ends at once"])
def test_a_process_ends_with_its_status_while_xla_compiles(at: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", _ENDING, *at]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "interrupted\n" and done.returncode == 7 and not done.stderr


def test_a_long_compilation_says_so_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(compile_threads, "REPORT_AFTER", 1e-6)
    monkeypatch.setattr(DISK, "_settings", Settings(None, 0))
    clear_caches()

    def step(x: fx.Array) -> fx.Array:
        return fx.exp(fx.sin(x) * 12.3456789)

    with caplog.at_level(logging.WARNING, "effax"):
        jit(step)(fx.ones(3))
    (record,) = caplog.records
    assert "compiling step (" in record.getMessage() and "lines of StableHLO" in record.getMessage()
    assert f"for {__file__}:" in record.getMessage()
