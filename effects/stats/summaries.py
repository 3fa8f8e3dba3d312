"""Summaries of samples: entropy, the most frequent value, ranks, the standard error. Names are scipy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from effects.arguments import choice, flag, number, positive
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, convert, inexact, rounded_once
from effects.errors import DTypeError
from effects.functions.elementwise import logic, transcendental, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement, repetition
from effects.functions.ordering import sorting
from effects.functions.reductions import cumulative, reduction
from effects.functions.reductions.reduction import Axes
from effects.functions.statistics import moments
from effects.operations.reduction import ReduceKind
from effects.special.calling import reals
from effects.special.information import entr, rel_entr
from effects.types import dtypes, shapes

type Ties = Literal["average", "min", "max", "dense", "ordinal"]


class ModeResult(NamedTuple):
    """Most frequent values, and their counts."""

    mode: Array
    count: Array  # type: ignore[assignment]  # scipy's name, which is also that of a method of tuples


def entropy(pk: ArrayLike, qk: ArrayLike | None = None, base: float | None = None, axis: Axes = 0) -> Array:
    """-Σ p log(p) over `axis`, or Σ p log(p / q), where p is pk and q is qk, each divided by its sum.

    `base` is that of the logarithm, e where there is none. Special cases: 0 log(0) is 0; where p is negative the
    entropy is -∞, and relative entropy is ∞ where q is 0 and p is not; NaN where a sum is 0 or NaN. The slope at 0 is
    infinite. (Shannon, A mathematical theory of communication, 1948; Kullback and Leibler, On information and
    sufficiency, 1951.)

    >>> import effects as fx
    >>> fx.stats.entropy(fx.asarray([1.0, 1.0]), base=2), fx.stats.entropy([1.0, 3.0], qk=[1.0, 1.0])
    (Array(1., float64), Array(0.13081204, float64))
    """
    per = 1.0 if base is None else math.log(positive("entropy", "base", base))
    arrays = reals("entropy", pk=pk) if qk is None else reals("entropy", pk=pk, qk=qk)

    def total(*arrays: Array) -> Array:
        def summed(x: Array, keepdims: bool = False) -> Array:
            return reduction.fold(ReduceKind.SUM, "entropy", x, axis, keepdims)

        def share(x: Array) -> Array:
            """Of weights whose sum may overflow, by small multiples of them."""
            limits = np.finfo(x.aval.dtype.dtype)
            most, little = float(limits.max * limits.eps), float(limits.eps)
            huge = reduction.any(x > constant_like(most, x), axis=axis, keepdims=True)
            x = logic.where(huge, constant_like(little, x), constant_like(1.0, x)) * x
            return x / summed(x, True)

        shares = [share(x) for x in repetition.broadcast_arrays(*arrays)]
        value = summed(entr(*shares) if len(shares) == 1 else rel_entr(*shares))
        return value if base is None else value / constant_like(per, value)

    return rounded_once(total, *arrays)


def mode(a: ArrayLike, axis: int | None = 0, *, keepdims: bool = False) -> ModeResult:
    """The most frequent value along `axis` (None: of all elements), the least of several, and its count.

    NaN is a value like others, greater than all numbers. Special cases: of no elements the mode is NaN, its count 0.

    >>> import effects as fx
    >>> fx.stats.mode(fx.asarray([3, 1, 3, 2, 1]))
    ModeResult(mode=Array(1, int64), count=Array(2, int64))
    """
    keep = flag("mode", "keepdims", keepdims)
    array = as_array(a, "mode", "a")
    line, at = _line("mode", array, axis)
    if not line.aval.shape[at]:
        value = reduction.sum(inexact("mode", line, "a"), axis=at, keepdims=True)
        value, count = value + constant_like(math.nan, value), reduction.count_nonzero(line, axis=at, keepdims=True)
    else:
        ordered = sorting.sort(line, at)
        first, _ = _ends_of_ties(ordered, at)
        runs = sorting.positions(ordered, at) - first + 1
        longest = reduction.argmax(runs, axis=at, keepdims=True)
        count = taking.take_along_axis(runs, longest, axis=at)
        value = taking.take_along_axis(ordered, longest - count + 1, axis=at)
    if keep and axis is None:
        return ModeResult(*[movement.reshape(v, (1,) * array.aval.ndim) for v in (value, count)])
    return ModeResult(value, count) if keep else ModeResult(*[movement.squeeze(v, at) for v in (value, count)])


def rankdata(a: ArrayLike, method: Ties = "average", *, axis: int | None = None) -> Array:
    """Ranks along `axis` (None: of all elements, in a vector), from 1 on; `method` selects those of ties.

    "average" is the mean of the ranks of the ties, "min" and "max" the least and the greatest of these, "dense" one
    more than the rank of the next lesser value, "ordinal" in their order in a. Ranks are of the floating dtype that a
    has, or else of the default one; derivatives are 0. Special cases: a NaN makes all ranks along the axis NaN.

    >>> import effects as fx
    >>> fx.stats.rankdata(fx.asarray([0.5, 2.0, 0.5])), fx.stats.rankdata(fx.asarray([5, 7, 5]), "dense")
    (Array([1.5, 3. , 1.5], float64), Array([1., 2., 1.], float64))
    """
    choice("rankdata", "method", method, Ties)
    array = as_array(a, "rankdata", "a")
    if issubclass(array.aval.dtype, dtypes.Complex):
        raise DTypeError(f"rankdata: a must be real, got {array.aval}")
    line, at = _line("rankdata", array, axis)
    order = sorting.argsort(line, at)
    ordered = taking.take_along_axis(line, order, axis=at)
    first, last = _ends_of_ties(ordered, at)
    ranks: dict[Ties, Callable[[], Array]] = {
        "average": lambda: first + last + 2,
        "min": lambda: first + 1,
        "max": lambda: last + 1,
        "dense": lambda: cumulative.cumsum(first == sorting.positions(ordered, at), axis=at),
        "ordinal": lambda: sorting.positions(ordered, at) + 1,
    }
    placed = taking.take_along_axis(ranks[method](), sorting.argsort(order, at), axis=at)
    numbers = inexact("rankdata", line, "a")
    value = convert(placed, numbers.aval.dtype)
    if method == "average":
        value = value * constant_like(0.5, value)
    undefined = reduction.any(unary.isnan(numbers), axis=at, keepdims=True)
    return logic.where(undefined, constant_like(math.nan, value), value)


def sem(a: ArrayLike, axis: Axes = 0, ddof: float = 1, *, keepdims: bool = False) -> Array:
    """The standard error of the mean, √(var(a, ddof) / n) over `axis`.

    >>> import effects as fx
    >>> fx.stats.sem(fx.asarray([1.0, 2.0, 4.0, 5.0]))
    Array(0.91287093, float64)
    """
    lost, array = number("sem", "ddof", ddof), inexact("sem", a, "a")

    def error(x: Array) -> Array:
        spread = moments.var_of("sem", x, axis, lost, keepdims, True, None)
        return transcendental.sqrt(spread / constant_like(reduction.count("sem", x, axis), spread))

    return rounded_once(error, array)


def _line(function: str, x: Array, axis: int | None) -> tuple[Array, int]:
    """The array and the axis that elements are along, which is that of a vector of all for None."""
    if axis is None:
        return movement.reshape(x, (-1,)), 0
    x = movement.reshape(x, (1,)) if not x.aval.ndim else x
    return x, shapes.normalize_axis(function, x.aval.shape, axis)


def _ends_of_ties(ordered: Array, axis: int) -> tuple[Array, Array]:
    """For each element the positions of the first and of the last one that equals it; NaN equals NaN."""
    place, n = sorting.positions(ordered, axis), ordered.aval.shape[axis]
    if n < 2:
        return place, place
    behind, ahead = movement.slice_axis(ordered, axis, 0, n - 1), movement.slice_axis(ordered, axis, 1, n)
    changes = (behind != ahead) & logic.logical_not(unary.isnan(behind))
    before, after = movement.slice_axis(place, axis, 0, n - 1), movement.slice_axis(place, axis, 1, n)
    first, last = movement.slice_axis(place, axis, 0, 1), movement.slice_axis(place, axis, n - 1, n)
    firsts = movement.concat([first, logic.where(changes, after, constant_like(0, place))], axis=axis)
    lasts = movement.concat([logic.where(changes, before, constant_like(n - 1, place)), last], axis=axis)
    return cumulative.cummax(firsts, axis), cumulative.cummin(lasts, axis, reverse=True)
