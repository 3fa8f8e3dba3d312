"""Types of jitted functions for type checkers, and their documentation; at run time they are plain functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, Protocol, Self, overload

from typing_extensions import TypeVar

from effects.types.signatures import MYPY
from handlers.transformations.calls.types import Whole

if TYPE_CHECKING:
    from typing import Never

    from effects.arrays.array import Array
    from effects.types.dtypes import DType
    from handlers.transformations.axes.mapped import Mapped
    from lowering.stages import Lowered, Trace

    type Open[R] = JittedFunction[Callable[Concatenate[Array[Never, Never], ...], R]]
    """A jitted function with overloads, or with type variables, whose arguments type checkers do not know."""


class Jits(Protocol):
    """A decorator that compiles what it decorates."""

    def __call__[F: Callable[..., Any]](self, f: F, /) -> JittedFunction[F]: ...


G_co = TypeVar("G_co", bound=Callable[..., Any], default=Jits, covariant=True)
"""The function. Where `jit` is given none it is a decorator, which is one signature."""


class JittedFunction(Whole, Generic[G_co]):  # whose variables have no default
    """A function `G_co`, compiled: it is called as that, and its attributes look at the program of a call."""

    __name__: str
    __qualname__: str
    __wrapped__: G_co

    if MYPY:  # to which other attributes would be bound

        def __init__(self, f: G_co) -> None:
            self.__call__ = f
    else:  # pyright takes nothing else for a function
        __call__: G_co

    @overload
    def __get__(self, instance: Whole | None, owner: object, /) -> Self: ...
    @overload
    def __get__[T, **P, R](
        self: JittedFunction[Callable[Concatenate[T, P], R]], instance: T, owner: object, /
    ) -> JittedFunction[Callable[P, R]]: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...

    @overload
    def lower[**P, R](  # type: ignore[overload-overlap]  # the first that fits is meant
        self: JittedFunction[Callable[P, R]], *args: P.args, **kwargs: P.kwargs
    ) -> Lowered[R]: ...
    @overload
    def lower(self: Open[Array], *args: Any, **kwargs: Any) -> Lowered[Array]: ...
    @overload
    def lower(self: Open[Any], *args: Any, **kwargs: Any) -> Lowered: ...
    @overload
    def lower[D: DType](  # type: ignore[overload-cannot-match]  # what is mapped takes other arguments
        self: JittedFunction[Mapped[..., Array[D, Any]]], *args: Any, **kwargs: Any
    ) -> Lowered[Array[D]]: ...
    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """The StableHLO module for arguments like these."""

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """The program for arguments like these, which may also be types of arrays."""
        raise NotImplementedError

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The types of the results for arguments like these, which may also be types of arrays."""


_HELP: Final = """Compiled by jit; its attributes, called with arguments, look at the program of a call with these:

    trace(*args)       the program, and its `.jaxpr`
    lower(*args)       in StableHLO: `.as_text()`, `.cost_analysis()`; `.compile()` for `.memory_analysis()`
    eval_shape(*args)  the types of the results

`lowering.explain` tells the programs that there are, and why each was compiled.
"""


def with_stages(doc: str | None) -> str:
    """The documentation of a function that was jitted: its own, and how to look at its programs."""
    return f"{inspect.cleandoc(doc or '')}\n\n{_HELP}".lstrip()
