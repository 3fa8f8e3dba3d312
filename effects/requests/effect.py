"""Effects: a class of typed operations, the requests that programs make of them, and capabilities.

    class Cost(Effect):
        @abstractmethod
        def charge(self, amount: ArrayLike) -> None: ...

The class is all of the declaration. A *handler* inherits from it, so a type checker holds each operation's meaning
against its signature and refuses a handler that lacks one. A *capability* is made of it: an instance whose abstract
methods perform a `Request`. Concrete methods are derived operations. A capability is a pytree without leaves, so it is
an argument of jitted and mapped functions like any other.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

from effects.errors import ArgumentError, EffaxError, UnhandledEffectError
from effects.program.chain import Handler, Link, current, perform
from effects.program.operation import Effects, HostEffect, Label, Multiple, operation
from effects.requests.forms import Form, take_apart, types_of
from effects.trees.registration import register_node
from effects.types.avals import ShapedArray, Typed


class Effect(ABC):  # noqa: B024  # whose operations its subclasses declare
    """The base of effects: abstract methods are the operations, others are derived from them.

    Arguments and results of operations are trees of arrays and hashable values.

    >>> import effects as fx
    >>> from abc import abstractmethod
    >>> class Cost(fx.Effect):
    ...     @abstractmethod
    ...     def charge(self, amount: fx.ArrayLike) -> None: ...
    """


class Signature(NamedTuple):
    """Type of a request's result: the types of its arrays, and the tree that they are part of."""

    avals: tuple[ShapedArray, ...]
    form: Form


@operation
class Request[V](Multiple[V]):
    """The operation `method` of the effect `label` on the arguments `form`, whose arrays are `operands_`.

    Like a call of the host it is never dropped, repeated or moved. No transformation has a rule for it: each sees only
    programs in which it has been given its meaning.
    """

    label: Label
    method: str
    form: Form
    signature: Signature
    operands_: tuple[V, ...]

    @property
    def name(self) -> str:
        return f"{self.label}.{self.method}"

    @property
    def effects(self) -> Effects:
        return frozenset([HostEffect.HOST, self.label])

    def types(self: Request[Typed]) -> tuple[ShapedArray, ...]:
        return self.signature.avals

    def describe(self) -> str:
        return self.name


def unhandled(subject: str, label: Label) -> UnhandledEffectError:
    """The error of a request without a handler."""
    return UnhandledEffectError(
        f"{subject}: no handler of {label.effect.__name__} is running here. Either the capability outlived the "
        "function that received it, or a program traced under the handler runs outside it, or a backward rule "
        "performs the effect after the handler inside the derivative has ended: put the handler around grad"
    )


class Answers(Link, Protocol):
    """The link of a handler of an effect."""

    @property
    def label(self) -> Label: ...
    @property
    def alive(self) -> bool: ...
    @property
    def scope(self) -> Hashable:
        """Cache key for programs that are traced under the handler: the handler, and the form of its state."""

    def answer(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any], /) -> Any: ...
    def signature(self, method: str, form: Form, avals: tuple[ShapedArray, ...], /) -> Signature: ...


def answering(link: Link) -> dict[Label, Answers]:
    """The effects with a handler at `link` or further out, the outermost first, and the innermost link of each."""
    links: dict[Label, Answers] = {}
    while link.answered and isinstance(link, Handler):
        label = getattr(link, "label", None)  # handlers of users may have some too
        if isinstance(label, Label):
            links.setdefault(label, cast(Answers, link))
        link = link.outer
    return dict(reversed(links.items()))


def scopes(link: Link) -> tuple[Hashable, ...]:
    """Cache keys of all effect handlers in scope, for programs that are traced here."""
    return tuple([handler.scope for handler in answering(link).values()])


def request(label: Label, method: str, *args: Any, **kwargs: Any) -> Any:
    """Perform an operation of an effect, and return the result of the handler's method."""
    innermost = link = current()
    while label in link.answered and getattr(link, "label", None) != label:
        link = link.outer  # type: ignore[attr-defined]  # the root answers nothing
    if label not in link.answered:
        raise UnhandledEffectError(
            f"{label.effect.__name__}.{method}: the handler is running, but does not reach here: Python on the host (a "
            "callback, another thread) and the methods of outer handlers cannot perform its effect; pass the value "
            "as an argument, or perform the effect before"
        )
    handler = cast(Answers, link)
    if innermost is link:  # no link in between needs an operation
        return handler.answer(method, args, kwargs)
    arrays, form = take_apart((args, kwargs), f"{label}.{method}")
    signature = handler.signature(method, form, types_of(arrays))
    results = perform(Request(label, method, form, signature, tuple(arrays)))
    return signature.form.build(results)


class _Capability:
    label: Label
    extent: Answers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Capability) and self.label == other.label

    def __hash__(self) -> int:
        return hash(self.label)

    def __repr__(self) -> str:
        return f"<the {self.label} of a handler>"


def operations(effect: type[Effect]) -> list[str]:
    """The operations of an effect, by name."""
    return sorted(effect.__abstractmethods__)


def _check_arguments(effect: type[Effect], method: str, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
    """Raise ArgumentError for arguments that an operation of an effect does not take."""
    try:
        inspect.signature(getattr(effect, method)).bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentError(f"{effect.__name__}.{method}: {error}") from None


@functools.cache
def _capability_class(effect: type[Effect]) -> type[Any]:
    def performing(method: str) -> Callable[..., Any]:
        @functools.wraps(getattr(effect, method))
        def performs(self: _Capability, *args: Any, **kwargs: Any) -> Any:
            if not self.extent.alive:
                raise unhandled(f"{effect.__name__}.{method}", self.label)
            try:
                return request(self.label, method, *args, **kwargs)
            except TypeError as error:
                if not isinstance(error, EffaxError):
                    _check_arguments(effect, method, (self, *args), kwargs)
                raise

        performs.__isabstractmethod__ = False  # type: ignore[attr-defined]  # which `wraps` copied
        return performs

    # `_Capability` first: it is compared by its label.
    cls = type(effect.__name__, (_Capability, effect), {name: performing(name) for name in operations(effect)})

    def rebuilt(label: Hashable, _: object) -> Any:
        handler = answering(current()).get(cast(Label, label))
        if handler is None:
            name = effect.__name__
            raise UnhandledEffectError(
                f"{name}: no handler of {name} is running here, where a capability of it is an argument; a backward "
                f"rule runs when the handler inside of the derivative is over: put {name} around grad; a function "
                f"with rules may run outside of what is around its call: perform {name} outside of the function"
            )
        return capability(effect, handler)

    register_node(cls, lambda c: ((), c.label), rebuilt)
    return cls


def capability[E: Effect](effect: type[E], handler: Answers) -> E:
    """The object whose methods perform the operations of `effect` while `handler` runs."""
    instance = _capability_class(effect)()
    instance.label, instance.extent = handler.label, handler
    return cast(E, instance)
