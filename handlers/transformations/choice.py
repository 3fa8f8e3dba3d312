"""A choice between any number of branches that is staged: `switch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from effects import dtypes
from effects.array import ArrayLike
from effects.chain import perform
from effects.errors import ArgumentError, DTypeError, TreeError
from effects.operations.higher_order import Cond
from effects.promotion import as_array, describe
from effects.pytree import structure_difference, tree_leaves_with_path, tree_unflatten
from handlers.transformations.arguments import argument_names, check_callable, flatten_arguments, function_name
from handlers.transformations.control_flow import closed_branches
from handlers.transformations.staging import Staged, stage_tree


def switch[*Ts, R](index: ArrayLike, branches: Sequence[Callable[[*Ts], R]], *operands: *Ts) -> R:
    """`branches[index](*operands)`, `index` clamped into range; only the chosen one is computed.

    All are staged, may close over arrays, and give results of one structure, shapes and dtypes (Python numbers adopt
    the others' dtype). `index` is an integer scalar. Where it is batched by `vmap`, all branches are computed and each
    lane selects.

    Raises ArgumentError for no branches and for one that is no function, DTypeError for an index that is no integer
    scalar, TreeError or DTypeError showing both types when results differ.

    >>> switch(1, [lambda x: x + 1, lambda x: x * 10, lambda x: -x], 3)
    Array(30, int64)
    """
    if not isinstance(branches, Sequence):
        raise ArgumentError(f"switch: branches must be a sequence of functions, got {describe(branches)}")
    if not branches:
        raise ArgumentError("switch: branches is empty; there must be at least one to choose")
    for position, branch in enumerate(branches):
        check_callable("switch", branch, f"branches[{position}]")
    choice = as_array(index, "switch", "index")
    if choice.aval.shape or not issubclass(choice.aval.dtype, dtypes.Integer):
        raise DTypeError(f"switch: index must be an integer scalar, got {choice.aval}; for a bool there is cond")
    arrays, treedef = flatten_arguments("switch", branches[0], operands, {})
    avals = [a.aval for a in arrays]
    staged = [
        stage_tree(f, avals, treedef, "switch", lambda f=f: argument_names(f, operands, {}))  # type: ignore[misc]  # bound now
        for f in branches
    ]
    for position in range(1, len(branches)):
        _check_alike(branches, staged, position)
    closed, captured = closed_branches(staged)
    results = perform(Cond(closed, choice, (*captured, *arrays)))
    return cast(R, tree_unflatten(staged[0].out_tree, results))


def _check_alike(branches: Sequence[Callable[..., object]], staged: Sequence[Staged], position: int) -> None:
    """Refuse a branch whose results differ in type from those of the first."""
    first, other = (tree_unflatten(staged[i].out_tree, staged[i].jaxpr.out_avals) for i in (0, position))
    names = [f"branches[{i}] ({function_name(branches[i])})" for i in (0, position)]
    if staged[0].out_tree != staged[position].out_tree:
        raise TreeError(
            f"switch: the branches must give the same structure: {names[0]} gives {first}, {names[1]} gives {other}; "
            f"the second {structure_difference(first, other)}"
        )
    for (path, a), (_, b) in zip(tree_leaves_with_path(first), tree_leaves_with_path(other), strict=True):
        if a.shape != b.shape or (a.dtype is not b.dtype and not (a.weak_type or b.weak_type)):
            raise DTypeError(
                f"switch: the branches must give the same types: the result{path} is {a} from {names[0]} and {b} from "
                f"{names[1]}; make them agree (astype, reshape, broadcast_to)"
            )
