"""Arguments and results of transformed functions: trees of arrays taken apart, checked and named for messages."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from effects.arguments import describe, function_name
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.functions.creation import creation
from effects.runtime.cpython.source import OWN, written_at
from effects.runtime.names import PACKAGES
from effects.trees.pytree import (
    LEAF,
    TreeDef,
    flatten_up_to,
    structure_difference,
    tree_flatten,
    tree_leaves_with_path,
    tree_structure,
    tree_unflatten,
)
from effects.types.avals import ShapedArray
from effects.types.dtypes import Inexact


def named_after[W: Callable[..., object]](
    f: Callable[..., object], transformation: str = "", *, decorates: bool = False
) -> Callable[[W], W]:
    """Decorator: the decorated function gets the name, documentation and signature of `f`, but no other attributes.

    Its repr is `transformation(f)`. One that `decorates` may replace `f` in its module, so it keeps the name by which
    pickle finds it.
    """

    def decorate(wrapper: W) -> W:
        wrapper.__name__ = wrapper.__qualname__ = function_name(f)  # it stays if `f` has none
        functools.update_wrapper(wrapper, f, updated=())
        wrapper.__doc__ = inspect.unwrap(
            f, stop=lambda g: not _is_wrapper(g)
        ).__doc__  # a jitted function already has jit's addition
        if transformation and not (decorates and _is_found_by_name(f)):
            wrapper.__qualname__ = transformed_name(transformation, f)
        return wrapper

    return decorate


def _is_wrapper(f: Callable[..., object]) -> bool:
    """Return True if a function that wraps another one is the library's."""
    return isinstance(f, FunctionType) and f.__code__.co_filename.startswith(OWN)


def transformed_name(transformation: str, f: Callable[..., object]) -> str:
    """Name of a transformed function: `jit(grad(f))`."""
    qualified: str = getattr(f, "__qualname__", "")
    return f"{transformation}({qualified if '(' in qualified else function_name(f)})"


def _is_found_by_name(f: Callable[..., object]) -> bool:
    """Return True if `f` is a function of a module, or of a class there, of the user's."""
    if not isinstance(f, FunctionType) or str(f.__module__).partition(".")[0] in PACKAGES:
        return False
    return "<" not in f.__qualname__ and "(" not in f.__qualname__


def description(transformation: str, f: Callable[..., object]) -> str:
    """Name of a transformed function, and where it is written."""
    at = written_at(f)
    return transformed_name(transformation, f) + (f" at {at}" if at else "")


def argument_names(
    f: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    positions: Sequence[int] | None = None,
) -> list[str]:
    """For each leaf of the arguments, the expression that reaches it: `params['w'][0]`.

    `positions` are those of the positional arguments where they are not the first ones. A function of some arguments of
    another one has an attribute `selects`: that function and the positions. A function of the leaves of another one's
    arguments has their names as its attribute `leaf_names`.
    """
    if (leaves := getattr(f, "leaf_names", None)) is not None:
        return [leaves[i] for i in (range(len(args)) if positions is None else positions)]
    if positions is None:
        f, positions = getattr(f, "selects", (f, range(len(args))))
    try:
        positional = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        positional = []
    names = [positional[i] if i < len(positional) else f"args[{i}]" for i in positions]
    named = [(name, value) for name, value in zip(names, args, strict=True)]
    named += sorted(kwargs.items())
    return [name + path for name, value in named for path, _ in tree_leaves_with_path(value)]


