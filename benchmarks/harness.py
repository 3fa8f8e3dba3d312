"""Timing: contenders take turns in one process, and the median over the rounds counts.

A contender is a function that takes one sample: it prepares what must not be timed, times the rest with `timed` or
`per_call`, and returns seconds; or it counts something, in the unit its measure names. Contenders alternate, in one
order always: a machine that slows down or speeds up meets all of them alike, and each begins with what another one left
in the caches. The garbage collector stays on, as it does for users; it is run before each sample, so that no contender
pays for what another one left behind.
"""

import gc
import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

type Sample = Callable[[], float]


@dataclass(frozen=True)
class Measure:
    """One row of the table: a sample per contender, and the ratio to effax that each rival should reach."""

    name: str
    contenders: Mapping[str, Sample]
    targets: Mapping[str, float] = field(default_factory=dict)
    max_rounds: int = 40
    unit: str = "s"


@dataclass(frozen=True)
class Comparison:
    """Two measures by name: the first over the second, for effax, should be at least the target."""

    name: str
    first: str
    second: str
    target: float


@dataclass(frozen=True)
class Timing:
    """The samples of one measure, by contender, in the order they were taken."""

    measure: Measure
    samples: Mapping[str, list[float]]

    def median(self, contender: str) -> float:
        return statistics.median(self.samples[contender])

    def spread(self, contender: str) -> float:
        """Half the distance between the quartiles, relative to the median."""
        low, middle, high = statistics.quantiles(self.samples[contender], n=4)
        return (high - low) / 2 / middle if middle else 0.0

    def ratio(self, rival: str) -> float:
        """Time of the rival relative to effax, or its inverse for throughput."""
        theirs, ours = self.median(rival), self.median("effax")
        if not ours:
            return math.inf if theirs else 1.0
        return theirs / ours

    def likely_ratio(self, rival: str) -> float:
        """The upper quartile of the ratios of single rounds: what noise may have taken from a ratio lies below it."""
        ratios = [b / a for a, b in zip(self.samples["effax"], self.samples[rival], strict=True) if a]
        return statistics.quantiles(ratios, n=4)[2] if len(ratios) > 1 else self.ratio(rival)


@dataclass(frozen=True)
class Effort:
    """Duration of a measurement: at least `rounds` rounds and `seconds` seconds, up to a measure's own limit of
    rounds.
    """

    rounds: int
    seconds: float


FULL = Effort(rounds=7, seconds=2.0)
QUICK = Effort(rounds=5, seconds=0.5)


def run(measure: Measure, effort: Effort) -> Timing:
    """Takes one sample of each contender to warm it up, then alternates them until the effort is spent."""
    samples: dict[str, list[float]] = {name: [] for name in measure.contenders}
    for sample in measure.contenders.values():
        sample()
    start, rounds = time.perf_counter(), 0
    while rounds < measure.max_rounds and (rounds < effort.rounds or time.perf_counter() - start < effort.seconds):
        for name, sample in measure.contenders.items():
            gc.collect()
            samples[name].append(sample())
        rounds += 1
    return Timing(measure, samples)


def timed(action: Callable[[], object]) -> float:
    """Seconds of one call. The result is dropped after the clock is read."""
    start = time.perf_counter()
    result = action()
    seconds = time.perf_counter() - start
    del result
    return seconds


def per_call(action: Callable[[], object], block: Callable[[object], object], at_least: float = 0.02) -> Sample:
    """A sample of a call too short to time alone: the mean over a loop of `at_least` seconds or so, then `block`."""
    number = 0

    def loop(count: int) -> float:
        result: object = None
        numbers = range(count)
        start = time.perf_counter()
        for _ in numbers:
            result = action()
        block(result)
        return time.perf_counter() - start

    def calibrate() -> int:
        loop(1)  # the first call may compile
        count = 1
        while (seconds := loop(count)) < at_least / 4:
            count *= 4
        return max(1, round(count * at_least / seconds))

    def sample() -> float:
        nonlocal number
        number = number or calibrate()
        return loop(number) / number

    return sample
