"""Reverse-mode derivatives: `vjp`, `grad` and `value_and_grad`. `vjp = Transpose ∘ linearize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from effects.arguments import check_callable, flag, function_name
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.errors import NotScalarError
from effects.functions import creation
from effects.trees.pytree import tree_flatten, tree_unflatten
from effects.types.signatures import typed_as
from handlers.transformations.calls.arguments import argument_names, as_arrays, named_after, select_arguments, single
from handlers.transformations.derivatives.domains import Domain
from handlers.transformations.derivatives.linear_functions import Pullback
from handlers.transformations.derivatives.linearization import (
    flatten_primals,
    linear_function,
    linearize_flat,
    pull_back,
)

if TYPE_CHECKING:
    from handlers.transformations.calls import signatures


@typed_as(lambda: signatures.vjp)
def vjp(f: Callable[..., Any], *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of `f` at `primals`, and the function from a cotangent of the result to those of the arguments.

    A cotangent has the structure, shapes and dtypes of the result; the cotangents given back have those of the
    arguments, zeros where the result does not depend on them. With `has_aux`, `f` returns (result, aux) and a third
    value, aux, is returned.

    The function is a pytree, whose leaves are the arrays that it keeps of the forward pass: it may leave `jit`, be
    batched, carried by a loop, and be an argument of a jitted function, where those of equal programs are of one kind.

    Raises TreeError, ShapeError or DTypeError naming the place when a cotangent does not fit.

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


@typed_as(lambda: signatures.value_and_grad)
def value_and_grad(
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """A function that gives the value of the scalar function `f` and its gradient; see `grad`.

    With `has_aux`, `f` returns (value, aux) and the result is ((value, aux), gradient).

    >>> value_and_grad(lambda x: x * x)(3.0)
    (Array(9., float64), Array(6., float64))
    """
    check_callable("value_and_grad", f)
    has_aux = flag("value_and_grad", "has_aux", has_aux)
    domain = Domain("value_and_grad", holomorphic, allow_int).checked()

    @named_after(f)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, aux, gradient = _gradient(domain, f, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), gradient

    return value_and_gradient


@typed_as(lambda: signatures.grad)
def grad(
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """The gradient of a scalar function with respect to its first argument (or to those that `argnums` names).

    The result has the structure, shapes and dtypes of the argument; several `argnums` give a tuple. With `has_aux`, `f`
    returns (value, aux) and the result is (gradient, aux). For complex arguments it is ∂f/∂x - i ∂f/∂y.

    With `holomorphic` arguments and result are complex, and the derivative is f′(z): that `f` has one is not checked.
    With `allow_int` arguments may be integers and bools, whose gradients are zeros.

    Raises NotScalarError (a TypeError) naming the output's shape when it is not a scalar, DTypeError when it or an
    argument is not floating point.

    >>> grad(lambda x: x**2)(3.0)
    Array(6., float64)
    >>> grad(lambda z: z**2, holomorphic=True)(1 + 2j)
    Array(2.+4.j, complex128)
    >>> grad(lambda x, n: x * n, argnums=(0, 1), allow_int=True)(2.0, 3)
    (Array(3., float64), Array(0, int64))
    """
    check_callable("grad", f)
    has_aux = flag("grad", "has_aux", has_aux)
    domain = Domain("grad", holomorphic, allow_int).checked()

    @named_after(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, aux, found = _gradient(domain, f, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return gradient


def _gradient(
    domain: Domain,
    f: Callable[..., Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[Array, Any, Any]:
    """(value, aux, gradient) of a scalar function."""
    name = domain.transformation
    chosen, partial = select_arguments(name, f, argnums, args, kwargs)
    leaves, treedef = tree_flatten(chosen)
    arrays = as_arrays(name, leaves, lambda: argument_names(partial, chosen, {}))
    domain.check_arguments(partial, chosen, arrays)
    linearized = linearize_flat(partial, arrays, treedef, name, has_aux=has_aux)
    if linearized.out_tree.num_nodes != 1 or not linearized.values or linearized.values[0].aval.shape:
        given = tree_unflatten(linearized.out_tree, [v.aval for v in linearized.values])
        advice = "reduce it (sum, mean)" if linearized.values else "return the scalar"
        raise NotScalarError(
            f"{name} needs a function with one scalar result, {function_name(f)} gives {given}; "
            f"{advice}, or use vjp, jacrev or jacfwd"
        )
    (value,) = linearized.values
    domain.check_result(f, value.aval)
    found = pull_back(linearized, [constant_like(1, value)], consume=True)
    full = [creation.zeros_like(p) if ct is None else ct for p, ct in zip(arrays, found, strict=True)]
    return value, linearized.aux, single(argnums, tree_unflatten(treedef, full))
