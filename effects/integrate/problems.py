"""Equations as users write them, of trees, made equations of vectors; checks of arguments."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Protocol, TypedDict

import effects as fx
import handlers
from effects.arguments import (
    advising_of_lists,
    at_least,
    check_callable,
    choice,
    function_name,
    in_the_name_of,
    number,
    refusal,
    shown,
    step_count,
)
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.arrays.promotion import as_array, as_leaf, at_least_single, convert, inexact, strong
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.integrate.methods import METHODS, RODAS4, Method
from effects.random.keys import Key
from effects.trees.functions import Unravel
from effects.trees.pytree import check_like, tree_leaves_with_path
from effects.types.dtypes import INEXACT, Complex, real_of

type MethodName = Literal["dopri5", "tsit5", "rodas4"]


class Rate(Protocol):
    """The right-hand side of an equation: of a state and a time, in the order that the function says, and arguments."""

    def __call__(self, first: Any, second: Any, /, *args: Any, **kwargs: Any) -> object: ...


class StepOptions(TypedDict, total=False):
    """Arguments of equations by name: the method, and how long and how many its steps may be."""

    rtol: float
    atol: float
    hmax: float
    mxstep: int | None
    method: MethodName


class Settings(NamedTuple):
    """The method, the tolerances, the longest step, and the most steps there may be."""

    method: Method
    rtol: float
    atol: float
    hmax: float
    most: int


class Problem(NamedTuple):
    """y' = slope(y, t, parameters, constants) of vectors, from y at times[0] on.

    `tree` is that of a vector, like y0, and `wide` the one that the user's functions get.

    Parameters are the arrays among arguments, and of what the function closes over, that derivatives are taken by.
    """

    slope: Callable[[Array, Array, Array, list[Array]], Array]
    y: Array
    times: Array
    parameters: Array
    constants: list[Array]
    tree: Callable[[Array], Any]
    wide: Unravel[Any]


def settings(
    function: str, method: MethodName, rtol: float, atol: float, hmax: float, mxstep: int | None, default: int
) -> Settings:
    """The settings, or an ArgumentError."""
    known = choice(function, "method", method, MethodName)
    relative, absolute = at_least(function, "rtol", rtol), at_least(function, "atol", atol)
    if relative == absolute == 0:
        raise ArgumentError(f"{function}: one of rtol and atol must be positive, both are 0")
    longest = number(function, "hmax", hmax)
    if not longest > 0:
        raise ArgumentError(f"{function}: hmax must be positive, got {longest}")
    most = default if mxstep is None else step_count(function, "mxstep", mxstep)
    return Settings(METHODS[known], relative, absolute, longest, most)


def problem(
    function: str, f: Rate, y0: object, t: object, args: tuple[object, ...], method: Method, name: str = "t"
) -> Problem:
    """The problem of vectors, in floats of at least 32 bits; times, of this name, are as wide as the state."""
    check_callable(function, f, "f")
    check_order(function, "f", f)
    initial = _leaves(function, "y0", y0)
    state = fx.tree_map(at_least_single, initial)
    y, unravel = fx.ravel_pytree(state)
    if method is RODAS4 and issubclass(y.aval.dtype, Complex):
        raise DTypeError(f"{function}: method 'rodas4' takes states of real numbers, got {y.aval.dtype}")
    times = _times(function, name, t, y)

    def tree(vector: Array) -> Any:
        return fx.tree_map(lambda x, leaf: convert(x, leaf.aval.dtype), unravel(vector), initial)

    @in_the_name_of(f)
    def of_vectors(y: Array, t: Array, *args: object) -> Array:
        return _slope(function, f, state, unravel(y), t, args, y)

    arguments = fx.tree_map(lambda leaf: as_leaf(leaf, function, "args"), args)
    converted, hoisted = handlers.closure_convert(of_vectors, y, times[0], *arguments)
    leaves, treedef = fx.tree_flatten((arguments, hoisted))
    varying = [leaf.aval.dtype in INEXACT for leaf in fx.tree_leaves(arguments)]
    varying += [leaf.aval.dtype in INEXACT and not isinstance(leaf, Concrete) for leaf in hoisted]
    parameters, of_vector = fx.ravel_pytree([strong(leaf) for leaf, varies in zip(leaves, varying) if varies])

    def slope(y: Array, t: Array, parameters: Array, constants: list[Array]) -> Array:
        varied, constant = iter(of_vector(parameters)), iter(constants)
        arguments, hoisted = treedef.unflatten([next(varied if varies else constant) for varies in varying])
        return converted(y, t, *arguments, *hoisted)

    constants = [leaf for leaf, varies in zip(leaves, varying) if not varies]
    return Problem(slope, y, times, parameters, constants, tree, unravel)


def _slope(
    function: str, f: Rate, state: object, y: object, t: Array, args: tuple[object, ...], vector: Array
) -> Array:
    """The slope as a vector like that of the state, or the error that says what is wrong with it."""
    with advising_of_lists("y0", y, args):
        rate = f(y, t, *args)
    name = f"{function}: what {function_name(f)} returns"
    check_like(name, rate, "y0", state)
    parts = []
    for (path, slope), leaf in zip(tree_leaves_with_path(rate), fx.tree_leaves(state), strict=True):
        part = as_leaf(slope, function, f"the slope{path}")
        if part.aval.shape != leaf.aval.shape:
            raise ShapeError(f"{name} is {part.aval}, where y0{path} is {leaf.aval}; {_call_of(function)}")
        if issubclass(part.aval.dtype, Complex) and not issubclass(leaf.aval.dtype, Complex):
            raise DTypeError(f"{name} is {part.aval}, where y0{path} is {leaf.aval}, of real numbers")
        parts.append(fx.ravel(convert(part, vector.aval.dtype)))
    return fx.concat(parts) if parts else vector


def _call_of(function: str) -> str:
    """The order of arguments, as advice."""
    return f"{function} calls f({'y, t' if function == 'odeint' else 't, y'}, *args)"


def check_order(function: str, argument: str, f: Callable[..., object]) -> None:
    """Refuse a function with its parameter t where the state is passed, which a scalar state would not show."""
    names: list[str] = []
    with suppress(TypeError, ValueError):  # not every callable tells its parameters
        names = [*inspect.signature(f).parameters]
    first = ["t", "y"] if function == "solve_ivp" else ["y", "t"]
    if "t" in names[:2] and names.index("t") != first.index("t"):
        raise ArgumentError(
            f"{function}: {argument} is called with ({', '.join(first)}, *args), but its parameters are "
            f"({', '.join(names)}); exchange the first two, or rename t if it is the state"
        )


def is_key(node: object) -> bool:
    """True of random keys, whose bits are no numbers to integrate."""
    return isinstance(node, Key)


def _times(function: str, name: str, t: object, y: Array) -> Array:
    times = inexact(function, as_array(t, function, name), name)
    if issubclass(times.aval.dtype, Complex):
        raise DTypeError(f"{function}: {name} must be of real numbers, got {times.aval}")
    if times.ndim != 1 or not times.size:
        raise ShapeError(f"{function}: {name} must be a vector of times, the first that of y0, got {times.aval}")
    if name == "t_span" and times.size != 2:
        raise ShapeError(f"{function}: {name} must be the first and the last time, got {times.aval}")
    if isinstance(times, Concrete):
        known = times.fetch().tolist()
        if not any([all(map(in_order, known, known[1:])) for in_order in (operator.le, operator.ge)]):
            raise ArgumentError(f"{function}: {name} must be in order, ascending or descending, got {shown(known)}")
    else:  # what is not known in time to be refused has no answer
        steps = times[1:] - times[:-1]
        times = fx.where(fx.logical_or(fx.all(steps >= 0), fx.all(steps <= 0)), times, fx.nan)
    wide = at_least_single(times)
    return convert(wide, fx.result_type(wide.aval.dtype, real_of(y.aval.dtype)))


def _leaves(function: str, argument: str, tree: Any) -> Any:
    """The leaves of a tree as arrays of floats or complex numbers."""
    if tree is None:
        raise refusal(function, argument, "a number, an array or a tree of them", tree)
    leaves = [(f"{argument}{path}", leaf) for path, leaf in tree_leaves_with_path(tree, is_key)]
    arrays = [strong(inexact(function, as_leaf(leaf, function, name), name)) for name, leaf in leaves]
    return fx.tree_structure(tree).unflatten(arrays)
