"""Whole Jacobians and Hessians: derivatives along the standard basis, all at once by `vmap`."""

# mypy: disable-error-code="overload-overlap"
# As in `gradients`.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, overload

from typing_extensions import TypeVar

import effects as fx
from effects.arguments import function_name
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.trees.pytree import TreeDef, tree_flatten, tree_map, tree_structure, tree_unflatten
from effects.types.signatures import MYPY, Signature
from effects.types.signatures.fractions import OfFractions
from effects.types.signatures.refused import NoSuchArgument
from handlers.transformations.axes.batching import vmap
from handlers.transformations.calls.arguments import flatten_arguments, named_after
from handlers.transformations.calls.types import Function, IntOrInts, NoAux
from handlers.transformations.derivatives.along import First, Jacobian, JacobianAndAux, No, Others, Yes
from handlers.transformations.derivatives.forward import jvp_flat
from handlers.transformations.derivatives.of_reals import JacobianOfFractions
from handlers.transformations.derivatives.request import DerivativeRequest
from handlers.transformations.derivatives.reverse import pullback
from handlers.vmap import Batched, Vmap
from handlers.vmap.rules import materialized

A = TypeVar("A")
I = TypeVar("I")
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=Any, default=Any)  # with the bound, pyright takes the arguments of a lambda for unknown ones


class OfJacobian(Generic[I]):  # noqa: UP046  # as in `Signature`
    """Whole derivatives: `jacfwd`, `jacrev`, `hessian`; `I` is what `allow_int` may be."""

    @overload
    def __call__(self, f: OfFractions, argnums: First = 0) -> JacobianOfFractions: ...
    @overload
    def __call__(
        self,
        f: Callable[Concatenate[T, P], R],
        argnums: IntOrInts = ...,
        has_aux: NoAux = ...,
        holomorphic: bool = ...,
        allow_int: I = ...,
        **unknown: NoSuchArgument,
    ) -> Jacobian[T, P, R]: ...
    @overload
    def __call__(
        self,
        f: Callable[Concatenate[T, P], R],
        argnums: Others,
        has_aux: No = False,
        holomorphic: bool = ...,
        allow_int: I = ...,
    ) -> Function[Concatenate[T, P], Any]: ...
    @overload
    def __call__(
        self,
        f: Callable[Concatenate[T, P], tuple[R, A]],
        argnums: First = 0,
        *,
        has_aux: Yes,
        holomorphic: bool = ...,
        allow_int: I = ...,
    ) -> JacobianAndAux[T, P, R, A]: ...
    @overload
    def __call__(
        self,
        f: Callable[Concatenate[T, P], tuple[R, A]],
        argnums: Others,
        has_aux: Yes,
        holomorphic: bool = ...,
        allow_int: I = ...,
    ) -> Function[Concatenate[T, P], tuple[Any, A]]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


if MYPY:
    Forward = lambda function: OfJacobian[NoSuchArgument]().__call__
    Reverse = lambda function: OfJacobian[bool]().__call__
else:

    class Forward(OfJacobian[NoSuchArgument], Signature[P, R]): ...

    class Reverse(OfJacobian[bool], Signature[P, R]): ...


