"""What the type checker knows of the transformations: their signatures as overloads; never called.

A function keeps its parameters, their keyword names and its own type variables. A gradient is of the type of the
argument it is taken of, which may be any pytree. Where `argnums` or `has_aux` is not written out, the last overloads
give Any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, overload

from typing_extensions import TypeVar

from effects.array import Array, Scalar
from effects.avals import ShapedArray
from effects.dtypes import DType, Inexact

A = TypeVar("A")
D = TypeVar("D", bound=Inexact, default=Any)
P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")


@overload
def grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, P], Scalar[D] | float], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[T, P], T]: ...
@overload
def grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, U, P], Scalar[D] | float], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[T, U, P], U]: ...
@overload
def grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, P], Scalar[D] | float], argnums: tuple[Literal[0]], has_aux: Literal[False] = False
) -> Callable[Concatenate[T, P], tuple[T]]: ...
@overload
def grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Callable[Concatenate[T, U, P], tuple[T, U]]: ...
@overload
def grad(
    f: Callable[Concatenate[T, P], tuple[Scalar[D] | float, A]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[T, P], tuple[T, A]]: ...
@overload
def grad(
    f: Callable[P, Scalar[D] | float], argnums: int | tuple[int, ...], has_aux: Literal[False] = False
) -> Callable[P, Any]: ...
@overload
def grad(
    f: Callable[P, tuple[Scalar[D] | float, A]], argnums: int | tuple[int, ...], has_aux: Literal[True]
) -> Callable[P, tuple[Any, A]]: ...
@overload
def grad(f: Callable[P, Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool) -> Callable[P, Any]: ...
def grad(f: object, argnums: object = 0, has_aux: object = False) -> NoReturn:
    """`grad`."""
    raise NotImplementedError


@overload
def value_and_grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, P], Scalar[D] | float], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[T, P], tuple[Scalar[D], T]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, U, P], Scalar[D] | float], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[T, U, P], tuple[Scalar[D], U]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, P], Scalar[D] | float], argnums: tuple[Literal[0]], has_aux: Literal[False] = False
) -> Callable[Concatenate[T, P], tuple[Scalar[D], tuple[T]]]: ...
@overload
def value_and_grad(  # type: ignore[overload-overlap]  # literals know more
    f: Callable[Concatenate[T, U, P], Scalar[D] | float],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Callable[Concatenate[T, U, P], tuple[Scalar[D], tuple[T, U]]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[T, P], tuple[Scalar[D] | float, A]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[T, P], tuple[tuple[Scalar[D], A], T]]: ...
@overload
def value_and_grad(
    f: Callable[P, Scalar[D] | float], argnums: int | tuple[int, ...], has_aux: Literal[False] = False
) -> Callable[P, tuple[Scalar[D], Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, tuple[Scalar[D] | float, A]], argnums: int | tuple[int, ...], has_aux: Literal[True]
) -> Callable[P, tuple[tuple[Scalar[D], A], Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool
) -> Callable[P, tuple[Any, Any]]: ...
def value_and_grad(f: object, argnums: object = 0, has_aux: object = False) -> NoReturn:
    """`value_and_grad`."""
    raise NotImplementedError


@overload
def jacobian[E: DType, S: tuple[object, ...], **Q](
    f: Callable[Concatenate[Array[E, S], Q], Array], argnums: Literal[0] = 0
) -> Callable[Concatenate[Array[E, S], Q], Array[E]]: ...
@overload
def jacobian[**Q](f: Callable[Q, Any], argnums: int | tuple[int, ...] = 0) -> Callable[Q, Any]: ...
def jacobian(f: object, argnums: object = 0) -> NoReturn:
    """`jacfwd`, `jacrev`, `hessian`: an array for an array by an array, else a tree of them."""
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
def linear_transpose[*Ts, R](f: Callable[[*Ts], R], *primals: *Ts) -> Callable[[R], tuple[*Ts]]: ...
@overload
def linear_transpose[R](f: Callable[..., R], *primals: ShapedArray) -> Callable[[R], tuple[Array, ...]]: ...
@overload
def linear_transpose[R](f: Callable[..., R], *primals: object) -> Callable[[R], Any]: ...
def linear_transpose[*Ts](f: Callable[[*Ts], object], *primals: *Ts) -> object:
    """`linear_transpose`."""
    raise NotImplementedError


@overload
def vmap[E: DType](
    f: Callable[..., Array[E]], in_axes: object = 0, out_axes: object = 0
) -> Callable[..., Array[E]]: ...
@overload
def vmap(f: Callable[..., Any], in_axes: object = 0, out_axes: object = 0) -> Callable[..., Any]: ...
def vmap(f: object, in_axes: object = 0, out_axes: object = 0) -> NoReturn:
    """`vmap`: arguments have an axis more than the parameters of `f`, which the checker does not count."""
    raise NotImplementedError
