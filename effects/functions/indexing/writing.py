"""Reading and writing by `x.at[key]`.

A static key means a part, which is replaced; positions are written by `Scatter`. An unknown mask selects between old
and new values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

from effects.arguments import flag, refusal
from effects.arrays.array import Array, ArrayLike
from effects.errors import ConcretizationError, OutOfBoundsError, ShapeError
from effects.functions.creation.sequences import arange
from effects.functions.elementwise import logic
from effects.functions.indexing import keys
from effects.functions.indexing.slicing import fitting
from effects.functions.indexing.taking import bounds_of, check_known, fill_for, gather
from effects.functions.manipulation import movement
from effects.operations.elementwise import Binary, BinaryKind
from effects.operations.gathering import Bounds, Scatter, ScatterKind, check_kind
from effects.operations.indexing import Slice
from effects.program.chain import ROOT, current, perform
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    from effects.functions.indexing.keys import Chosen, Index, Part, Plain
    from effects.types.dtypes import DType
    from effects.types.shapes import Ints

_K = ScatterKind
_BINARY: Final = {_K.ADD: BinaryKind.ADD, _K.MAX: BinaryKind.MAX, _K.MIN: BinaryKind.MIN, _K.MUL: BinaryKind.MUL}
type Written = Literal["clip", "drop", "fill", "wrap"]
type Mode = Written | None


def read[DT: DType](
    x: Array[DT], key: Index, mode: Mode, fill_value: ArrayLike | None, unique: bool, ordered: bool
) -> Array[DT]:
    """x[key]."""
    bounds = _bounds("get", mode)
    if fill_value is not None and bounds is not Bounds.DROP:
        raise refusal("get", "mode", "'fill' where a fill_value is given", mode)
    unique, ordered = _promises("get", unique, ordered)
    part, chosen = keys.read("get", x, keys.entries(key), anywhere=mode is not None)
    fill = fill_for("get", x, fill_value) if bounds is Bounds.DROP else 0
    y: Array = x if part is None else part.of(x)
    if chosen is None:
        return y
    return gather("get", y, chosen.axes, chosen.indices, chosen.at, bounds, fill, unique, ordered)


def applied[DT: DType, Sh: tuple[Any, ...]](
    x: Array[DT, Sh],
    key: Index,
    function: str,
    f: Callable[[Array[DT]], Array],
    mode: Mode,
    unique: bool,
    ordered: bool,
) -> Array[DT, Sh]:
    """`x` with f(x[key]) in place of x[key]."""
    mask = _unknown_mask(key)
    if mask is not None:
        return _where(function, mask, x, fitting(function, f(x), x, "values"))
    old = read(x, key, "clip" if mode == "drop" or mode == "fill" else mode, None, unique, ordered)
    return written(x, key, function, _K.SET, f(old), mode, unique, ordered)


def written[DT: DType, Sh: tuple[Any, ...]](
    x: Array[DT, Sh],
    key: Index,
    function: str,
    kind: ScatterKind,
    values: object,
    mode: Mode,
    unique: bool,
    ordered: bool,
) -> Array[DT, Sh]:
    """`x` with `values` written to x[key], combined with the old elements by `kind`."""
    bounds = _bounds(function, mode)
    unique, ordered = _promises(function, unique, ordered)
    new = fitting(function, values, x, "values")
    check_kind(function, kind, x.aval)
    mask = _unknown_mask(key)
    if mask is not None:
        new = _same(function, mask, x, new)
        return _where(function, mask, x, new if kind is _K.SET else perform(Binary(_BINARY[kind], x, new)))
    part, chosen = keys.read(function, x, keys.entries(key), anywhere=mode is not None)
    if chosen is None:
        assert part is not None, "a key says something"
        return _put(function, kind, x, part, new)
    shape = x.aval.shape if part is None else part.shape
    new = _broadcast(function, new, chosen.shape(shape))
    if bounds is Bounds.CHECKED and current() is not ROOT:
        check_known(function, shape, chosen.axes, chosen.indices)
    if part is not None and part.bounds is not None and chosen.static is not None:
        outer = _outer(x, chosen, chosen.static, new)
        if outer is not None:
            axes, indices, new = outer
            return perform(Scatter(kind, axes, 0, 0, bounds, x, new, indices, unique, False))
    y: Array = x if part is None else part.of(x)
    out = perform(Scatter(kind, chosen.axes, 0, chosen.at, bounds, y, new, chosen.indices, unique, ordered))
    return out if part is None else part.put(x, part.back(out))


def _outer(
    x: Array, chosen: Chosen, static: tuple[Plain, ...], new: Array
) -> tuple[Ints, tuple[Array, ...], Array] | None:
    """A key with positions and slices as positions alone: axes, positions and values for x itself.

    So only written elements are copied. None if there are none, or positions are along a new axis.
    """
    own = [n for n, entry in enumerate(static) if entry is not None]
    if not set(chosen.axes) <= set(own) or not new.aval.size:
        return None
    positions = {
        n: range(size)[entry]
        for n, size in zip(own, x.aval.shape, strict=True)
        if isinstance(entry := static[n], slice)
    }
    rest = [n for n in range(len(static)) if n not in chosen.axes]
    cut = [n for n in rest if n in positions and positions[n] != range(x.aval.shape[own.index(n)])]
    ones = (1,) * len(cut)
    indices = [movement.reshape(i, (*i.aval.shape, *ones)) if i.aval.ndim else i for i in chosen.indices]
    for n, k in enumerate(cut):
        places = positions[k]
        indices.append(movement.reshape(arange(places.start, places.stop, places.step), (len(places), *ones[n + 1 :])))
    rank = new.aval.ndim - len(rest)
    labels = [*rest[: chosen.at], *[-1 - p for p in range(rank)], *rest[chosen.at :]]
    order = [*[-1 - p for p in range(rank)], *cut, *[n for n in rest if n not in cut]]
    new = movement.permute_dims(new, tuple([labels.index(label) for label in order]))
    shape = [size for size, label in zip(new.aval.shape, order, strict=True) if label < 0 or label in positions]
    axes = tuple([own.index(n) for n in (*chosen.axes, *cut)])
    return axes, tuple(indices), movement.reshape(new, tuple(shape))


def _unknown_mask(key: Index) -> Array | None:
    """The key, if it is a single mask with unknown values."""
    mask: object = key[0] if isinstance(key, tuple) and len(key) == 1 else key
    if not isinstance(mask, Array) or mask.aval.dtype is not dtypes.bool_ or not mask.aval.size:
        return None
    return mask if mask.known() is None else None


def _same(function: str, mask: Array, x: Array, new: Array) -> Array:
    """`new` for every element of `x`, if it is one value for all places of an unknown mask."""
    by_place = new.aval.shape[: max(new.aval.ndim - x.aval.ndim + mask.aval.ndim, 0)]
    if set(by_place) - {1}:
        raise ConcretizationError(
            f"{function}: the values of the mask are not known here ({mask.unknown_reason()}), and with them how many "
            f"places there are for values of shape {shapes.show(new.aval.shape)}; give one value for all places, or "
            "write where(mask, values, x) with values for every element of x"
        )
    return movement.reshape(new, new.aval.shape[len(by_place) :])


def _where[DT: DType, Sh: tuple[Any, ...]](
    function: str, mask: Array, x: Array[DT, Sh], changed: Array
) -> Array[DT, Sh]:
    """`changed` where an unknown mask holds, else x."""
    own, shape = mask.aval.shape, x.aval.shape
    if own != shape[: len(own)]:
        raise OutOfBoundsError(f"{function}: a mask of shape {shapes.show(own)} does not fit {shapes.show(shape)}")
    mask_in_rank = movement.reshape(mask, (*own, *(1,) * (len(shape) - len(own))))
    return logic.where(mask_in_rank, _broadcast(function, changed, shape), x)


def _put(function: str, kind: ScatterKind, x: Array, part: Part, new: Array) -> Array:
    new = part.back(_broadcast(function, new, part.shape))
    if kind is not _K.SET:
        old = x if part.bounds is None else perform(Slice(*part.bounds, x))
        new = perform(Binary(_BINARY[kind], old, new))
    return part.put(x, new)


def _broadcast(function: str, new: Array, shape: shapes.Ints) -> Array:
    """The values broadcast to places of `shape`; leading axes of size 1 are dropped, as in NumPy."""
    own = new.aval.shape
    if own == shape:
        return new
    extra = len(own) - len(shape)
    if extra > 0 and set(own[:extra]) == {1}:
        new = movement.reshape(new, own[extra:])
    try:
        return movement.broadcast_to(new, shape)
    except ShapeError:
        raise ShapeError(
            f"{function}: values of shape {shapes.show(own)} do not broadcast to the places, {shapes.show(shape)}"
        ) from None


def _bounds(function: str, mode: Mode) -> Bounds:
    return Bounds.CHECKED if mode is None else bounds_of(function, mode, Written)


def _promises(function: str, unique: bool, ordered: bool) -> tuple[bool, bool]:
    if unique is False and ordered is False:
        return False, False
    return flag(function, "unique_indices", unique), flag(function, "indices_are_sorted", ordered)
