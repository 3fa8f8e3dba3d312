"""Sorting and places by NumPy, which puts NaN last, too; narrow floats are compared in float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from effects.arrays.concrete import Concrete, Host, backend, concrete
from effects.operations.sorting import Insertion, Nonzero, Order, Ranked, Sort, TopK
from effects.program.chain import Performed
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from handlers.evaluate.rules import RULES, result

_VECTORS_FROM: Final = 4096
"""Number of elements from which vector instructions are faster."""
_COMPARED_ONE_BY_ONE: Final = 16
"""Largest number of sorted elements with which values are compared one by one."""


@RULES.rule(Sort)
def evaluate_sort(op: Sort[Concrete]) -> Performed:
    axis = op.axis
    if len(op.xs) == 1:
        (x,) = op.xs
        if x.aval.dtype not in dtypes.NARROW and op.num_keys == 1 and 0 <= axis < len(x.aval.shape):
            return (concrete(_sorted(x.host, axis, op.descending), x.aval),)
    avals = op.types()
    order = quiet.run(_order, [_comparable(x) for x in op.xs[: op.num_keys]], axis, op.descending)
    return tuple([concrete(_take_along(x.host, order, axis), aval) for x, aval in zip(op.xs, avals, strict=True)])


def _take_along(x: Host, order: Host, axis: int) -> Host:
    return x[order] if x.ndim == 1 else np.take_along_axis(x, order, axis)  # take_along_axis takes ten times as long


def _comparable(x: Concrete) -> Host:
    return quiet.run(x.host.astype, np.float32) if x.aval.dtype in dtypes.NARROW else x.host


def _backwards(x: Host, axis: int) -> Host:
    return x[(*[slice(None)] * axis, slice(None, None, -1))]


def _sorted(x: Host, axis: int, descending: bool) -> Host:
    if descending:  # equal elements, the two zeros, keep their order
        return _backwards(_sorted(_backwards(x, axis), axis, False), axis)
    out = x.copy()
    if x.size < _VECTORS_FROM or x.dtype.itemsize < 4 or _has_both_zeros(x):
        out.sort(axis, "stable")  # numpy.sort takes twice as long about it
    else:
        out.sort(axis)  # a third of the time; only zeros are equal and yet different
    return out


def _has_both_zeros(x: Host) -> bool:
    """Return True if there may be a -0 and another zero."""
    return x.dtype.kind == "c" or (x.dtype.kind == "f" and bool(np.signbit(x[x == 0]).any()))


def _order(keys: Sequence[Host], axis: int, descending: bool) -> Host:
    """The positions of the elements in order, equal ones first come first."""
    if descending:
        positions = _backwards(_order([_backwards(key, axis) for key in keys], axis, False), axis)
        last: Host = positions.shape[axis] - 1 - positions
        return last
    if len(keys) == 1:
        return keys[0].argsort(axis, "stable")
    order: Host = np.lexsort(keys[::-1], axis)
    return order


@RULES.rule(Order)
def evaluate_order(op: Order[Concrete]) -> Performed:
    if len(op.keys) == 1 and not op.descending:
        (key,) = op.keys
        if key.aval.dtype not in dtypes.NARROW:
            aval = op.types()
            return concrete(key.host.argsort(op.axis, "stable"), aval)
    return concrete(quiet.run(_order, [_comparable(key) for key in op.keys], op.axis, op.descending), op.types())


def _greatest(x: Host, k: int) -> Host | None:
    """The positions of the k greatest in descending order, by a partition; None if k is 0 or there is a NaN."""
    if not k or (x.dtype.kind == "f" and np.isnan(x).any()):
        return None
    limit = np.partition(x, x.size - k)[x.size - k]
    above = np.flatnonzero(x > limit)
    chosen = np.concatenate([above, np.flatnonzero(x == limit)[: k - above.size]])
    chosen.sort()
    return chosen[_order([x[chosen]], 0, True)]


@RULES.rule(TopK)
def evaluate_top_k(op: TopK[Concrete]) -> Performed:
    values, positions = op.types()
    x = op.x.host
    keys = _comparable(op.x)
    order = quiet.run(_greatest, keys, op.k) if x.ndim == 1 and 4 * op.k < x.size >= _VECTORS_FROM else None
    if order is None:
        order = quiet.run(_order, [keys], x.ndim - 1, True)[..., : op.k]
    greatest = _take_along(x, order, -1)
    if issubclass(values.dtype, dtypes.Floating):
        greatest = quiet.run(np.add, greatest, values.dtype.dtype.type(0))  # zeros are of one sign
    return concrete(greatest, values), concrete(np.ascontiguousarray(order), positions)


@RULES.rule(Ranked)
def evaluate_ranked(op: Ranked[Concrete]) -> Performed:
    aval, ranks = op.types(), op.ranks
    if not aval.size:
        return concrete(np.empty(aval.shape, aval.dtype.dtype), aval)
    elements = np.partition(_comparable(op.x), sorted(set(ranks)), axis=-1)[..., ranks]
    if issubclass(aval.dtype, dtypes.Inexact):
        elements = elements + elements.dtype.type(0)  # zeros are of one sign
    return concrete(elements.astype(aval.dtype.dtype, copy=False), aval)


@RULES.rule(Insertion)
def evaluate_insertion(op: Insertion[Concrete]) -> Performed:
    line, values, aval = _comparable(op.line), _comparable(op.values), op.types()
    if not (_ascends(line) and (line.dtype.kind != "c" or not np.isnan(values).any())):
        return backend().execute(op)  # NumPy's search needs sorted elements, and orders complex NaN
    if not op.batch:
        return result(_places(line, values, op.before), aval)
    out = np.empty(aval.shape, np.int64)
    for lane in np.ndindex(line.shape[:-1]):
        out[lane] = _places(line[lane], values[lane], op.before)
    return concrete(out, aval)


def _ascends(line: Host) -> bool:
    """Return True if lines ascend, with NaN, which complex lines may not have, at their ends."""
    if line.dtype.kind != "c" and (line[..., :-1] <= line[..., 1:]).all():
        return True
    missing = line != line  # noqa: PLR0124  # NaN
    if line.dtype.kind == "c" and missing.any():
        return False
    return not ((line[..., 1:] < line[..., :-1]) | (missing[..., :-1] > missing[..., 1:])).any()


def _places(line: Host, values: Host, before: bool) -> Host | np.generic:
    if (
        not 1 < line.size <= _COMPARED_ONE_BY_ONE
        or values.size < _VECTORS_FROM
        or line.dtype.kind == "c"
        or np.isnan(line[-1])
    ):
        place: Host | np.generic = np.searchsorted(line, values, "left" if before else "right")
        return place
    behind = np.zeros(values.shape, np.uint8)  # without a branch that would be mispredicted
    passed = np.empty(values.shape, np.bool_)
    for element in line:
        (np.less_equal if before else np.less)(values, element, out=passed)
        behind += passed.view(np.uint8)
    return line.size - behind.astype(np.int64)


@RULES.rule(Nonzero)
def evaluate_nonzero(op: Nonzero[Concrete]) -> Performed:
    x, avals = op.x.host, op.types()
    if x.ndim == op.rank and (every := np.nonzero(x))[0].size == op.size:
        return tuple(map(concrete, every, avals))
    outs = [np.full(aval.shape, op.fill, np.int64) for aval in avals]
    for lane in np.ndindex(x.shape[: x.ndim - op.rank]):
        for out, places in zip(outs, np.nonzero(x[lane]), strict=True):
            out[lane][: places.size] = places[: op.size]
    return tuple(map(concrete, outs, avals))
