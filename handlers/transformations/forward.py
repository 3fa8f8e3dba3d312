"""Forward-mode derivatives: `jvp` and `jacfwd`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from effects import dtypes
from effects.array import Array
from effects.errors import ArgumentError, DTypeError
from effects.functions import creation, movement
from effects.pytree import TreeDef, tree_flatten, tree_unflatten
from handlers.jvp import Jvp
from handlers.transformations.arguments import (
    argument_names,
    check_callable,
    flatten_arguments,
    flatten_results,
    function_name,
    match,
)
from handlers.transformations.batching import vmap


def jvp_flat(
    f: Callable[..., Any], primals: Sequence[Array], tangents: Sequence[Array | None], treedef: TreeDef, name: str
) -> tuple[list[Array], list[Array | None], TreeDef]:
    """The results of `f` and their tangents, None where a result does not vary."""
    with Jvp() as handler:
        leaves = [handler.dual(p, t) for p, t in zip(primals, tangents, strict=True)]
        args, kwargs = tree_unflatten(treedef, leaves)
        outputs, out_tree = flatten_results(name, f, f(*args, **kwargs))
        duals = [handler.lift(out) for out in outputs]
    return [dual.primal for dual in duals], [dual.tangent for dual in duals], out_tree


def jvp[*Ts, R](f: Callable[[*Ts], R], primals: tuple[*Ts], tangents: tuple[*Ts]) -> tuple[R, R]:
    """The value of `f` at `primals` and its directional derivative along `tangents`: (f(x), ∂f(x)·ẋ).

    `primals` and `tangents` are tuples with one entry per argument of `f`, each a pytree; a tangent has the structure,
    shapes and dtypes of its primal. Integers and bools have no derivative: their tangents are not used.

    Raises TreeError, ShapeError or DTypeError naming the place when a tangent does not fit.

    >>> import effects as fx
    >>> jvp(fx.sin, (0.0,), (1.0,))
    (Array(0.0, float64), Array(1.0, float64))
    """
    check_callable("jvp", f)
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise ArgumentError(f"jvp: {what} must be a tuple with one entry per argument, got {type(given).__name__}")
    arrays, treedef = flatten_arguments("jvp", f, primals, {})
    directions: list[Array | None] = list(match("jvp", "tangent", (*primals,), (*tangents,)))
    directions = [t if dtypes.is_inexact(p.aval.dtype) else None for p, t in zip(arrays, directions, strict=True)]
    values, rates, out_tree = jvp_flat(f, arrays, directions, treedef, "jvp")
    full = [creation.zeros_like(v) if t is None else t for v, t in zip(values, rates, strict=True)]
    return tree_unflatten(out_tree, values), tree_unflatten(out_tree, full)


def jacfwd[**P](f: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[P, Any]:
    """The Jacobian of `f` by forward mode, one column per input element: good where inputs are few.

    For an output of shape s and an input of shape r the result has shape s + r; for pytrees it is the tree of the
    output whose leaves are trees of the input. With several `argnums` the innermost trees are tuples.

    Raises DTypeError for an input that is not real floating point.

    >>> import effects as fx
    >>> jacfwd(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    """
    check_callable("jacfwd", f)

    @functools.wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments("jacfwd", f, argnums, args, kwargs)
        leaves, in_tree = tree_flatten(chosen)
        arrays = real_arguments("jacfwd", partial, chosen)
        sizes = [array.aval.size for array in arrays]

        def push(*tangents: Array) -> Any:
            return jvp(lambda *flat: partial(*tree_unflatten(in_tree, flat)), tuple(arrays), tangents)

        basis = standard_basis(arrays)
        value, columns = vmap(push, out_axes=(None, -1))(*basis)
        del value, leaves
        outputs, out_tree = tree_flatten(columns)
        blocks = [split_last(out, arrays, sizes) for out in outputs]
        return tree_unflatten(out_tree, [single(argnums, tree_unflatten(in_tree, block)) for block in blocks])

    return jacobian


def real_arguments(transformation: str, f: Callable[..., Any], args: Sequence[Any]) -> list[Array]:
    """The leaves of arguments that a Jacobian is taken in.

    Raises DTypeError for one that is not real floating point, ArgumentError when there is none.
    """
    arrays, _ = flatten_arguments(transformation, f, args, {})
    if not arrays:
        raise ArgumentError(f"{transformation}: the arguments of {function_name(f)} to differentiate hold no arrays")
    for position, array in enumerate(arrays):
        if not issubclass(array.aval.dtype, dtypes.Floating):
            name = argument_names(f, args, {})[position]
            raise DTypeError(
                f"{transformation}: argument {name} of {function_name(f)} must be real floating point, got {array.aval}; "
                "convert it with astype, or differentiate with respect to other arguments (argnums)"
            )
    return arrays


def standard_basis(arrays: Sequence[Array]) -> list[Array]:
    """For each array the stack of its parts of all unit vectors of their joint space."""
    total = sum(array.aval.size for array in arrays)
    basis: list[Array] = []
    begin = 0
    for array in arrays:
        aval = array.aval
        block = creation.eye(total, aval.size, k=-begin, dtype=aval.dtype)
        basis.append(movement.reshape(block, (total, *aval.shape)))
        begin += aval.size
    return basis


def split_last(out: Array, arrays: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """The last axis of `out` cut into blocks, one of the shape of each array."""
    blocks: list[Array] = []
    begin = 0
    for array, size in zip(arrays, sizes, strict=True):
        block = out[..., begin : begin + size]
        blocks.append(movement.reshape(block, (*out.aval.shape[:-1], *array.aval.shape)))
        begin += size
    return blocks


def select_arguments(
    transformation: str,
    f: Callable[..., Any],
    argnums: int | tuple[int, ...],
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[tuple[Any, ...], Callable[..., Any]]:
    """The arguments that `argnums` names, and `f` as a function of them alone.

    Raises ArgumentError when there is no such positional argument.
    """
    wanted: tuple[object, ...] = argnums if isinstance(argnums, tuple) else (argnums,)
    positions: list[int] = []
    for number in wanted:
        if not isinstance(number, int) or isinstance(number, bool):
            raise ArgumentError(f"{transformation}: argnums must be an int or a tuple of ints, got {argnums!r}")
        if not -len(args) <= number < len(args):
            raise ArgumentError(
                f"{transformation}: argnums names argument {number!r}, but {function_name(f)} was called with "
                f"{len(args)} positional arguments"
            )
        positions.append(number % len(args))
    if len(set(positions)) != len(positions):
        raise ArgumentError(f"{transformation}: argnums {argnums} names an argument twice")

    def partial(*chosen: Any) -> Any:
        full = list(args)
        for position, value in zip(positions, chosen, strict=True):
            full[position] = value
        return f(*full, **kwargs)

    partial.__name__ = function_name(f)
    partial.selects = f, positions  # type: ignore[attr-defined]  # for the names of arguments in messages
    return tuple([args[p] for p in positions]), partial


def single(argnums: int | tuple[int, ...], per_argument: tuple[Any, ...]) -> Any:
    """What belongs to the one argument, or the tuple for several."""
    return per_argument if isinstance(argnums, tuple) else per_argument[0]