@Forward
def jacfwd(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    """The Jacobian of `f` by forward mode, one column per input element: use it when there are few inputs.

    For an output of shape s and an input of shape r the result has shape s + r. For pytrees it is the tree of the
    output, whose leaves are trees of the input. With several `argnums` the innermost trees are tuples. With `has_aux`,
    `f` returns (value, aux) and the result is (jacobian, aux). With `holomorphic` inputs and outputs are complex, and
    the Jacobian has the complex derivatives.

    Raises DTypeError for an input that is not real floating point, or complex with `holomorphic`.

    >>> import effects as fx
    >>> jacfwd(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    >>> jacfwd(lambda x: (x * x, "aux"), has_aux=True)(3.0)
    (Array(6., float64), 'aux')
    """
    return _by_columns(DerivativeRequest("jacfwd", f, argnums, has_aux, holomorphic, pairs=False).checked())


def _by_columns(request: DerivativeRequest) -> Callable[..., Any]:
    """`jacfwd`, as part of the requested transformation."""

    @named_after(request.f, "jacfwd")
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = request.select(args, kwargs)
        in_tree = tree_structure(chosen)
        arrays, treedef = checked_arguments(request, partial, chosen)
        sizes = [array.aval.size for array in arrays]
        basis = standard_basis(arrays)
        with Vmap(sum(sizes), directions=True) as handler:
            tangents = [Batched(handler, block) for block in basis]
            values, rates, out_tree, aux = jvp_flat(
                partial, arrays, tangents, treedef, request.transformation, has_aux=request.has_aux
            )
            full = [fx.zeros_like(v) if t is None else t for v, t in zip(values, rates, strict=True)]
            lanes = [handler.lift(rate) for rate in full]
            aux = tree_map(lambda leaf: handler.lift(leaf) if isinstance(leaf, Array) else leaf, aux)
        if request.holomorphic or not values:
            request.check_results(values)
        columns = [fx.moveaxis(materialized(lane, handler.size), 0, -1) for lane in lanes]
        blocks = [split_last(column, arrays, sizes) for column in columns]
        result = tree_unflatten(out_tree, [request.single(tree_unflatten(in_tree, block)) for block in blocks])
        return (result, tree_map(_first_lane, aux)) if request.has_aux else result

    return jacobian


def _first_lane(leaf: object) -> object:
    """A leaf of aux, which is the same for all tangents, without the lanes that it may have."""
    if not isinstance(leaf, Batched):
        return leaf
    return leaf.value[0] if leaf.batched else leaf.value


def checked_arguments(
    request: DerivativeRequest, f: Callable[..., Any], args: Sequence[Any]
) -> tuple[list[Array], TreeDef]:
    """The leaves of the arguments of a Jacobian, and the structure of `(args, {})`.

    Raises DTypeError for one that is not in the domain, ArgumentError when there is none.
    """
    name = request.transformation
    arrays, treedef = flatten_arguments(name, f, args, {})
    if not arrays:
        raise ArgumentError(f"{name}: the arguments of {function_name(f)} to differentiate (argnums) hold no arrays")
    request.check_arguments(f, args, arrays)
    return arrays, treedef


@Reverse
def jacrev(
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """The Jacobian of `f` by reverse mode, one row per output element: use it when there are few outputs.

    The result has the layout of `jacfwd`. With `has_aux`, `f` returns (value, aux) and the result is (jacobian, aux).
    Complex inputs, `holomorphic` and `allow_int` are as in `grad`.

    >>> import effects as fx
    >>> jacrev(lambda x: x * x)(fx.asarray([1.0, 2.0]))
    Array([[2., 0.],
           [0., 4.]], float64)
    >>> jacrev(lambda x: (x * x, "aux"), has_aux=True)(3.0)
    (Array(6., float64), 'aux')
    """
    return _by_rows(DerivativeRequest("jacrev", f, argnums, has_aux, holomorphic, allow_int).checked())


def _by_rows(request: DerivativeRequest) -> Callable[..., Any]:
    """`jacrev`, as part of the requested transformation."""

    @named_after(request.f, "jacrev")
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen, partial = request.select(args, kwargs)
        checked_arguments(request, partial, chosen)
        out, pull, aux = pullback(request.transformation, partial, chosen, request.has_aux)
        outputs, out_tree = tree_flatten(out)
        request.check_results(outputs)
        sizes = [output.aval.size for output in outputs]
        if sum(sizes) == 1:  # one row needs no lanes
            leaves, in_tree = tree_flatten(pull(tree_map(fx.ones_like, out)))
            rows = [fx.reshape(leaf, (*leaf.aval.shape, 1)) for leaf in leaves]
        else:
            stacked = vmap(lambda *cts: pull(tree_unflatten(out_tree, cts)))(*standard_basis(outputs))
            leaves, in_tree = tree_flatten(stacked)
            rows = [fx.moveaxis(leaf, 0, -1) for leaf in leaves]
        columns = [split_last(row, outputs, sizes) for row in rows]
        blocks = []
        for position, output in enumerate(outputs):
            rank = output.aval.ndim
            per_input = [
                fx.moveaxis(column[position], tuple(range(-rank, 0)), tuple(range(rank))) if rank else column[position]
                for column in columns
            ]
            blocks.append(request.single(tree_unflatten(in_tree, per_input)))
        result = tree_unflatten(out_tree, blocks)
        return (result, aux) if request.has_aux else result

    return jacobian


@Forward
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
    request = DerivativeRequest("hessian", f, argnums, has_aux, holomorphic, pairs=False).checked()
    return named_after(f, "hessian")(_by_columns(request._replace(f=_by_rows(request))))


def standard_basis(arrays: Sequence[Array]) -> list[Array]:
    """For each array, the stack of its parts of the unit vectors of the joint space."""
    total = sum(array.aval.size for array in arrays)
    basis: list[Array] = []
    begin = 0
    for array in arrays:
        aval = array.aval
        block = fx.eye(total, aval.size, k=-begin, dtype=aval.dtype)
        basis.append(fx.reshape(block, (total, *aval.shape)))
        begin += aval.size
    return basis


def split_last(out: Array, arrays: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """The last axis of `out` split into blocks, one with the shape of each array."""
    blocks: list[Array] = []
    begin = 0
    for array, size in zip(arrays, sizes, strict=True):
        block = out[..., begin : begin + size]
        blocks.append(fx.reshape(block, (*out.aval.shape[:-1], *array.aval.shape)))
        begin += size
    return blocks