def flatten_arguments(
    transformation: str, f: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[list[Array], TreeDef]:
    """The leaves of all arguments as arrays, and the structure of `(args, kwargs)`.

    Raises ArgumentError naming the argument for a leaf that is neither an array nor a number.
    """
    leaves, treedef = tree_flatten((tuple(args), dict(kwargs)))
    return as_arrays(transformation, leaves, lambda: argument_names(f, args, kwargs)), treedef


def as_arrays(transformation: str, leaves: Sequence[object], names: Callable[[], Sequence[str]]) -> list[Array]:
    """Leaves as arrays; `names` is called only for a message."""
    arrays: list[Array] = []
    for position, leaf in enumerate(leaves):
        if isinstance(leaf, Array):
            arrays.append(leaf.now() if leaf.assigned else leaf)
        else:
            try:
                arrays.append(as_leaf(leaf, transformation, "x"))
            except ArgumentError:
                name = names()[position]
                arrays.append(as_leaf(leaf, transformation, f"argument {name}"))
    return arrays


def call_flat(f: Callable[..., Any], treedef: TreeDef, leaves: Sequence[object]) -> Any:
    """`f` on the arguments with these leaves."""
    args, kwargs = tree_unflatten(treedef, leaves)
    return f(*args, **kwargs)


def flatten_results(transformation: str, f: Callable[..., object], out: object) -> tuple[list[Array], TreeDef]:
    """The leaves of a result as arrays, and its structure."""
    leaves, treedef = tree_flatten(out)

    def names() -> list[str]:
        return [f"the result{path} of {function_name(f)}" for path, _ in tree_leaves_with_path(out)]

    for position, leaf in enumerate(leaves):
        if not isinstance(leaf, Array) or leaf.assigned:
            try:
                leaves[position] = as_leaf(leaf, transformation, "x")
            except ArgumentError:
                leaves[position] = as_leaf(leaf, transformation, names()[position])
    return leaves, treedef


def split_aux(transformation: str, f: Callable[..., object], out: object) -> tuple[Any, Any]:
    """The result and aux of a function. Raises TreeError if it returned no pair."""
    if not isinstance(out, tuple) or len(out) != 2:
        got = f"an array, {out.aval}" if isinstance(out, Array) else describe(out)
        name = function_name(f)
        raise TreeError(f"{transformation}: with has_aux=True {name} must return (result, aux), got {got}")
    return out[0], out[1]


def match(transformation: str, noun: str, like: object, tree: object) -> list[Array]:
    """The leaves of `tree` as arrays, one for each leaf of `like`, of the same structure, shapes and dtypes.

    `noun` names a leaf in messages: `tangent` or `cotangent`. A Python number takes the expected dtype. For leaves
    without a derivative, integers and bools, None means zeros.

    Raises TreeError, ShapeError, DTypeError naming the path.
    """
    expected = [(path, as_type(expected_leaf)) for path, expected_leaf in tree_leaves_with_path(like)]
    leaves, structure = tree_flatten(tree)
    if structure != tree_structure(like):
        leaves = _with_zeros(like, tree, [aval for _, aval in expected])
        if not leaves:
            raise TreeError(f"{transformation}: the structure of the {noun}s {structure_difference(like, tree)}")
    arrays: list[Array] = []
    for (path, expected_aval), leaf in zip(expected, leaves, strict=True):
        value = as_leaf(leaf, transformation, f"{noun}{path}")
        aval = value.aval
        if aval.shape != expected_aval.shape:
            raise ShapeError(f"{transformation}: {noun}{path} has shape {list(aval.shape)}, expected {expected_aval}")
        if aval.dtype is not expected_aval.dtype:
            if not aval.weak_type:
                raise DTypeError(
                    f"{transformation}: {noun}{path} is {aval}, expected {expected_aval}; convert it with astype"
                )
            value = value.astype(expected_aval.dtype)
        arrays.append(value)
    return arrays


def as_type(leaf: Any) -> ShapedArray:
    """The type of an array, a type or a number."""
    return leaf if isinstance(leaf, ShapedArray) else as_leaf(leaf, "the type of a leaf", "x").aval


def _with_zeros(like: object, tree: object, avals: Sequence[ShapedArray]) -> list[object]:
    """The leaves of `tree`, with zeros for None where an array has no derivative; None if its structure differs."""
    try:
        leaves = flatten_up_to(tree_structure(like), like, tree, "")
    except TreeError:
        return []
    for position, (leaf, aval) in enumerate(zip(leaves, avals, strict=True)):
        if leaf is None and not issubclass(aval.dtype, Inexact):
            leaves[position] = creation.zeros_of(aval)
        elif tree_structure(leaf) != LEAF:
            return []
    return leaves
