"""Reading at positions: `x[key]`, and the functions that take elements along an axis.

Positions count from the end where they are negative. Those out of bounds raise OutOfBoundsError where their values are
known. Where they are not (under `jit` and `vmap`) they are clipped when read and dropped when written, unless a `mode`
says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAliasType

import numpy as np

from effects.arguments import choice, refusal
from effects.arrays.array import Array, ArrayLike, Like
from effects.arrays.concrete import from_host
from effects.arrays.promotion import as_array, integral, promoted, scalar
from effects.errors import ArgumentError, ConcretizationError, DTypeError, OutOfBoundsError, ShapeError
from effects.functions.elementwise import arithmetic
from effects.functions.indexing import keys
from effects.functions.indexing.keys import EXACT, Index, listed
from effects.functions.indexing.slicing import fitting
from effects.functions.manipulation import movement
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.program.chain import ROOT, current, perform
from effects.types import dtypes, promotion, shapes
from effects.types.shapes import Ints

if TYPE_CHECKING:
    from effects.arrays.operators import DT
    from effects.types.signatures.becoming import Integers, W

type TakeMode = Literal["clip", "fill", "raise", "wrap"]
type TakenAlong = Literal["clip", "fill", "wrap"]
type PutAlong = Literal["clip", "drop", "wrap"]
type Choosable = Literal["clip", "raise", "wrap"]
"""Modes for positions out of bounds that functions accept."""

MODES: Final = {
    "clip": Bounds.CLIP,
    "drop": Bounds.DROP,
    "fill": Bounds.DROP,
    "raise": Bounds.CHECKED,
    "wrap": Bounds.WRAP,
}


def getitem(x: Like[DT], key: Index, /) -> Array[DT]:
    """x[key], as NumPy reads: an int drops its axis, a slice shortens it, None adds an axis of size 1, Ellipsis stands
    for the rest. Arrays (or lists) of integers choose positions, masks the elements where they hold.

    Negative positions count from the end. Positions out of bounds raise OutOfBoundsError where they are known, else
    they are clipped; `x.at[key].get(mode=...)` says otherwise. The values of masks must be known.

    >>> import effects as fx
    >>> getitem(fx.arange(5), slice(None, None, -2)), getitem(fx.arange(5), [3, -1])
    (Array([4, 2, 0], int64), Array([3, 4], int64))
    """
    array = as_array(x, "getitem", "x")
    entries = key if type(key) is tuple else (key,)
    if EXACT.issuperset(map(type, entries)):
        return keys.part("getitem", array.aval.shape, entries).of(array)  # type: ignore[arg-type]  # the line above
    part, chosen = keys.read("getitem", array, entries)
    if part is not None:
        array = part.of(array)
    return array if chosen is None else gather("getitem", array, chosen.axes, chosen.indices, chosen.at)


def gather(
    function: str,
    x: Array,
    axes: Ints,
    indices: tuple[Array, ...],
    at: int = 0,
    bounds: Bounds = Bounds.CHECKED,
    fill: complex = 0,
    unique: bool = False,
    ordered: bool = False,
    batch: int = 0,
) -> Array:
    """The elements of `x` at `indices`; with `Bounds.CHECKED`, known positions out of bounds are refused."""
    if bounds is Bounds.CHECKED and current() is not ROOT:
        check_known(function, x.aval.shape, axes, indices)
    return perform(Gather(axes, batch, at, bounds, fill, x, indices, unique, ordered))


def check_known(function: str, shape: Ints, axes: Ints, indices: tuple[Array, ...]) -> None:
    """Raise OutOfBoundsError for known positions out of bounds.

    Beside an empty array of positions all others are empty too.
    """
    if not all([index.aval.size for index in indices]):
        return
    for axis, index in zip(axes, indices, strict=True):
        known = index.known()
        if known is not None:
            host, n = known.fetch(), shape[axis]
            low, high = int(host.min()), int(host.max())
            if low < -n or high >= n:
                raise OutOfBoundsError(
                    f"{function}: index {low if low < -n else high} is out of bounds for axis {axis} of size {n}"
                )


def fill_for(function: str, x: Array, fill_value: ArrayLike | None) -> complex:
    """Fill value for positions out of bounds: by default NaN, the least signed or greatest unsigned integer, True."""
    dtype = x.aval.dtype
    if fill_value is None:
        if dtypes.is_inexact(dtype):
            return np.nan
        if dtype is dtypes.bool_:
            return True
        limits = np.iinfo(dtype.dtype)
        return int(limits.max if issubclass(dtype, dtypes.Unsigned) else limits.min)
    fill = as_array(fill_value, function, "fill_value")
    known = fill.known()
    if known is None or fill._varies or fill.aval.ndim:
        expected = "a number that is known" if known is None or fill.aval.ndim else "a number without a derivative"
        raise refusal(function, "fill_value", expected, fill_value, "choose with where(mask, x, y)")
    number: complex = known.fetch().item()
    aval = fill.aval
    joint = promotion.promote_weak(dtype, aval.dtype) if aval.weak_type else promotion.promote(dtype, aval.dtype)
    if joint is not dtype:
        raise DTypeError(f"{function}: x is {dtype} and cannot hold fill_value, {number}")
    scalar(number, dtype, function=function, argument="fill_value")
    return number


def bounds_of(function: str, mode: str | None, options: TypeAliasType) -> Bounds:
    """Bounds for a function's `mode` of positions out of bounds: None, or one of `options`."""
    return Bounds.CHECKED if mode is None else MODES[choice(function, "mode", mode, options)]


