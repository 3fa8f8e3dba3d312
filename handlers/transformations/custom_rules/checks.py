"""Checks of the arguments and results of users' rules: arity, pairs, types, and trees of derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from effects.arguments import describe, function_name
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.trees.pytree import TreeDef, flatten_up_to, tree_leaves_with_path, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray

type Types = tuple[TreeDef, list[ShapedArray]]
"""The structure of a function's result, and the types of its arrays."""


def check_arity(fwd: Callable[..., object], args: Sequence[object], subject: str) -> None:
    try:
        inspect.signature(fwd).bind(*args)
    except TypeError as error:
        raise ArgumentError(
            f"{subject}: the rule {function_name(fwd)} is called as the function is, with {len(args)} arguments: "
            f"{error}"
        ) from None
    except ValueError:
        return  # the parameters of a built-in function are unknown


def pair(subject: str, out: object, first: str, second: str) -> tuple[Any, Any]:
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise TreeError(f"{subject} must return a pair ({first}, {second}), got {describe(out)}")
    return out[0], out[1]


def check_type(subject: str, value: Array, expected: ShapedArray) -> Array:
    """`value`, in the dtype of `expected` if it is a Python number."""
    aval = value.aval
    if aval.shape != expected.shape:
        raise ShapeError(f"{subject} must have shape {list(expected.shape)}, that of {expected}, got {aval}")
    if aval.dtype is expected.dtype:
        return value
    if not aval.weak_type and not expected.weak_type:
        raise DTypeError(f"{subject} must be {expected}, got {aval}; convert it with astype")
    return value.astype(expected.dtype)


def tree_like(
    subject: str, noun: str, tree: TreeDef, like: object, value: object, avals: Sequence[ShapedArray]
) -> list[Array | None]:
    """The leaves of `value`, a tree like `like` in which None means zero; leaves without derivative are None."""
    leaves = flatten_up_to(tree, like, value, f"{subject}: the structure of {noun}")
    paths = tree_leaves_with_path(like)
    checked: list[Array | None] = []
    for leaf, aval, (path, _) in zip(leaves, avals, paths, strict=True):
        if leaf is None or not dtypes.is_inexact(aval.dtype):
            checked.append(None)
            continue
        try:
            array = as_leaf(leaf, subject, f"{noun}{path}")
        except ArgumentError as error:
            raise TreeError(
                f"{subject}: {noun}{path} must be an array of type {aval} or None, got {describe(leaf)}"
            ) from error
        checked.append(check_type(f"{subject}: {noun}{path}", array, aval))
    return checked


def results_like(
    subject: str, name: str, results: list[Array], tree: TreeDef, types: Types, lanes: Sequence[int | None]
) -> list[Array]:
    """The function's result as a rule returned it, as arrays of the types of the function's own result."""
    expected_tree, avals = types
    like = tree_unflatten(expected_tree, avals)
    if tree != expected_tree:
        structure = tree_unflatten(tree, [r.aval for r in results])
        raise TreeError(f"{subject} must return the result of {name} first, of the structure {like}, got {structure}")
    checked: list[Array] = []
    for i, ((path, expected), result) in enumerate(zip(tree_leaves_with_path(like), results, strict=True)):
        size = lanes[i] if lanes else None
        aval = expected if size is None else expected.with_shape((size, *expected.shape))
        along = "" if size is None else f", {size} lanes along axis 0,"
        checked.append(check_type(f"{subject}: the result{path}{along}", result, aval))
    return checked
