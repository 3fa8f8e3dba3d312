"""What `grad` and `value_and_grad` give where `argnums` names more than the first argument, to the type checker.

Overloads on the parameters of a function would leave those of bare arrays ambiguous, whose results mypy takes for Any.
So all take the function alike, as one of a first argument `T` and of the others, `P`; and what they give looks at the
second argument when it is called, by the type of `self`. When programs run these are plain functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Literal, Never, Protocol, overload

from effects.arrays.array import Array, Scalar
from effects.types.dtypes import DType, Inexact
from effects.types.signatures import Signature
from handlers.transformations.calls.types import Function, Tree

type ScalarFunction[T, **P, D: Inexact] = Callable[Concatenate[T, P], Scalar[D] | complex]
type WithAux[T, **P, D: Inexact, A] = Callable[Concatenate[T, P], tuple[Scalar[D] | complex, A]]

type First = Literal[0]
type Second = Literal[1]
type OfOne = tuple[Literal[0]]
type OfBoth = tuple[Literal[0], Literal[1]]
type Others = int | tuple[int, ...]
type No = Literal[False]
type Yes = Literal[True]


class GradOfSignature(Signature[..., Any]):
    """The gradient of a function of effects that a family types, of what it is given; pyright asks for it."""

    def __call__[X: Array | complex](self, x: X, /, *args: Any, **kwargs: Any) -> X:
        raise NotImplementedError


class ValueAndGradOfSignature(Signature[..., Any]):
    """The value of such a function, and its gradient."""

    def __call__[X: Array | complex](self, x: X, /, *args: Any, **kwargs: Any) -> tuple[Scalar[Any], X]:
        raise NotImplementedError


class Begins[U](Protocol):
    """What takes a `U` after its first argument."""

    @property
    def others(self) -> tuple[Callable[Concatenate[U, ...], Any]]: ...


class Along[T, **P, R](Function[Concatenate[T, P], R]):
    """A derivative of a function of a first argument `T` and of others, `P`."""

    @property
    def others(self) -> tuple[Callable[P, Any]]:
        """What it takes after the first argument; for the type checker."""
        raise NotImplementedError


class GradOfSecond[T, **P](Along[T, P, Any]):
    """The gradient with respect to the second argument."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> U:
        raise NotImplementedError


class GradOfBoth[T, **P](Along[T, P, Any]):
    """The gradients with respect to the first two arguments."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[T, U]:
        raise NotImplementedError


class GradOfSecondAndAux[T, **P, A](Along[T, P, tuple[Any, A]]):
    """The gradient with respect to the second argument, and aux."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[U, A]:
        raise NotImplementedError


class GradOfBothAndAux[T, **P, A](Along[T, P, tuple[Any, A]]):
    """The gradients with respect to the first two arguments, and aux."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[tuple[T, U], A]:
        raise NotImplementedError


class ValueAndGradOfSecond[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradient with respect to the second argument."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, U]:
        raise NotImplementedError


class ValueAndGradOfBoth[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradients with respect to the first two arguments."""

    def __call__[U](self: Begins[U], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, tuple[T, U]]:
        raise NotImplementedError


class Jacobian[T, **P, R](Function[Concatenate[T, P], Any]):
    """The derivative of an `R` along a `T`: an array where both are one, else a tree of trees."""

    @overload  # these two are for functions with overloads, of which mypy takes the first with nothing inferred
    def __call__[DX: DType, SX: tuple[Any, ...]](
        self: Jacobian[Array[Never, Never], ..., Any], x: Array[DX, SX], /, *args: P.args, **kwargs: P.kwargs
    ) -> Array[DX]: ...
    @overload
    def __call__(
        self: Jacobian[Array[Never, Never], ..., Any], x: complex, /, *args: P.args, **kwargs: P.kwargs
    ) -> Array: ...
    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType](
        self: Jacobian[Array[DX, SX], ..., Array[DY, Any]], x: Array[DX, SX], /, *args: P.args, **kwargs: P.kwargs
    ) -> Array[DY]: ...
    @overload
    def __call__[DY: DType](
        self: Jacobian[Any, ..., Array[DY, Any]], x: complex, /, *args: P.args, **kwargs: P.kwargs
    ) -> Array[DY]: ...
    @overload
    def __call__[N: Tree](self: Jacobian[N, ..., Any], x: N, /, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    @overload
    def __call__[N: Tree](self: Jacobian[T, ..., N], x: T, /, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    def __call__(self, x: object, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class JacobianAndAux[T, **P, R, A](Function[Concatenate[T, P], tuple[Any, A]]):
    """A `Jacobian`, and aux."""

    @overload  # these two are for functions with overloads, of which mypy takes the first with nothing inferred
    def __call__[DX: DType, SX: tuple[Any, ...]](
        self: JacobianAndAux[Array[Never, Never], ..., Any, A], x: Array[DX, SX], /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Array[DX], A]: ...
    @overload
    def __call__(
        self: JacobianAndAux[Array[Never, Never], ..., Any, A], x: complex, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Array, A]: ...
    @overload
    def __call__[DX: DType, SX: tuple[Any, ...], DY: DType](
        self: JacobianAndAux[Array[DX, SX], ..., Array[DY, Any], A],
        x: Array[DX, SX],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> tuple[Array[DY], A]: ...
    @overload
    def __call__[DY: DType](
        self: JacobianAndAux[Any, ..., Array[DY, Any], A], x: complex, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Array[DY], A]: ...
    @overload
    def __call__[N: Tree](
        self: JacobianAndAux[N, ..., Any, A], x: N, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Any, A]: ...
    @overload
    def __call__[N: Tree](
        self: JacobianAndAux[T, ..., N, A], x: T, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Any, A]: ...
    def __call__(self, x: object, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError
