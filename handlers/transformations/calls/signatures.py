"""What the type checker knows of the transformations: their signatures as overloads; never called.

A function keeps its parameters, their keyword names and its own type variables. A gradient is of the type of the
argument it is taken of, which may be any pytree; where `argnums` is not written out it is Any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, Protocol, overload

from typing_extensions import TypeVar

from effects.arrays.array import Scalar
from effects.types.dtypes import Inexact

A = TypeVar("A")
D = TypeVar("D", bound=Inexact, default=Any)
P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")


class Function[**Q, R](Protocol):
    """A function; mypy keeps one that it cannot tell the overload of callable, which it would not do for Callable."""

    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> R: ...


@overload
def grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    *,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[T, P], T]: ...


@overload
def grad(
    f: Callable[Concatenate[T, P], tuple[Scalar[D] | float, A]],
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[T, P], tuple[T, A]]: ...


@overload
def grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    argnums: Literal[0],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, P], T]: ...


@overload
def grad(
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, U, P], U]: ...


@overload
def grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    argnums: tuple[Literal[0]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, P], tuple[T]]: ...


@overload
def grad(
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, U, P], tuple[T, U]]: ...


@overload
def grad(
    f: Callable[P, Scalar[D] | float],
    argnums: int | tuple[int, ...],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[P, Any]: ...


@overload
def grad(
    f: Callable[P, tuple[Scalar[D] | float, A]],
    argnums: int | tuple[int, ...],
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[P, tuple[Any, A]]: ...


def grad(
    f: object, argnums: object = 0, has_aux: object = False, holomorphic: object = False, allow_int: object = False
) -> NoReturn:
    """`grad`."""
    raise NotImplementedError


@overload
def value_and_grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    *,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[T, P], tuple[Scalar[D], T]]: ...


@overload
def value_and_grad(
    f: Callable[Concatenate[T, P], tuple[Scalar[D] | float, A]],
    *,
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Concatenate[T, P], tuple[tuple[Scalar[D], A], T]]: ...


@overload
def value_and_grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    argnums: Literal[0],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, P], tuple[Scalar[D], T]]: ...


@overload
def value_and_grad(
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, U, P], tuple[Scalar[D], U]]: ...


@overload
def value_and_grad(
    f: Callable[Concatenate[T, P], Scalar[D] | float],
    argnums: tuple[Literal[0]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, P], tuple[Scalar[D], tuple[T]]]: ...


@overload
def value_and_grad(
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[Concatenate[T, U, P], tuple[Scalar[D], tuple[T, U]]]: ...


@overload
def value_and_grad(
    f: Callable[P, Scalar[D] | float],
    argnums: int | tuple[int, ...],
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[P, tuple[Scalar[D], Any]]: ...


@overload
def value_and_grad(
    f: Callable[P, tuple[Scalar[D] | float, A]],
    argnums: int | tuple[int, ...],
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Function[P, tuple[tuple[Scalar[D], A], Any]]: ...


def value_and_grad(
    f: object, argnums: object = 0, has_aux: object = False, holomorphic: object = False, allow_int: object = False
) -> NoReturn:
    """`value_and_grad`."""
    raise NotImplementedError


@overload
def jvp[*Ts, R](
    f: Callable[[*Ts], R], primals: tuple[*Ts], tangents: tuple[*Ts], has_aux: Literal[False] = False
) -> tuple[R, R]: ...
@overload
def jvp[*Ts, R, Aux](
    f: Callable[[*Ts], tuple[R, Aux]], primals: tuple[*Ts], tangents: tuple[*Ts], has_aux: Literal[True]
) -> tuple[R, R, Aux]: ...
def jvp[*Ts](f: Callable[[*Ts], object], primals: tuple[*Ts], tangents: tuple[*Ts], has_aux: bool = False) -> object:
    """`jvp`."""
    raise NotImplementedError


@overload
def vjp[*Ts, R](
    f: Callable[[*Ts], R], *primals: *Ts, has_aux: Literal[False] = False
) -> tuple[R, Callable[[R], tuple[*Ts]]]: ...
@overload
def vjp[*Ts, R, Aux](
    f: Callable[[*Ts], tuple[R, Aux]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[[R], tuple[*Ts]], Aux]: ...
def vjp[*Ts](f: Callable[[*Ts], object], *primals: *Ts, has_aux: bool = False) -> object:
    """`vjp`."""
    raise NotImplementedError


@overload
def jacobian[**Q](
    f: Callable[Q, Any], argnums: int | tuple[int, ...] = 0, has_aux: Literal[False] = False, holomorphic: bool = ...
) -> Callable[Q, Any]: ...
@overload
def jacobian[**Q, Aux](
    f: Callable[Q, tuple[Any, Aux]], *, has_aux: Literal[True], holomorphic: bool = ...
) -> Callable[Q, tuple[Any, Aux]]: ...
@overload
def jacobian[**Q, Aux](
    f: Callable[Q, tuple[Any, Aux]], argnums: int | tuple[int, ...], has_aux: Literal[True], holomorphic: bool = ...
) -> Callable[Q, tuple[Any, Aux]]: ...
def jacobian(f: object, argnums: object = 0, has_aux: object = False, holomorphic: object = False) -> NoReturn:
    """`jacfwd` and `hessian`."""
    raise NotImplementedError


@overload
def jacrev[**Q](
    f: Callable[Q, Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Q, Any]: ...
@overload
def jacrev[**Q, Aux](
    f: Callable[Q, tuple[Any, Aux]], *, has_aux: Literal[True], holomorphic: bool = ..., allow_int: bool = ...
) -> Callable[Q, tuple[Any, Aux]]: ...
@overload
def jacrev[**Q, Aux](
    f: Callable[Q, tuple[Any, Aux]],
    argnums: int | tuple[int, ...],
    has_aux: Literal[True],
    holomorphic: bool = ...,
    allow_int: bool = ...,
) -> Callable[Q, tuple[Any, Aux]]: ...
def jacrev(
    f: object, argnums: object = 0, has_aux: object = False, holomorphic: object = False, allow_int: object = False
) -> NoReturn:
    """`jacrev`."""
    raise NotImplementedError


@overload
def linearize[*Ts, R](
    f: Callable[[*Ts], R], *primals: *Ts, has_aux: Literal[False] = False
) -> tuple[R, Callable[[*Ts], R]]: ...
@overload
def linearize[*Ts, R, Aux](
    f: Callable[[*Ts], tuple[R, Aux]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[[*Ts], R], Aux]: ...
def linearize[*Ts](f: Callable[[*Ts], object], *primals: *Ts, has_aux: bool = False) -> object:
    """`linearize`."""
    raise NotImplementedError
