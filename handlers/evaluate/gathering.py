"""Elements at positions, by NumPy's indexing. Where it refuses a position that is out of bounds, so does evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Concrete, Host, concrete
from effects.errors import OutOfBoundsError
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.program.chain import Performed
from effects.runtime.caches import memoised
from effects.runtime.numpy_warnings import quiet
from effects.types import dtypes
from effects.types.shapes import Ints, show
from handlers.evaluate.rules import RULES, result

type Key = tuple[Any, ...]
type Mask = npt.NDArray[np.bool_]

_WHOLE: Final = slice(None)
UFUNCS: Final = {
    ScatterKind.ADD: np.add,
    ScatterKind.MAX: np.maximum,
    ScatterKind.MIN: np.minimum,
    ScatterKind.MUL: np.multiply,
}


@memoised
def _orders(rank: int, axes: Ints, batch: int, at: int, positions: int) -> tuple[Ints, Ints]:
    """Permutations of axes: of x, with the common axes first and then those of the positions; and of the result."""
    rest = tuple([axis for axis in range(batch, rank) if axis not in axes])
    count = positions - batch
    end = batch + count + len(rest)
    before = batch + count + at
    back = (*range(batch), *range(batch + count, before), *range(batch, batch + count), *range(before, end))
    return (*range(batch), *axes, *rest), back


def _lanes(common: Ints, rank: int) -> tuple[Host, ...]:
    """The positions along the common axes, as arrays that broadcast with others of this rank."""
    return tuple([np.arange(n).reshape(n, *(1,) * (rank - b - 1)) for b, n in enumerate(common)])


_few_lanes: Final = memoised(_lanes)
_CACHED_AXIS: Final = 256
"""Largest common axis whose positions are cached."""


def _key(indices: Sequence[Host], common: Ints) -> Key:
    """NumPy's key for an array whose axes are in order."""
    if not common:
        return tuple(indices)
    rank = max([i.ndim for i in indices])
    return (*(_few_lanes(common, rank) if max(common) <= _CACHED_AXIS else _lanes(common, rank)), *indices)


def _wide(index: Host) -> Host:
    """The positions as NumPy counts them."""
    if index.dtype.kind == "u" and index.dtype.itemsize == 8:
        index = np.minimum(index, 2**63 - 1)
    return index.astype(np.int64, copy=False)


def _within(indices: Sequence[Host], sizes: Sequence[int], bounds: Bounds) -> tuple[list[Host], Mask | None]:
    """Positions moved within the bounds, and for `DROP` a mask of those that were within; None for all."""
    inside: Mask | None = None
    positions: list[Host] = []
    for position, n in zip(indices, sizes, strict=True):
        index = _wide(position)
        from_end = not index.size or index.min() < 0
        if not from_end and index.max() < n:  # a fifth of the time
            positions.append(index)
            continue
        if bounds is Bounds.WRAP:
            positions.append(index % n)
            continue
        index = np.where(index < 0, index + n, index) if from_end else index
        if bounds is Bounds.DROP:
            valid = np.asarray((index >= 0) & (index < n) if from_end else index < n)
            inside = valid if inside is None else inside & valid
        positions.append(np.clip(index, 0, max(n - 1, 0)))
    return positions, inside


def _beyond(op: Gather[Concrete] | Scatter[Concrete]) -> OutOfBoundsError:
    """The position that NumPy refused."""
    for axis, index in zip(op.axes, op.indices, strict=True):
        n = op.x.aval.shape[axis]
        wide = _wide(index.host)
        outside = wide[(wide < -n) | (wide >= n)]
        if outside.size:
            return OutOfBoundsError(f"index {outside.flat[0]} is out of bounds for axis {axis} of size {n}")
    return OutOfBoundsError(f"an index is out of bounds for shape {show(op.x.aval.shape)}")


def _plain(indices: tuple[Concrete, ...]) -> tuple[Host, ...]:
    """Positions as NumPy takes them."""
    return tuple([h if (h := i.host).dtype.num != 10 else _wide(h) for i in indices])  # it refuses uint64


