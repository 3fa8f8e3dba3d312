"""Staged conditionals: `cond`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeVarTuple, overload

from typing_extensions import TypeVar

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, common_type, convert
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.functions.elementwise import logic
from effects.operations.higher_order import Cond
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr, Literal, eval_jaxpr
from effects.trees.pytree import structure_difference, tree_leaves_with_path, tree_unflatten
from effects.types import dtypes
from effects.types.dtypes import DType
from effects.types.signatures.refused import NoArray
from handlers.stage import share_captured, stage
from handlers.transformations.calls.arguments import argument_names, flatten_arguments
from handlers.transformations.calls.disabling import called, chosen
from handlers.transformations.calls.staging import Staged, stage_tree
from handlers.transformations.calls.types import Counted, Number, Tree


class _Absent:
    """Type of a default that differs from None, which may be an argument."""

    def __repr__(self) -> str:
        return "<not given>"


ABSENT: Final = _Absent()
"""Default of an operand, since None may be one."""


D = TypeVar("D", bound=DType, default=Any)
S = TypeVar("S", bound="tuple[Any, ...]", default=Any)
Ts = TypeVarTuple("Ts")
T = TypeVar("T")


@overload
def cond(  # type: ignore[overload-overlap]  # a number is a Tree too
    pred: ArrayLike | NoArray,
    true_fun: Callable[[*Ts], Array[D, S] | Number],
    false_fun: Callable[[*Ts], Array[D, S] | Number],
    *operands: *Ts,
) -> Array[D, S]: ...
@overload
def cond[*Us](
    pred: ArrayLike, true_fun: Callable[[*Us], Counted], false_fun: Callable[[*Us], Counted], *operands: *Us
) -> Any: ...
@overload
def cond[*Us, R: Tree, Q: Tree](
    pred: ArrayLike, true_fun: Callable[[*Us], R], false_fun: Callable[[*Us], Q], *operands: *Us
) -> R: ...
@overload
def cond(  # type: ignore[overload-overlap]  # as above
    pred: ArrayLike,
    true_fun: Callable[[T], Array[D, S] | Number],
    false_fun: Callable[[T], Array[D, S] | Number],
    *,
    operand: T,
) -> Array[D, S]: ...
@overload
def cond[U, R: Tree, Q: Tree](
    pred: ArrayLike, true_fun: Callable[[U], R], false_fun: Callable[[U], Q], *, operand: U
) -> R: ...
def cond(  # type: ignore[misc]  # which takes arrays and numbers alone
    pred: ArrayLike,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: object,
    operand: object = ABSENT,
) -> Any:
    """`true_fun(*operands)` where `pred` holds, else `false_fun(*operands)`; only the chosen one is computed.

    Both are staged, may close over arrays, and return results of one structure, shapes and dtypes (Python numbers adopt
    the other's dtype). `pred` is a bool scalar, or a real number, which holds if it is not 0. Where `vmap` batches it,
    both branches are computed and each lane selects. A value that both branches return unchanged is that value itself,
    the same in all lanes if it was before. A single operand may be passed by name, `operand=`.

    Raises DTypeError for any other predicate, ArgumentError for operands passed in both ways, TreeError, ShapeError or
    DTypeError showing both types when the results differ.

    >>> cond(True, lambda x: x + 1, lambda x: x - 1, 3)
    Array(4, int64)
    """
    check_callable("cond", true_fun, "true_fun")
    check_callable("cond", false_fun, "false_fun")
    choice = _predicate(pred)
    operands = operands_of("cond", operands, operand)
    arrays, treedef = flatten_arguments("cond", true_fun, operands, {})
    if (branch := chosen(choice, (false_fun, true_fun))) is not None:
        return called("cond", branch, tree_unflatten(treedef, arrays)[0])
    avals = [a.aval for a in arrays]
    staged = [
        stage_tree(f, avals, treedef, "cond", lambda f=f: argument_names(f, operands, {}))  # type: ignore[misc]  # bound now
        for f in (false_fun, true_fun)
    ]
    check_alike("cond", ("true_fun", true_fun, staged[1]), ("false_fun", false_fun, staged[0]))
    return tree_unflatten(staged[1].out_tree, choose(choice, staged, arrays))


def operands_of(function: str, operands: tuple[object, ...], operand: object) -> tuple[object, ...]:
    """The operands of a conditional: those passed by position, or a single one passed by name."""
    if operand is ABSENT:
        return operands
    if operands:
        raise ArgumentError(f"{function}: operand= is the only operand, but {len(operands)} are given by position too")
    return (operand,)


def _predicate(pred: ArrayLike) -> Array:
    choice = as_array(pred, "cond", "pred")
    if choice.aval.shape or issubclass(choice.aval.dtype, dtypes.Complex):
        raise DTypeError(
            "cond: pred must be a bool scalar, or a real number for whether it is not 0, "
            f"got {choice.aval}; compare, or reduce with any or all"
        )
    return choice if choice.aval.dtype is dtypes.bool_ else logic.not_equal(choice, 0)


type Branch = tuple[str, Callable[..., object], Staged]
"""A branch: its name in messages, its function, and the program that was staged."""


def check_alike(function: str, one: Branch, other: Branch) -> None:
    """Raise TreeError, ShapeError or DTypeError, showing both types, where the results of two branches differ."""
    staged = one[2], other[2]
    if staged[0].out_tree == staged[1].out_tree and staged[0].jaxpr.out_avals == staged[1].jaxpr.out_avals:
        return
    first, second = [tree_unflatten(s.out_tree, s.jaxpr.out_avals) for s in staged]
    names = [f"{name} ({function_name(f)})" for name, f, _ in (one, other)]
    if staged[0].out_tree != staged[1].out_tree:
        raise TreeError(
            f"{function}: the branches must return the same structure: {names[0]} gives {first}, {names[1]} gives "
            f"{second}; the second {structure_difference(first, second)}"
        )
    for (path, a), (_, b) in zip(tree_leaves_with_path(first), tree_leaves_with_path(second), strict=True):
        if a.shape != b.shape or (a.dtype is not b.dtype and not (a.weak_type or b.weak_type)):
            error, advice = (DTypeError, "astype") if a.shape == b.shape else (ShapeError, "reshape, broadcast_to")
            raise error(
                f"{function}: the branches must return the same types: the result{path} is {a} from {names[0]} and {b} "
                f"from {names[1]}; make them agree ({advice})"
            )


def choose(choice: Array, staged: Sequence[Staged], operands: Sequence[Array]) -> Sequence[Array]:
    """The results of the chosen branch; a value that all branches return unchanged is returned itself."""
    shared, captured = share_captured([(s.jaxpr, s.captured) for s in staged])
    types = [common_type(pair) for pair in zip(*[s.jaxpr.out_avals for s in staged], strict=True)]
    branches = [with_types(branch, types) for branch in shared]
    inputs = (*captured, *operands)
    forwarded = _forwarded(branches, inputs)
    if any([value is not None for value in forwarded]):
        branches = [_without_forwarded(branch, forwarded) for branch in branches]
    results = perform(Cond(tuple([branch.shared() for branch in branches]), choice, inputs))
    if not forwarded:
        return results
    computed = iter(results)
    return [next(computed) if value is None else value for value in forwarded]


def _forwarded(branches: Sequence[Jaxpr], operands: Sequence[Array]) -> list[Array | None]:
    """For each result, the value that all branches return unchanged; None if there is none."""
    inputs = set(branches[0].inputs)
    if not any([type(atom) is Literal or atom in inputs for atom in branches[0].outputs]):
        return []
    first = _sources(branches[0], operands)
    others = [_sources(branch, operands) for branch in branches[1:]]
    return [
        source[1] if source and all([other[i] and other[i][0] == source[0] for other in others]) else None  # type: ignore[index]  # it is there
        for i, source in enumerate(first)
    ]


def _sources(branch: Jaxpr, inputs: Sequence[Array]) -> list[tuple[Hashable, Array] | None]:
    """For each result of a branch that is an input or a literal, which one it is, and its value."""
    values = dict(zip(branch.inputs, enumerate(inputs), strict=True))
    return [(atom.key, atom.value) if type(atom) is Literal else values.get(atom) for atom in branch.outputs]


def _without_forwarded(branch: Jaxpr, forwarded: Sequence[Array | None]) -> Jaxpr:
    outputs = tuple([atom for atom, value in zip(branch.outputs, forwarded, strict=True) if value is None])
    return Jaxpr(branch.inputs, branch.eqns, outputs)


def with_types(branch: Jaxpr, types: Sequence[tuple[type[DType], bool]]) -> Jaxpr:
    """The branch with its results converted to these types."""
    if all(aval.dtype is dtype for aval, (dtype, _) in zip(branch.out_avals, types, strict=True)):
        return branch

    def run(*args: Array) -> list[Array]:
        outputs = eval_jaxpr(branch, args)
        return [convert(out, dtype, weak) for out, (dtype, weak) in zip(outputs, types, strict=True)]

    return stage(run, branch.in_avals, "a branch")[0]
