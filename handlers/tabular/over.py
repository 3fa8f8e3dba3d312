"""`Tabular.over`: functions on the values outside of the handler, with their types for type checkers."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Protocol, overload

from effects.arguments import check_callable
from effects.arrays.array import ArrayLike
from effects.errors import ArgumentError
from effects.functions.creation.creation import asarray
from effects.trees.pytree import tree_map
from handlers.contracts import check_static
from handlers.transformations.calls.arguments import named_after
from handlers.transformations.calls.types import Function

if TYPE_CHECKING:
    from handlers.tabular.handler import Tabular

type Outside[O] = O | ArrayLike | tuple[Any, ...] | list[Any] | dict[Any, Any]
"""Type of an argument of `over(f)` for which `f` itself takes an array, or a tree of arrays."""


class TakesOne[A, **P](Protocol):
    """Protocol of functions of an `A`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, P], object]]: ...


class TakesTwo[A, B, **P](Protocol):
    """Protocol of functions of an `A` and a `B`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, B, P], object]]: ...


class TakesThree[A, B, C, **P](Protocol):
    """Protocol of functions of an `A`, a `B` and a `C`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, B, C, P], object]]: ...


class Over[**P, O, R](Function[P, R]):
    """A function of parameters `P` inside, which gives an `R` outside, where an `O` stands for an array."""

    @property
    def inside(self) -> tuple[Callable[P, object]]:
        """The function itself, for type checkers only."""
        raise NotImplementedError

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__[A, **Q](self: TakesOne[A, Q], x: A | Outside[O], /, *args: Q.args, **kwargs: Q.kwargs) -> R: ...
    @overload
    def __call__[A, B, **Q](
        self: TakesTwo[A, B, Q], x: A | Outside[O], y: B | Outside[O], /, *args: Q.args, **kwargs: Q.kwargs
    ) -> R: ...
    @overload
    def __call__[A, B, C, **Q](
        self: TakesThree[A, B, C, Q],
        x: A | Outside[O],
        y: B | Outside[O],
        z: C | Outside[O],
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> R: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]  # which takes all that these do
        raise NotImplementedError


class OverAttribute:
    """Descriptor of `over`, which is bound to the class or to the handler."""

    def __get__(self, handler: Tabular[Any, Any] | None, cls: type[Tabular[Any, Any]], /) -> MethodType:
        return MethodType(over, cls if handler is None else handler)


def over(handler: Tabular[Any, Any] | type[Tabular[Any, Any]], f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` under a handler of a class, or copies of a handler that has attributes, on values of the class `O`.

    Arguments and results are trees; arguments that are not of `O` are constants, results all are.

    A type checker keeps how many arguments `f` takes, and the names of those that are given as they are. The
    first three may be an `O` when they are given by position: by name, or as the fourth, an `O` is an error to it,
    since no type says "these parameters, with another type". It asks no more of a tree than that it is a tuple, a
    list, a dict, or of the type that `f` takes. An array of a result is an `O` to it, a tree of them anything.

    Raises ArgumentError for a class that does not say its carrier, or `O`.
    """
    name = handler.__name__ if isinstance(handler, type) else type(handler).__name__
    check_callable(f"{name}.over", f)
    for needed, description in (("carrier", "its carrier"), ("outside", "what is outside")):
        if not hasattr(handler, needed):
            raise ArgumentError(
                f"{name}.over: the class does not say {description}: class {name}(Tabular[Carrier, Outside]); see "
                "Tabular"
            )
    fields, outside = handler.carrier.layout, handler.outside

    @named_after(f, f"{name}.over")
    def transformed(*args: Any, **kwargs: Any) -> Any:
        def enter(value: Any) -> Any:
            if not isinstance(value, outside):
                return value
            values = [(n, getattr(value, n), is_array) for n, is_array in fields]
            for n, field, is_array in values:
                if not is_array:
                    check_static(f"{name}.over: {n} of {outside.__name__}", field)
            return inner.make(*[asarray(field) if is_array else field for _, field, is_array in values])

        def leave(value: Any) -> Any:
            carried = inner.lift(asarray(value))
            return outside(*[getattr(carried, n) for n, _ in fields])

        with handler() if isinstance(handler, type) else handler.fresh() as inner:
            inside_args, inside_kwargs = tree_map(enter, (args, kwargs), is_leaf=lambda v: isinstance(v, outside))
            return tree_map(leave, f(*inside_args, **inside_kwargs))

    return transformed
