"""The handler of `State`: one cell.

A handler inside of a vmap is one cell per lane; one outside is one cell for all lanes, so it says by `lanes` what many
writes at once come to, or is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate

from effects.arguments import check_callable
from effects.arrays.array import Array
from effects.arrays.promotion import as_array, convert
from effects.errors import ArgumentError, MissingRule, ShapeError
from effects.functions import reduction, spread
from effects.requests.state import State
from effects.trees.pytree import tree_flatten, tree_map, tree_unflatten
from handlers.requests.handled import handled, instead_of
from handlers.requests.handler import EffectHandler, in_lanes
from handlers.stateful.handler import strong

type Lanes[S] = Callable[[S, S], S]
"""From the value before and the values of all lanes, stacked along axis 0, the value after."""


class Cell[S](EffectHandler[S], State[S]):
    """The cell; its structure, shapes and dtypes never change."""

    def __init__(self, value: S, lanes: Lanes[S] | None = None) -> None:
        leaves, tree = tree_flatten(value)
        arrays = [as_array(leaf, "with_state", "a leaf of init") for leaf in leaves]
        super().__init__(tree_unflatten(tree, [strong(a) for a in arrays]))
        self.lanes = lanes

    def get(self) -> S:
        return self.state

    def put(self, value: S) -> None:
        (given, new), (kept, old) = tree_flatten(value), tree_flatten(self.state)
        arrays = [as_array(leaf, "State.put", "a leaf of value") for leaf in given]
        same = new == old and all(
            [
                a.aval.shape == k.aval.shape and (a.aval.dtype is k.aval.dtype or a.aval.weak_type)
                for a, k in zip(arrays, kept, strict=True)
            ]
        )
        if not same:
            raise ArgumentError(f"State.put: the cell holds {_types(self.state)}, got {_types(value)}")
        fitting = [strong(convert(a, k.aval.dtype)) for a, k in zip(arrays, kept, strict=True)]
        self.state = tree_unflatten(old, fitting)

    def into_lanes(self, size: int) -> S:
        if self.lanes is None:
            raise MissingRule(
                f"State: the cell is outside of a vmap, one for all {size} lanes, which run at the same time; put "
                "with_state inside of the vmap (a cell per lane), or say with_state(f, init, lanes=…) what the lanes "
                "come to"
            )
        return in_lanes(self.state, size)

    def from_lanes(self, size: int, state: S) -> None:
        assert self.lanes is not None, "else no lanes begin"
        self.put(self.lanes(self.state, state))


def _types(tree: Any) -> Any:
    leaves, treedef = tree_flatten(tree)
    return tree_unflatten(treedef, [as_array(leaf, "State.put", "value").aval for leaf in leaves])


def _lanes(law: str, value: Any) -> Array:
    lanes = as_array(value, law, "lanes")
    if not lanes.aval.ndim:
        raise ShapeError(f"{law}: lanes must be stacked along axis 0, got {lanes.aval}")
    return lanes


def added[S](before: S, lanes: S) -> S:
    """A law for counters: what every lane added is added."""

    def total(old: Any, new: Any) -> Array:
        start = as_array(old, "added", "before")
        return start + reduction.sum(_lanes("added", new) - start, axis=0)

    return tree_map(total, before, lanes)


def averaged[S](before: S, lanes: S) -> S:
    """A law for running statistics: the mean of the lanes."""
    return tree_map(lambda old, new: spread.mean(_lanes("averaged", new), axis=0), before, lanes)


def with_state[S, **P, R](
    f: Callable[Concatenate[State[S], P], R], init: S, lanes: Lanes[S] | None = None
) -> Callable[P, tuple[R, S]]:
    """`f` without its first argument, a cell that begins as `init`: its result, and the last value of the cell.

    `init` is a tree of arrays, whose structure, shapes and dtypes the cell keeps. Where a vmap is inside, `lanes` says
    what its lanes come to: a function of the value before and of the lanes' values, stacked along axis 0 (`added` for
    counters, `averaged` for running statistics); without it that is refused.

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
