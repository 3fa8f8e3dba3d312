"""Histograms: numbers of elements between edges; and linear interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from effects.arguments import choice, flag, natural, number, sequence, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.concrete import from_host
from effects.arrays.promotion import as_array, convert, inexact, promoted, scalar
from effects.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError
from effects.functions.creation import creation
from effects.functions.elementwise import arithmetic, logic, unary
from effects.functions.indexing import taking
from effects.functions.manipulation import movement
from effects.functions.ordering import searching, sorting
from effects.functions.reductions import differences, reduction, segments
from effects.types import dtypes

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.types.dtypes import DType

type Rule = Literal["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]
type Bins = int | Array | npt.NDArray[Any] | Sequence[float] | Rule
type Range = tuple[float, float] | None


def _edges(function: str, x: Array, bins: object, range_: object, which: str = "") -> Array:
    """The edges of bins: the given ones, or those of equal bins over a range, by default that of the elements of x."""
    edges_or_count = (
        _by_rule(function, x, bins, range_) if isinstance(bins, str) else as_array(bins, function, f"bins{which}")
    )
    for array in (x, edges_or_count):
        if issubclass(array.aval.dtype, dtypes.Complex):
            raise DTypeError(f"{function}: complex numbers are not compared, got {array.aval}")
    if edges_or_count.aval.ndim == 1:
        edges = edges_or_count
        known = edges.known()
        if edges.aval.shape[0] < 2 or (known is not None and not (known.fetch()[:-1] <= known.fetch()[1:]).all()):
            raise ArgumentError(
                f"{function}: bins{which} must be at least two edges in ascending order, got {edges.aval}"
            )
        return edges
    count = natural(function, f"bins{which}", edges_or_count if isinstance(bins, str) else bins)
    if not count:
        raise ArgumentError(f"{function}: bins{which} must be positive, got 0")
    inside = inexact(function, x)
    if range_ is not None or not x.aval.size:
        return convert(from_host(np.linspace(*_range(function, range_), count + 1)), inside.aval.dtype)
    low, high = reduction.min(inside), reduction.max(inside)
    _check_finite(function, low, high)
    low, high = _apart(low, high)
    steps = creation.iota(inside.aval.dtype, (count + 1,), 0)
    divisor = count + 0 * (high - low)  # XLA divides by constants inexactly
    up = unary.abs(steps * ((high - low) / divisor))  # XLA would fuse a product with the sum, and round once
    return logic.where(steps == count, high, low + up)


def _by_rule(function: str, x: Array, rule: str, range_: object) -> Array:
    """Edges of bins, as many as NumPy's rule of this name gives for the elements, which must be known."""
    word = choice(function, "bins", rule, Rule)
    known = x.known()
    if known is None:
        raise ConcretizationError(
            f"{function}: bins = {word!r} is a number that depends on values of x, which must be known: "
            f"{x.unknown_reason()}; give the number"
        )
    host = known.fetch()
    if issubclass(x.aval.dtype, dtypes.Complex):
        raise DTypeError(f"{function}: complex numbers are not compared, got {x.aval}")
    limits = None if range_ is None else _range(function, range_)
    if limits is None:
        _check_finite(function, reduction.min(known), reduction.max(known)) if host.size else None
    numbers = host.astype(np.float32) if x.aval.dtype in dtypes.NARROW else host
    return from_host(np.asarray(len(np.histogram_bin_edges(numbers, word, limits)) - 1))


def _check_finite(function: str, low: Array, high: Array) -> None:
    known = [end.known() for end in (low, high)]
    if not all([end is None or np.isfinite(end.fetch().astype(float)) for end in known]):
        raise ArgumentError(
            f"{function}: x has NaN or infinite elements, so there are no edges; pass range=(first, last), "
            "the edges, or the finite elements of x"
        )


def _apart(low: Array, high: Array) -> tuple[Array, Array]:
    """The limits, moved apart by half on each side if they are equal."""
    equal = low == high
    return logic.where(equal, low - 0.5, low), logic.where(equal, high + 0.5, high)


def _range(function: str, range_: object) -> tuple[float, float]:
    """The limits of a given range."""
    if range_ is not None:
        pair = sequence(function, "range", range_, "two numbers")
        if len(pair) != 2:
            raise ArgumentError(f"{function}: range must be a pair of numbers, got {len(pair)}")
        first, last = [number(function, "range", end) for end in pair]
        if not first <= last < float("inf") or first == -float("inf"):
            raise ArgumentError(f"{function}: range must be finite and ascend, got {first} to {last}")
        return (first - 0.5, last + 0.5) if first == last else (first, last)
    return 0.0, 1.0


