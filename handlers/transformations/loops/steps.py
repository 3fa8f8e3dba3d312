"""Steps of loops: a user's function staged as the body of a loop, with a carry whose type it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from effects.arguments import function_name
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete, concrete
from effects.arrays.promotion import as_leaf, common_type
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.operations.elementwise import Convert
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr
from effects.runtime.caches import memoised
from effects.trees.pytree import (
    TreeDef,
    structure_difference,
    tree_flatten,
    tree_leaves_with_path,
    tree_structure,
    tree_unflatten,
)
from effects.trees.registration import check_static
from effects.types.avals import ShapedArray
from handlers.transformations.branches.cond import with_types
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.staging import stage_tree


class Loop(NamedTuple):
    """Names in messages: the loop function, the user's function, and the carry.

    `own` is the path of the user's part of the carry, if the loop adds to it.
    """

    name: str
    argument: str
    carry: str
    own: tuple[int, ...] = ()


class Step(NamedTuple):
    """A staged step: the program of `captured` values, the carry and the rest; the initial carry in the type that the
    loop keeps; the tree of result types.
    """

    jaxpr: Jaxpr
    captured: list[Array]
    init: list[Array]
    out: Any


def leaves_of(loop: str, argument: str, tree: object) -> tuple[list[Array], TreeDef]:
    """The leaves of an argument as arrays, and its structure; ArgumentError naming the leaf that is no array."""
    leaves, treedef = tree_flatten(tree)
    for position, leaf in enumerate(leaves):
        if not isinstance(leaf, Array):
            try:
                leaves[position] = as_leaf(leaf, loop, argument)
            except ArgumentError:
                path, _ = tree_leaves_with_path(tree)[position]
                leaves[position] = as_leaf(leaf, loop, f"{argument}{path}")
    return leaves, treedef


def step_names(loop: Loop, user_function: Callable[..., Any], carry: Any, *rest: Any) -> list[str]:
    """Names of a step's arguments in the user's function; in a loop that counts, the number comes first."""
    return argument_names(user_function, tuple(carry) if loop.own else (carry, *rest), {})


def stage_step(
    loop: Loop,
    f: Callable[..., Any],
    init: tuple[list[Array], TreeDef],
    rest: tuple[list[ShapedArray], Sequence[TreeDef]],
    carry_of: Callable[[Any], Any],
    names: Callable[[], Sequence[str]],
) -> Step:
    """Stage `f(carry, *rest)`, whose result's part `carry_of(result)`, which comes first, is the next carry.

    A carry of Python numbers takes the dtype that the step gives it. Raises TreeError, ShapeError or DTypeError showing
    what the step takes and gives and where they differ.
    """
    arrays, carry_tree = init
    rest_avals, rest_trees = rest
    for tree in (carry_tree, *rest_trees):
        check_static(tree, lambda: f"{loop.name}: arguments of {function_name(f)}")  # before they are compared
    treedef = arguments_tree(carry_tree, *rest_trees)
    avals = [a.aval for a in arrays]
    while True:
        staged = stage_tree(f, (*avals, *rest_avals), treedef, loop.name, names)
        out = tree_unflatten(staged.out_tree, staged.jaxpr.out_avals)
        after = carry_of(out)
        unchanged = tree_flatten(after) == (avals, carry_tree)
        kept_types = avals if unchanged else _kept_types(loop, f, tree_unflatten(carry_tree, avals), after)
        if kept_types == avals:
            break
        avals = kept_types
    init_arrays = [a if a.aval is aval else _typed(a, aval) for a, aval in zip(arrays, avals, strict=True)]
    types = [(aval.dtype, aval.weak_type) for aval in (*avals, *staged.jaxpr.out_avals[len(avals) :])]
    jaxpr = staged.jaxpr if unchanged else with_types(staged.jaxpr, types)
    return Step(jaxpr.shared(), staged.captured, init_arrays, out)


@memoised
def arguments_tree(*trees: TreeDef) -> TreeDef:
    """The structure of `(args, kwargs)` of a call with arguments of these structures."""
    return tree_structure((tuple([tree_unflatten(tree, range(tree.num_leaves)) for tree in trees]), {}))


def _kept_types(loop: Loop, f: Callable[..., Any], before: Any, after: Any) -> list[ShapedArray]:
    """The types with which the carry must begin, from its types before and after a step."""
    if tree_structure(before) != tree_structure(after):
        ours, theirs = _own(loop, before), _own(loop, after)
        raise TreeError(f"{_changed(loop, f, before, after)}; the second {structure_difference(ours, theirs)}")
    types: list[ShapedArray] = []
    for (path, a), (_, b) in zip(tree_leaves_with_path(before), tree_leaves_with_path(after), strict=True):
        if a.shape == b.shape and a.weak_type:
            types.append(ShapedArray(a.shape, *common_type([a, b])))
        elif a.shape == b.shape and (a.dtype is b.dtype or (b.weak_type and common_type([a, b])[0] is a.dtype)):
            types.append(a)
        else:
            shown = loop.carry + path.removeprefix("".join(f"[{i}]" for i in loop.own))
            message = f"{_changed(loop, f, before, after)}; {shown} is {a} before and {b} after"
            raise ShapeError(message) if a.shape != b.shape else DTypeError(f"{message}; convert it with astype")
    return types


def _own(loop: Loop, tree: Any) -> Any:
    for position in loop.own:
        tree = tree[position]
    return tree


def _changed(loop: Loop, f: Callable[..., Any], before: Any, after: Any) -> str:
    return (
        f"{loop.name}: a step must keep the type of the carry: {loop.argument} ({function_name(f)}) takes "
        f"{_own(loop, before)} and gives {_own(loop, after)}"
    )


def _typed(array: Array, aval: ShapedArray) -> Array:
    """A value of the initial carry in the type that the loop keeps."""
    if type(array) is Concrete and array.aval.dtype is aval.dtype:
        return concrete(array.stored, aval)
    return perform(Convert(aval.dtype, aval.weak_type, array))
