"""Control flow that is staged: `cond`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from effects import dtypes
from effects.arguments import check_callable, function_name
from effects.array import Array, ArrayLike
from effects.chain import perform
from effects.dtypes import DType
from effects.errors import DTypeError, TreeError
from effects.jaxpr import Jaxpr, eval_jaxpr
from effects.operations.higher_order import Cond
from effects.promotion import as_array, common_type, convert
from effects.pytree import structure_difference, tree_leaves_with_path, tree_unflatten
from handlers.stage import share_captured, stage
from handlers.transformations.arguments import argument_names, flatten_arguments
from handlers.transformations.staging import Staged, stage_tree


def cond[*Ts, R](pred: ArrayLike, true_fun: Callable[[*Ts], R], false_fun: Callable[[*Ts], R], *operands: *Ts) -> R:
    """`true_fun(*operands)` where `pred` holds, else `false_fun(*operands)`; only the chosen one is computed.

    Both are staged, may close over arrays, and give results of one structure, shapes and dtypes (Python numbers adopt
    the other's dtype). `pred` is a bool scalar. Where it is batched by `vmap`, both branches are computed and each lane
    selects.

    Raises DTypeError for a predicate that is no bool scalar, TreeError or DTypeError showing both
    types when the results differ.

    >>> cond(True, lambda x: x + 1, lambda x: x - 1, 3)
    Array(4, int64)
    """
    check_callable("cond", true_fun, "true_fun")
    check_callable("cond", false_fun, "false_fun")
    choice = as_array(pred, "cond", "pred")
    if choice.aval.shape or choice.aval.dtype is not dtypes.bool_:
        raise DTypeError(f"cond: pred must be a bool scalar, got {choice.aval}; compare, or reduce with any or all")
    arrays, treedef = flatten_arguments("cond", true_fun, operands, {})
    avals = [a.aval for a in arrays]
    staged = [
        stage_tree(f, avals, treedef, "cond", lambda f=f: argument_names(f, operands, {}))  # type: ignore[misc]  # bound now
        for f in (false_fun, true_fun)
    ]
    check_alike("cond", ("true_fun", true_fun, staged[1]), ("false_fun", false_fun, staged[0]))
    branches, captured = closed_branches(staged)
    results = perform(Cond(branches, choice, (*captured, *arrays)))
    return cast(R, tree_unflatten(staged[1].out_tree, results))


type Branch = tuple[str, Callable[..., object], Staged]
"""What a branch is called in messages, its function, and what that was staged to."""


def check_alike(function: str, one: Branch, other: Branch) -> None:
    """Raise TreeError or DTypeError, showing both types, where the results of two branches differ."""
    staged = one[2], other[2]
    if staged[0].out_tree == staged[1].out_tree and staged[0].jaxpr.out_avals == staged[1].jaxpr.out_avals:
        return
    first, second = [tree_unflatten(s.out_tree, s.jaxpr.out_avals) for s in staged]
    names = [f"{name} ({function_name(f)})" for name, f, _ in (one, other)]
    if staged[0].out_tree != staged[1].out_tree:
        raise TreeError(
            f"{function}: the branches must give the same structure: {names[0]} gives {first}, {names[1]} gives "
            f"{second}; the second {structure_difference(first, second)}"
        )
    for (path, a), (_, b) in zip(tree_leaves_with_path(first), tree_leaves_with_path(second), strict=True):
        if a.shape != b.shape or (a.dtype is not b.dtype and not (a.weak_type or b.weak_type)):
            raise DTypeError(
                f"{function}: the branches must give the same types: the result{path} is {a} from {names[0]} and {b} "
                f"from {names[1]}; make them agree (astype, reshape, broadcast_to)"
            )


def closed_branches(staged: list[Staged]) -> tuple[tuple[Jaxpr, ...], list[Array]]:
    """The branches as programs of all captured values and the operands, with results of exactly the same types."""
    shared, captured = share_captured([(s.jaxpr, s.captured) for s in staged])
    types = [common_type(pair) for pair in zip(*[s.jaxpr.out_avals for s in staged], strict=True)]
    return tuple([with_types(branch, types).shared() for branch in shared]), captured


def with_types(branch: Jaxpr, types: Sequence[tuple[type[DType], bool]]) -> Jaxpr:
    """A branch whose results have these dtypes."""
    if all(aval.dtype is dtype for aval, (dtype, _) in zip(branch.out_avals, types, strict=True)):
        return branch

    def run(*args: Array) -> list[Array]:
        outputs = eval_jaxpr(branch, args)
        return [convert(out, dtype, weak) for out, (dtype, weak) in zip(outputs, types, strict=True)]

    return stage(run, branch.in_avals, "a branch")[0]
