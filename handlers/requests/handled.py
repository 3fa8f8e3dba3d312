"""`handled`: a program under the handler of an effect."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Concatenate, cast

from effects.arguments import check_callable, describe, function_name
from effects.errors import ArgumentError, EffaxError
from effects.program.chain import current
from effects.program.operation import Label
from effects.requests.effect import Effect, answering, capability, operations
from effects.runtime.cpython.recursion import deeper
from handlers.requests import in_place  # noqa: F401  # which says what control flow means
from handlers.requests.crossing import CLOSING, OPENING
from handlers.requests.handler import EffectHandler
from handlers.requests.link import EffectLink


def handled[E: Effect, **P, R](handler: E, f: Callable[Concatenate[E, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
    """`f(capability, *args, **kwargs)`, where `handler` defines the operations of the capability.

    `handler` is an `EffectHandler` of one effect; it is used once. With nested handlers of one effect, each capability
    refers to its own handler.

    >>> from abc import abstractmethod
    >>> import effects as fx
    >>> from handlers import EffectHandler
    >>> class Counter(fx.Effect):
    ...     @abstractmethod
    ...     def tick(self) -> None: ...
    >>> class Ticks(EffectHandler[fx.Array], Counter):
    ...     def tick(self) -> None:
    ...         self.state = self.state + 1
    >>> ticks = Ticks(fx.asarray(0))
    >>> def f(counter: Counter, x: float) -> float:
    ...     counter.tick()
    ...     return 2 * x
    >>> handled(ticks, f, 4.0), ticks.state
    (8.0, Array(1, int64))
    """
    check_callable("handled", f)
    effect = _effect_of(handler)
    if "link" in vars(handler):
        raise ArgumentError(f"handled: {type(handler).__name__} has handled something before; make a new one")
    assert isinstance(handler, EffectHandler), "it has an effect"
    if not {"state", "sent"} <= vars(handler).keys():
        name = type(handler).__name__
        raise ArgumentError(f"handled: {name} has no state yet: {name}.__init__ must call super().__init__(state)")
    try:
        hash(handler.key)
    except TypeError:
        name = type(handler).__name__
        raise ArgumentError(f"handled: {name}.key must be hashable, got {describe(handler.key)}") from None
    level = sum([label.effect is effect for label in answering(current())])
    handler.direct = not current().recorded
    with deeper(), EffectLink(handler, Label(effect, level)) as link:
        performer = capability(cast("type[E]", effect), link)
        try:
            return f(performer, *args, **kwargs)
        except TypeError as error:
            if not isinstance(error, EffaxError):
                _check_parameters(effect, f, (performer, *args), kwargs)
            raise


def _check_parameters(
    effect: type[Effect], f: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """Raise ArgumentError for a function that does not take a capability and these arguments."""
    with contextlib.suppress(ValueError):  # it has no signature
        try:
            inspect.signature(f).bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(
                f"{function_name(f)} is given the {effect.__name__} of the handler as its first argument, before its "
                f"own: {error}"
            ) from None


def _effect_of(handler: object) -> type[Effect]:
    if not isinstance(handler, EffectHandler) or not isinstance(handler, Effect):
        raise ArgumentError(
            "handled: handler must be an EffectHandler of an effect, class Total(EffectHandler[Array], Cost), got "
            f"{describe(handler)}"
        )
    classes = [c for c in type(handler).__mro__ if issubclass(c, Effect) and not issubclass(c, EffectHandler)]
    abstract = [c for c in classes if c.__abstractmethods__]
    effects = [c for c in abstract if not any([other is not c and issubclass(other, c) for other in abstract])]
    if len(effects) != 1:
        names = ", ".join([c.__name__ for c in effects]) or "none"
        raise ArgumentError(f"handled: {type(handler).__name__} must be a handler of one effect, it is of {names}")
    _check_operations(effects[0], type(handler))
    return effects[0]


@functools.cache
def _check_operations(effect: type[Effect], cls: type[object]) -> None:
    """Raise ArgumentError where an operation is no method, is one that every handler has, or takes other arguments."""
    for name in operations(effect):
        subject = f"{effect.__name__}.{name}"
        declared: object = inspect.getattr_static(effect, name)
        written: object = inspect.getattr_static(cls, name)
        if not isinstance(declared, FunctionType) or not isinstance(written, FunctionType):
            raise ArgumentError(
                f"handled: {subject} must be a method, def {name}(self, ...), of {cls.__name__} as well"
            )
        if name in OPENING | CLOSING or hasattr(EffectHandler, name) or name in EffectHandler.__annotations__:
            raise ArgumentError(f"handled: every handler has its own {name}; give the operation {subject} another name")
        parameters = inspect.signature(declared).parameters.values()
        positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        named = {p.name: None for p in parameters if p.kind is p.KEYWORD_ONLY}
        try:
            inspect.signature(written).bind(*positional, **named)
        except TypeError as error:
            raise ArgumentError(
                f"handled: {cls.__name__}.{name} must take what {subject} takes, {inspect.signature(declared)}: {error}"
            ) from None


def instead_of[**P, R](f: Callable[..., object]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: the decorated function is `f` without its first argument, by name, documentation and signature."""

    def named(wrapper: Callable[P, R]) -> Callable[P, R]:
        functools.update_wrapper(wrapper, f)
        del wrapper.__wrapped__  # type: ignore[attr-defined]  # which signatures would be taken from
        with contextlib.suppress(TypeError, ValueError):  # there is no signature of some built-in functions
            signature = inspect.signature(f)
            wrapper.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])  # type: ignore[attr-defined]
        return wrapper

    return named
