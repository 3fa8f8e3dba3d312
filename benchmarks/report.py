"""The table and the JSON file of one run."""

import datetime
import importlib.metadata
import json
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import Comparison, Timing

RESULTS = Path(__file__).parent / "results"
LIBRARIES = ("effax", "jax", "autograd", "numpy")
HEADERS = ("measure", *LIBRARIES, "jax/effax", "target", "")


@dataclass(frozen=True)
class Verdict:
    """A ratio, how high it may be but for noise, and the least it should be."""

    measure: str
    rival: str
    ratio: float
    likely: float
    target: float

    @property
    def state(self) -> str:
        if self.ratio >= self.target:
            return "reached"
        return "within noise" if self.likely >= self.target else "MISSED"


def verdicts(timings: Sequence[Timing], comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Every ratio that has a target, and effax beside itself where both measures of a comparison were taken."""
    result = [
        Verdict(t.measure.name, rival, t.ratio(rival), t.likely_ratio(rival), goal)
        for t in timings
        for rival, goal in t.measure.targets.items()
    ]
    by_name = {t.measure.name: t for t in timings}
    for c in comparisons:
        if c.first in by_name and c.second in by_name:
            ratio = by_name[c.first].median("effax") / by_name[c.second].median("effax")
            result.append(Verdict(c.name, "effax", ratio, ratio, c.target))
    return result


def shown(amount: float, unit: str) -> str:
    """An amount with its unit."""
    if unit == "s":
        return duration(amount)
    return f"{amount:,.0f} {unit}".rstrip()


def duration(seconds: float) -> str:
    """Three significant digits with a unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def row(timing: Timing, states: Mapping[str, str]) -> list[str]:
    """One line of the table."""
    cells = [shown(timing.median(name), timing.measure.unit) if name in timing.samples else "" for name in LIBRARIES]
    target = timing.measure.targets.get("jax")
    least = "" if target is None else f"≥ {target:g}"
    beside = f"{timing.ratio('jax'):.2f}" if "jax" in timing.samples else ""
    return [timing.measure.name, *cells, beside, least, states.get(timing.measure.name, "")]


def table(timings: Sequence[Timing], comparisons: Sequence[Comparison]) -> str:
    """All medians and ratios, then the targets that are not against jax."""
    all_verdicts = verdicts(timings, comparisons)
    states = {v.measure: v.state for v in all_verdicts if v.rival == "jax"}
    rows = [list(HEADERS), *(row(timing, states) for timing in timings)]
    widths = [max(len(r[column]) for r in rows) for column in range(len(HEADERS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(r, widths))
        )
        for r in rows
    ]
    lines.insert(1, "-" * len(lines[0]))
    for v in all_verdicts:
        if v.rival != "jax":
            beside = "" if v.rival == "effax" else f", {v.rival}/effax"
            lines.append(f"{v.measure}{beside}: {v.ratio:.2f}, target ≥ {v.target:.2f}: {v.state}")
    counts = Counter(v.state for v in all_verdicts)
    lines.append(f"of {len(all_verdicts)} targets: " + ", ".join(f"{n} {state}" for state, n in counts.items()))
    return "\n".join(lines)


def write(timings: Sequence[Timing], comparisons: Sequence[Comparison], quick: bool) -> Path:
    """Writes medians, spreads, samples, ratios and what they were measured on."""
    now = datetime.datetime.now(datetime.UTC)
    content = {
        "time": now.isoformat(timespec="seconds"),
        "quick": quick,
        "machine": {"platform": platform.platform(), "cpus": os.cpu_count(), "python": platform.python_version()},
        "versions": {p: importlib.metadata.version(p) for p in ("effax", "jax", "jaxlib", "autograd", "numpy")},
        "measures": [
            {
                "name": t.measure.name,
                "unit": t.measure.unit,
                "median": {name: t.median(name) for name in t.samples},
                "spread": {name: t.spread(name) for name in t.samples},
                "samples": dict(t.samples),
                "ratio": {name: t.ratio(name) for name in t.samples if name != "effax"},
                "target": dict(t.measure.targets),
            }
            for t in timings
        ],
        "verdicts": [{**v.__dict__, "state": v.state} for v in verdicts(timings, comparisons)],
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(content, indent=1))
    return path
