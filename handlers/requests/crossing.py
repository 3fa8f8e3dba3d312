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


def has_lanes(transformation: Forward[Any, Any]) -> bool:
    """Return True if a transformation runs a program many times; a vmap over directions of a derivative does not."""
    return isinstance(transformation, Vmap) and not transformation.directions


def reopened(transformation: Forward[Any, Any]) -> list[EffectLink]:
    """The handlers of effects outside of a transformation, to be installed inside of it, outermost first."""
    return [cast("EffectLink", link).opened_in(transformation) for link in answering(transformation.outer).values()]


def state_inside(label: Label, transformation: Forward[Any, Any]) -> Any:
    """The state of the handler outside of a transformation, as values inside of it."""
    lanes = has_lanes(transformation)
    with installed(transformation.outer):
        state = (
            request(label, "into_lanes", transformation.size)
            if isinstance(transformation, Vmap) and lanes
            else request(label, "into_derivative")
        )
    arrays, form = take_apart(state, f"the state of {label}")
    return form.build([transformation.pack((a,), True) for a in arrays] if lanes else arrays)


def return_state(
    handler: EffectHandler[Any], outside: EffectHandler[Any], label: Label, transformation: Forward[Any, Any]
) -> None:
    """Give the handler outside of a transformation its state at the end of it, and the sent values."""
    state, sent = (values_outside(tree, label, transformation) for tree in (handler.state, handler.sent))
    previous = outside.state, outside.sent
    try:
        with installed(transformation.outer):
            if isinstance(transformation, Vmap) and has_lanes(transformation):
                request(label, "from_lanes", transformation.size, state)
            else:
                request(label, "from_derivative", state)
            if handler.sent:
                request(label, "from_sent", sent)
    except BaseException as error:
        outside.undo(error, *previous)
        raise


def values_outside(tree: Any, label: Label, transformation: Forward[Any, Any]) -> Any:
    """The values of a tree as they are outside of a transformation."""
    arrays, form = take_apart(tree, f"the state of {label}")
    if isinstance(transformation, Vmap):
        with installed(transformation.outer):
            lanes = [materialized(transformation.lift(a), transformation.size) for a in arrays]
            return form.build(lanes if has_lanes(transformation) else [a[0] for a in lanes])
    if isinstance(transformation, Jvp):
        return form.build([transformation.lift(a).primal for a in arrays])
    if transformation.augments:
        return form.build([transformation.unpack(a)[0][0] if a.owner is transformation else a for a in arrays])
    if any([a.owner is transformation for a in arrays]):
        raise MissingRule(
            f"{label}: its state or output is a carrier of {transformation!r}, which cannot leave it; "
            f"handle it inside of {transformation!r}, or keep out of it what depends on the values there"
        )
    return tree
