"""Checks of the states that users' effect handlers create, where they create them."""

from __future__ import annotations

from typing import Any

from effects.arrays.array import Array
from effects.errors import ArgumentError, IllTyped
from effects.requests.forms import take_apart, types_of
from effects.trees.pytree import tree_flatten
from handlers.requests.handler import EffectHandler, Reading
from handlers.stateful.handler import Stateful, check_alive, strong


def check_state(handler: EffectHandler[Any], method: str, before: Any) -> None:
    """Raise where a method assigned a state that the handler cannot have."""
    name = type(handler).__name__
    if isinstance(handler, Reading):
        raise ArgumentError(
            f"{name}.{method} assigns the state of a Reading, which is only read; make {name} a Merging or an "
            "EffectHandler, and say what becomes of its state"
        )
    if _alike(before, handler.state):
        return
    check_alive(f"{name}.state, in {method},", handler.state)
    if type(handler).widened is not Stateful.widened:
        return
    was, now = _types(before, name), _types(handler.state, name)
    if was != now:
        raise IllTyped(
            f"{name}.{method}: the state must stay what it is, {_shown(was)}, got {_shown(now)}; begin with what it "
            f"has to hold, asarray(0.0) for 0.0, or write {name}.widened(self, other), which makes room"
        )


def _alike(before: Any, state: Any) -> bool:
    """Return True if two states are arrays of one type, and no carrier of the second has leaked."""
    (old, old_tree), (new, tree) = tree_flatten(before), tree_flatten(state)
    return tree == old_tree and all([a is b or _of_one_type(a, b) for a, b in zip(new, old, strict=True)])


def _of_one_type(a: object, b: object) -> bool:
    if not isinstance(a, Array) or not isinstance(b, Array) or a.aval is not b.aval:
        return False
    return a.owner is None or a.owner.alive


def check_begun(handler: EffectHandler[Any], law: str, begun_state: Any, size: int | None = None) -> None:
    """Raise where the state that a transformation begins with is not one of the handler, or of each of the lanes."""
    if type(handler).widened is not Stateful.widened:
        return
    name = type(handler).__name__
    (avals, form), (begun, begun_form) = _types(handler.state, name), _types(begun_state, name)
    expected = tuple([aval if size is None else aval.with_shape((size, *aval.shape)) for aval in avals])
    if (begun, begun_form) != (expected, form):
        lanes = "" if size is None else f" for {size} lanes, stacked along axis 0,"
        text = _shown((begun, begun_form))
        raise IllTyped(f"{name}.{law} must return a state of {name}{lanes} {_shown((expected, form))}, got {text}")


def _types(state: Any, name: str) -> tuple[Any, Any]:
    arrays, form = take_apart(state, f"the state of {name}")
    return types_of([strong(a) for a in arrays]), form


def _shown(types: tuple[Any, Any]) -> str:
    avals, form = types
    return str(form.build(avals))
