"""Looking at programs: `make_jaxpr` and `eval_shape`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array, ArrayLike
from effects.errors import ArgumentError, DTypeError
from effects.program.jaxpr import Jaxpr
from effects.trees.pytree import TreeDef, tree_flatten, tree_unflatten
from effects.trees.registration import check_static
from effects.types.avals import ShapedArray
from effects.types.dtypes import as_dtype
from handlers.stage import stage
from handlers.transformations.calls.arguments import argument_names, as_arrays, call_flat, flatten_results, named_after
from handlers.transformations.calls.static_arguments import Signature
from handlers.transformations.calls.types import Tree


class Staged(NamedTuple):
    """A traced call: the program, the values it closed over (its first inputs), the structure of its result."""

    jaxpr: Jaxpr
    captured: list[Array]
    out_tree: TreeDef


def stage_tree(
    f: Callable[..., Any],
    avals: Sequence[ShapedArray],
    treedef: TreeDef,
    transformation: str,
    names: Callable[[], Sequence[str]] = tuple,
) -> Staged:
    """The program of `f` on arguments of the structure `treedef` of `(args, kwargs)`."""
    check_static(treedef, lambda: f"{transformation}: arguments of {function_name(f)}")
    trees: list[TreeDef] = []

    def flat(*leaves: Array) -> list[Array]:
        outputs, out_tree = flatten_results(transformation, f, call_flat(f, treedef, leaves))
        check_static(out_tree, lambda: f"{transformation}: the result of {function_name(f)}")
        trees.append(out_tree)
        return outputs

    jaxpr, captured = stage(flat, avals, function_name(f), names)
    return Staged(jaxpr, captured, trees[0])


def abstract_arguments(
    transformation: str, args: Sequence[object], kwargs: Mapping[str, object], names: Callable[[], Sequence[str]]
) -> tuple[list[ShapedArray], TreeDef]:
    """The types of all leaves of the arguments, which may be any objects with a shape and a dtype.

    `names` is called only for a message.
    """
    leaves, treedef = tree_flatten((tuple(args), dict(kwargs)))
    avals: list[ShapedArray] = []
    for position, leaf in enumerate(leaves):
        if isinstance(leaf, ShapedArray | Array):
            avals.append(leaf.aval)
        elif hasattr(leaf, "shape") and hasattr(leaf, "dtype") and not isinstance(leaf, np.ma.MaskedArray):
            try:
                avals.append(ShapedArray(tuple(leaf.shape), as_dtype(leaf.dtype)))
            except DTypeError:
                raise ArgumentError(
                    f"{transformation}: argument {names()[position]} is a NumPy array of dtype {leaf.dtype}, "
                    "which arrays cannot have"
                ) from None
        else:
            name = lambda: names()[position:]  # noqa: B023  # asked for at once
            avals.append(as_arrays(transformation, [leaf], name)[0].aval)
    return avals, treedef


@overload
def make_jaxpr[**P](f: Callable[P, object]) -> Callable[P, Jaxpr]: ...  # keeps the overloads of `f`
@overload
def make_jaxpr[**P](
    f: Callable[P, object],
    static_argnums: int | Sequence[int] | None,
    static_argnames: str | Sequence[str] | None = ...,
) -> Callable[P, Jaxpr]: ...
@overload
def make_jaxpr[**P](f: Callable[P, object], *, static_argnames: str | Sequence[str] | None) -> Callable[P, Jaxpr]: ...
def make_jaxpr[**P](
    f: Callable[P, object],
    static_argnums: int | Sequence[int] | None = (),
    static_argnames: str | Sequence[str] | None = (),
) -> Callable[P, Jaxpr]:
    """A function that returns the program of `f` for arguments like those of its call.

    Arguments may also be types (`ShapedArray`). Arrays that `f` closes over are the first inputs of the program. Static
    arguments (`static_argnums`, `static_argnames`) are Python values in `f`, as for `jit`, but need not be hashable.

    Raises ArgumentError for positions and names that `f` does not have and for static arguments that are arrays.

    >>> import effects as fx
    >>> make_jaxpr(fx.sin)(fx.zeros(3))
    { lambda a:float64[3] . let b:float64[3] = sin a in ( b ) }
    >>> make_jaxpr(fx.reshape, static_argnums=1)(fx.zeros(6), (2, 3))
    { lambda a:float64[6] . let b:float64[2,3] = reshape[shape=(2, 3)] a in ( b ) }
    """
    check_callable("make_jaxpr", f)
    signature = Signature.of("make_jaxpr", f, static_argnums, static_argnames)

    @named_after(f, "make_jaxpr")
    def traced(*args: P.args, **kwargs: P.kwargs) -> Jaxpr:
        static = signature.split(args, kwargs, hashed=False)
        names = functools.partial(signature.names, static.static, static.args, static.kwargs)
        avals, treedef = abstract_arguments("make_jaxpr", static.args, static.kwargs, names)
        return stage_tree(signature.partial(static.static), avals, treedef, "make_jaxpr", names).jaxpr

    return traced


@overload
def eval_shape(f: Callable[..., ArrayLike], *args: object, **kwargs: object) -> ShapedArray: ...
@overload
def eval_shape(f: Callable[..., Tree], *args: object, **kwargs: object) -> Any: ...
def eval_shape(f: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """The types of the results of `f`, without computing anything: the result's tree with `ShapedArray` leaves.

    Arguments may also be types (`ShapedArray`); a type checker therefore does not check them.

    >>> import effects as fx
    >>> eval_shape(lambda x: x @ x.T, fx.zeros((2, 3)))
    float64[2,2]
    """
    check_callable("eval_shape", f)
    names = functools.partial(argument_names, f, args, kwargs)
    avals, treedef = abstract_arguments("eval_shape", args, kwargs, names)
    staged = stage_tree(f, avals, treedef, "eval_shape", names)
    return tree_unflatten(staged.out_tree, staged.jaxpr.out_avals)
