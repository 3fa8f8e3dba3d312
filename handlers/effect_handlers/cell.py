"""The handler of `State`: one cell.

A handler inside a vmap has one cell per lane. One outside has one cell for all lanes: `lanes` combines their writes,
without which a vmap is refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Concatenate

import numpy as np

import effects as fx
from effects.arguments import check_callable
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, as_leaf
from effects.errors import ArgumentError, EffaxError, MissingRule, ShapeError
from effects.requests.standard import State
from effects.trees.pytree import TreeDef, tree_flatten, tree_map, tree_unflatten
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import EffectHandler, in_lanes
from handlers.stateful.handler import of_type, strong

type LaneLaw[S] = Callable[[S, S], S]
"""Function from the previous value and the values of all lanes, stacked along axis 0, to the next value."""


class Cell[S](EffectHandler[S], State[S]):
    """One cell, whose structure, shapes and dtypes never change."""

    _title = "State"

    def __init__(self, value: S, lanes: LaneLaw[S] | None = None) -> None:
        leaves, tree = _leaves(value, "with_state", "a leaf of init")
        super().__init__(tree_unflatten(tree, [strong(x) if isinstance(x, Array) else x for x in leaves]))
        self.lanes = lanes

    def get(self) -> S:
        return tree_map(lambda leaf: leaf, self.state)  # a copy, so that the program may change containers

    def put(self, value: S) -> None:
        leaves, new_tree = _leaves(value, "State.put", "a leaf of value")
        old_leaves, old_tree = tree_flatten(self.state)
        fitting = [_fitting(new_leaf, old_leaf) for new_leaf, old_leaf in zip(leaves, old_leaves, strict=False)]
        if new_tree != old_tree or None in fitting:
            raise ArgumentError(f"State.put: the cell holds {_types(self.state)}, got {_types(value)}")
        self.state = tree_unflatten(old_tree, fitting)

    def into_lanes(self, size: int) -> S:
        if self.lanes is None:
            raise MissingRule(
                f"State: the cell is outside a vmap, one for all {size} lanes, which run at the same time; put "
                "with_state inside the vmap (a cell per lane), combine the lanes by with_state(f, init, lanes=…), "
                "or, to read only, get() before the vmap"
            )
        return in_lanes(self.state, size)

    def from_lanes(self, size: int, state: S) -> None:
        law = self.lanes
        assert law is not None, "else no lanes begin"
        try:
            inspect.signature(law).bind(None, None)
        except TypeError as error:
            raise ArgumentError(
                f"with_state: lanes is given the value before and the values of all lanes, lanes(before, all): {error}"
            ) from None
        except ValueError:  # it has no signature
            pass
        try:
            self.put(law(self.state, state))
        except EffaxError as error:
            reason = error.message.rpartition("State.put: ")[2]
            raise ArgumentError(f"with_state: lanes of the value before and those of {size} lanes: {reason}") from None


def _leaves(tree: Any, function: str, argument: str) -> tuple[list[Any], TreeDef]:
    """The leaves: arrays and numbers as arrays, hashable values as they are."""
    leaves, treedef = tree_flatten(tree)
    values = [leaf if _is_value(leaf) else as_leaf(leaf, function, argument) for leaf in leaves]
    return values, treedef


def _is_value(leaf: object) -> bool:
    numbers = Array, np.ndarray, np.generic, complex, float, int
    return type(leaf).__hash__ is not None and not isinstance(leaf, numbers)


def _fitting(new: Any, old: Any) -> Any:
    """The new value of a leaf, in the type of the old one; None where it does not fit."""
    if isinstance(new, Array) and isinstance(old, Array):
        return of_type(new, old.aval, "State.put")
    return old if not isinstance(new, Array) and not isinstance(old, Array) and new == old else None


def _types(tree: Any) -> Any:
    leaves, treedef = _leaves(tree, "State.put", "value")
    return tree_unflatten(treedef, [x.aval if isinstance(x, Array) else x for x in leaves])


def _stacked_lanes(law: str, value: Any) -> Array:
    lanes = as_array(value, law, "lanes")
    if not lanes.aval.ndim:
        raise ShapeError(f"{law}: lanes must be stacked along axis 0, got {lanes.aval}")
    return lanes


def added[S](before: S, lanes: S) -> S:
    """A law for counters: the increments of all lanes are added.

    >>> import effects as fx
    >>> added(fx.asarray(10), fx.asarray([11, 13]))
    Array(14, int64)
    """

    def total(old: Any, new: Any) -> Array:
        start = as_array(old, "added", "before")
        return start + fx.sum(_stacked_lanes("added", new) - start, axis=0)

    return tree_map(total, before, lanes)


def averaged[S](before: S, lanes: S) -> S:
    """A law for running statistics: the mean of the lanes.

    >>> import effects as fx
    >>> averaged(fx.asarray(0.0), fx.asarray([1.0, 3.0]))
    Array(2., float64)
    """
    return tree_map(lambda old, new: fx.mean(_stacked_lanes("averaged", new), axis=0), before, lanes)


def with_state[S, **P, R](
    f: Callable[Concatenate[State[S], P], R], init: S, lanes: LaneLaw[S] | None = None
) -> Callable[P, tuple[R, S]]:
    """`f` without its first argument, a cell that begins as `init`: its result, and the last value of the cell.

    `init` is a tree of arrays, whose structure, shapes and dtypes the cell keeps. If a vmap is inside, `lanes` combines
    its lanes: a function of the previous value and of the lanes' values, stacked along axis 0 (`added` for counters,
    `averaged` for running statistics). Without it, a vmap is refused.

    >>> import effects as fx
    >>> def f(cell: fx.State[fx.Array], x: fx.Array) -> fx.Array:
    ...     cell.modify(lambda s: s + x)
    ...     return cell.get() * x
    >>> with_state(f, fx.asarray(1.0))(fx.asarray(2.0))
    (Array(6., float64), Array(3., float64))
    """
    check_callable("with_state", f)
    if lanes is not None:
        check_callable("with_state", lanes, "lanes")

    @instead_of(f)
    def stateful(*args: P.args, **kwargs: P.kwargs) -> tuple[R, S]:
        cell = Cell(init, lanes)
        result = handled(cell, f, *args, **kwargs)
        return result, cell.state

    return stateful