def _bin(x: Array, edges: Array) -> Array:
    """The bin of each element: -1 below all bins, the number of bins above all and for NaN."""
    n = edges.aval.shape[0] - 1
    line, values = promoted("histogram", edges=edges, x=x)
    place = searching.insertion(line, values, False) - 1
    return logic.where(values == line[n], n - 1, place)


def histogram_bin_edges(x: ArrayLike, /, bins: Bins = 10, range: Range = None) -> Array:
    """The edges of `bins` equal bins over the elements of x, or over `range`; edges that are given themselves.

    >>> import effects as fx
    >>> fx.histogram_bin_edges(fx.asarray([0.0, 4.0, 1.0]), 4)
    Array([0., 1., 2., 3., 4.], float64)
    """
    return _edges("histogram_bin_edges", as_array(x, "histogram_bin_edges", "x"), bins, range)


def histogram(
    x: ArrayLike, /, bins: Bins = 10, range: Range = None, density: bool = False, weights: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Number of elements of x in each bin (or the sums of their `weights`), and the edges of the bins.

    A bin has its lower edge, the last one its upper edge, too. `bins` is a number of equal bins over the elements of x,
    or over `range`, or the edges, or the name of a rule of NumPy's that finds the number where the elements are known.
    With `density` the area is 1.

    >>> import effects as fx
    >>> fx.histogram(fx.asarray([0.0, 4.0, 1.0, 0.5]), 4)
    (Array([2, 1, 0, 1], int64), Array([0., 1., 2., 3., 4.], float64))
    """
    array = as_array(x, "histogram", "x")
    if isinstance(bins, str) and weights is not None:
        raise ArgumentError(f"histogram: bins = {bins!r} counts elements, which weights do not; give a number of bins")
    edges = _edges("histogram", array, bins, range)
    shares = _shares("histogram", weights, array.aval.shape)
    counts = _counted(movement.reshape(_bin(array, edges), (-1,)), edges.aval.shape[0] - 1, shares, dtypes.int64)
    if flag("histogram", "density", density):
        counts = counts / reduction.sum(counts) / differences.diff(edges)
    return counts, edges


def _shares(function: str, weights: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    if weights is None:
        return None
    shares = as_array(weights, function, "weights")
    if shares.aval.shape != shape:
        raise ShapeError(f"{function}: weights must have the shape of x, {list(shape)}, got {shares.aval}")
    return movement.reshape(shares, (-1,))


def _counted(places: Array, count: int, shares: Array | None, kind: type[DType]) -> Array:
    if shares is None:
        shares = movement.broadcast_to(scalar(1, kind), places.aval.shape)
    elif shares.aval.dtype is dtypes.bool_:
        shares = convert(shares, kind)
    return segments.segment_sum(shares, places, count)


def histogramdd(
    sample: ArrayLike | Sequence[ArrayLike],
    /,
    bins: int | Sequence[Bins] = 10,
    range: Sequence[Range] | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> tuple[Array, list[Array]]:
    """A histogram over several axes, of points: the rows of a matrix, or one vector for each coordinate; and the edges.

    `bins` and `range` are for all axes, or sequences of one for each. Counts are floats, as in NumPy.

    >>> import effects as fx
    >>> fx.histogramdd(fx.asarray([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), 2)[0]
    Array([[0., 1.],
           [1., 1.]], float64)
    """
    return _points("histogramdd", _coordinates(sample), bins, range, density, weights)


def _coordinates(sample: object) -> list[Array]:
    if isinstance(sample, list | tuple):
        return [as_array(v, "histogramdd", f"sample[{i}]") for i, v in enumerate(sample)]
    array = as_array(sample, "histogramdd", "sample")
    if array.aval.ndim != 2:
        raise ShapeError(f"histogramdd: sample must be a matrix with a point in each row, got {array.aval}")
    return list(movement.unstack(array, axis=1))


def _points(
    function: str, points: list[Array], bins: object, range_: object, density: bool, weights: ArrayLike | None
) -> tuple[Array, list[Array]]:
    if not points or any([p.aval.shape != points[0].aval.shape or p.aval.ndim != 1 for p in points]):
        raise ShapeError(f"{function}: there must be vectors of one length, got {[p.aval for p in points]}")
    rank = len(points)
    each = list(bins) if isinstance(bins, list | tuple) else [bins] * rank
    limits = [None] * rank if range_ is None else list(sequence(function, "range", range_, "pairs of numbers"))
    if len(each) != rank or len(limits) != rank:
        got = f"{shown(bins)} and {shown(range_)}"
        raise ArgumentError(f"{function}: bins and range must have one entry for each of {rank} axes, got {got}")
    edges = [_edges(function, p, b, r, f"[{i}]") for i, (p, b, r) in enumerate(zip(points, each, limits, strict=True))]
    sizes = [e.aval.shape[0] - 1 for e in edges]
    place: Array = scalar(0, dtypes.int64)
    total = 1
    outside: Array = scalar(False, dtypes.bool_)
    for p, e, n in zip(points, edges, sizes, strict=True):
        own = _bin(p, e)
        place = place * n + own
        outside = outside | (own < 0) | (own == n)
        total *= n
    shares = _shares(function, weights, points[0].aval.shape)
    counted = _counted(logic.where(outside, total, place), total, shares, dtypes.float64)
    counts = movement.reshape(counted, tuple(sizes))
    if flag(function, "density", density):
        counts = counts / reduction.sum(counts)
        for axis, e in enumerate(edges):
            counts = counts / movement.reshape(differences.diff(e), (-1, *(1,) * (rank - axis - 1)))
    return counts, edges


def histogram2d(
    x: ArrayLike,
    /,
    y: ArrayLike,
    bins: int | Sequence[Bins] = 10,
    range: Sequence[Range] | None = None,
    density: bool = False,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """A histogram of points (x, y), and the edges along both axes; as `histogramdd`.

    >>> import effects as fx
    >>> fx.histogram2d(fx.asarray([0.0, 1.0, 1.0]), fx.asarray([1.0, 0.0, 1.0]), 2)[0]
    Array([[0., 1.],
           [1., 1.]], float64)
    """
    points = [as_array(v, "histogram2d", name) for name, v in (("x", x), ("y", y))]
    counts, edges = _points("histogram2d", points, bins, range, density, weights)
    return counts, edges[0], edges[1]


def interp(
    x: ArrayLike,
    /,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: ArrayLike | None = None,
) -> Array:
    """The values at x of the line through the points (xp, fp), xp being in ascending order.

    `left` is what it is below the first point, `right` above the last one: by default the values of these points. With
    a `period` x and xp are taken modulo that, xp in any order, and neither of the two says anything.

    >>> import effects as fx
    >>> fx.interp(fx.asarray([0.5, 2.0]), fx.asarray([0.0, 1.0]), fx.asarray([0.0, 10.0]))
    Array([ 5., 10.], float64)
    """
    at, places = [inexact("interp", v, name) for name, v in (("x", x), ("xp", xp))]
    at, places = promoted("interp", x=at, xp=places)
    values = inexact("interp", fp, "fp")
    if places.aval.ndim != 1 or not places.aval.shape[0] or values.aval.shape != places.aval.shape:
        raise ShapeError(f"interp: xp and fp must be vectors of one length, not 0, got {places.aval} and {values.aval}")
    if period is not None:
        at, places, values = _periodic(at, places, values, period)
        left = right = None
    n = places.aval.shape[0]
    after = arithmetic.minimum(searching.insertion(places, at, False), n - 1)
    before = arithmetic.maximum(after - 1, 0)
    (x0, x1), (y0, y1) = [[taking.take(v, i, mode="clip") for i in (before, after)] for v in (places, values)]
    width = x1 - x0
    step = logic.where(width == 0, 0, (at - x0) / logic.where(width == 0, 1, width))
    out = logic.where(at == x1, y1, y0 + (y1 - y0) * unary.astype(step, y0.aval.dtype))
    lowest = values[0] if left is None else as_array(left, "interp", "left")
    highest = values[n - 1] if right is None else as_array(right, "interp", "right")
    out = logic.where(at < places[0], lowest, out)
    out = logic.where(at > places[n - 1], highest, out)
    return logic.where(unary.isnan(at), unary.astype(at, out.aval.dtype), out)


def _periodic(at: Array, places: Array, values: Array, period: ArrayLike) -> tuple[Array, Array, Array]:
    """The points in order within one period, with the last one repeated before and the first one after them."""
    length = unary.abs(convert(inexact("interp", period, "period"), at.aval.dtype))
    if length.aval.shape:
        raise ShapeError(f"interp: period must be a number, got {length.aval}")
    known = length.known()
    if known is not None and not known:
        raise ArgumentError("interp: period must not be 0")
    at, places = arithmetic.remainder(at, length), arithmetic.remainder(places, length)
    places, values = sorting.sort_together([places, values])
    line = movement.concat([places[-1:] - length, places, places[:1] + length])
    return at, line, movement.concat([values[-1:], values, values[:1]])
