"""Gradients of scalar functions: `grad` and `value_and_grad`, by one backward pass over the program of `linearize`."""

# mypy: disable-error-code="overload-overlap"
# Overloads with types also fit functions without them, and give more precise results.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, cast, overload

from typing_extensions import TypeVar

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array, Scalar
from effects.arrays.promotion import constant_like
from effects.errors import ArgumentError, NotScalarError
from effects.functions.creation import creation
from effects.trees.pytree import tree_flatten, tree_unflatten
from effects.types.dtypes import Inexact
from effects.types.signatures import MYPY, Signature
from effects.types.signatures.fractions import OfElements, OfFractions
from effects.types.signatures.refused import NoSuchArgument, Refused
from handlers.transformations.calls.arguments import argument_names, as_arrays, named_after
from handlers.transformations.calls.types import Function, IntOrInts, NoAux, Unspecified
from handlers.transformations.derivatives.along import (
    First,
    GradOfBoth,
    GradOfBothAndAux,
    GradOfFirst,
    GradOfFirstAndAux,
    GradOfFractions,
    GradOfOne,
    GradOfSecond,
    GradOfSecondAndAux,
    GradOfSignature,
    GradOfUntyped,
    No,
    OfBoth,
    OfOne,
    OfThree,
    Others,
    ScalarFunction,
    Second,
    ValueAndGradOfBoth,
    ValueAndGradOfFirst,
    ValueAndGradOfFractions,
    ValueAndGradOfOne,
    ValueAndGradOfSecond,
    ValueAndGradOfSignature,
    ValueAndGradOfUntyped,
    WithAux,
    Yes,
)
from handlers.transformations.derivatives.forward import Numbers, jvp
from handlers.transformations.derivatives.linearization import linearize_flat, pull_back
from handlers.transformations.derivatives.of_reals import GradOfThree, GradOfTwo, ValueAndGradOfThree, ValueAndGradOfTwo
from handlers.transformations.derivatives.request import DerivativeRequest

A = TypeVar("A")
D = TypeVar("D", bound=Inexact, default=Any)
I = TypeVar("I", bound=Inexact)  # without a default, for which mypy would take a dtype that is not within the bound
P = ParamSpec("P")
T = TypeVar("T", bound=Any, default=Any)  # with the bound, pyright takes the arguments of a lambda for unknown ones
U = TypeVar("U", bound=Unspecified)

type NoLoss = Refused[Literal["a function that gives a floating scalar, or a pair with has_aux=True"]]


if not MYPY:  # finds the overload of the family itself, and types untyped functions

    @overload
    def value_and_grad(f: Signature[..., Array[Inexact]] | OfFractions) -> ValueAndGradOfSignature: ...
    @overload
    def value_and_grad(
        f: ScalarFunction[T, P, D],
        argnums: First = 0,
        has_aux: No = False,
        holomorphic: bool = ...,
        allow_int: bool = ...,
    ) -> ValueAndGradOfFirst[T, P, Scalar[D]]: ...


if MYPY:  # its messages show the first overload if `f` fits none; of lambdas it takes the second

    @overload
    def value_and_grad(
        f: NoLoss, argnums: Others = ..., has_aux: bool = ..., holomorphic: bool = ..., allow_int: bool = ...
    ) -> Callable[..., Any]: ...
    @overload
    def value_and_grad(
        f: ScalarFunction[U, P, D],
        argnums: First = 0,
        has_aux: No = False,
        holomorphic: bool = ...,
        allow_int: bool = ...,
    ) -> ValueAndGradOfUntyped[Scalar[D]]: ...


