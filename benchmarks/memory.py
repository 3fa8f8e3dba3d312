"""python -m benchmarks.memory KIND [COUNT]: the memory of a process that makes COUNT different programs of a kind.

64 compiled programs are kept (`keep_programs`); what is written is the resident memory, after garbage collection and
after the allocator gave back what is free, at ten points.
"""

import argparse
import ctypes
import gc
import time
from collections.abc import Callable
from pathlib import Path

import effects as fx
from handlers import cond, grad, make_jaxpr, scan
from lowering import jit, keep_programs, lower


def kinds() -> dict[str, Callable[[int], object]]:
    """Functions that make program `i`, whose constants no other program has."""
    x, s = fx.ones(3), fx.asarray(0.5)
    return {
        "trace": lambda i: make_jaxpr(lambda x: fx.sin(x) * (i + 0.5) + i)(x),
        "lower": lambda i: lower(lambda x: fx.sin(x) * (i + 0.5) + i, x),
        "compile": lambda i: jit(lambda x: fx.sin(x) * (i + 0.5) + i)(x),
        "eager grad": lambda i: grad(lambda c: fx.sin(c) * (i + 0.5) + i)(s),
        "eager cond": lambda i: cond(s > 0.0, lambda c: c * (i + 0.5), lambda c: c + float(i), s),
        "grad of cond": lambda i: grad(lambda c: cond(c > 0.0, lambda c: c * (i + 0.5), lambda c: c + float(i), c))(s),
        "eager scan": lambda i: scan(lambda c, _: (c * (i + 0.5), c), s, length=3),
    }


def megabytes() -> float:
    """The resident memory of this process, without what is free."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory")
    parser.add_argument("kind", choices=kinds())
    parser.add_argument("count", nargs="?", type=int, default=20_000)
    options = parser.parse_args()
    keep_programs(64)
    make = kinds()[options.kind]
    start = time.perf_counter()
    for i in range(options.count + 1):
        if i % max(1, options.count // 10) == 0:
            print(f"{i:>7} programs  {megabytes():7.1f} MB  {time.perf_counter() - start:6.1f} s", flush=True)
        make(i)


if __name__ == "__main__":
    main()
