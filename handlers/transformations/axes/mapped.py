"""Types of the results of `vmap`, for type checkers; at run time they are plain functions.

Functions annotated without shapes keep their types, which are the same with an axis more, and the names of parameters.
Functions of up to three arrays with shapes keep the dtypes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Never, Protocol, Self, overload

from effects.arrays.array import Array, ArrayLike
from effects.types.dtypes import DType
from handlers.transformations.calls.types import Function, Tree, Whole

type Unsolved = Array[Never, Never]
"""Type that mypy infers for the arrays of a function with overloads, as `effects.sin`."""


class One[A, R](Protocol):
    """Type of a mapped function of one argument."""

    @property
    def lane(self) -> tuple[Callable[[A], R]]: ...


class Two[A, B, R](Protocol):
    """Type of a mapped function of two arguments."""

    @property
    def lane(self) -> tuple[Callable[[A, B], R]]: ...


class Three[A, B, C, R](Protocol):
    """Type of a mapped function of three arguments."""

    @property
    def lane(self) -> tuple[Callable[[A, B, C], R]]: ...


class Numbers[R](Protocol):
    """Type of a mapped function of a Python number, which takes an array of numbers."""

    @property
    def lane(self) -> tuple[Callable[Concatenate[float, ...], R]]: ...


class Mapped[**P, R](Function[P, Any]):
    """A function mapped over an axis of its arguments."""

    @property
    def lane(self) -> tuple[Callable[P, R]]:
        """The function itself; for the type checker."""
        raise NotImplementedError

    @overload
    def __get__(self, instance: Whole | None, owner: type, /) -> Self: ...
    @overload
    def __get__[T, **Q](self: Mapped[Concatenate[T, Q], R], instance: T, owner: type, /) -> Mapped[Q, R]: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...

    @overload
    def __call__[D: DType](self: Mapped[..., Array[D, Any]], *args: P.args, **kwargs: P.kwargs) -> Array[D]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # a number is a Tree too
        self: Mapped[..., complex], *args: P.args, **kwargs: P.kwargs
    ) -> Array: ...
    @overload
    def __call__[N: Tree](self: Mapped[..., N], *args: P.args, **kwargs: P.kwargs) -> N: ...
    @overload
    def __call__[DA: DType, D: DType](self: One[Array[DA, Any], Array[D, Any]], x: Array[DA], /) -> Array[D]: ...
    @overload
    def __call__[N: Tree](self: Mapped[[Array[Any, Any]], N], x: Array, /) -> N: ...
    @overload
    def __call__[DA: DType, DB: DType, D: DType](
        self: Two[Array[DA, Any], Array[DB, Any], Array[D, Any]], x: Array[DA], y: Array[DB], /
    ) -> Array[D]: ...
    @overload
    def __call__[N: Tree](self: Mapped[[Array[Any, Any], Array[Any, Any]], N], x: Array, y: Array, /) -> N: ...
    @overload
    def __call__[A: Tree, DB: DType, D: DType](
        self: Two[A, Array[DB, Any], Array[D, Any]], x: A, y: Array[DB], /
    ) -> Array[D]: ...
    @overload
    def __call__[DA: DType, DB: DType, DC: DType, D: DType](
        self: Three[Array[DA, Any], Array[DB, Any], Array[DC, Any], Array[D, Any]],
        x: Array[DA],
        y: Array[DB],
        z: Array[DC],
        /,
    ) -> Array[D]: ...
    @overload
    def __call__[A: Tree, DB: DType, DC: DType, D: DType](
        self: Three[A, Array[DB, Any], Array[DC, Any], Array[D, Any]], x: A, y: Array[DB], z: Array[DC], /
    ) -> Array[D]: ...
    @overload
    def __call__(self: One[Unsolved, Array[Any, Any]], x: ArrayLike, /) -> Array: ...
    @overload
    def __call__(self: Two[Unsolved, Unsolved, Array[Any, Any]], x: ArrayLike, y: ArrayLike, /) -> Array: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # as above
        self: Numbers[ArrayLike], *args: ArrayLike, **kwargs: ArrayLike
    ) -> Array: ...
    @overload
    def __call__[N: Tree](self: Numbers[N], *args: ArrayLike, **kwargs: ArrayLike) -> N: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
