"""Batching: `vmap`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from effects.arguments import check_callable, function_name, natural
from effects.array import Array
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError, TreeError
from effects.functions import movement
from effects.pytree import structure_difference, tree_flatten, tree_leaves, tree_unflatten
from handlers.transformations.arguments import argument_names, flatten_arguments, flatten_results
from handlers.vmap import Batched, Vmap
from handlers.vmap.rules import materialized

type AxisTree = Any
"""An axis number, None, or a container of such that is a prefix of the tree it is for."""


def vmap(
    f: Callable[..., Any],
    in_axes: AxisTree = 0,
    out_axes: AxisTree = 0,
    *,
    axis_name: Hashable = None,
    axis_size: int | None = None,
) -> Callable[..., Any]:
    """`f` mapped over an axis of its arguments: one call computes all lanes, as one program on whole arrays.

    `in_axes` is an axis for all positional arguments, or a tuple with one entry per argument; an entry is an axis
    (negative ones count from the end), None for an argument that all lanes share, or a pytree prefix of these. Keyword
    arguments are mapped over axis 0. `out_axes` says likewise where the axis appears in the results; None asks for a
    result that is the same in every lane. `axis_name` names the axis for collectives in `f`: `psum(x, axis_name)`.
    `axis_size` is the number of lanes, which has to be said only where no argument is mapped.

    A `cond` whose condition differs between lanes computes both branches and selects.

    Raises ArgumentError, ShapeError or TreeError naming the argument when axes do not fit or sizes differ.

    >>> import effects as fx
    >>> vmap(lambda x, y: x @ y, in_axes=(0, None))(fx.ones((2, 3)), fx.ones(3))
    Array([3., 3.], float64)
    >>> vmap(lambda x: x, in_axes=None, axis_size=2)(1.5)
    Array([1.5, 1.5], float64)
    """
    check_callable("vmap", f)
    if isinstance(axis_name, tuple) or not isinstance(axis_name, Hashable):
        raise ArgumentError(f"vmap: axis_name must be one hashable name, got {axis_name!r}")
    given_size = None if axis_size is None else natural("vmap", "axis_size", axis_size)

    @functools.wraps(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        arrays, treedef = flatten_arguments("vmap", f, args, kwargs)
        axes = _argument_axes(f, in_axes, args, kwargs)
        size, places = _check_axes(f, arrays, axes, given_size, args, kwargs)
        moved = [a if p is None or p == 0 else movement.moveaxis(a, p, 0) for a, p in zip(arrays, places, strict=True)]
        with Vmap(size, axis_name) as handler:
            leaves = [a if p is None else Batched(handler, a) for a, p in zip(moved, places, strict=True)]
            handler.arguments, handler.call = leaves, (f, args, kwargs)
            call_args, call_kwargs = tree_unflatten(treedef, leaves)
            out = f(*call_args, **call_kwargs)
            outputs, out_tree = flatten_results("vmap", f, out)
            lanes = [handler.lift(o) for o in outputs]
        placed = _spread_prefix(
            out_axes, out, lambda given: f"vmap: out_axes {given} does not fit the result of {function_name(f)}"
        )
        results = [_placed(f, lane, axis, size) for lane, axis in zip(lanes, placed, strict=True)]
        return tree_unflatten(out_tree, results)

    return mapped


def _is_none(value: object) -> bool:
    return value is None


def _spread_prefix(prefix: object, tree: object, what: Callable[[object], str]) -> list[int | None]:
    """The axis of each leaf of `tree`, from a prefix of it."""
    if prefix is None or type(prefix) is int:
        return [prefix] * len(tree_leaves(tree))
    leaves, treedef = tree_flatten(prefix, _is_none)
    for leaf in leaves:
        if leaf is not None and type(leaf) is not int:
            raise ArgumentError(f"{what(prefix)}: an axis is an int or None, got {leaf!r}")
    try:
        subtrees = treedef.flatten_up_to(tree)
    except ValueError:
        raise TreeError(f"{what(prefix)}, whose structure {structure_difference(prefix, tree)}") from None
    return [axis for axis, subtree in zip(leaves, subtrees, strict=True) for _ in tree_leaves(subtree)]


def _argument_axes(
    f: Callable[..., Any], in_axes: AxisTree, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[int | None]:
    """The mapped axis of each leaf of the arguments."""
    by_keyword: list[int | None] = [0] * len(tree_leaves(dict(kwargs)))
    if isinstance(in_axes, list):
        raise ArgumentError(f"vmap: in_axes must be an int, None or a tuple, got the list {in_axes}")
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ArgumentError(
            f"vmap: in_axes has {len(in_axes)} entries but {function_name(f)} was called with {len(args)} positional "
            "arguments"
        )
    return [
        *_spread_prefix(
            in_axes,
            tuple(args),
            lambda given: f"vmap: in_axes {given} does not fit the arguments of {function_name(f)}",
        ),
        *by_keyword,
    ]


def _check_axes(
    f: Callable[..., Any],
    arrays: Sequence[Array],
    axes: Sequence[int | None],
    given_size: int | None,
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> tuple[int, list[int | None]]:
    """The number of lanes, and the axes counted from the front."""
    places: list[int | None] = []
    sizes: list[int] = [] if given_size is None else [given_size]
    for position, (array, axis) in enumerate(zip(arrays, axes, strict=True)):
        if axis is None:
            places.append(None)
            continue
        rank = array.aval.ndim
        if not -rank <= axis < rank:
            name = argument_names(f, args, kwargs)[position]
            by_position = position < len(arrays) - len(tree_leaves(dict(kwargs)))
            shared = "give it None in in_axes" if by_position else "pass it by position, with None in in_axes"
            raise OutOfBoundsError(
                f"vmap: axis {axis} is out of bounds for argument {name} of {function_name(f)}, {array.aval}; "
                f"if all lanes share it, {shared}"
            )
        places.append(axis % rank)
        sizes.append(array.aval.shape[axis % rank])
    if not sizes:
        raise ArgumentError(
            f"vmap: no argument of {function_name(f)} is mapped; in_axes must name an axis of at least one, or "
            "axis_size say how many lanes there are"
        )
    if len(set(sizes)) > 1:
        names = argument_names(f, args, kwargs)
        described = [] if given_size is None else [f"axis_size is {given_size}"]
        described += [
            f"{name} has {array.aval.shape[place]} along axis {place}"
            for name, array, place in zip(names, arrays, places, strict=True)
            if place is not None
        ]
        raise ShapeError(f"vmap: the mapped axes of {function_name(f)} have different sizes: {', '.join(described)}")
    return sizes[0], places


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
