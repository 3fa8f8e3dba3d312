"""The table of README.md: some rows of the benchmarks, written between two comments by `make readme-figures`."""

import importlib.metadata
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.harness import Timing
from benchmarks.report import duration

README: Final = Path(__file__).parents[1] / "README.md"
BEGIN: Final = "<!-- figures: make readme-figures -->\n"
END: Final = "<!-- end of figures -->\n"
ROWS: Final = {
    "fresh process to an import": "import, in a fresh process",
    "fresh process to first eager result": "first result, in a fresh process",
    "fresh process to first compiled result": "first compiled result, in a fresh process",
    "trace 10,000 operations, per operation": "trace a program, per operation",
    "lower 10,000 operations, per operation": "lower to StableHLO, per operation",
    "eager add": "`x + y` of small arrays, not compiled",
    "eager grad of ten operations": "`grad` of ten operations, not compiled",
    "compiled call, 1 array arguments": "call of a compiled function",
    "perceptron: first step, cold": "first training step of a perceptron",
    "perceptron: first step of a second process": "the same step, in the next process",
    "perceptron: steady step": "later training steps of the perceptron",
    "attention block: steady step": "training step of a transformer block",
    "programs: kalman, a call": "Kalman's smoother, 200 observations",
    "programs: neighbours, a call": "nearest neighbours, 256 among 20,000",
    "max_pool 2x2: gradient": "gradient of a max pool",
    "table: gradient of layer norm": "gradient of a layer norm",
    "table: softmax": "softmax",
}
"""Measures by name, and the rows of the table."""


def table(timings: Sequence[Timing]) -> str:
    """The medians, jax's relative to effax's, and what they were measured on."""
    by_name = {timing.measure.name: timing for timing in timings}
    lines = ["", "| | effax | jax | jax ÷ effax |", "| --- | --- | --- | --- |"]
    for name, label in ROWS.items():
        timing = by_name[name]
        times = [duration(timing.median(library)) for library in ("effax", "jax")]
        lines.append(f"| {label} | {times[0]} | {times[1]} | {timing.ratio('jax'):.2g} |")
    version = importlib.metadata.version("jax")
    lines.append(f"\nMedians on {os.cpu_count()} cores, beside jax {version}. Below 1, jax is faster.\n\n")
    return "\n".join(lines)


def parts(readme: str) -> tuple[str, str, str]:
    """The text before the table, the table, and the text behind it."""
    before, _, rest = readme.partition(BEGIN)
    inside, _, behind = rest.partition(END)
    return before, inside, behind


def write(timings: Sequence[Timing]) -> Path:
    """Puts the table of these timings in the place of the one that is there."""
    before, _, behind = parts(README.read_text(encoding="utf-8"))
    README.write_text(f"{before}{BEGIN}{table(timings)}{END}{behind}", encoding="utf-8")
    return README
