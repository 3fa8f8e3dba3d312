"""Whole Jacobians and Hessians: derivatives along the standard basis, all at once by `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from effects.arguments import check_callable, flag, function_name
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.functions import creation, movement
from effects.trees.pytree import TreeDef, tree_flatten, tree_map, tree_structure, tree_unflatten
from effects.types.signatures import typed_as
from handlers.transformations.axes.batching import vmap
from handlers.transformations.calls.arguments import flatten_arguments, named_after, select_arguments, single
from handlers.transformations.derivatives.domains import Domain
from handlers.transformations.derivatives.forward import jvp_flat
from handlers.transformations.derivatives.reverse import pullback
from handlers.vmap import Batched, Vmap
from handlers.vmap.rules import materialized

if TYPE_CHECKING:
    from handlers.transformations.calls import signatures


@typed_as(lambda: signatures.jacobian)
def jacfwd(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """The Jacobian of `f` by forward mode, one column per input element: good where inputs are few.

    For an output of shape s and an input of shape r the result has shape s + r; for pytrees it is the tree of the
    output whose leaves are trees of the input. With several `argnums` the innermost trees are tuples. With `has_aux`,
    `f` returns (value, aux) and the result is (jacobian, aux). With `holomorphic` inputs and outputs are
    complex, and it has the derivatives by complex numbers.

    Raises DTypeError for an input that is not real floating point, or complex with `holomorphic`.

    >>> import effects as fx
    >>> jacfwd(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    >>> jacfwd(lambda x: (x * x, "aux"), has_aux=True)(3.0)
    (Array(6., float64), 'aux')
    """
    check_callable("jacfwd", f)
    has_aux = flag("jacfwd", "has_aux", has_aux)
    return _by_columns(Domain("jacfwd", holomorphic, pairs=False).checked(), f, argnums, has_aux)


def _by_columns(
    domain: Domain, f: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
) -> Callable[..., Any]:
    """`jacfwd`, as part of the transformation whose domain this is."""
    name = domain.transformation

    @named_after(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments(name, f, argnums, args, kwargs)
        in_tree = tree_structure(chosen)
        arrays, treedef = checked_arguments(domain, partial, chosen)
        sizes = [array.aval.size for array in arrays]
        basis = standard_basis(arrays)
        with Vmap(sum(sizes), directions=True) as handler:
            tangents = [Batched(handler, block) for block in basis]
            values, rates, out_tree, aux = jvp_flat(partial, arrays, tangents, treedef, name, has_aux=has_aux)
            full = [creation.zeros_like(v) if t is None else t for v, t in zip(values, rates, strict=True)]
            lanes = [handler.lift(rate) for rate in full]
            aux = tree_map(lambda leaf: handler.lift(leaf) if isinstance(leaf, Array) else leaf, aux)
        for value in values if domain.holomorphic else ():
            domain.check_result(f, value.aval)
        columns = [movement.moveaxis(materialized(lane, handler.size), 0, -1) for lane in lanes]
        blocks = [split_last(column, arrays, sizes) for column in columns]
        found = tree_unflatten(out_tree, [single(argnums, tree_unflatten(in_tree, block)) for block in blocks])
        return (found, tree_map(_first_lane, aux)) if has_aux else found

    return jacobian


def _first_lane(leaf: object) -> object:
    """A leaf of an aux, which does not depend on tangents; what is not written down may have it in every lane."""
    if not isinstance(leaf, Batched):
        return leaf
    return leaf.value[0] if leaf.batched else leaf.value


def checked_arguments(domain: Domain, f: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Array], TreeDef]:
    """The leaves of arguments that a Jacobian is taken in, and the structure of `(args, {})`.

    Raises DTypeError for one that is not in the domain, ArgumentError when there is none.
    """
    name = domain.transformation
    arrays, treedef = flatten_arguments(name, f, args, {})
    if not arrays:
        raise ArgumentError(f"{name}: the arguments of {function_name(f)} to differentiate (argnums) hold no arrays")
    domain.check_arguments(f, args, arrays)
    return arrays, treedef


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


@typed_as(lambda: signatures.jacrev)
def jacrev(
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """The Jacobian of `f` by reverse mode, one row per output element: good where outputs are few.

    The result is laid out as that of `jacfwd`. With `has_aux`, `f` returns (value, aux) and the result is
    (jacobian, aux). Complex inputs, `holomorphic` and `allow_int` are as in `grad`.

    >>> import effects as fx
    >>> jacrev(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    >>> jacrev(lambda x: (x * x, "aux"), has_aux=True)(3.0)
    (Array(6., float64), 'aux')
    """
    check_callable("jacrev", f)
    has_aux = flag("jacrev", "has_aux", has_aux)
    return _by_rows(Domain("jacrev", holomorphic, allow_int).checked(), f, argnums, has_aux)


def _by_rows(
    domain: Domain, f: Callable[..., Any], argnums: int | tuple[int, ...], has_aux: bool
) -> Callable[..., Any]:
    """`jacrev`, as part of the transformation whose domain this is."""
    name = domain.transformation

    @named_after(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = select_arguments(name, f, argnums, args, kwargs)
        checked_arguments(domain, partial, chosen)
        out, pull, aux = pullback(name, partial, chosen, has_aux)
        outputs, out_tree = tree_flatten(out)
        for output in outputs:
            domain.check_result(f, output.aval)
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
        found = tree_unflatten(out_tree, blocks)
        return (found, aux) if has_aux else found

    return jacobian


@typed_as(lambda: signatures.jacobian)
def hessian(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """The matrix of second derivatives of `f`, by forward over reverse mode.

    With `has_aux`, `f` returns (value, aux) and the result is (hessian, aux); `holomorphic` is as in `jacfwd`.

    >>> import effects as fx
    >>> hessian(lambda x: fx.sum(x**3))(fx.asarray([1.0, 2.0]))
    Array([[ 6.,  0.],
           [ 0., 12.]], float64)
    >>> hessian(lambda x: (x**3, "aux"), has_aux=True)(2.0)
    (Array(12., float64), 'aux')
    """
    check_callable("hessian", f)
    has_aux = flag("hessian", "has_aux", has_aux)
    domain = Domain("hessian", holomorphic, pairs=False).checked()
    return _by_columns(domain, _by_rows(domain, f, argnums, has_aux), argnums, has_aux)
