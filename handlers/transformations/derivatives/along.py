"""Types of the results of `grad` and `value_and_grad`, for type checkers.

The gradient of a number is an array, that of anything else has its type. Overloads on the parameters of a function
would leave those of bare arrays ambiguous, whose results mypy takes for Any. So all take the function as one of a first
argument `T` and of others, `P`; and the results find the gradients of the arguments by the type of `self`. When
programs run these are plain functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Generic, Literal, Never, Protocol, Self, overload

from typing_extensions import TypeVar

from effects.arrays.array import Array, ArrayLike, Scalar
from effects.arrays.operators import DT, Sh
from effects.types.dtypes import DType, Inexact
from effects.types.signatures import MYPY, Shape, Signature
from effects.types.signatures.fractions import OfFractions
from handlers.transformations.calls.types import Function, Number, Tree, Unspecified, Varying

type ScalarFunction[T, **P, D: Inexact] = Callable[Concatenate[T, P], Scalar[D] | complex]
type WithAux[T, **P, D: Inexact, A] = Callable[Concatenate[T, P], tuple[Scalar[D] | complex, A]]

type First = Literal[0]
type Second = Literal[1]
type OfOne = tuple[Literal[0]]
type OfBoth = tuple[Literal[0], Literal[1]]
type OfThree = tuple[Literal[0], Literal[1], Literal[2]]
type Others = int | tuple[int, ...]
type No = Literal[False]
type Yes = Literal[True]


L = TypeVar("L", float, complex, ArrayLike, Array | float, Array | complex)
"""Values that are numbers, or may be: their gradient is an array. They exclude trees and arrays."""

V = TypeVar("V")


class Begins[U](Protocol):
    """Protocol of functions that take a `U` after the first argument."""

    @property
    def others(self) -> tuple[Callable[Concatenate[U, ...], Any]]: ...


class OfFirst:
    """The gradient along the first argument, in a tuple."""

    @overload
    def __get__(self, of: None, owner: object) -> Self: ...
    @overload
    def __get__(self, of: Along[Unspecified, ..., Any], owner: object) -> tuple[Any]: ...
    @overload
    def __get__(self, of: Along[L, ..., Any], owner: object) -> tuple[Array]: ...
    @overload
    def __get__[T](self, of: Along[T, ..., Any], owner: object) -> tuple[T]: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...


class OfSecond:
    """The gradient along the second argument, in a tuple."""

    @overload
    def __get__(self, of: None, owner: object) -> Self: ...
    @overload
    def __get__(self, of: Begins[L], owner: object) -> tuple[Array]: ...
    @overload
    def __get__[U](self, of: Begins[U], owner: object) -> tuple[U]: ...
    def __get__(self, *args: Any, **kwargs: Any) -> Any: ...


class Along[T, **P, R](Function[Concatenate[T, P], R]):
    """A derivative of a function of a first argument `T` and of others, `P`."""

    @property
    def others(self) -> tuple[Callable[P, Any]]:
        """The arguments after the first; for the type checker."""
        raise NotImplementedError

    if MYPY:
        first = OfFirst()
        second = OfSecond()
    else:  # pyright ignores descriptors in protocols

        @overload
        def first[A: Array](self: Along[A, ..., Any]) -> A: ...
        @overload
        def first[L: ArrayLike](self: Along[L, ..., Any]) -> Array: ...
        @overload
        def first(self) -> T: ...
        def first(self, *args: Any, **kwargs: Any) -> Any: ...

        @property
        def second[U](self: Begins[U]) -> tuple[U]:
            raise NotImplementedError


class AlongFirst[G](Protocol):
    """Functions with the gradient `G` along the first argument."""

    if MYPY:

        @property
        def first(self) -> tuple[G]: ...
    else:

        def first(self) -> G: ...


class AlongSecond[H](Protocol):
    """Functions with the gradient `H` along the second argument."""

    @property
    def second(self) -> tuple[H]: ...


class AlongBoth[G, H](AlongFirst[G], AlongSecond[H], Protocol):
    """Functions with gradients along both arguments."""


class GradOfFractions(OfFractions):
    """The gradient of a function of effects with respect to its first argument."""

    @overload
    def __call__(self, x: Array[DT, Sh], /, *args: Any, **kwargs: Any) -> Array[DT, Sh]: ...
    @overload
    def __call__(self, x: Varying, /, *args: Any, **kwargs: Any) -> Array: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class ValueAndGradOfFractions:
    """The value of such a function, and its gradient."""

    def __call__(self, x: Array[DT, Sh] | Varying, /, *args: Any, **kwargs: Any) -> tuple[Scalar[Any], Array[DT, Sh]]:
        raise NotImplementedError


class GradOfUntyped(OfFractions):
    """The gradient of a function without the type of its first argument, by the argument of the call."""

    @overload
    def __call__(self, x: Array[DT, Sh], /, *args: Any, **kwargs: Any) -> Array[DT, Sh]: ...
    @overload
    def __call__(self, x: Number, /, *args: Any, **kwargs: Any) -> Array: ...
    @overload
    def __call__[N: Tree](self, x: N, /, *args: Any, **kwargs: Any) -> N: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class ValueAndGradOfUntyped(Generic[V]):  # noqa: UP046  # its methods may then use variables with defaults
    """The value of such a function, and its gradient."""

    @overload
    def __call__(self, x: Array[DT, Sh], /, *args: Any, **kwargs: Any) -> tuple[V, Array[DT, Sh]]: ...
    @overload
    def __call__(self, x: Number, /, *args: Any, **kwargs: Any) -> tuple[V, Array]: ...
    @overload
    def __call__[N: Tree](self, x: N, /, *args: Any, **kwargs: Any) -> tuple[V, N]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class GradOfSignature(GradOfFractions, Signature[..., Any]):
    """The gradient of a function of effects with the signature of a family; pyright needs it."""


class ValueAndGradOfSignature(ValueAndGradOfFractions, Signature[..., Any]):
    """The value of such a function, and its gradient."""


class GradOfFirst[T, **P](Along[T, P, Any]):
    """The gradient with respect to the first argument."""

    @overload  # the first two are for functions with overloads, whose first one mypy takes, with nothing inferred
    def __call__[D: Inexact, S: Shape](
        self: GradOfFirst[Array[Never, Any], ...], x: Array[D, S], /, *args: P.args, **kwargs: P.kwargs
    ) -> Array[D, S]: ...
    @overload
    def __call__(
        self: GradOfFirst[Array[Never, Any], ...], x: Varying, /, *args: P.args, **kwargs: P.kwargs
    ) -> Array: ...
    @overload
    def __call__[G](self: AlongFirst[G], x: T, /, *args: P.args, **kwargs: P.kwargs) -> G: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # mypy takes P for more than anything


class GradOfOne[T, **P](Along[T, P, Any]):
    """The gradient with respect to the first argument, in a tuple."""

    def __call__[G](self: AlongFirst[G], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[G]:
        raise NotImplementedError


class GradOfFirstAndAux[T, **P, A](Along[T, P, tuple[Any, A]]):
    """The gradient with respect to the first argument, and aux."""

    def __call__[G](self: AlongFirst[G], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[G, A]:
        raise NotImplementedError


class ValueAndGradOfFirst[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradient with respect to the first argument."""

    @overload  # the first two are for functions with overloads, whose first one mypy takes, with nothing inferred
    def __call__[D: Inexact, S: Shape](
        self: ValueAndGradOfFirst[Array[Never, Any], ..., V], x: Array[D, S], /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[V, Array[D, S]]: ...
    @overload
    def __call__(
        self: ValueAndGradOfFirst[Array[Never, Any], ..., V], x: Varying, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[V, Array]: ...
    @overload
    def __call__[G](self: AlongFirst[G], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, G]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # mypy takes P for more than anything


class ValueAndGradOfOne[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradient with respect to the first argument, in a tuple."""

    def __call__[G](self: AlongFirst[G], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, tuple[G]]:
        raise NotImplementedError


class GradOfSecond[T, **P](Along[T, P, Any]):
    """The gradient with respect to the second argument."""

    def __call__[H](self: AlongSecond[H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> H:
        raise NotImplementedError


type OfNumbers[D: DType, E: DType] = Along[Scalar[D], [Scalar[E]], Any]


class GradOfBoth[T, **P](Along[T, P, Any]):
    """The gradients with respect to the first two arguments."""

    @overload
    def __call__[G, H](self: AlongBoth[G, H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[G, H]: ...
    @overload
    def __call__[D: DType, E: DType](self: OfNumbers[D, E], x: float, y: float, /) -> tuple[Array, Array]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # mypy takes P for more than anything


class GradOfSecondAndAux[T, **P, A](Along[T, P, tuple[Any, A]]):
    """The gradient with respect to the second argument, and aux."""

    def __call__[H](self: AlongSecond[H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[H, A]:
        raise NotImplementedError


class GradOfBothAndAux[T, **P, A](Along[T, P, tuple[Any, A]]):
    """The gradients with respect to the first two arguments, and aux."""

    def __call__[G, H](self: AlongBoth[G, H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[tuple[G, H], A]:
        raise NotImplementedError


class ValueAndGradOfSecond[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradient with respect to the second argument."""

    def __call__[H](self: AlongSecond[H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, H]:
        raise NotImplementedError


class ValueAndGradOfBoth[T, **P, V](Along[T, P, tuple[V, Any]]):
    """The value, and the gradients with respect to the first two arguments."""

    def __call__[G, H](self: AlongBoth[G, H], x: T, /, *args: P.args, **kwargs: P.kwargs) -> tuple[V, tuple[G, H]]:
        raise NotImplementedError


class Jacobian[T, **P, R](Function[Concatenate[T, P], Any]):
    """The derivative of an `R` along a `T`: an array where both are one, else a tree of trees."""

    @overload  # these two are for functions with overloads: mypy takes the first one, with nothing inferred
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
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # mypy takes P for more than anything


class JacobianAndAux[T, **P, R, A](Function[Concatenate[T, P], tuple[Any, A]]):
    """A `Jacobian`, and aux."""

    @overload  # these two are for functions with overloads: mypy takes the first one, with nothing inferred
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
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]  # mypy takes P for more than anything
