"""Batching: `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import compress
from typing import Any, Protocol, SupportsIndex, cast

from effects.arguments import check_callable, counted, function_name, natural, one_name, shown
from effects.arrays.array import Array
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError
from effects.functions.manipulation import movement
from effects.trees.pytree import broadcast_prefix, tree_flatten, tree_leaves, tree_unflatten
from handlers.transformations.axes.mapped import Mapped
from handlers.transformations.calls.arguments import argument_names, as_arrays, flatten_results, named_after
from handlers.transformations.calls.types import Fields
from handlers.vmap import Batched, Vmap
from handlers.vmap.rules import materialized

type AxisTree = int | tuple[AxisTree, ...] | AxisList | Mapping[Any, AxisTree] | Fields | None
"""An axis number, None, or a tree of these that is a prefix of the mapped tree."""


class AxisList(Protocol):
    """A list of axes, but no string, which is a sequence of strings."""

    def pop(self, index: SupportsIndex = -1, /) -> AxisTree: ...


def vmap[**P, R](
    f: Callable[P, R],
    in_axes: AxisTree = 0,
    out_axes: AxisTree = 0,
    *,
    axis_name: Hashable = None,
    axis_size: int | None = None,
) -> Mapped[P, R]:
    """`f` mapped over an axis of its arguments: one call computes all lanes, as one program on whole arrays.

    `in_axes` is an axis for all positional arguments, or a tuple or list with one entry per argument. An entry is an
    axis (negative ones count from the end), None for an argument that all lanes share, or a pytree prefix of these. An
    argument with None is passed to `f` unchanged, and may be anything: a string, a function. Keyword arguments are
    mapped over axis 0. `out_axes` gives the position of the axis in the results in the same way; None asks for a result
    that is the same in every lane. `axis_name` names the axis for collectives in `f`: `psum(x, axis_name)`. `axis_size`
    is the number of lanes, which is needed only if no argument is mapped.

    A `cond` whose condition differs between lanes computes both branches and selects.

    Raises ArgumentError, ShapeError or TreeError naming the argument when axes do not fit or sizes differ.

    >>> import effects as fx
    >>> vmap(lambda x, y: x @ y, in_axes=(0, None))(fx.ones((2, 3)), fx.ones(3))
    Array([3., 3.], float64)
    >>> vmap(lambda x: x, in_axes=None, axis_size=2)(1.5)
    Array([1.5, 1.5], float64)
    """
    check_callable("vmap", f)
    one_name("vmap", "axis_name", axis_name)
    given_size = None if axis_size is None else natural("vmap", "axis_size", axis_size)

    @named_after(f, "vmap")
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, treedef = tree_flatten((args, kwargs))
        axes = _argument_axes(f, in_axes, args, kwargs)
        arrays = _mapped_arrays(f, leaves, axes, args, kwargs)
        size = _size(f, arrays, axes, given_size, args, kwargs)
        with Vmap(size, axis_name) as handler:
            handler.arguments = [
                leaf if array is None else Batched(handler, array) for leaf, array in zip(leaves, arrays, strict=True)
            ]
            handler.call = f, args, kwargs
            call_args, call_kwargs = tree_unflatten(treedef, handler.arguments)
            out = f(*call_args, **call_kwargs)
            outputs, out_tree = flatten_results("vmap", f, out)
            lanes = [handler.lift(o) for o in outputs]
        placed = _spread_axes(
            out_axes, out, lambda: f"vmap: out_axes {shown(out_axes)} does not fit the result of {function_name(f)}"
        )
        results = [_placed(f, lane, axis, size) for lane, axis in zip(lanes, placed, strict=True)]
        return tree_unflatten(out_tree, results)

    return cast("Mapped[P, R]", mapped)


def _spread_axes(prefix: object, tree: object, subject: Callable[[], str]) -> list[int | None]:
    """The axis of each leaf of `tree`, from a prefix of it; `subject` describes the prefix in errors."""
    for leaf in () if prefix is None or type(prefix) is int else tree_leaves(prefix):
        if type(leaf) is not int:
            raise ArgumentError(f"{subject()}: an axis is an int or None, got {shown(leaf)}")
    axes: list[int | None] = broadcast_prefix(
        prefix, tree, lambda difference: f"{subject()}, whose structure {difference}"
    )
    return axes


def _argument_axes(
    f: Callable[..., Any], in_axes: AxisTree, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[int | None]:
    """The mapped axis of each leaf of the arguments."""
    by_keyword: list[int | None] = [0] * len(tree_leaves(dict(kwargs)))
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, dict):
        raise ArgumentError(
            f"vmap: in_axes has an entry for each positional argument of {function_name(f)}, in a tuple, got "
            f"{shown(in_axes)}; write in_axes=({shown(in_axes)},) for a first argument that is a dict"
        )
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ArgumentError(
            f"vmap: in_axes has {counted(len(in_axes), 'entry', 'entries')} but {function_name(f)} was called with "
            f"{counted(len(args), 'positional argument')}"
        )
    return [
        *_spread_axes(
            in_axes,
            tuple(args),
            lambda: f"vmap: in_axes {shown(in_axes)} does not fit the arguments of {function_name(f)}",
        ),
        *by_keyword,
    ]


def _mapped_arrays(
    f: Callable[..., Any],
    leaves: Sequence[object],
    axes: Sequence[int | None],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> list[Array | None]:
    """The mapped leaves as arrays with the lanes in front, None for the others."""
    mapped = [leaf for leaf, axis in zip(leaves, axes, strict=True) if axis is not None]
    names = lambda: list(compress(argument_names(f, args, kwargs), [axis is not None for axis in axes]))
    arrays = iter(as_arrays("vmap", mapped, names))
    by_position = len(leaves) - len(tree_leaves(dict(kwargs)))
    moved: list[Array | None] = []
    for position, axis in enumerate(axes):
        if axis is None:
            moved.append(None)
            continue
        array = next(arrays)
        rank = array.aval.ndim
        if not -rank <= axis < rank:
            name = argument_names(f, args, kwargs)[position]
            shared = (
                "give it None in in_axes" if position < by_position else "pass it by position, with None in in_axes"
            )
            raise OutOfBoundsError(
                f"vmap: axis {axis} is out of bounds for argument {name} of {function_name(f)}, {array.aval}; "
                f"if all lanes share it, {shared}"
            )
        moved.append(array if axis in (0, -rank) else movement.moveaxis(array, axis, 0))
    return moved


def _size(
    f: Callable[..., Any],
    arrays: Sequence[Array | None],
    axes: Sequence[int | None],
    given_size: int | None,
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> int:
    sizes = {array.aval.shape[0] for array in arrays if array is not None}
    if given_size is not None:
        sizes.add(given_size)
    if not sizes:
        raise ArgumentError(
            f"vmap: no argument of {function_name(f)} is mapped; in_axes must name an axis of at least one, or "
            "axis_size must give the number of lanes"
        )
    if len(sizes) > 1:
        described = [] if given_size is None else [f"axis_size is {given_size}"]
        described += [
            f"{name} has {array.aval.shape[0]} along axis {axis % array.aval.ndim}"
            for name, array, axis in zip(argument_names(f, args, kwargs), arrays, axes, strict=True)
            if array is not None and axis is not None
        ]
        raise ShapeError(f"vmap: the mapped axes of {function_name(f)} have different sizes: {', '.join(described)}")
    return sizes.pop()


def _placed(f: Callable[..., Any], lane: Batched, axis: int | None, size: int) -> Array:
    if axis is None:
        if lane.batched:
            raise ArgumentError(
                f"vmap: out_axes is None for a result of {function_name(f)} that differs between lanes "
                f"({lane.aval} per lane)"
            )
        return lane.value
    value = materialized(lane, size)
    rank = value.aval.ndim
    if not -rank <= axis < rank:
        raise OutOfBoundsError(
            f"vmap: out_axes {axis} is out of bounds for a result {lane.aval} per lane of {function_name(f)}"
        )
    return value if axis % rank == 0 else movement.moveaxis(value, 0, axis)
