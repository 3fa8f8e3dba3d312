"""Forward-mode derivatives: `jvp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, overload

from effects.arguments import check_callable, flag, function_name
from effects.arrays.array import Array, Scalar
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.runtime.cpython.extent import inside
from effects.trees.pytree import TreeDef, tree_map, tree_unflatten
from effects.types import dtypes
from effects.types.signatures.refused import NoSuchArgument, Refused
from handlers.jvp import Jvp
from handlers.jvp.rules import Dual
from handlers.transformations.calls.arguments import flatten_arguments, flatten_results, match, split_aux
from handlers.transformations.calls.types import NoAux


class Pushed(NamedTuple):
    """The results of a function and their tangents, None where a result does not vary; the primal values of `aux`."""

    values: list[Array]
    tangents: list[Array | None]
    out_tree: TreeDef
    aux: Any


def duals_of(
    handler: Jvp, f: Callable[..., Any], out: object, name: str, has_aux: bool
) -> tuple[list[Dual], TreeDef, Any]:
    """The leaves of `out`, a result of `f`, as carriers, its structure, and the primal values of its `aux`."""
    aux = None
    if has_aux:
        out, aux = split_aux(name, f, out)
        aux = tree_map(lambda leaf: handler.lift(leaf).primal if isinstance(leaf, Array) else leaf, aux)
    outputs, out_tree = flatten_results(name, f, out)
    return [handler.lift(value) for value in outputs], out_tree, aux


def jvp_flat(
    f: Callable[..., Any],
    primals: Sequence[Array],
    tangents: Sequence[Array | None],
    treedef: TreeDef,
    name: str,
    *,
    has_aux: bool = False,
) -> Pushed:
    """The results of `f` and their tangents; with `has_aux` it returns (result, aux)."""
    handler = Jvp(function_name(f))

    def run() -> tuple[list[Dual], TreeDef, Any]:
        leaves = [handler.dual(p, t) for p, t in zip(primals, tangents, strict=True)]
        args, kwargs = tree_unflatten(treedef, leaves)
        return duals_of(handler, f, f(*args, **kwargs), name, has_aux)

    duals, out_tree, aux = inside((handler,), run)
    return Pushed([dual.primal for dual in duals], [dual.tangent for dual in duals], out_tree, aux)


type NoTuple = Refused[Literal["a tuple of the arguments of the function"]]
type Numbers = tuple[complex | None, ...]
"""Tangents that are numbers, for scalars; None for values without a derivative."""


@overload
def jvp[*Ts, R](
    f: Callable[[*Ts], R],
    primals: tuple[*Ts],
    tangents: tuple[*Ts] | Numbers,
    has_aux: NoAux = ...,
    **unknown: NoSuchArgument,
) -> tuple[R, R]: ...
@overload
def jvp[R](
    f: Callable[[Scalar[Any]], R], primals: tuple[complex], tangents: Numbers, has_aux: Literal[False] = False
) -> tuple[R, R]: ...
@overload
def jvp[R](
    f: Callable[[Scalar[Any], Scalar[Any]], R],
    primals: tuple[complex, complex],
    tangents: Numbers,
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp[T, R](
    f: Callable[[T, Scalar[Any]], R],
    primals: tuple[T, complex],
    tangents: tuple[T | complex, complex | None],
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp[T, R](
    f: Callable[[Scalar[Any], T], R],
    primals: tuple[complex, T],
    tangents: tuple[complex | None, T | complex],
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp[*Ts, R, A](
    f: Callable[[*Ts], tuple[R, A]], primals: tuple[*Ts], tangents: tuple[*Ts] | Numbers, has_aux: Literal[True]
) -> tuple[R, R, A]: ...
@overload
def jvp[R, A](
    f: Callable[[Scalar[Any]], tuple[R, A]], primals: tuple[complex], tangents: Numbers, has_aux: Literal[True]
) -> tuple[R, R, A]: ...
@overload
def jvp[R](f: Callable[..., R], primals: NoTuple, tangents: object = ..., has_aux: bool = False) -> tuple[R, R]: ...
def jvp(  # type: ignore[misc]  # which takes no unknown arguments
    f: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of `f` at `primals` and its directional derivative along `tangents`: (f(x), ∂f(x)·ẋ).

    `primals` and `tangents` are tuples with one entry per argument of `f`, each a pytree. A tangent has the structure,
    shapes and dtypes of its primal. Integers and bools have no derivative: their tangents are not used, and may be
    None. With `has_aux`, `f` returns (result, aux) and a third value, aux, is returned.

    Raises TreeError, ShapeError or DTypeError naming the position when a tangent does not fit.

    >>> import effects as fx
    >>> jvp(fx.sin, (0.0,), (1.0,))
    (Array(0., float64), Array(1., float64))
    """
    check_callable("jvp", f)
    has_aux = flag("jvp", "has_aux", has_aux)
    for argument, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, tuple | list):
            raise ArgumentError(
                f"jvp: {argument} must be a tuple with one entry per argument, got {type(value).__name__}"
            )
    arrays, treedef = flatten_arguments("jvp", f, primals, {})
    directions: list[Array | None] = list(match("jvp", "tangent", (*primals,), (*tangents,)))
    directions = [t if dtypes.is_inexact(p.aval.dtype) else None for p, t in zip(arrays, directions, strict=True)]
    values, rates, out_tree, aux = jvp_flat(f, arrays, directions, treedef, "jvp", has_aux=has_aux)
    full = [creation.zeros_like(v) if t is None else t for v, t in zip(values, rates, strict=True)]
    result, tangent = tree_unflatten(out_tree, values), tree_unflatten(out_tree, full)
    return (result, tangent, aux) if has_aux else (result, tangent)
