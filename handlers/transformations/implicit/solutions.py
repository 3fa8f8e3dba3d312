"""`custom_linear_solve` and `custom_root`: solutions, differentiated by their equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from effects.arguments import check_callable, flag, function_name
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf
from effects.errors import ShapeError, TreeError
from effects.functions.elementwise import arithmetic, unary
from effects.trees.pytree import structure_difference, tree_leaves_with_path, tree_map, tree_structure
from effects.types.avals import ShapedArray
from handlers.transformations.custom_rules.closures import hoisting
from handlers.transformations.custom_rules.rules import custom_jvp, custom_transpose
from handlers.transformations.derivatives.forward import jvp
from handlers.transformations.derivatives.linearization import linear_transpose, linearize

type Solver[T] = Callable[[Callable[[T], T], T], T]
"""solve(f, b): the x with f(x) = b, for a linear f."""


def _aval(leaf: Array) -> ShapedArray:
    return leaf.aval


def _checked_form[T](function: str, subject: str, result: T, form: object) -> T:
    """The result of a user's function, which must have the structure and shapes of the unknowns, those of `form`."""
    if tree_structure(result) != tree_structure(form):
        difference = structure_difference(form, result)
        raise TreeError(f"{function}: {subject} must have the structure of the unknowns, but {difference}")
    expected: Any
    for (path, leaf), (_, expected) in zip(tree_leaves_with_path(result), tree_leaves_with_path(form), strict=True):
        got = as_leaf(leaf, function, f"{subject}{path}").aval
        if got.shape != expected.shape:
            raise ShapeError(f"{function}: {subject}{path} must have the shape of the unknowns, {expected}, got {got}")
    return result


def custom_linear_solve[T](
    matvec: Callable[[T], T], b: T, solve: Solver[T], transpose_solve: Solver[T] | None = None, symmetric: bool = False
) -> T:
    """The x with matvec(x) = b that `solve(matvec, b)` computes, differentiated by ẋ = solve(matvec, ḃ - Ȧ·x).

    `matvec` is linear and may close over values that vary. `solve` may be anything: a loop, a callback, a
    factorisation. In reverse mode, `transpose_solve(vecmat, ct)` solves with the transpose of `matvec`. Without it,
    `solve` is used if `matvec` is `symmetric`, its own transpose; otherwise the operations of `solve` are transposed.
    Values that `solve` closes over have no derivative: factorise `stop_gradient(matrix)`. b and x are trees of the same
    form.

    >>> import effects as fx
    >>> from handlers import grad
    >>> def f(a):
    ...     solve = lambda matvec, b: b / matvec(fx.ones(()))
    ...     return custom_linear_solve(lambda x: a * x, fx.asarray(6.0), solve, symmetric=True)
    >>> f(2.0), grad(f)(2.0)
    (Array(3., float64), Array(-1.5, float64))
    """
    check_callable("custom_linear_solve", solve, "solve")
    if transpose_solve is not None:
        check_callable("custom_linear_solve", transpose_solve, "transpose_solve")
    is_symmetric = flag("custom_linear_solve", "symmetric", symmetric)
    b = tree_map(lambda leaf: as_leaf(leaf, "custom_linear_solve", "b"), b)
    return _linear_solve("custom_linear_solve", "solve", matvec, b, solve, transpose_solve, is_symmetric)