@overload
def value_and_grad(f: OfFractions, argnums: First = 0) -> ValueAndGradOfFractions: ...
@overload
def value_and_grad(f: OfElements, argnums: int) -> Function[..., tuple[Scalar[Any], Array]]: ...
@overload
def value_and_grad(f: OfElements, argnums: OfBoth) -> ValueAndGradOfTwo: ...
@overload
def value_and_grad(f: OfElements, argnums: OfThree) -> ValueAndGradOfThree: ...
@overload
def value_and_grad(
    f: ScalarFunction[T, P, D],
    argnums: IntOrInts = ...,
    has_aux: NoAux = ...,
    holomorphic: bool = ...,
    allow_int: bool = ...,
    **unknown: NoSuchArgument,
) -> ValueAndGradOfFirst[T, P, Scalar[D]]: ...
@overload
def value_and_grad(
    f: ScalarFunction[T, P, D], argnums: Second, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfSecond[T, P, Scalar[D]]: ...
@overload
def value_and_grad(
    f: ScalarFunction[T, P, D], argnums: OfOne, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfOne[T, P, Scalar[D]]: ...
@overload
def value_and_grad(
    f: ScalarFunction[T, P, D], argnums: OfBoth, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfBoth[T, P, Scalar[D]]: ...
@overload
def value_and_grad(
    f: ScalarFunction[T, P, D], argnums: Others, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> Function[Concatenate[T, P], tuple[Scalar[D], Any]]: ...
@overload
def value_and_grad(
    f: WithAux[T, P, D, A], argnums: First = 0, *, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfFirst[T, P, tuple[Scalar[D], A]]: ...
@overload
def value_and_grad(
    f: WithAux[T, P, D, A], argnums: Second, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfSecond[T, P, tuple[Scalar[D], A]]: ...
@overload
def value_and_grad(
    f: WithAux[T, P, D, A], argnums: OfBoth, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> ValueAndGradOfBoth[T, P, tuple[Scalar[D], A]]: ...
@overload
def value_and_grad(
    f: WithAux[T, P, D, A], argnums: Others, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> Function[Concatenate[T, P], tuple[tuple[Scalar[D], A], Any]]: ...
def value_and_grad(  # type: ignore[misc]  # which takes no unknown arguments
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """A function that returns the value of the scalar function `f` and its gradient; see `grad`.

    With `has_aux`, `f` returns (value, aux) and the result is ((value, aux), gradient).

    >>> value_and_grad(lambda x: x * x)(3.0)
    (Array(9., float64), Array(6., float64))
    """
    request = DerivativeRequest("value_and_grad", f, argnums, has_aux, holomorphic, allow_int).checked()

    @named_after(f, "value_and_grad")
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        value, aux, gradient = _gradient(request, args, kwargs)
        return ((value, aux) if request.has_aux else value), gradient

    return value_and_gradient


if not MYPY:  # finds the overload of the family itself, and types untyped functions

    @overload
    def grad(f: Signature[..., Array[Inexact]] | OfFractions) -> GradOfSignature: ...
    @overload
    def grad(
        f: ScalarFunction[T, P, I],
        argnums: First = 0,
        has_aux: No = False,
        holomorphic: bool = ...,
        allow_int: bool = ...,
    ) -> GradOfFirst[T, P]: ...


if MYPY:  # its messages show the first overload if `f` fits none; of lambdas it takes the second

    @overload
    def grad(
        f: NoLoss, argnums: Others = ..., has_aux: bool = ..., holomorphic: bool = ..., allow_int: bool = ...
    ) -> Callable[..., Any]: ...
    @overload
    def grad(
        f: ScalarFunction[U, P, D],
        argnums: First = 0,
        has_aux: No = False,
        holomorphic: bool = ...,
        allow_int: bool = ...,
    ) -> GradOfUntyped: ...


@overload
def grad(f: OfFractions, argnums: First = 0) -> GradOfFractions: ...
@overload
def grad(f: OfElements, argnums: int) -> Function[..., Array]: ...
@overload
def grad(f: OfElements, argnums: OfBoth) -> GradOfTwo: ...
@overload
def grad(f: OfElements, argnums: OfThree) -> GradOfThree: ...
@overload
def grad(
    f: ScalarFunction[T, P, I],
    argnums: IntOrInts = ...,
    has_aux: NoAux = ...,
    holomorphic: bool = ...,
    allow_int: bool = ...,
    **unknown: NoSuchArgument,
) -> GradOfFirst[T, P]: ...
@overload
def grad(
    f: ScalarFunction[T, P, I], argnums: Second, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfSecond[T, P]: ...
@overload
def grad(
    f: ScalarFunction[T, P, I], argnums: OfOne, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfOne[T, P]: ...
@overload
def grad(
    f: ScalarFunction[T, P, I], argnums: OfBoth, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfBoth[T, P]: ...
@overload
def grad(
    f: ScalarFunction[T, P, I], argnums: Others, has_aux: No = False, holomorphic: bool = ..., allow_int: bool = ...
) -> Function[Concatenate[T, P], Any]: ...
@overload
def grad(
    f: WithAux[T, P, I, A], argnums: First = 0, *, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfFirstAndAux[T, P, A]: ...
@overload
def grad(
    f: WithAux[T, P, I, A], argnums: Second, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfSecondAndAux[T, P, A]: ...
@overload
def grad(
    f: WithAux[T, P, I, A], argnums: OfBoth, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> GradOfBothAndAux[T, P, A]: ...
@overload
def grad(
    f: WithAux[T, P, I, A], argnums: Others, has_aux: Yes, holomorphic: bool = ..., allow_int: bool = ...
) -> Function[Concatenate[T, P], tuple[Any, A]]: ...
def grad(  # type: ignore[misc]  # which takes no unknown arguments
    f: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """The gradient of a scalar function with respect to its first argument (or to those that `argnums` names).

    The result has the structure, shapes and dtypes of the argument; several `argnums` give a tuple. With `has_aux`, `f`
    returns (value, aux) and the result is (gradient, aux). For complex arguments it is ∂f/∂x - i ∂f/∂y.

    With `holomorphic`, arguments and result are complex, and the derivative is f′(z); its existence is not checked.
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
    request = DerivativeRequest("grad", f, argnums, has_aux, holomorphic, allow_int).checked()

    @named_after(f, "grad")
    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, aux, result = _gradient(request, args, kwargs)
        return (result, aux) if request.has_aux else result

    return gradient


def _gradient(request: DerivativeRequest, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Array, Any, Any]:
    """(value, aux, gradient) of a scalar function."""
    name = request.transformation
    chosen, partial = request.select(args, kwargs)
    leaves, treedef = tree_flatten(chosen)
    arrays = as_arrays(name, leaves, lambda: argument_names(partial, chosen, {}))
    request.check_arguments(partial, chosen, arrays)
    linearized = linearize_flat(partial, arrays, treedef, name, has_aux=request.has_aux)
    if linearized.out_tree.num_nodes != 1 or not linearized.values or linearized.values[0].aval.shape:
        result_types = tree_unflatten(linearized.out_tree, [v.aval for v in linearized.values])
        advice = "reduce it (sum, mean)" if linearized.values else "return the scalar"
        if linearized.out_tree.num_nodes > 1 and linearized.values:
            advice = "return one scalar, or the scalar and what else there is as a pair, with has_aux=True"
        raise NotScalarError(
            f"{name} needs a function with one scalar result, {function_name(request.f)} gives {result_types}; "
            f"{advice}, or use vjp, jacrev or jacfwd"
        )
    (value,) = linearized.values
    request.check_result(value.aval)
    cotangents = pull_back(linearized, [constant_like(1, value)], consume=True)
    full = [creation.zeros_like(p) if ct is None else ct for p, ct in zip(arrays, cotangents, strict=True)]
    return value, linearized.aux, request.single(tree_unflatten(treedef, full))


def hvp[D: Inexact, *Ts](
    f: Callable[[*Ts], Scalar[D] | complex], primals: tuple[*Ts], tangents: tuple[*Ts] | Numbers
) -> tuple[*Ts]:
    """The derivative of the gradient of the scalar function `f` along `tangents`: ∂²f(x)·ẋ, forward over reverse.

    `primals` and `tangents` are tuples with one entry per argument, and so is the result. It costs a few times as much
    as `f`, whatever the number of elements.

    Raises the errors of `grad` and `jvp`.

    >>> import effects as fx
    >>> hvp(lambda x: fx.sum(x**3), (fx.asarray([1.0, 2.0]),), (fx.asarray([1.0, 0.0]),))
    (Array([6., 0.], float64),)
    """
    check_callable("hvp", f)
    if not isinstance(primals, tuple | list):
        raise ArgumentError(f"hvp: primals must be a tuple with one entry per argument, got {type(primals).__name__}")
    gradient = cast("Callable[[*Ts], tuple[*Ts]]", grad(f, argnums=tuple(range(len(primals)))))
    return jvp(gradient, primals, tangents)[1]
