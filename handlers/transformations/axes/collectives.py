"""Collectives over the lanes of a named axis: `psum`, `all_gather`, `axis_index`, ….

`vmap(f, axis_name="i")` names the axis that it maps; inside `f` these functions take the name. They act on every leaf
of a tree, go through all transformations, and may be nested: the innermost axis of a name is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence

import numpy as np

import effects as fx
from effects.arguments import flag, integer, integers, sequence, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, convert, inexact, rounded_once, scalar
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError, UnboundAxisError
from effects.operations.collectives import (
    AllGather,
    AllReduce,
    AllReduceKind,
    AllToAll,
    AxisIndex,
    PPermute,
    ReduceScatter,
)
from effects.program.chain import current, perform
from effects.program.operation import Single
from effects.trees.pytree import tree_flatten, tree_leaves_with_path, tree_unflatten
from effects.types import dtypes
from handlers.transformations.calls.arguments import as_arrays


def axes_in_scope() -> dict[Hashable, int]:
    """The names and sizes of the axes in scope at this point of the program, innermost first.

    >>> axes_in_scope()
    {}
    """
    return dict(current().axes)


def axis_size(axis_name: Hashable) -> int:
    """The number of lanes of the axis, a Python number; for several axes, a tuple of names, their product.

    Raises UnboundAxisError, listing the names in scope, when no axis has the name, as all functions here do.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x * axis_size("i"), axis_name="i")(fx.arange(3.0))
    Array([0., 3., 6.], float64)
    """
    return math.prod(_axes("axis_size", axis_name)[1])


def axis_index(axis_name: Hashable) -> Array:
    """The number of the lane along the axis; for several axes, a tuple of names, the last one counts fastest.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: axis_index("i"), axis_name="i")(fx.zeros(3))
    Array([0, 1, 2], int64)
    """
    index: Array = scalar(0, dtypes.int64)
    for position, (name, size) in enumerate(zip(*_axes("axis_index", axis_name), strict=True)):
        place = perform(AxisIndex[Array](name, size))
        index = fx.add(fx.multiply(index, size), place) if position else place
    return index


def psum[T](x: T, axis_name: Hashable) -> T:
    """Σ x over the lanes of the axis (or of several, a tuple of names), the same in every lane.

    Every leaf of the tree `x` is added; bools count as int64. A value that is the same in all lanes is added once per
    lane. The derivative inside the axis is that of the sum of all lanes' results: the transpose of psum is psum.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x / psum(x, "i"), axis_name="i")(fx.asarray([1.0, 3.0]))
    Array([0.25, 0.75], float64)
    """
    return _all_reduce("psum", AllReduceKind.SUM, x, axis_name)


def pmax[T](x: T, axis_name: Hashable) -> T:
    """The greatest x of the lanes of the axis (or of several, a tuple of names), the same in every lane.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x - pmax(x, "i"), axis_name="i")(fx.asarray([1.0, 3.0]))
    Array([-2.,  0.], float64)
    """
    return _all_reduce("pmax", AllReduceKind.MAX, x, axis_name)


def pmin[T](x: T, axis_name: Hashable) -> T:
    """The least x of the lanes of the axis (or of several), the same in every lane; see `pmax`.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x - pmin(x, "i"), axis_name="i")(fx.asarray([1.0, 3.0]))
    Array([0., 2.], float64)
    """
    return _all_reduce("pmin", AllReduceKind.MIN, x, axis_name)


def pmean[T](x: T, axis_name: Hashable) -> T:
    """The mean of x over the lanes of the axis (or of several): `psum` divided by the number of lanes.

    Integers become the default float. Narrow floats are added in float32 and returned in their own dtype.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: pmean(x, "i"), axis_name="i", out_axes=None)(fx.asarray([1.0, 3.0]))
    Array(2., float64)
    """
    names, sizes = _axes("pmean", axis_name)

    def mean(leaf: Array) -> Array:
        return fx.divide(_reduced(AllReduceKind.SUM, names, leaf), math.prod(sizes))

    return _mapped("pmean", x, lambda leaf: rounded_once(mean, inexact("pmean", leaf)))


def all_gather[T](x: T, axis_name: Hashable, *, axis: int = 0, tiled: bool = False) -> T:
    """The values of all lanes along a new axis `axis`, or one after another along that axis of x if `tiled`.

    The lanes of several axes, a tuple of names, are numbered as in `axis_index`, in all functions here.

    Raises OutOfBoundsError for an axis that does not exist.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: all_gather(x, "i"), axis_name="i", out_axes=None)(fx.asarray([1.0, 3.0]))
    Array([1., 3.], float64)
    """
    names, sizes = _axes("all_gather", axis_name)
    tiled = flag("all_gather", "tiled", tiled)

    def gather(leaf: Array) -> Array:
        place = _place("all_gather", "axis", axis, leaf, leaf.ndim if tiled else leaf.ndim + 1)
        gathered = leaf
        for name, size in zip(reversed(names), reversed(sizes), strict=True):
            gathered = _performed(AllGather(name, size, place, gathered))
        return _merged(gathered, place, len(names) + tiled)

    return _mapped("all_gather", x, gather)


def psum_scatter[T](x: T, axis_name: Hashable, *, scatter_dimension: int = 0, tiled: bool = False) -> T:
    """Each lane's part of `psum`: lane i gets position i along the axis `scatter_dimension`, which has one per lane.

    With `tiled` the axis stays, and is split into as many equal parts as there are lanes. Raises ShapeError when it
    cannot be.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: psum_scatter(x, "i"), axis_name="i")(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([4., 6.], float64)
    """
    names, sizes = _axes("psum_scatter", axis_name)
    tiled = flag("psum_scatter", "tiled", tiled)

    def scatter(leaf: Array) -> Array:
        place = _place("psum_scatter", "scatter_dimension", scatter_dimension, leaf, leaf.ndim)
        part = _cut("psum_scatter", names, sizes, leaf, place, tiled)
        for name, size in zip(names, sizes, strict=True):
            part = _performed(ReduceScatter(name, size, place, part))
        return part

    return _mapped("psum_scatter", x, scatter)


def all_to_all[T](x: T, axis_name: Hashable, split_axis: int, concat_axis: int, *, tiled: bool = False) -> T:
    """Lane i gets position i along `split_axis` of every lane's x, side by side along a new axis `concat_axis`.

    The split axis has one position per lane and is not an axis of the result. With `tiled` it stays: it is split into
    as many equal parts as there are lanes, and the parts are concatenated along `concat_axis`. Raises ShapeError when
    it cannot be split so.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: all_to_all(x, "i", 0, 0), axis_name="i")(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[1., 3.],
           [2., 4.]], float64)
    """
    names, sizes = _axes("all_to_all", axis_name)
    tiled = flag("all_to_all", "tiled", tiled)

    def exchange(leaf: Array) -> Array:
        split = _place("all_to_all", "split_axis", split_axis, leaf, leaf.ndim)
        concat = _place("all_to_all", "concat_axis", concat_axis, leaf, leaf.ndim)
        parts = _cut("all_to_all", names, sizes, leaf, split, tiled)
        for unsplit in reversed(range(len(names))):  # the axes of the names before this one are split later
            moved = (split + len(names) - 1, concat) if concat <= split else (split + unsplit, concat + unsplit)
            parts = _performed(AllToAll(names[unsplit], sizes[unsplit], *moved, parts))
        return _merged(parts, concat, len(names) + tiled)

    return _mapped("all_to_all", x, exchange)


def ppermute[T](x: T, axis_name: Hashable, perm: Sequence[tuple[int, int]]) -> T:
    """Lane `target` gets the x of lane `source` for each pair (source, target) of `perm`; the others get zeros.

    Raises ArgumentError for a lane that does not exist, or that is source or target twice.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: ppermute(x, "i", [(0, 1), (1, 2)]), axis_name="i")(fx.asarray([1.0, 2.0, 3.0]))
    Array([0., 1., 2.], float64)
    """
    names, sizes = _axes("ppermute", axis_name)
    size = math.prod(sizes)
    pairs = tuple([_pair(pair) for pair in sequence("ppermute", "perm", perm, "pairs (source, target)")])
    for role, lanes in (("source", [s for s, _ in pairs]), ("target", [t for _, t in pairs])):
        for lane in lanes:
            if not 0 <= lane < size:
                raise ArgumentError(
                    f"ppermute: {role} {lane} is not a lane of the axis {axis_name!r}, which has {size}"
                )
        if len(set(lanes)) < len(lanes):
            raise ArgumentError(f"ppermute: a lane is {role} twice in {list(pairs)}")
    if len(names) == 1:
        return _mapped("ppermute", x, lambda leaf: _performed(PPermute(names[0], pairs, leaf)))
    source_of = {target: source for source, target in pairs}
    sources = as_array(np.asarray([source_of.get(lane, size) for lane in range(size)]), "ppermute", "perm")

    def permute(leaf: Array) -> Array:
        every = fx.concat([all_gather(leaf, names), fx.zeros((1, *leaf.aval.shape), dtype=leaf.aval.dtype)])
        return fx.dynamic_index_in_dim(
            every, fx.dynamic_index_in_dim(sources, axis_index(names), keepdims=False), keepdims=False
        )

    return _mapped("ppermute", x, permute)


def _names(function: str, axis_name: object) -> tuple[Hashable, ...]:
    """One name, or several; ArgumentError for values that are no names, and for repeated names."""
    names = tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)
    for name in names:
        if isinstance(name, Array):
            raise ArgumentError(
                f"{function}: axis_name must be the name of an axis, got an array, {name.aval}; the value comes "
                "first: psum(x, axis_name)"
            )
        if not isinstance(name, Hashable):
            raise ArgumentError(
                f"{function}: axis_name must be the name of an axis, or a tuple of names, got {shown(name)}"
            )
    if len(set(names)) < len(names):
        raise ArgumentError(f"{function}: an axis is named twice in {shown(axis_name)}")
    return names


def _axes(function: str, axis_name: object) -> tuple[tuple[Hashable, ...], tuple[int, ...]]:
    """The names of the axes, and their sizes."""
    names, scope = _names(function, axis_name), axes_in_scope()
    for name in names:
        if name not in scope:
            raise UnboundAxisError(unbound(function, name, scope))
    return names, tuple([scope[name] for name in names])


def unbound(function: str, name: Hashable, scope: Sequence[Hashable] | dict[Hashable, int]) -> str:
    """The message for a name that no axis has."""
    listed = f"the names in scope are {', '.join(map(repr, scope))}" if scope else "there are no named axes in scope"
    return (
        f"{function}: no axis is named {shown(name)} here; {listed} (vmap(f, axis_name={shown(name)}) names one, and "
        "shard_map those of its mesh)"
    )


def _performed(op: Single[Array]) -> Array:
    op.types()  # the handler of the axis may interpret the operation before any other handler does
    return perform(op)


def _mapped[T](function: str, x: T, f: Callable[[Array], Array]) -> T:
    leaves, treedef = tree_flatten(x)
    arrays = as_arrays(function, leaves, lambda: [f"x{path}" for path, _ in tree_leaves_with_path(x)])
    return tree_unflatten(treedef, [f(array) for array in arrays])


def _all_reduce[T](function: str, kind: AllReduceKind, x: T, axis_name: Hashable) -> T:
    names, _ = _axes(function, axis_name)

    return _mapped(function, x, lambda leaf: _reduced(kind, names, leaf))


def _reduced(kind: AllReduceKind, names: tuple[Hashable, ...], leaf: Array) -> Array:
    if not names:
        return leaf
    if leaf.aval.dtype is not dtypes.bool_:
        return _performed(AllReduce(kind, names, leaf))
    reduced = _performed(AllReduce(kind, names, convert(leaf, dtypes.int64)))
    return reduced if kind is AllReduceKind.SUM else convert(reduced, dtypes.bool_)


def _pair(value: object) -> tuple[int, int]:
    pair = integers("ppermute", "a pair of perm", value)
    if len(pair) != 2:
        raise ArgumentError(f"ppermute: perm must hold pairs (source, target), got {shown(value)}")
    return pair[0], pair[1]


def _place(function: str, argument: str, axis: int, x: Array, rank: int) -> int:
    position = integer(function, argument, axis)
    if not -rank <= position < rank:
        raise OutOfBoundsError(f"{function}: {argument} {position} is out of bounds for {x.aval}")
    return position % rank


def _merged(x: Array, axis: int, number: int) -> Array:
    """`x` with the `number` axes from `axis` on as one."""
    shape = x.shape
    if number == 1:
        return x
    return fx.reshape(x, (*shape[:axis], math.prod(shape[axis : axis + number]), *shape[axis + number :]))


def _cut(function: str, names: Sequence[Hashable], sizes: Sequence[int], x: Array, axis: int, tiled: bool) -> Array:
    """`x` with the axis `axis` split: one axis of lanes for each name and, if `tiled`, one of positions in a part."""
    shape, lanes = x.shape, math.prod(sizes)
    if len(names) == 1 and not tiled:
        return x
    if shape[axis] % lanes if tiled else shape[axis] != lanes:
        named = ", ".join(map(repr, names))
        fits = f"cannot be cut in {lanes} equal parts, one" if tiled else f"must have {lanes} places, one"
        raise ShapeError(f"{function}: axis {axis} of {x.aval} {fits} for each lane of {named}")
    places = (shape[axis] // lanes,) if tiled else ()
    return fx.reshape(x, (*shape[:axis], *sizes, *places, *shape[axis + 1 :]))
