"""What lanes of a named axis tell each other: `psum`, `all_gather`, `axis_index`, ….

`vmap(f, axis_name="i")` names the axis that it maps; inside `f` these functions take the name. They act on every leaf
of a tree, go through all transformations, and may be nested: the innermost axis of a name is meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import cast

from effects import dtypes
from effects.array import Array
from effects.chain import current, perform
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError, UnboundAxisError
from effects.functions import arithmetic, movement
from effects.operation import Single
from effects.operations.collectives import (
    AllGather,
    AllReduce,
    AllReduceKind,
    AllToAll,
    AxisIndex,
    PPermute,
    ReduceScatter,
)
from effects.promotion import convert, inexact, rounded_once, scalar
from effects.pytree import tree_flatten, tree_leaves_with_path, tree_unflatten
from handlers.transformations.arguments import as_arrays


def axes_in_scope() -> dict[Hashable, int]:
    """The names of the axes that the functions here know at this point of the program, innermost first, and sizes.

    >>> axes_in_scope()
    {}
    """
    return dict(current().axes)


def axis_size(axis_name: Hashable) -> int:
    """The number of lanes of the axis, a Python number; of several axes, a tuple of names, the product.

    Raises UnboundAxisError, listing the names that there are, when no axis has the name. So do all functions here.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x * axis_size("i"), axis_name="i")(fx.arange(3.0))
    Array([0., 3., 6.], float64)
    """
    return math.prod(_sizes("axis_size", axis_name))


def axis_index(axis_name: Hashable) -> Array:
    """The number of the lane along the axis; of several axes, a tuple of names, counted with the last one fastest.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: axis_index("i"), axis_name="i")(fx.zeros(3))
    Array([0, 1, 2], int64)
    """
    index: Array = scalar(0, dtypes.int64)
    for position, (name, size) in enumerate(zip(_names(axis_name), _sizes("axis_index", axis_name), strict=True)):
        place = perform(AxisIndex[Array](name, size))
        index = arithmetic.add(arithmetic.multiply(index, size), place) if position else place
    return index


def psum[T](x: T, axis_name: Hashable) -> T:
    """Σ x over the lanes of the axis (or of several, a tuple of names), the same in every lane.

    Every leaf of the tree `x` is added; bools count as int64. What is the same in all lanes is added once per lane. The
    derivative inside the axis is that of the sum of all lanes' results: the transpose of psum is psum.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x / psum(x, "i"), axis_name="i")(fx.asarray([1.0, 3.0]))
    Array([0.25, 0.75], float64)
    """
    return _all_reduce("psum", AllReduceKind.SUM, x, axis_name)


def pmax[T](x: T, axis_name: Hashable) -> T:
    """The greatest x of the lanes of the axis (or of several), the same in every lane.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: x - pmax(x, "i"), axis_name="i")(fx.asarray([1.0, 3.0]))
    Array([-2.,  0.], float64)
    """
    return _all_reduce("pmax", AllReduceKind.MAX, x, axis_name)


def pmin[T](x: T, axis_name: Hashable) -> T:
    """The least x of the lanes of the axis (or of several), the same in every lane; see `pmax`."""
    return _all_reduce("pmin", AllReduceKind.MIN, x, axis_name)


def pmean[T](x: T, axis_name: Hashable) -> T:
    """The mean of x over the lanes of the axis (or of several): `psum` divided by the number of lanes.

    Integers become the default float. Narrow floats are added in float32 and given back in their own dtype.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: pmean(x, "i"), axis_name="i", out_axes=None)(fx.asarray([1.0, 3.0]))
    Array(2., float64)
    """
    count = math.prod(_sizes("pmean", axis_name))
    names = _names(axis_name)

    def mean(leaf: Array) -> Array:
        return arithmetic.divide(_reduced(AllReduceKind.SUM, names, leaf), count)

    return _mapped("pmean", x, lambda leaf: rounded_once(mean, inexact("pmean", leaf)))


def all_gather[T](x: T, axis_name: Hashable, *, axis: int = 0, tiled: bool = False) -> T:
    """The values of all lanes along a new axis `axis`, or one after another along that axis of x if `tiled`.

    Raises OutOfBoundsError for an axis that there is not.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: all_gather(x, "i"), axis_name="i", out_axes=None)(fx.asarray([1.0, 3.0]))
    Array([1., 3.], float64)
    """
    name, size = _one_axis("all_gather", axis_name)

    def gather(leaf: Array) -> Array:
        place = _place("all_gather", "axis", axis, leaf, leaf.ndim if tiled else leaf.ndim + 1)
        gathered = _performed(AllGather(name, size, place, leaf))
        return _merged(gathered, place) if tiled else gathered

    return _mapped("all_gather", x, gather)


def psum_scatter[T](x: T, axis_name: Hashable, *, scatter_dimension: int = 0, tiled: bool = False) -> T:
    """Each lane's part of `psum`: lane i gets place i along the axis `scatter_dimension`, which has one per lane.

    With `tiled` the axis stays, and is cut in as many equal parts as there are lanes. Raises ShapeError when it cannot.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: psum_scatter(x, "i"), axis_name="i")(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([4., 6.], float64)
    """
    name, size = _one_axis("psum_scatter", axis_name)

    def scatter(leaf: Array) -> Array:
        place = _place("psum_scatter", "scatter_dimension", scatter_dimension, leaf, leaf.ndim)
        parts = _cut("psum_scatter", name, size, leaf, place) if tiled else leaf
        return _performed(ReduceScatter(name, size, place, parts))

    return _mapped("psum_scatter", x, scatter)


def all_to_all[T](x: T, axis_name: Hashable, split_axis: int, concat_axis: int, *, tiled: bool = False) -> T:
    """Lane i gets place i along `split_axis` of every lane's x, side by side along a new axis `concat_axis`.

    The split axis has one place per lane and is no axis of the result. With `tiled` it stays: it is cut in as many
    equal parts as there are lanes, and the parts are put one after another along `concat_axis`. Raises ShapeError when
    it cannot be cut so.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: all_to_all(x, "i", 0, 0), axis_name="i")(fx.asarray([[1.0, 2.0], [3.0, 4.0]]))
    Array([[1., 3.],
           [2., 4.]], float64)
    """
    name, size = _one_axis("all_to_all", axis_name)

    def exchange(leaf: Array) -> Array:
        split = _place("all_to_all", "split_axis", split_axis, leaf, leaf.ndim)
        concat = _place("all_to_all", "concat_axis", concat_axis, leaf, leaf.ndim)
        parts = _cut("all_to_all", name, size, leaf, split) if tiled else leaf
        exchanged = _performed(AllToAll(name, size, split, concat, parts))
        return _merged(exchanged, concat) if tiled else exchanged

    return _mapped("all_to_all", x, exchange)


def ppermute[T](x: T, axis_name: Hashable, perm: Sequence[tuple[int, int]]) -> T:
    """Lane `target` gets the x of lane `source` for each pair (source, target) of `perm`; the others get zeros.

    Raises ArgumentError for a lane that does not exist, or that is source or target twice.

    >>> import effects as fx
    >>> from handlers import vmap
    >>> vmap(lambda x: ppermute(x, "i", [(0, 1), (1, 2)]), axis_name="i")(fx.asarray([1.0, 2.0, 3.0]))
    Array([0., 1., 2.], float64)
    """
    name, size = _one_axis("ppermute", axis_name)
    pairs = tuple([(int(source), int(target)) for source, target in perm])
    for what, lanes in (("source", [s for s, _ in pairs]), ("target", [t for _, t in pairs])):
        for lane in lanes:
            if not 0 <= lane < size:
                raise ArgumentError(f"ppermute: {what} {lane} is no lane of the axis {name!r}, which has {size}")
        if len(set(lanes)) < len(lanes):
            raise ArgumentError(f"ppermute: a lane is {what} twice in {list(pairs)}")
    return _mapped("ppermute", x, lambda leaf: _performed(PPermute(name, pairs, leaf)))


def _names(axis_name: Hashable) -> tuple[Hashable, ...]:
    return axis_name if isinstance(axis_name, tuple) else (axis_name,)


def _sizes(function: str, axis_name: Hashable) -> list[int]:
    scope = axes_in_scope()
    for name in _names(axis_name):
        if name not in scope:
            raise UnboundAxisError(unbound(function, name, scope))
    return [scope[name] for name in _names(axis_name)]


def unbound(function: str, name: Hashable, scope: Sequence[Hashable] | dict[Hashable, int]) -> str:
    """The message for a name that no axis has."""
    listed = f"the names in scope are {', '.join(map(repr, scope))}" if scope else "there are no named axes in scope"
    return f"{function}: no axis is named {name!r} here; {listed} (vmap(f, axis_name={name!r}) names one)"


def _one_axis(function: str, axis_name: Hashable) -> tuple[Hashable, int]:
    names = _names(axis_name)
    if len(names) != 1:
        raise ArgumentError(f"{function} takes the name of one axis, got {axis_name!r}")
    return names[0], _sizes(function, axis_name)[0]


def _performed(op: Single[Array]) -> Array:
    op.types()  # the handler of the axis may give the operation its meaning before anybody else asks
    return perform(op)


def _mapped[T](function: str, x: T, f: Callable[[Array], Array]) -> T:
    """The tree of `f(leaf)`."""
    leaves, treedef = tree_flatten(x)
    arrays = as_arrays(function, leaves, lambda: [f"x{path}" for path, _ in tree_leaves_with_path(x)])
    return cast(T, tree_unflatten(treedef, [f(array) for array in arrays]))


def _all_reduce[T](function: str, kind: AllReduceKind, x: T, axis_name: Hashable) -> T:
    _sizes(function, axis_name)
    names = _names(axis_name)

    return _mapped(function, x, lambda leaf: _reduced(kind, names, leaf))


def _reduced(kind: AllReduceKind, names: tuple[Hashable, ...], leaf: Array) -> Array:
    number = convert(leaf, dtypes.int64) if leaf.aval.dtype is dtypes.bool_ else leaf
    return _performed(AllReduce(kind, names, number)) if names else number


def _place(function: str, argument: str, axis: int, x: Array, rank: int) -> int:
    if not -rank <= axis < rank:
        raise OutOfBoundsError(f"{function}: {argument} {axis} is out of bounds for {x.aval}")
    return axis % rank


def _merged(x: Array, axis: int) -> Array:
    """`x` with the axes `axis` and the next one as one."""
    shape = x.shape
    return movement.reshape(x, (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))


def _cut(function: str, name: Hashable, size: int, x: Array, axis: int) -> Array:
    """`x` with the axis `axis` as two: as many parts as there are lanes, and the places of a part."""
    shape = x.shape
    if shape[axis] % size:
        raise ShapeError(
            f"{function}: axis {axis} of {x.aval} cannot be cut in {size} equal parts, one for each lane of {name!r}"
        )
    return movement.reshape(x, (*shape[:axis], size, shape[axis] // size, *shape[axis + 1 :]))
