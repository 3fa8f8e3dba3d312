"""`jet`: derivatives of any order along a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from effects.arguments import check_callable, shown
from effects.arrays.array import Array
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError, DTypeError, ShapeError, TreeError
from effects.functions.creation import creation
from effects.trees.pytree import flatten_up_to, tree_flatten, tree_unflatten
from effects.types import dtypes
from handlers.taylor import Jet
from handlers.transformations.calls.arguments import argument_names, flatten_arguments, flatten_results


def jet[*Ts, R](f: Callable[[*Ts], R], primals: tuple[*Ts], series: Sequence[object]) -> tuple[R, Any]:
    """The value of `f` along a curve, and its derivatives: Taylor mode.

    For x(t) with x(0) = `primals` and x⁽ᵏ⁾(0) given by `series`, the result is y(0) and y⁽¹⁾(0), …, y⁽ⁿ⁾(0) for y(t) =
    f(x(t)). They are derivatives, not divided by k!.

    `primals` has one entry per argument, each a pytree. `series` has the same structure, with a list (or tuple) of n
    derivatives in place of each array. They have its shape and dtype, and n is the same for all. The second result has
    the structure of the first, with lists of n arrays. The derivatives of integers and bools are not used. Kinks are
    treated as by `jvp`. For n derivatives, the work at each operation grows with n²; nested `jvp`s double it each time.

    Raises ArgumentError, TreeError, ShapeError or DTypeError naming the position when a derivative does not fit.

    Source of the method: A. Griewank and A. Walther, Evaluating Derivatives, chapter 13.

    >>> import effects as fx
    >>> jet(lambda x: x**3, (2.0,), ([1.0, 0.0, 0.0],))
    (Array(8., float64), [Array(12., float64), Array(12., float64), Array(6., float64)])
    """
    check_callable("jet", f)
    for argument, value in (("primals", primals), ("series", series)):
        if not isinstance(value, tuple | list):
            raise ArgumentError(
                f"jet: {argument} must be a tuple with one entry per argument, got {type(value).__name__}"
            )
    arrays, treedef = flatten_arguments("jet", f, primals, {})
    names = argument_names(f, primals, {})
    terms = _derivatives(names, arrays, _lists(primals, series))
    order = len(terms[0]) if terms else 0
    with Jet(order) as handler:
        leaves = [handler.curve([x, *t]) if dtypes.is_inexact(x.aval.dtype) else x for x, t in zip(arrays, terms)]
        args, _ = tree_unflatten(treedef, leaves)
        outputs, out_tree = flatten_results("jet", f, f(*args))
        results = [handler.lift(out) for out in outputs]
        values = [result.value() for result in results]
        rates = [[result.coefficient(k) for k in range(1, order + 1)] for result in results]
    full = [[creation.zeros_like(y) if c is None else c for c in cs] for y, cs in zip(values, rates, strict=True)]
    return tree_unflatten(out_tree, values), tree_unflatten(out_tree, full)


def _lists(primals: Sequence[object], series: Sequence[object]) -> list[object]:
    """The entries of `series` for the leaves of `primals`."""
    _, treedef = tree_flatten(tuple(primals))
    return flatten_up_to(treedef, tuple(primals), tuple(series), "jet: series")


def _derivatives(names: Sequence[str], arrays: Sequence[Array], lists: Sequence[object]) -> list[list[Array]]:
    """The derivatives of every leaf, checked."""
    checked: list[list[Array]] = []
    for name, array, terms in zip(names, arrays, lists, strict=True):
        if not isinstance(terms, tuple | list) or not terms:
            raise TreeError(
                f"jet: series of argument {name} must be a list of its derivatives, at least one: {shown(terms)}"
            )
        checked.append([_derivative(name, k, array, term) for k, term in enumerate(terms, 1)])
        if len(checked[-1]) != len(checked[0]):
            raise ArgumentError(
                f"jet: series of argument {name} has {len(checked[-1])} derivatives, "
                f"that of {names[0]} has {len(checked[0])}"
            )
    return checked


def _derivative(name: str, k: int, array: Array, coefficient: object) -> Array:
    subject = f"derivative {k} of argument {name}"
    value = as_array(coefficient, "jet", subject)
    aval, expected = value.aval, array.aval
    if aval.shape != expected.shape:
        raise ShapeError(f"jet: {subject} has shape {list(aval.shape)}, expected {expected}")
    if aval.dtype is not expected.dtype:
        if not aval.weak_type:
            raise DTypeError(f"jet: {subject} is {aval}, expected {expected}; convert it with astype")
        value = value.astype(expected.dtype)
    return value
