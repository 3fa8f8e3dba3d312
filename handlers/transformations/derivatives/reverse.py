"""Reverse-mode derivatives: `vjp = Transpose ∘ linearize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

from effects.arguments import check_callable, flag
from effects.arrays.array import Scalar
from effects.trees.pytree import tree_unflatten
from effects.types.signatures.refused import NoSuchArgument
from handlers.transformations.calls.types import NoAux
from handlers.transformations.derivatives.linear_functions import Pullback
from handlers.transformations.derivatives.linearization import flatten_primals, linear_function, linearize_flat


@overload
def vjp[N: complex, R](
    f: Callable[[Scalar[Any]], R], x: N, /, *, has_aux: Literal[False] = False
) -> tuple[R, Callable[[R | complex], tuple[N]]]: ...
@overload
def vjp[N: complex, M: complex, R](
    f: Callable[[Scalar[Any], Scalar[Any]], R], x: N, y: M, /, *, has_aux: Literal[False] = False
) -> tuple[R, Callable[[R | complex], tuple[N, M]]]: ...
@overload
def vjp[N: complex, T, R](  # type: ignore[overload-overlap]  # where all are numbers
    f: Callable[[Scalar[Any], T], R], x: N, y: T, /, *, has_aux: Literal[False] = False
) -> tuple[R, Callable[[R | complex], tuple[N, T]]]: ...
@overload
def vjp[T, N: complex, R](
    f: Callable[[T, Scalar[Any]], R], x: T, y: N, /, *, has_aux: Literal[False] = False
) -> tuple[R, Callable[[R | complex], tuple[T, N]]]: ...
@overload
def vjp[*Ts, R](
    f: Callable[[*Ts], R], *primals: *Ts, has_aux: NoAux = ..., **unknown: NoSuchArgument
) -> tuple[R, Callable[[R | complex], tuple[*Ts]]]: ...
@overload
def vjp[N: complex, R, A](
    f: Callable[[Scalar[Any]], tuple[R, A]], x: N, /, *, has_aux: Literal[True]
) -> tuple[R, Callable[[R | complex], tuple[N]], A]: ...
@overload
def vjp[*Ts, R, A](
    f: Callable[[*Ts], tuple[R, A]], *primals: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[[R | complex], tuple[*Ts]], A]: ...
def vjp(  # type: ignore[misc]  # which takes no unknown arguments
    f: Callable[..., Any], *primals: object, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of `f` at `primals`, and a function from a cotangent of the result to cotangents of the arguments.

    A cotangent has the structure, shapes and dtypes of the result. The returned cotangents have those of the arguments,
    and are zeros where the result does not depend on them. With `has_aux`, `f` returns (result, aux) and a third value,
    aux, is returned.

    The function is a pytree, whose leaves are its residuals: `jit` can return it, `vmap` can batch it, and a loop can
    carry it. As arguments of a jitted function, all that have equal programs share one compilation.

    Raises TreeError, ShapeError or DTypeError naming the position when a cotangent does not fit.

    >>> import effects as fx
    >>> y, sin_vjp = vjp(fx.sin, 0.0)
    >>> sin_vjp(1.0)
    (Array(1., float64),)
    >>> fx.tree_leaves(sin_vjp)
    [Array(1., float64)]
    """
    check_callable("vjp", f)
    has_aux = flag("vjp", "has_aux", has_aux)
    result, f_vjp, aux = pullback("vjp", f, primals, has_aux)
    return (result, f_vjp, aux) if has_aux else (result, f_vjp)


def pullback(
    name: str, f: Callable[..., Any], primals: Sequence[object], has_aux: bool
) -> tuple[Any, Callable[[object], Any], Any]:
    """(value, pullback, aux): `vjp`, as part of the transformation `name`."""
    arrays, types = flatten_primals(name, f, primals)
    linearized = linearize_flat(f, arrays, types.tree, name, has_aux=has_aux)
    result = tree_unflatten(linearized.out_tree, linearized.values)
    return result, linear_function(Pullback, name, linearized, types), linearized.aux
