"""Interpretation of the key of `x[key]`: a rectangular part of x, and positions along some of its axes.

A key of ints, slices, None and Ellipsis is a part alone (`Part`). Arrays of positions, masks and unknown integer
scalars choose from the part that the rest of the key means (`Chosen`), and NumPy's rule decides where their axes go.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, SupportsIndex

import numpy as np

from effects.arguments import describe, integer, shown
from effects.arrays.array import Array
from effects.arrays.concrete import from_host
from effects.arrays.promotion import as_array, scalar
from effects.arrays.subscripts import at_a_mask
from effects.errors import ArgumentError, ConcretizationError, EffaxError, OutOfBoundsError, ShapeError, UnhashableError
from effects.functions.creation import creation
from effects.operations.elementwise import Select
from effects.operations.indexing import DynamicUpdateSlice, Slice
from effects.operations.movement import Flip, Pad, Reshape
from effects.program.chain import perform
from effects.runtime.caches import memoised
from effects.types import dtypes, shapes

if TYPE_CHECKING:
    import numpy.typing as npt

    from effects.types.shapes import Ints
    from effects.types.signatures.becoming import Discrete

type Row = Sequence[SupportsIndex]  # but no string
type Positions = Discrete | npt.NDArray[Any] | list[Any] | Row | Sequence[Row]
type Entry = int | np.integer[Any] | Cut | EllipsisType | Positions | None
type Index = Entry | tuple[Entry, ...]
type Plain = int | slice | EllipsisType | None
"""Static entries of a key."""


class Cut(Protocol):
    """A slice between integers."""

    @property
    def start(self) -> SupportsIndex | None: ...
    @property
    def stop(self) -> SupportsIndex | None: ...
    @property
    def step(self) -> SupportsIndex | None: ...


EXACT: Final = frozenset({int, slice, type(None), EllipsisType})


class Part(NamedTuple):
    """A rectangular part: a slice, flipped along some axes, and reshaped; None for each step that changes nothing."""

    bounds: tuple[Ints, Ints, Ints] | None
    flipped: Ints
    sliced: Ints
    shape: Ints

    def of(self, x: Array) -> Array:
        """The part of `x`."""
        if self.bounds is not None:
            x = perform(Slice(*self.bounds, x))
        if self.flipped:
            x = perform(Flip(self.flipped, x))
        return x if self.shape == self.sliced else perform(Reshape(self.shape, x))

    def back(self, value: Array) -> Array:
        """An array of the part's shape, reshaped and flipped back to the order of x's elements."""
        if self.shape != self.sliced:
            value = perform(Reshape(self.sliced, value))
        return perform(Flip(self.flipped, value)) if self.flipped else value

    def put(self, x: Array, value: Array) -> Array:
        """`x` with `value`, in the order of x's elements, in place of the part."""
        if self.bounds is None:
            return value
        start, _, strides = self.bounds
        if not value.aval.size:
            return x
        if set(strides) <= {1}:
            return perform(DynamicUpdateSlice(x, value, tuple([scalar(s, dtypes.int64) for s in start])))
        return perform(
            Select(self._spread(creation.ones(self.sliced, dtype=dtypes.bool_), x), self._spread(value, x), x)
        )

    def _spread(self, value: Array, x: Array) -> Array:
        assert self.bounds is not None
        config = []
        for n, start, stride, size in zip(x.aval.shape, self.bounds[0], self.bounds[2], self.sliced, strict=True):
            config.append((start, n - (start + (size - 1) * stride + 1), stride - 1))
        return perform(Pad(tuple(config), value, scalar(0, value.aval.dtype, weak_type=value.aval.weak_type)))


class Chosen(NamedTuple):
    """The positions `indices` along `axes`; in the result, their axes come after `at` of the other ones.

    `static` is the key of the part to which they refer.
    """

    axes: Ints
    at: int
    indices: tuple[Array, ...]
    static: tuple[Plain, ...] | None = None

    def shape(self, part_shape: Ints) -> Ints:
        """The shape of what is chosen of an array of shape `part_shape`."""
        return shapes.gather(part_shape, self.axes, 0, self.at, tuple([i.aval.shape for i in self.indices]))


