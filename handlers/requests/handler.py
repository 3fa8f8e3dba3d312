"""Handlers of effects: a method for each operation, a state, results to send out, and laws of transformations.

A handler has no carriers, and no rule for any transformation or control flow: it says what becomes of its state where a
vmap or a derivative begins and ends inside of it. Three laws are written already: a state that is taken along
(`EffectHandler`), one that is only read (`Reading`), and one that adds up (`Merging`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn, Self

from effects.arguments import describe
from effects.arrays.array import Array
from effects.errors import ArgumentError, EffaxError, MissingRule
from effects.functions.manipulation.movement import broadcast_to
from effects.requests.forms import take_apart
from effects.runtime.caches import exact_key
from handlers.stateful.handler import Stateful

if TYPE_CHECKING:
    from handlers.requests.link import EffectLink


class EffectHandler[S](Stateful[S], ABC):
    """The meaning of an effect: `class Total(EffectHandler[Array], Cost)`. `S` is the state, a tree of arrays.

    The methods of the effect read and assign `self.state`; they run outside the handler. All other attributes are
    static: hashable, and unchanged from the beginning of `handled`. Programs are shared between handlers of one class
    whose static attributes are equal and whose states have the same types.

    Raises ArgumentError for an attribute that is not hashable, and for one that is assigned later.
    """

    lends: ClassVar[bool] = True
    """True if a derivative takes the state with it; False if it begins a new state, which `from_derivative` merges."""

    resumes_often: ClassVar[bool] = False
    """True if an operation may have several results: programs are then run in place instead of being staged."""

    merges_paths: ClassVar[bool] = False
    """True if a handler that resumes often has written `merged_paths`; else the paths are kept apart."""

    link: EffectLink
    """The handler's link in the chain."""
    direct: bool = False
    """True if nothing stands between the handler and Python, so that it may abort by an exception."""

    def __init__(self, state: S) -> None:
        self.state = state
        self.sent = {}

    def copied(self, state: S) -> Self:
        handler = super().copied(state)
        handler.direct = False
        return handler

    @property
    def key(self) -> Hashable:  # type: ignore[override]  # computed
        return tuple([(name, exact_key(value)) for name, value in vars(self).items() if name not in _COMMON_ATTRIBUTES])

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _COMMON_ATTRIBUTES:
            subject = f"{type(self).__name__}.{name}"
            if "link" in vars(self):
                raise ArgumentError(
                    f"{subject} is assigned while {type(self).__name__} handles something: what changes belongs in the "
                    "state, which goes through programs"
                )
            try:
                hash(value)
            except (TypeError, EffaxError):
                raise ArgumentError(
                    f"{subject} is static and must be hashable, since it identifies shared programs, got "
                    f"{describe(value)}; an array, or a tree of arrays, belongs in the state"
                ) from None
        object.__setattr__(self, name, value)

    if not TYPE_CHECKING:  # which says that it is no context manager

        def __enter__(self) -> NoReturn:
            name = type(self).__name__
            raise ArgumentError(
                f"with {name}(...): the handler of an effect is installed by handled({name}(...), f, ...)"
            )

        def __exit__(self, *exception: object) -> None: ...

    def unreachable(self, paths: Array) -> None:
        """Called, if it resumes often, with a mask of the paths that chose again in a branch that they do not take."""

    def merged_paths(self, size: int, state: S) -> S:
        """The merged state of `size` paths, stacked along axis 0 of `state`, for a handler that resumes often.

        Called where a program ends, for paths that differ only in values that nothing reads any more.
        """
        raise NotImplementedError

    # The laws. Each is answered by the handler outside of the transformation.

    def into_lanes(self, size: int) -> S:
        """vmap begins: the states of the lanes, stacked along axis 0."""
        name = type(self).__name__
        raise MissingRule(
            f"{name} is outside a vmap, whose {size} lanes run at the same time, and has no law for that; handle the "
            f"effect inside the vmap, or write {name}.into_lanes and from_lanes: the states of the lanes at the "
            "beginning, and their merging"
        )

    def from_lanes(self, size: int, state: S) -> None:
        """vmap ends, with these states of the lanes, stacked along axis 0."""
        name = type(self).__name__
        raise MissingRule(f"{name} has into_lanes; write {name}.from_lanes too, which merges the states of the lanes")

    def into_derivative(self) -> S:
        """A derivative begins: the state inside it, as constants."""
        return self.state

    def from_derivative(self, state: S) -> None:
        """A derivative ends, with this state; its tangents stay inside."""
        self.state = state


_COMMON_ATTRIBUTES: Final = frozenset({"state", "sent", "link", "direct", "__orig_class__"})


class Reading[S](EffectHandler[S]):
    """Base of handlers whose state is only read: the same in every lane, and a constant of derivatives."""

    lends = False

    if TYPE_CHECKING:

        @property
        def state(self) -> S: ...  # type: ignore[override]  # so that assigning it is an error

    def into_lanes(self, size: int) -> S:
        return in_lanes(self.state, size)

    def from_lanes(self, size: int, state: S) -> None:
        """Nothing was written."""

    def from_derivative(self, state: S) -> None:
        """Nothing was written."""


class Merging[S](EffectHandler[S]):
    """Base of handlers whose state adds up: inside a transformation it begins as `unit`, and is merged at the end."""

    lends = False

    @abstractmethod
    def unit(self) -> S:
        """The state when nothing has happened."""

    @abstractmethod
    def merge(self, state: S) -> None:
        """Apply to the state what happened inside a transformation."""

    @abstractmethod
    def from_lanes(self, size: int, state: S) -> None:
        """Apply to the state what happened in the lanes; their states are stacked along axis 0."""

    def into_lanes(self, size: int) -> S:
        return in_lanes(self.unit(), size)

    def into_derivative(self) -> S:
        return self.unit()

    def from_derivative(self, state: S) -> None:
        self.merge(state)


def in_lanes[S](tree: S, size: int) -> S:
    """The tree repeated in every lane: the law of many effects."""
    arrays, form = take_apart(tree, "the state of the lanes")
    stacked: S = form.build([broadcast_to(a, (size, *a.aval.shape)) for a in arrays])
    return stacked