@RULES.rule(Gather)
def evaluate_gather(op: Gather[Concrete]) -> Performed:
    aval = op.types()
    x, at = op.x.host, op.at
    if op.bounds is Bounds.CHECKED:
        indices: Sequence[Host] = _plain(op.indices)
        inside = None
    else:
        indices, inside = _within([i.host for i in op.indices], [x.shape[axis] for axis in op.axes], op.bounds)
        if inside is not None and 0 in x.shape:
            return concrete(np.full(aval.shape, op.fill, aval.dtype.dtype), aval)
    try:
        if not op.batch and op.axes == tuple(range(at, at + len(op.axes))):  # NumPy has the result in our order
            key: Key = (*(_WHOLE,) * at, *indices)
            # `take` is quicker, but looks at no position where there is nothing.
            out = x.take(indices[0], at) if len(indices) == 1 and x.ndim > 1 and x.size else x[key]
        elif not at and op.axes == tuple(range(op.batch, op.batch + len(op.axes))):
            out = x[_key(indices, x.shape[: op.batch])]
        else:
            rank = max([i.ndim for i in indices])
            order, back = _orders(x.ndim, op.axes, op.batch, at, rank)
            out = x.transpose(order)[_key(indices, x.shape[: op.batch])].transpose(back)
    except IndexError:
        raise _beyond(op) from None
    if inside is not None and not inside.all():
        last = (1,) * (aval.ndim - op.batch - at - (rank := max([i.ndim for i in indices]) - op.batch))
        shape = np.broadcast_shapes(inside.shape, (*x.shape[: op.batch], *(1,) * rank))
        inside = np.broadcast_to(inside, shape)
        valid = inside.reshape((*shape[: op.batch], *(1,) * at, *shape[op.batch :], *last))
        out = np.where(valid, out, np.asarray(op.fill).astype(aval.dtype.dtype))
    return result(out, aval)


@RULES.rule(Scatter)
def evaluate_scatter(op: Scatter[Concrete]) -> Performed:
    aval = op.types()
    x, update = op.x.host, op.update.host
    if (
        op.kind is ScatterKind.ADD
        and x.ndim == 1
        and not x.strides[0]
        and (counted := _counted(op, update)) is not None
    ):
        return concrete(counted, aval)
    narrow = aval.dtype in dtypes.NARROW and op.kind in (ScatterKind.ADD, ScatterKind.MUL)
    out = x.astype(np.float32) if narrow else x.copy()
    if narrow:
        update = update.astype(np.float32)
    quiet.run(_write, op, out, update)
    return concrete(quiet.run(out.astype, aval.dtype.dtype) if narrow else out, aval)


def _counted(op: Scatter[Concrete], update: Host) -> Host | None:
    """The result of adding to zeros, by `bincount`; None where that does not add as here."""
    x, index = op.x.host, _wide(op.indices[0].host)
    of_one = update.dtype.kind in "iu" and not any(update.strides)  # so that sums wrap as multiples do
    zeros = x.size and not x[0] and not (x.dtype.kind == "f" and np.signbit(x[0]))
    if not zeros or not (of_one or update.dtype == np.float64) or not update.size or update.shape != index.shape:
        return None
    one, inside = update.flat[0], None
    if op.bounds is not Bounds.CHECKED:
        (index,), inside = _within([index], x.shape, op.bounds)
    elif index.min() < 0 or index.max() >= x.size:
        return None
    if inside is not None:
        index, update = index[inside], update[inside]
    if not of_one:
        return np.bincount(index.ravel(), update.ravel(), x.size)
    counts: Host = np.bincount(index.ravel(), None, x.size).astype(x.dtype)
    return counts if one == 1 else counts * one


def _write(op: Scatter[Concrete], out: Host, update: Host) -> None:
    if op.bounds is Bounds.CHECKED:
        indices: Sequence[Host] = _plain(op.indices)
        inside = None
    else:
        indices, inside = _within([i.host for i in op.indices], [out.shape[axis] for axis in op.axes], op.bounds)
    batch = op.batch
    ordered = not batch and op.axes == tuple(range(op.at, op.at + len(op.axes)))
    if ordered and inside is None and (op.unique or op.at == 0 or op.kind is ScatterKind.SET):
        view: Host = out
        key: Key = (*(_WHOLE,) * op.at, *indices)
    else:
        order, back = _orders(out.ndim, op.axes, batch, op.at, max([i.ndim for i in indices]))
        view = out.transpose(order)
        key = _key(indices, out.shape[:batch])
        update = update.transpose(np.argsort(back))
    if inside is not None and not inside.all():
        positions = update.shape[: update.ndim - (out.ndim - batch - len(op.axes))]
        inside = np.broadcast_to(inside, positions)
        key = tuple([np.broadcast_to(k, positions)[inside] for k in key])
        update = update[inside]
    try:
        if op.kind is ScatterKind.SET:
            view[key] = update
        elif op.unique or not any([np.ndim(k) for k in key]):
            view[key] = UFUNCS[op.kind](view[key], update)
        else:
            UFUNCS[op.kind].at(view, key, update)
    except IndexError:
        raise _beyond(op) from None