def positions(function: str, indices: object, argument: str = "indices") -> Array:
    """Positions as an array of integers."""
    if isinstance(indices, list | tuple | range):
        indices = listed(function, indices, argument)
    return integral(function, indices, argument)


def take(
    x: Like[DT],
    /,
    indices: Integers[W] | Sequence[int],
    axis: int | None = None,
    *,
    mode: TakeMode | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[DT]:
    """The elements of x at positions along `axis`, in whose place the axes of `indices` come; None: of the flattened x.

    `mode` is for positions out of bounds: "clip" (as in NumPy negative ones become 0), "fill" (with `fill_value`; NaN,
    or the extreme of integers), "wrap". By default they are clipped where they are not known. Raises OutOfBoundsError
    for known ones.

    >>> import effects as fx
    >>> fx.take(fx.arange(5) * 10, [4, -2])
    Array([40, 30], int64)
    """
    array, at = movement.along_axis("take", as_array(x, "take", "x"), axis)
    chosen = positions("take", indices)
    bounds = bounds_of("take", mode, TakeMode)
    if fill_value is not None and bounds is not Bounds.DROP:
        raise refusal("take", "mode", "'fill' where a fill_value is given", mode)
    if bounds is Bounds.CLIP:
        chosen = arithmetic.maximum(chosen, 0)
    fill = fill_for("take", array, fill_value) if bounds is Bounds.DROP else 0
    return gather("take", array, (at,), (chosen,), at, bounds, fill)


def _ranks(function: str, x: Array, indices: Array) -> ShapeError:
    remedy = "keep the axis, as argmax(x, axis, keepdims=True) does, or put it in by expand_dims(indices, axis)"
    advice = "take(x, indices) takes others" if indices.aval.ndim + 1 != x.aval.ndim or x.aval.ndim < 2 else remedy
    return ShapeError(
        f"{function}: x and indices must have the same rank, at least 1, got {x.aval} and {indices.aval}; {advice}"
    )


def _along(function: str, x: Array, indices: Array, axis: int) -> tuple[Array, Array]:
    """Both arrays with `axis` last, and the other axes broadcast."""
    rank = x.aval.ndim
    if indices.aval.ndim != rank or not rank:
        raise _ranks(function, x, indices)
    if axis != rank - 1:
        x, indices = movement.moveaxis(x, axis, -1), movement.moveaxis(indices, axis, -1)
    own, batch = x.aval.shape[:-1], indices.aval.shape[:-1]
    if own == batch:
        return x, indices
    common = shapes.broadcast(own, batch)
    return (
        movement.broadcast_to(x, (*common, x.aval.shape[-1])),
        movement.broadcast_to(indices, (*common, indices.aval.shape[-1])),
    )


def take_along_axis(
    x: Like[DT],
    /,
    indices: Integers[W],
    axis: int | None = -1,
    *,
    mode: TakenAlong | None = None,
    fill_value: ArrayLike | None = None,
) -> Array[DT]:
    """out[i, j, k] = x[i, indices[i, j, k], k], for `axis` 1 of three; of the flattened x if `axis` is None.

    The other axes broadcast. The results of `argsort` and `argmax` are such indices. `mode` is as that of `take`, but
    for "clip", where negative positions count from the end.

    >>> import effects as fx
    >>> fx.take_along_axis(fx.asarray([[1, 2], [3, 4]]), fx.asarray([[1], [0]]))
    Array([[2],
           [3]], int64)
    """
    array, chosen = as_array(x, "take_along_axis", "x"), positions("take_along_axis", indices)
    array, at = movement.along_axis("take_along_axis", array, axis)
    array, chosen = _along("take_along_axis", array, chosen, at)
    bounds = bounds_of("take_along_axis", mode, TakenAlong)
    fill = fill_for("take_along_axis", array, fill_value) if bounds is Bounds.DROP else 0
    last = array.aval.ndim - 1
    out = gather("take_along_axis", array, (last,), (chosen,), 0, bounds, fill, batch=last)
    return out if at == last else movement.moveaxis(out, -1, at)


def put_along_axis(
    x: Like[DT], /, indices: Integers[W], values: ArrayLike, axis: int | None = -1, *, mode: PutAlong | None = None
) -> Array[DT]:
    """x with `values` written where `take_along_axis(x, indices, axis=axis)` reads. x itself stays what it is.

    `values` broadcast to the shape of `indices` and must fit the dtype of x. `mode` is for positions out of bounds:
    "clip", "drop" or "wrap".

    >>> import effects as fx
    >>> fx.put_along_axis(fx.zeros((2, 2)), fx.asarray([[1], [0]]), 5.0)
    Array([[0., 5.],
           [5., 0.]], float64)
    """
    array, chosen = as_array(x, "put_along_axis", "x"), positions("put_along_axis", indices)
    new = fitting("put_along_axis", values, array, "values")
    shape = array.aval.shape
    array, at = movement.along_axis("put_along_axis", array, axis)
    rank, n = array.aval.ndim, chosen.aval.shape
    if len(n) != rank or not rank:
        raise _ranks("put_along_axis", array, chosen)
    full = (*array.aval.shape[:at], n[at], *array.aval.shape[at + 1 :])
    chosen, new = [a if a.aval.shape == full else movement.broadcast_to(a, full) for a in (chosen, new)]
    bounds = bounds_of("put_along_axis", mode, PutAlong)
    last = at == rank - 1
    if not last:
        array, chosen, new = [movement.moveaxis(a, at, -1) for a in (array, chosen, new)]
    if bounds is Bounds.CHECKED and current() is not ROOT:
        check_known("put_along_axis", array.aval.shape, (rank - 1,), (chosen,))
    out = perform(Scatter(ScatterKind.SET, (rank - 1,), rank - 1, 0, bounds, array, new, (chosen,)))
    out = out if last else movement.moveaxis(out, -1, at)
    return out if out.aval.shape == shape else movement.reshape(out, shape)


def choose(indices: Integers[W], /, choices: Sequence[ArrayLike], *, mode: Choosable | None = None) -> Array:
    """out[i] = choices[indices[i]][i], all broadcast together; of an array, its first axis has the choices.

    `mode` is for indices out of bounds, "clip" (negative ones become 0) or "wrap"; by default they are clipped where
    they are not known. Raises OutOfBoundsError for known ones.

    >>> import effects as fx
    >>> fx.choose([0, 1, 0], [10, 20])
    Array([10, 20, 10], int64)
    """
    chosen = positions("choose", indices)
    if isinstance(choices, Array | np.ndarray):
        options = movement.unstack(as_array(choices, "choose", "choices"))
    elif isinstance(choices, list | tuple) and choices:
        options = tuple(promoted("choose", **{f"choices[{n}]": option for n, option in enumerate(choices)}))
    else:
        raise refusal("choose", "choices", "a sequence of arrays, not empty", choices)
    if not options:
        raise ArgumentError("choose: there are no choices")
    shape = shapes.broadcast_all([chosen.aval.shape, *[option.aval.shape for option in options]])
    stacked = movement.stack([movement.broadcast_to(option, shape) for option in options], axis=-1)
    bounds = bounds_of("choose", mode, Choosable)
    if bounds is Bounds.CLIP:
        chosen = arithmetic.maximum(chosen, 0)
    elif bounds is Bounds.CHECKED:
        _refuse_beyond(chosen, len(options))
    rank = len(shape)
    return gather("choose", stacked, (rank,), (movement.broadcast_to(chosen, shape),), 0, bounds, batch=rank)


def _refuse_beyond(indices: Array, count: int) -> None:
    known = indices.known()
    if known is None or not indices.aval.size:
        return
    least, greatest = int(known.fetch().min()), int(known.fetch().max())
    if least < 0:
        raise OutOfBoundsError(f"choose: index {least} is negative, and choices are counted from 0")
    if greatest >= count:
        raise OutOfBoundsError(f"choose: index {greatest} is out of bounds for {count} choices")


def compress(condition: ArrayLike | Sequence[bool], x: Like[DT], /, axis: int | None = None) -> Array[DT]:
    """The parts of x along `axis` (of the flattened x if that is None) where a vector of bools holds.

    The vector may be shorter than the axis. Its values decide the shape of the result, so they must be known.

    >>> import effects as fx
    >>> fx.compress([False, True, True], fx.arange(4) * 10)
    Array([10, 20], int64)
    """
    array = as_array(x, "compress", "x")
    if isinstance(condition, list | tuple):
        condition = listed("compress", condition, "condition")
    mask = as_array(condition, "compress", "condition")
    if mask.aval.ndim != 1:
        raise ShapeError(f"compress: condition must be a vector, got {mask.aval}")
    known = mask.known()
    if known is None:
        raise ConcretizationError(
            "compress: condition must be known, since its values decide the shape of the result; it is "
            f"{mask.unknown_reason()}. Choose with where(mask, x, y), which keeps the shape, or make the condition of "
            "NumPy arrays or of static arguments"
        )
    places = np.flatnonzero(known.fetch())
    n = array.aval.size if axis is None else array.aval.shape[shapes.normalize_axis("compress", array.aval.shape, axis)]
    if places.size and places[-1] >= n:
        raise OutOfBoundsError(f"compress: condition, {mask.aval}, holds at {places[-1]}, of {n} elements")
    return take(array, from_host(places), axis)
