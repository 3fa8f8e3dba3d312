"""Measures of programs over several devices: calls, steps of training, tracing. CPU devices share the cores of one CPU.

The samples are taken in a process of their own, which has eight devices.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial

from benchmarks.harness import Measure

ROWS = (
    *[("call", count, 0.9) for count in (1, 2, 8)],
    *[("call with an all-reduce", count, 0.9) for count in (2, 8)],
    *[("step of training", count, 1.0) for count in (1, 2, 8)],
    ("trace and lower a step", 8, 5.0),
    ("trace and lower constrained layers", 8, 5.0),
)


@cache
def worker() -> "subprocess.Popen[str]":
    """The process with eight devices, which ends when its input does."""
    command = [sys.executable, "-m", "benchmarks.over_devices"]
    settings = {**os.environ, "EFFAX_CPU_DEVICES": "8", "JAX_NUM_CPU_DEVICES": "8", "JAX_PLATFORMS": "cpu"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings)


def measured(library: str, kind: str, count: int) -> float:
    """Seconds of one sample."""
    process = worker()
    assert process.stdin is not None and process.stdout is not None
    print(library, count, kind, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    for kind, count, target in ROWS:
        contenders = {library: partial(measured, library, kind, count) for library in ("effax", "jax")}
        yield Measure(f"{kind} over {count} device{'s' * (count > 1)}", contenders, {"jax": target})
