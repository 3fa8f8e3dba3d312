"""Places of elements, by NumPy; narrow floats are compared in float32."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete
from effects.operations.searching import Insertion, Nonzero
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES, result
from handlers.evaluate.sorting import comparable

_FEW: Final = 16
_MANY: Final = 1024


@RULES.rule(Insertion)
def evaluate_insertion(op: Insertion[Concrete]) -> Performed:
    line, values, aval = comparable(op.line), comparable(op.values), op.types()
    if not op.batch:
        return result(_places(line, values, op.before), aval)
    out = np.empty(aval.shape, np.int64)
    for lane in np.ndindex(line.shape[:-1]):
        out[lane] = _places(line[lane], values[lane], op.before)
    return concrete(out, aval)


def _places(line: Host, values: Host, before: bool) -> Host | np.generic:
    if line.dtype.kind != "c" and not (line[:-1] <= line[1:]).all():  # or it ends in several NaN
        return _halved(line, values, before)
    if 1 < line.size <= _FEW and values.size >= _MANY and line.dtype.kind != "c":
        return _counted(line, values, before)
    place: Host | np.generic = np.searchsorted(line, values, "left" if before else "right")
    return place


def _counted(line: Host, values: Host, before: bool) -> Host:
    """By comparing with each of the line, of which there are few: without a branch that would be mispredicted."""
    behind = np.zeros(values.shape, np.uint8)
    passed = np.empty(values.shape, np.bool_)
    for element in line:
        (np.less_equal if before else np.less)(values, element, out=passed)
        behind += passed.view(np.uint8)
    return line.size - behind.astype(np.int64)


def _halved(line: Host, values: Host, before: bool) -> Host:
    """As programs do it: what they say of a line in no order is said here, too."""
    n = line.size
    place = np.zeros(values.shape, np.int64)
    step = 1 << n.bit_length() >> 1
    while step:
        ahead = place + step
        there = line[np.minimum(ahead, n) - 1]
        passed = _less(there, values) if before else ~_less(values, there)
        place = np.where((ahead <= n) & passed, ahead, place)
        step //= 2
    return place


def _less(x: Host, y: Host) -> Host:
    less: Host = (x < y) | ((y != y) & (x == x))  # noqa: PLR0124  # NaN is greater than all numbers
    return less


@RULES.rule(Nonzero)
def evaluate_nonzero(op: Nonzero[Concrete]) -> Performed:
    x, rank, avals = op.x.host, op.rank, op.types()
    places = np.nonzero(x)
    if x.ndim > rank or places[0].size != op.size:
        places = _of_size(places, x.shape[: x.ndim - rank], op.size, op.fill)
    return tuple([concrete(place, aval) for place, aval in zip(places, avals, strict=True)])


def _of_size(places: tuple[Host, ...], lanes: tuple[int, ...], size: int, fill: int) -> tuple[Host, ...]:
    """The first `size` places of each lane."""
    count, own = math.prod(lanes), places[len(lanes) :]
    lane = np.ravel_multi_index(places[: len(lanes)], lanes) if lanes else np.zeros(own[0].size, np.int64)
    ends = np.bincount(lane, minlength=count).cumsum()
    nth = np.arange(lane.size) - np.concatenate([[0], ends])[lane]
    kept = nth < size
    out = np.full((len(own), count, size), fill, np.int64)
    for part, place in zip(out, own, strict=True):
        part[lane[kept], nth[kept]] = place[kept]
    return tuple(out.reshape(len(own), *lanes, size))
