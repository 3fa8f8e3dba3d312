"""Functions of trees as functions of vectors, the criteria for the end of a search, derivatives of solutions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

import effects as fx
import handlers
from effects.arguments import (
    advising_of_lists,
    at_least,
    check_callable,
    function_name,
    in_the_name_of,
    refusal,
    step_count,
)
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_leaf, at_least_single, convert, strong
from effects.errors import DTypeError, NotScalarError
from effects.trees.functions import Unravel
from effects.trees.pytree import tree_leaves_with_path
from effects.types.dtypes import Complex, Floating


class Status(IntEnum):
    """The end of a search, which a result has as an int32 array: `Status(int(result.status)).name`.

    >>> import effects as fx
    >>> result = fx.optimize.minimize(lambda x: -x, fx.asarray(0.0), maxiter=3)
    >>> fx.optimize.Status(int(result.status)).name
    'MAXITER'
    """

    CONVERGED = 0
    """The criterion is met."""
    MAXITER = 1
    """It is not met after `maxiter` steps."""
    STALLED = 2
    """No step makes the function less, in its precision."""
    NOT_FINITE = 3
    """The function, or its derivative, is NaN or infinite here."""


def shown_search(result: NamedTuple) -> str:
    """Text of a result, which has the name of its status where that is known."""
    values = result._asdict()
    status, fields = values["status"], {name: repr(value) for name, value in values.items()}
    if (known := status.known()) is not None and not status.ndim:
        fields["status"] = Status(int(known.fetch())).name
    return f"{type(result).__name__}({', '.join([f'{name}={text}' for name, text in fields.items()])})"


class Search[M](NamedTuple):
    """A point, what a method remembers there, the numbers of steps and evaluations that led to it, the status."""

    x: Array
    memory: M
    steps: Array
    evaluations: Array
    status: Array

    def after(self, x: Array, memory: M, evaluations: Array | int, status: Array) -> Search[M]:
        """The search one step on."""
        return Search(x, memory, self.steps + 1, self.evaluations + evaluations, convert(status, fx.int32))


class Ends(NamedTuple):
    """Criterion for the end of a search: the size that is small enough, the number of steps."""

    tol: float
    maxiter: int

    def reached(self, size: Array, value: Array) -> Array:
        """The status of a point where the function has this value, and this size is to be small."""
        status = fx.where(size <= self.tol, Status.CONVERGED, Status.MAXITER)
        finite = fx.logical_and(fx.isfinite(size), fx.isfinite(value))
        return convert(fx.where(finite, status, Status.NOT_FINITE), fx.int32)

    def search[M](
        self, advance: Callable[[Search[M]], Search[M]], x: Array, memory: M, evaluations: int, status: Array
    ) -> Search[M]:
        """The end of the search that these steps make from x on."""

        def going(state: Search[M]) -> Array:
            return fx.logical_and(state.status == Status.MAXITER, state.steps < self.maxiter)

        zero = fx.zeros((), dtype=fx.int32)
        return handlers.while_loop(going, advance, Search(x, memory, zero, zero + evaluations, status))


def ends(function: str, start: Array, tol: float | None, maxiter: int | None) -> Ends:
    """The criterion of a search from `start`: the square root of the precision, 200 steps for each element."""
    small = math.sqrt(epsilon(start)) if tol is None else at_least(function, "tol", tol)
    most = 200 * max(start.aval.size, 1) if maxiter is None else step_count(function, "maxiter", maxiter)
    return Ends(small, most)


def epsilon(x: Array) -> float:
    """The distance of 1 to the next number of the dtype of x."""
    return fx.finfo(x.aval.dtype).eps


def hidden(value: Array) -> Array:
    """Differences of values like this one that rounding may hide: it adds up where a value is a sum of many."""
    return math.pow(epsilon(value), 2 / 3) * fx.abs(value)


def largest(x: Array) -> Array:
    """The greatest |x|; 0 of no elements."""
    return fx.max(fx.abs(x), initial=0.0)


def length(x: Array) -> Array:
    """The length of a vector, or those of the columns of a matrix, whose squares may over- or underflow."""
    most = fx.max(fx.abs(x), axis=0, initial=0.0)
    return most * fx.linalg.vector_norm(x / fx.where(fx.logical_and(most > 0, fx.isfinite(most)), most, 1.0), axis=0)


def negligible(size: Array, x: Array) -> Array:
    """True of the length of a step that does not change x."""
    return size <= epsilon(x) * length(x) + fx.finfo(x.aval.dtype).smallest_normal


def chosen[T](first: Array, x: T, y: T) -> T:
    """x where `first` is True, or else y, trees of the same form."""
    return fx.tree_map(lambda a, b: fx.where(first, a, b), x, y)


class Vectorized[P](NamedTuple):
    """A function of a tree as one of a vector, and of the arrays that it closes over or that are its arguments.

    `tree` is that of a vector, and `wide` the one that the user's function gets.
    """

    function: Callable[..., Array]
    constants: Sequence[Array]
    start: Array
    tree: Callable[[Array], P]
    wide: Unravel[P]

    def varying(self, x: Array) -> Array:
        """The value, which varies with the arguments."""
        return self.function(x, *self.constants)

    def constant(self, x: Array) -> Array:
        """The value, where the arguments are constants to derivatives."""
        return self.function(x, *handlers.stop_gradient(self.constants))


def vectorized[P, *Args](
    function: str, x0: P, f: Callable[[P, *Args], Array], args: tuple[*Args], argument: str = "x0"
) -> Vectorized[P]:
    """f(x, *args), a scalar or a vector, of vectors x of the widest dtype of the leaves of x0, at least float32.

    Floats among the arguments are operands of the program, which is the same for all of them.
    """
    if x0 is None:
        raise refusal(function, argument, "a float, an array or a tree of them", x0)
    places = tree_leaves_with_path(x0)
    leaves = [floats(function, f"{argument}{path}", leaf) for path, leaf in places]
    treedef = fx.tree_structure(x0)
    wide = treedef.unflatten([at_least_single(x) for x in leaves])
    flat, unravel = fx.ravel_pytree(wide)
    arguments, args_tree = fx.tree_flatten(args)
    numbers = [as_leaf(leaf, function, "args") for leaf in arguments if isinstance(leaf, float)]

    def tree(x: Array) -> P:
        parts = fx.tree_leaves(unravel(x))
        return treedef.unflatten([convert(part, leaf.aval.dtype) for part, leaf in zip(parts, leaves, strict=True)])

    @in_the_name_of(f)
    def value(x: Array, *numbers: Array) -> Array:
        operands = iter(numbers)
        known = args_tree.unflatten([next(operands) if isinstance(leaf, float) else leaf for leaf in arguments])
        with advising_of_lists(argument, x0, args):
            result = f(unravel(x), *known)
        return convert(result, flat.aval.dtype)

    converted, hoisted = handlers.closure_convert(value, flat, *numbers)
    constants = [*map(strong, numbers), *hoisted]  # a number that is not strong would be part of the program
    return Vectorized(converted, constants, handlers.stop_gradient(flat), tree, unravel)


def floats(function: str, name: str, leaf: object) -> Array:
    """A leaf of a tree as an array of floats."""
    array = as_leaf(leaf, function, name)
    if not issubclass(array.aval.dtype, Floating):
        number = "write 1.0 for 1" if type(leaf) is int else "convert it with astype"
        advice = "write its real and imaginary parts" if issubclass(array.aval.dtype, Complex) else number
        raise DTypeError(f"{function}: {name} must be of floats, got {array.aval}; {advice}")
    return array


def scalar_objective[P, *Args](
    function: str, f: Callable[[P, *Args], ArrayLike], x0: P, args: tuple[*Args], argument: str = "x0"
) -> Vectorized[P]:
    """The function that is to be minimised, which gives a real scalar."""
    check_callable(function, f)

    @in_the_name_of(f)
    def value(x: P, *args: *Args) -> Array:
        result = f(x, *args)
        name = f"{function}: {function_name(f)}"
        if len(fx.tree_leaves(result)) != 1 or fx.tree_structure(result).num_nodes != 1:
            raise NotScalarError(f"{name} must return one scalar, got {type(result).__name__}")
        array = as_leaf(result, function, "what f gives")
        if array.aval.shape:
            raise NotScalarError(f"{name} must return a scalar, got {array.aval}; reduce it (sum, mean)")
        if not issubclass(array.aval.dtype, Floating):
            raise DTypeError(f"{name} must return a float, got {array.aval}")
        return array

    return vectorized(function, x0, value, args, argument)


def dense_solve(g: Callable[[Array], Array], b: Array) -> Array:
    """The x with g(x) = b, for a linear g, by its matrix."""
    matrix = handlers.jacfwd(g)(b)
    return fx.linalg.solve(matrix, b)


def iterative_solve(g: Callable[[Array], Array], b: Array) -> Array:
    """The x with g(x) = b, for a positive definite g, by conjugate gradients."""
    return handlers.cg(g, b, tol=4 * epsilon(b))


def implicit(
    equation: Callable[[Array], Array], solution: Array, solve: Callable[[Callable[[Array], Array], Array], Array]
) -> Array:
    """A solution of equation(x) = 0 as a function of all that the equation closes over."""
    return handlers.custom_root(equation, solution, lambda _, x: x, solve)
