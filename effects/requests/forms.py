"""Trees as arrays and a hashable rest, the `Form`, for requests, states and errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from effects.arguments import describe, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.errors import ArgumentError
from effects.runtime.caches import exact_key
from effects.trees.pytree import TreeDef, tree_flatten, tree_unflatten
from effects.types.avals import ShapedArray


@final
class Static:
    """A leaf that is no array. Equal ones have identical values: 1, 1.0 and True differ."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key = exact_key(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.value)


class Form(NamedTuple):
    """A tree without its arrays: its structure, and for each leaf None where it is an array, else the leaf."""

    tree: TreeDef
    others: tuple[Static | None, ...]

    def build(self, arrays: Iterable[Any]) -> Any:
        """The tree with these arrays."""
        leaves = iter(arrays)
        return tree_unflatten(self.tree, [next(leaves) if other is None else other.value for other in self.others])


def take_apart(tree: object, subject: str) -> tuple[list[Array], Form]:
    """The arrays of a tree, and its form. Python numbers belong to the form.

    Raises ArgumentError, whose message begins with `subject`, for leaves that are neither arrays nor hashable.

    >>> take_apart((1.5, np.ones(2)), "the state")
    ([Array([1., 1.], float64)], Form(tree=PyTreeDef((*, *)), others=(1.5, None)))
    """
    leaves, treedef = tree_flatten(tree)
    arrays: list[Array] = []
    others: list[Static | None] = []
    for leaf in leaves:
        if isinstance(leaf, Array | np.ndarray):
            arrays.append(as_leaf(leaf, subject, "its leaf"))
            others.append(None)
        elif isinstance(leaf, Hashable):
            others.append(Static(leaf))
        else:
            raise ArgumentError(
                f"{subject}: its leaves must be arrays or hashable, got {describe(leaf)}{as_node(leaf)}"
            )
    form = Form(treedef, tuple(others))
    try:
        hash(form)
    except TypeError as error:
        reason = getattr(error, "reason", error)
        advice = next(filter(None, [as_node(other.value) for other in others if other is not None]), "")
        raise ArgumentError(f"{subject}: what is not an array in it must be hashable: {reason}{advice}") from None
    return arrays, form


def as_node(leaf: object) -> str:
    """Advice for registering a user's class as a node of trees; for messages."""
    if not dataclasses.is_dataclass(leaf):
        return ""
    return f"; register, from effects, makes {type(leaf).__name__} a tree of what it holds"


def described(tree: object) -> str:
    """A tree for messages, with the types of its arrays."""
    leaves, treedef = tree_flatten(tree)
    return shown(tree_unflatten(treedef, [getattr(leaf, "aval", leaf) for leaf in leaves]), 200)


def holds_numbers(tree: object) -> bool:
    """Return True if a leaf of a tree is a Python number, which is no array."""
    return any([isinstance(leaf, int | float | complex) for leaf in tree_flatten(tree)[0]])


def types_of(arrays: Sequence[Array]) -> tuple[ShapedArray, ...]:
    """The types of arrays."""
    return tuple([array.aval for array in arrays])