@partial(memoised, typed=True)
def _part(shape: Ints, key: tuple[Plain, ...]) -> Part:
    recipe = shapes.basic_index(shape, key)
    sliced = shapes.strided_slice(shape, recipe.starts, recipe.limits, recipe.strides)
    bounds = None if sliced == shape else (recipe.starts, recipe.limits, recipe.strides)
    return Part(bounds, recipe.flipped, sliced, recipe.shape)


def part(function: str, shape: Ints, key: tuple[Plain, ...]) -> Part:
    """The part that a static key means; the bounds of slices may be arrays whose values are known."""
    try:
        return _part(shape, key)
    except TypeError as error:  # a slice with arrays as bounds is not hashable
        if isinstance(error, EffaxError) and not isinstance(error, UnhashableError | ConcretizationError):
            raise
    return _part(shape, tuple([_static_slice(function, e) if isinstance(e, slice) else e for e in key]))


def _static_slice(function: str, entry: slice) -> slice:
    """A slice of Python ints."""
    return slice(*[None if b is None else _bound(function, b) for b in (entry.start, entry.stop, entry.step)])


def _bound(function: str, bound: object) -> int:
    if isinstance(bound, Array) and bound.known() is None:
        raise ConcretizationError(
            f"{function}: the bounds of a slice decide the shape of the result, so their values must be known; one is "
            f"{bound.unknown_reason()}. A part of static size is read by dynamic_slice(x, starts, sizes), and "
            "written by dynamic_update_slice(x, part, starts)"
        )
    return integer(function, "a bound of a slice", bound)


def is_integer(index: Array) -> bool:
    return issubclass(index.aval.dtype, dtypes.Integer)


def entries(key: Index) -> tuple[Entry, ...]:
    return key if type(key) is tuple else (key,)


def read(
    function: str, x: Array, key: tuple[Entry, ...], *, anywhere: bool = False
) -> tuple[Part | None, Chosen | None]:
    """The part of `x` that a key means, and the positions chosen from it; None for either if the key has none.

    With `anywhere` an int may be out of bounds, and is then treated like an array of positions.
    """
    shape = x.aval.shape
    if len(key) == 1 and shape and isinstance(key[0], Array) and key[0].aval.ndim and is_integer(key[0]):
        return None, Chosen((0,), 0, (key[0],))
    if not EXACT.issuperset(map(type, key)):
        key = tuple([_entry(function, e) for e in key])
    if EXACT.issuperset(map(type, key)) and not (anywhere and _leaves(shape, key)):
        return part(function, shape, key), None  # type: ignore[arg-type]  # the line above says so
    return _separated(function, shape, key)


def _leaves(shape: Ints, key: tuple[Entry, ...]) -> bool:
    """Return True if an int of a static key is out of bounds."""
    used = [e for e in key if e is not None and e is not ...]
    at = next((n for n, e in enumerate(key) if e is ...), len(key))
    hidden = [slice(None)] * max(len(shape) - len(used), 0)
    aligned = [e for e in (*key[:at], *hidden, *key[at + 1 :]) if e is not None]
    return any([isinstance(e, int) and not -n <= e < n for e, n in zip(aligned, shape, strict=False)])


def _entry(function: str, entry: object) -> Plain | Array:
    """An int, a slice, None or Ellipsis unchanged; anything else as an array of positions, or a known mask."""
    if entry is None or isinstance(entry, EllipsisType):
        return entry
    if isinstance(entry, slice):
        return _static_slice(function, entry)
    if isinstance(entry, bool | np.bool_):
        return from_host(np.asarray(entry))
    if isinstance(entry, list | tuple | range):
        entry = listed(function, entry, "an index")
    elif isinstance(entry, np.ndarray):
        entry = as_array(entry, function, "an index")
    if isinstance(entry, Array):
        aval = entry.aval
        if aval.dtype is dtypes.bool_:
            return _known_mask(function, entry)
        if not issubclass(aval.dtype, dtypes.Integer):
            raise ArgumentError(
                f"{function}: an index must be an int, a slice, None, Ellipsis, an array of integers or a mask, "
                f"got {aval}; convert with astype"
            )
        known = None if aval.ndim else entry.known()
        return entry if known is None else int(known.fetch().item())
    if isinstance(entry, str | bytes | float | complex) or not hasattr(entry, "__index__"):
        raise ArgumentError(
            f"{function}: an index must be an int, a slice, None, Ellipsis, an array of integers or a mask, "
            f"got {describe(entry)}"
        )
    return integer(function, "an index", entry)


