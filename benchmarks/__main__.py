"""python -m benchmarks [--quick] [--only PATTERN | --readme]: measures, prints one table, writes one JSON file."""

import argparse
import os
import re
import sys
import warnings

from benchmarks import (
    coexistence,
    figures,
    measure_algebra,
    measure_arrays,
    measure_calls,
    measure_checkpoints,
    measure_compiled,
    measure_control_flow,
    measure_devices,
    measure_effects,
    measure_images,
    measure_import,
    measure_loading,
    measure_programs,
    measure_random,
    measure_second_process,
    measure_tracing,
    measure_training,
    report,
)
from benchmarks.harness import FULL, QUICK, run
from lowering import keep_on_disk

# Calls are measured before compilers have left their holes in the heap, which cost small calls a microsecond.
GROUPS = (
    measure_calls,
    measure_arrays,
    measure_tracing,
    measure_control_flow,
    measure_training,
    measure_loading,
    measure_programs,
    measure_compiled,
    measure_images,
    measure_random,
    measure_effects,
    measure_devices,
    measure_checkpoints,
    measure_algebra,
    measure_import,
    measure_second_process,
)
COMPARISONS = (*measure_tracing.COMPARISONS, *measure_control_flow.COMPARISONS)

# By default malloc gives results of some megabytes back to the system, or keeps them, by what was allocated before:
# a call then has up to 800 page faults, or none, by chance. Here it keeps them, for every contender.
ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40)}


def main() -> None:
    """Ends well however slow anything was: a benchmark informs, it does not judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="effax beside jax, autograd and NumPy")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: noisy, for work in progress")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--only", metavar="PATTERN", default="", help="measures whose name matches this pattern")
    chosen.add_argument("--readme", action="store_true", help="the rows of README.md's table, which is written anew")
    options = parser.parse_args()
    if not ALLOCATOR.items() <= os.environ.items():
        os.execve(sys.executable, sys.orig_argv, os.environ | ALLOCATOR)
    coexistence.check()
    keep_on_disk(False)  # what is compiled is measured
    warnings.filterwarnings("ignore", ".*programs of .* were made")
    timings = []
    selects = figures.ROWS.__contains__ if options.readme else re.compile(options.only).search
    for measure in (m for group in GROUPS for m in group.measures() if selects(m.name)):
        print(f"\r\033[K  {measure.name}", end="\r", file=sys.stderr, flush=True)
        timings.append(run(measure, QUICK if options.quick else FULL))
    print("\033[K", end="", file=sys.stderr, flush=True)
    if not timings:
        parser.error(f"no measure matches {options.only!r}")
    print(report.table(timings, COMPARISONS))
    print(f"written to {report.write(timings, COMPARISONS, options.quick)}")
    if options.readme:
        print(f"and to {figures.write(timings)}")


if __name__ == "__main__":
    main()
