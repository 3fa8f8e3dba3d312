"""What `Tabular.over` gives, to the type checker: a function on the values outside. It runs as a plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Protocol, overload

from effects.arrays.array import ArrayLike
from handlers.transformations.calls.types import Function

type Outside[O] = O | ArrayLike | tuple[Any, ...] | list[Any] | dict[Any, Any]
"""What stands outside for an argument that is an array, or a tree of arrays."""


class First[A, **P](Protocol):
    """What takes an `A`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, P], object]]: ...


class Two[A, B, **P](Protocol):
    """What takes an `A` and a `B`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, B, P], object]]: ...


class Three[A, B, C, **P](Protocol):
    """What takes an `A`, a `B` and a `C`, and more."""

    @property
    def inside(self) -> tuple[Callable[Concatenate[A, B, C, P], object]]: ...


class Over[**P, O, R](Function[P, R]):
    """A function of parameters `P` inside, which gives an `R` outside, where an `O` stands for an array."""

    @property
    def inside(self) -> tuple[Callable[P, object]]:
        """The function itself; for the type checker."""
        raise NotImplementedError

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__[A, **Q](self: First[A, Q], x: A | Outside[O], /, *args: Q.args, **kwargs: Q.kwargs) -> R: ...
    @overload
    def __call__[A, B, **Q](
        self: Two[A, B, Q], x: A | Outside[O], y: B | Outside[O], /, *args: Q.args, **kwargs: Q.kwargs
    ) -> R: ...
    @overload
    def __call__[A, B, C, **Q](
        self: Three[A, B, C, Q],
        x: A | Outside[O],
        y: B | Outside[O],
        z: C | Outside[O],
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> R: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]  # which takes all that these do
        raise NotImplementedError
