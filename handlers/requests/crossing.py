"""The state of an effect handler enters and leaves a transformation, by requests to the handler outside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from effects.errors import MissingRule
from effects.program.chain import installed
from effects.program.operation import Label
from effects.requests.effect import answering, request
from effects.requests.forms import take_apart
from handlers.forward import Forward
from handlers.jvp.rules import Jvp
from handlers.requests.handler import EffectHandler
from handlers.vmap.rules import Vmap, materialized

if TYPE_CHECKING:
    from handlers.requests.link import EffectLink

OPENING: Final = frozenset({"into_lanes", "into_derivative"})
"""Requests that take the state of a handler into a transformation."""
CLOSING: Final = frozenset({"from_lanes", "from_derivative", "from_sent"})
"""Requests that give the state, and what was sent, back to the handler outside."""


def has_lanes(within: Forward[Any, Any]) -> bool:
    """Return True if a transformation runs a program many times; a vmap over directions of a derivative does not."""
    return isinstance(within, Vmap) and not within.directions


def reopened(within: Forward[Any, Any]) -> list[EffectLink]:
    """The handlers of effects outside of a transformation, to be installed inside of it, outermost first."""
    return [cast("EffectLink", link).opened_in(within) for link in answering(within.outer).values()]


def state_inside(label: Label, within: Forward[Any, Any]) -> Any:
    """The state of the handler outside of a transformation, as values inside of it."""
    lanes = has_lanes(within)
    with installed(within.outer):
        state = (
            request(label, "into_lanes", within.size)
            if isinstance(within, Vmap) and lanes
            else request(label, "into_derivative")
        )
    arrays, form = take_apart(state, f"the state of {label}")
    return form.build([within.pack((a,), True) for a in arrays] if lanes else arrays)


def give_back(
    handler: EffectHandler[Any], outside: EffectHandler[Any], label: Label, within: Forward[Any, Any]
) -> None:
    """Give the handler outside of a transformation its state at the end of it, and the sent values."""
    state, sent = (values_outside(tree, label, within) for tree in (handler.state, handler.sent))
    before = outside.state, outside.sent
    try:
        with installed(within.outer):
            if isinstance(within, Vmap) and has_lanes(within):
                request(label, "from_lanes", within.size, state)
            else:
                request(label, "from_derivative", state)
            if handler.sent:
                request(label, "from_sent", sent)
    except BaseException as error:
        outside.undo(error, *before)
        raise


def values_outside(tree: Any, label: Label, within: Forward[Any, Any]) -> Any:
    """The values of a tree as they are outside of a transformation."""
    arrays, form = take_apart(tree, f"the state of {label}")
    if isinstance(within, Vmap):
        with installed(within.outer):
            lanes = [materialized(within.lift(a), within.size) for a in arrays]
            return form.build(lanes if has_lanes(within) else [a[0] for a in lanes])
    if isinstance(within, Jvp):
        return form.build([within.lift(a).primal for a in arrays])
    if within.augments:
        return form.build([within.unpack(a)[0][0] if a.owner is within else a for a in arrays])
    if any([a.owner is within for a in arrays]):
        raise MissingRule(
            f"{label}: its state or output is a carrier of {within!r}, which cannot leave it; "
            f"handle it inside of {within!r}, or keep out of it what depends on the values there"
        )
    return tree
