"""Staged conditionals with any number of branches: `switch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVarTuple, overload

from typing_extensions import TypeVar

from effects.arguments import check_callable, describe
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, DTypeError
from effects.trees.pytree import tree_unflatten
from effects.types import dtypes
from effects.types.dtypes import DType
from effects.types.signatures.becoming import Integral
from effects.types.signatures.refused import NoInteger
from handlers.transformations.branches.cond import ABSENT, check_alike, choose, operands_of
from handlers.transformations.calls.arguments import argument_names, flatten_arguments
from handlers.transformations.calls.disabling import called, chosen
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.calls.types import Counted, Number, Tree

D = TypeVar("D", bound=DType, default=Any)
S = TypeVar("S", bound="tuple[Any, ...]", default=Any)
Ts = TypeVarTuple("Ts")
T = TypeVar("T")


@overload
def switch(  # type: ignore[overload-overlap]  # a number is a Tree too
    index: Integral | NoInteger, branches: Sequence[Callable[[*Ts], Array[D, S] | Number]], *operands: *Ts
) -> Array[D, S]: ...
@overload
def switch[*Us](index: Integral, branches: Sequence[Callable[[*Us], Counted]], *operands: *Us) -> Any: ...
@overload
def switch[*Us, R: Tree](index: Integral, branches: Sequence[Callable[[*Us], R]], *operands: *Us) -> R: ...
@overload
def switch(  # type: ignore[overload-overlap]  # as above
    index: Integral, branches: Sequence[Callable[[T], Array[D, S] | Number]], *, operand: T
) -> Array[D, S]: ...
@overload
def switch[U, R: Tree](index: Integral, branches: Sequence[Callable[[U], R]], *, operand: U) -> R: ...
def switch(  # type: ignore[misc]  # which takes integers alone
    index: Integral, branches: Sequence[Callable[..., Any]], *operands: object, operand: object = ABSENT
) -> Any:
    """`branches[index](*operands)`, `index` clamped into range; only the chosen one is computed.

    All are staged, may close over arrays, and return results of one structure, shapes and dtypes (Python numbers adopt
    the others' dtype). `index` is an integer scalar. Where `vmap` batches it, all branches are computed and each lane
    selects. A value that all branches return unchanged is that value itself. A single operand may be passed by name,
    `operand=`.

    Raises ArgumentError for an empty list and for a branch that is not a function, DTypeError for an index that is not
    an integer scalar, TreeError, ShapeError or DTypeError showing both types when results differ.

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
    operands = operands_of("switch", operands, operand)
    arrays, treedef = flatten_arguments("switch", branches[0], operands, {})
    if (chosen_branch := chosen(choice, branches)) is not None:
        return called("switch", chosen_branch, tree_unflatten(treedef, arrays)[0])
    avals = [a.aval for a in arrays]
    staged = [
        stage_tree(f, avals, treedef, "switch", lambda f=f: argument_names(f, operands, {}))  # type: ignore[misc]  # bound now
        for f in branches
    ]
    first, *others = [(f"branches[{i}]", f, staged[i]) for i, f in enumerate(branches)]
    for other in others:
        check_alike("switch", first, other)
    return tree_unflatten(staged[0].out_tree, choose(choice, staged, arrays))