def _linear_solve[T](
    function: str,
    name: str,
    matvec: Callable[[T], T],
    b: T,
    solve: Solver[T],
    transpose_solve: Solver[T] | None,
    symmetric: bool,
) -> T:
    """`custom_linear_solve` for `function`; `name` is its argument with the solver, for messages."""
    converted, hoisted = hoisting(function, matvec, b, varying=True)
    form = tree_map(_aval, b)
    maybe_reverse_solve = solve if symmetric and transpose_solve is None else transpose_solve

    def linear_map(constants: Sequence[Array]) -> Callable[[T], T]:
        return lambda x: _checked_form(function, "what matvec gives", converted(x, *constants), form)

    def solution(constants: Sequence[Array], b: T) -> T:
        return _checked_form(function, f"what {name} gives", solve(linear_map(constants), b), form)

    def transposed(constants: Sequence[Array], ct: T) -> T:
        transposed_map = (
            linear_map(constants) if symmetric else lambda y: linear_transpose(linear_map(constants), ct)(y)[0]
        )
        return _linear_solve(function, name, transposed_map, ct, reverse_solve, solve, symmetric)

    def rule(primals: tuple[Sequence[Array], T], tangents: tuple[Sequence[Array], T]) -> tuple[T, T]:
        constants, _ = primals
        constants_tangent, b_tangent = tangents
        x = solved(*primals)
        matrix_term = jvp(lambda constants: converted(x, *constants), (constants,), (constants_tangent,))[1]
        return x, solved(constants, tree_map(arithmetic.subtract, b_tangent, matrix_term))

    def linear(constants: Sequence[Array], b: T) -> T:
        return transposable(constants, b)

    transposable: Callable[[Sequence[Array], T], T] = solution
    solution.__name__ = linear.__name__ = function_name(solve)  # for messages
    if maybe_reverse_solve is not None:
        reverse_solve = maybe_reverse_solve
        transposing = custom_transpose(solution)
        transposing.deftranspose(transposed)
        transposable = transposing
    solved: Callable[[Sequence[Array], T], T] = custom_jvp(rule)(linear)
    return solved(hoisted, b)


def custom_root[T](
    f: Callable[[T], T],
    initial_guess: T,
    solve: Solver[T],
    tangent_solve: Solver[T],
    transpose_solve: Solver[T] | None = None,
) -> T:
    """The x with f(x) = 0 that `solve(f, initial_guess)` computes, differentiated by ∂f(x)·ẋ = -ḟ (the implicit
    function).

    f may close over values that vary; the guess has no derivative. `tangent_solve(g, y)` returns the x with g(x) = y,
    for the linear g that is the derivative of f at the root. In reverse mode, `transpose_solve` does so for its
    transpose; by default `tangent_solve` is used. x is a tree.

    >>> import effects as fx
    >>> from handlers import grad, while_loop
    >>> def newton(f, x):
    ...     slope = grad(f)
    ...     return while_loop(lambda x: abs(f(x)) > 1e-12, lambda x: x - f(x) / slope(x), x)
    >>> direct = lambda g, y: y / g(fx.ones(()))
    >>> root = lambda a: custom_root(lambda x: x * x - a, fx.asarray(1.0), newton, direct)
    >>> root(4.0), grad(root)(4.0), grad(grad(root))(4.0)
    (Array(2., float64), Array(0.25, float64), Array(-0.03125, float64))
    """
    for name, function in (("solve", solve), ("tangent_solve", tangent_solve)):
        check_callable("custom_root", function, name)
    if transpose_solve is not None:
        check_callable("custom_root", transpose_solve, "transpose_solve")
    reverse_solve = tangent_solve if transpose_solve is None else transpose_solve
    guess = tree_map(lambda leaf: as_leaf(leaf, "custom_root", "initial_guess"), initial_guess)
    form = tree_map(_aval, guess)
    converted, hoisted = hoisting("custom_root", f, guess, varying=True)

    def rule(primals: tuple[Sequence[Array], T], tangents: tuple[Sequence[Array], T]) -> tuple[T, T]:
        constants, _ = primals
        x = solver(*primals)
        f_tangent = jvp(lambda constants: converted(x, *constants), (constants,), (tangents[0],))[1]
        derivative = linearize(lambda x: converted(x, *constants), x)[1]
        right_side = tree_map(unary.negative, f_tangent)
        return x, _linear_solve(
            "custom_root", "tangent_solve", derivative, right_side, tangent_solve, reverse_solve, False
        )

    def root(constants: Sequence[Array], guess: T) -> T:
        equation = lambda x: _checked_form("custom_root", "what f gives", converted(x, *constants), form)
        return _checked_form("custom_root", "what solve gives", solve(equation, guess), form)

    solver = custom_jvp(rule)(root)
    return solver(hoisted, guess)
