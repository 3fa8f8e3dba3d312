"""Whole Jacobians and Hessians: derivatives along the standard basis, all at once by `vmap`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from effects import dtypes
from effects.array import Array
from effects.errors import ArgumentError, DTypeError
from effects.functions import creation, movement
from effects.pytree import tree_flatten, tree_map, tree_structure, tree_unflatten
from handlers.transformations.arguments import (
    argument_names,
    check_callable,
    flatten_arguments,
    function_name,
    select_arguments,
    single,
)
from handlers.transformations.batching import vmap
from handlers.transformations.forward import jvp
from handlers.transformations.reverse import vjp


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
    return _by_columns("jacfwd", f, argnums)


def _by_columns[**P](name: str, f: Callable[P, Any], argnums: int | tuple[int, ...]) -> Callable[P, Any]:
    """`jacfwd`, as part of the transformation `name`."""

    @functools.wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments(name, f, argnums, args, kwargs)
        in_tree = tree_structure(chosen)
        arrays = real_arguments(name, partial, chosen)
        sizes = [array.aval.size for array in arrays]

        def push(*tangents: Array) -> Any:
            return jvp(lambda *flat: partial(*tree_unflatten(in_tree, flat)), tuple(arrays), tangents)[1]

        outputs, out_tree = tree_flatten(vmap(push, out_axes=-1)(*standard_basis(arrays)))
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
                f"{transformation}: argument {name} of {function_name(f)} must be real floating point, "
                f"got {array.aval}; convert it with astype, or differentiate with respect to other arguments (argnums)"
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


def jacrev[**P](f: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[P, Any]:
    """The Jacobian of `f` by reverse mode, one row per output element: good where outputs are few.

    The result is laid out as that of `jacfwd`.

    >>> import effects as fx
    >>> jacrev(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    """
    check_callable("jacrev", f)
    return _by_rows("jacrev", f, argnums)


def _by_rows[**P](name: str, f: Callable[P, Any], argnums: int | tuple[int, ...]) -> Callable[P, Any]:
    """`jacrev`, as part of the transformation `name`."""

    @functools.wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments(name, f, argnums, args, kwargs)
        real_arguments(name, partial, chosen)
        out, pull = vjp(partial, *chosen)
        outputs, out_tree = tree_flatten(out)
        for output in outputs:
            if not issubclass(output.aval.dtype, dtypes.Floating):
                raise DTypeError(
                    f"{name}: a result of {function_name(f)} must be real floating point, got {output.aval}"
                )
        sizes = [output.aval.size for output in outputs]
        if sum(sizes) == 1:  # one row needs no lanes
            leaves, in_tree = tree_flatten(pull(tree_map(creation.ones_like, out)))
            rows = [movement.reshape(leaf, (*leaf.aval.shape, 1)) for leaf in leaves]
        else:
            stacked = vmap(lambda *cts: pull(tree_unflatten(out_tree, cts)))(*standard_basis(outputs))
            leaves, in_tree = tree_flatten(stacked)
            rows = [movement.moveaxis(leaf, 0, -1) for leaf in leaves]
        columns = [split_last(row, outputs, sizes) for row in rows]
        blocks = []
        for position, output in enumerate(outputs):
            rank = output.aval.ndim
            per_input = [
                movement.moveaxis(column[position], tuple(range(-rank, 0)), tuple(range(rank)))
                if rank
                else column[position]
                for column in columns
            ]
            blocks.append(single(argnums, tree_unflatten(in_tree, per_input)))
        return tree_unflatten(out_tree, blocks)

    return jacobian


def hessian[**P](f: Callable[P, Any], argnums: int | tuple[int, ...] = 0) -> Callable[P, Any]:
    """The matrix of second derivatives of `f`, by forward over reverse mode.

    >>> import effects as fx
    >>> hessian(lambda x: fx.sum(x**3))(fx.asarray([1.0, 2.0]))
    Array([[ 6.,  0.],
           [ 0., 12.]], float64)
    """
    check_callable("hessian", f)
    return _by_columns("hessian", _by_rows("hessian", f, argnums), argnums)