def listed(function: str, entries: Sequence[object], argument: str) -> Array:
    """A list of positions or of bools as an array; an empty one is of integers."""
    try:
        array = creation.asarray(entries)  # type: ignore[arg-type]  # other lists are refused
    except EffaxError as error:
        static = any([isinstance(entry, slice | EllipsisType | None) for entry in entries])
        reason = "a key of several entries is a tuple" if static else error.reason
        raise ArgumentError(f"{function}: {argument} is {shown(entries)}, no list of numbers: {reason}") from None
    return array if array.aval.size else from_host(np.zeros(array.aval.shape, np.int64))


def _known_mask(function: str, mask: Array) -> Array:
    known = mask.known() if mask.aval.size else from_host(np.zeros(mask.aval.shape, bool))
    if known is None:
        raise ConcretizationError(
            f"{function}: an index is a mask, {mask.aval}, whose values decide the shape of the result, so they must "
            f"be known; it is {mask.unknown_reason()}. {at_a_mask()}"
        )
    return known


type Mark = slice | EllipsisType | int | Ints | None
"""Entry of a key as `_layout` reads it: 1 for positions, the shape of a mask, static entries unchanged."""


def _separated(function: str, shape: Ints, key: tuple[Entry, ...]) -> tuple[Part | None, Chosen]:
    """A key with arrays, as its static part and the positions that are chosen from that."""
    marks: list[Mark] = []
    indices: list[Array] = []
    for entry in key:
        if isinstance(entry, int):
            marks.append(1)
            indices.append(scalar(entry, dtypes.int64))
        elif not isinstance(entry, Array):
            marks.append(entry)  # type: ignore[arg-type]  # static
        elif entry.aval.dtype is not dtypes.bool_:
            marks.append(1)
            indices.append(entry)
        else:
            marks.append(entry.aval.shape)
            indices += _places(entry)
    static, axes, at = _layout(shape, tuple(marks))
    return None if static is None else part(function, shape, static), Chosen(axes, at, tuple(indices), static)


def _places(mask: Array) -> list[Array]:
    """The positions where a mask holds, along each of its axes. One of rank 0 counts as an axis of size 1 or 0."""
    known = mask.known()
    assert known is not None, "masks are known here"
    host = known.fetch()
    return [from_host(i) for i in (np.nonzero(host) if host.ndim else [np.zeros(int(host), np.int64)])]


def _fits(mask: Ints, shape: Ints) -> bool:
    """Return True if a mask of this shape fits axes of these sizes; one without elements fits any."""
    return mask == shape or all([own in (0, n) for own, n in zip(mask, shape)])


@memoised
def _layout(shape: Ints, key: tuple[Mark, ...]) -> tuple[tuple[Plain, ...] | None, Ints, int]:
    """The static part of a key (None: all), the axes of positions in it, and the place of theirs in the result."""
    used = sum([len(e) if isinstance(e, tuple) else e is not None and e is not ... for e in key])
    if used > len(shape):
        raise OutOfBoundsError(f"too many indices: {used} for shape {shapes.show(shape)} (rank {len(shape)})")
    dots = [n for n, e in enumerate(key) if e is ...]
    if len(dots) > 1:
        raise ShapeError("only one ellipsis is allowed")
    static: list[Plain] = []
    axes: list[int] = []
    axis = at = 0
    separated = False
    for n, entry in enumerate(key if dots else (*key, ...)):
        if isinstance(entry, int | tuple):
            if not axes:
                at = len(static)
            elif not isinstance(key[n - 1], int | tuple):
                separated = True
            width = entry if isinstance(entry, int) else len(entry)
            if isinstance(entry, tuple) and not _fits(entry, shape[axis : axis + width]):
                own = shapes.show(entry)
                raise OutOfBoundsError(f"a mask of shape {own} does not fit shape {shapes.show(shape)} at axis {axis}")
            axes += range(len(static), len(static) + max(width, 1))
            static += [slice(None)] * width or [None]
            axis += width
        elif entry is ...:
            static += [slice(None)] * (len(shape) - used)
            axis += len(shape) - used
        else:
            static.append(entry)
            axis += entry is not None
    everything = all([e is not None and e == slice(None) for e in static])
    return None if everything else tuple(static), tuple(axes), 0 if separated else at
