"""Loops that are staged: `while_loop`, `fori_loop`.

The function of a step is traced once, however many steps there are, and the loop is one operation of the program.
Python's `for` and `while` would record the step in every iteration.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array, ArrayLike, Scalar
from effects.arrays.promotion import as_array, as_leaf, common_type, convert
from effects.errors import ArgumentError, DTypeError
from effects.operations.loops import While
from effects.program.chain import current, perform
from effects.trees.pytree import tree_map, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.signatures.becoming import Integral
from effects.types.signatures.refused import NoInteger
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.disabling import repeated
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.calls.types import Counted
from handlers.transformations.loops.carries import Carry
from handlers.transformations.loops.scan import scanned_steps, steps_per_iteration
from handlers.transformations.loops.steps import Loop, arguments_tree, leaves_of, stage_step, step_names

type Truth = Scalar[dtypes.bool_] | bool


@overload
def while_loop(
    cond_fun: Callable[[Array], Truth], body_fun: Callable[[Array], ArrayLike], init_val: complex
) -> Array: ...
@overload
def while_loop[C](cond_fun: Callable[[C], Truth], body_fun: Callable[[C], C], init_val: C) -> C: ...
@overload
def while_loop[C](cond_fun: Callable[[C], Truth], body_fun: Callable[[C], C], init_val: Counted) -> C: ...
def while_loop(cond_fun: Callable[..., object], body_fun: Callable[..., Any], init_val: object) -> Any:
    """`val = init_val; while cond_fun(val): val = body_fun(val)`; the last `val`.

    `val` is a pytree whose structure, shapes and dtypes every step keeps; Python numbers take the dtype that `body_fun`
    returns. `cond_fun` returns a bool scalar. Both may close over arrays. Forward-mode derivatives go through the loop;
    reverse mode does not, since the number of steps is not bounded: use `scan`, or `fori_loop` with static bounds.
    Where `vmap` makes the condition differ between lanes, the loop runs while any lane does, and finished lanes keep
    their values.

    Raises DTypeError for a condition that is not a bool scalar; TreeError, ShapeError or DTypeError showing both types
    where a step changes the carry.

    >>> while_loop(lambda x: x < 100, lambda x: x * 2, 3)
    Array(192, int64)
    """
    check_callable("while_loop", cond_fun, "cond_fun")
    check_callable("while_loop", body_fun, "body_fun")
    return _while(Loop("while_loop", "body_fun", "init_val"), cond_fun, body_fun, init_val, body_fun)


def _while(
    loop: Loop, cond_fun: Callable[..., Any], step: Callable[..., Any], init: Any, body_fun: Callable[..., Any]
) -> Any:
    arrays, tree = leaves_of(loop.name, loop.carry, init)
    before = init  # for the names of arguments
    if current().eager:
        init, ended = repeated(loop.name, cond_fun, step, tree_unflatten(tree, arrays))
        if ended:
            return init
        arrays, tree = leaves_of(loop.name, loop.carry, init)
    body = stage_step(loop, step, (arrays, tree), ([], ()), lambda out: out, lambda: step_names(loop, body_fun, before))
    condition = stage_tree(
        cond_fun,
        [a.aval for a in body.init],
        arguments_tree(tree),
        loop.name,
        lambda: argument_names(cond_fun, (init,), {}),
    )
    result = tree_unflatten(condition.out_tree, condition.jaxpr.out_avals)
    if not isinstance(result, ShapedArray) or result.shape or result.dtype is not dtypes.bool_:
        raise DTypeError(
            f"{loop.name}: cond_fun ({function_name(cond_fun)}) must return a bool scalar, got {result}; compare, or "
            "reduce with any or all"
        )
    carry = Carry.of(body.jaxpr, body.captured, body.init)
    test, test_consts = carry.reading(condition.jaxpr, condition.captured)
    program, consts = carry.step(body.jaxpr, body.captured)
    results = perform(While(test, program, test_consts, consts, carry.changing()))
    return tree_unflatten(tree, carry.whole(results))


@overload
def fori_loop(
    lower: Integral,
    upper: Integral,
    body_fun: Callable[[Array, Array], ArrayLike],
    init_val: complex,
    *,
    unroll: int | bool | None = None,
) -> Array: ...
@overload
def fori_loop[C](
    lower: Integral | NoInteger,
    upper: Integral | NoInteger,
    body_fun: Callable[[Array, C], C],
    init_val: C,
    *,
    unroll: int | bool | None = None,
) -> C: ...
@overload
def fori_loop[C](
    lower: Integral,
    upper: Integral,
    body_fun: Callable[[Array, C], C],
    init_val: Counted,
    *,
    unroll: int | bool | None = None,
) -> C: ...
def fori_loop(  # type: ignore[misc]  # which takes integers alone
    lower: Integral,
    upper: Integral,
    body_fun: Callable[..., Any],
    init_val: object,
    *,
    unroll: int | bool | None = None,
) -> Any:
    """`val = init_val; for i in range(lower, upper): val = body_fun(i, val)`; the last `val`.

    `val` is a pytree whose type every step keeps, as in `while_loop`. If the bounds are known when the loop is traced
    (Python ints), it is a `scan`, and derivatives of every mode go through it. Otherwise it is a `while_loop`, which
    has no reverse mode. `unroll` is that of `scan` and needs known bounds.

    Raises DTypeError for bounds that are not integer scalars, and the errors of `scan` and `while_loop`.

    >>> fori_loop(0, 5, lambda i, total: total + i, 0)
    Array(10, int64)
    """
    check_callable("fori_loop", body_fun, "body_fun")
    first, last = (_bound(name, value) for name, value in (("lower", lower), ("upper", upper)))
    dtype, weak = common_type([first.aval, last.aval])
    first, last = convert(first, dtype, weak), convert(last, dtype, weak)
    loop = Loop("fori_loop", "body_fun", "init_val", (1,))
    begin, end = first.known(), last.known()
    if begin is not None and end is not None:
        length = max(int(end.fetch()) - int(begin.fetch()), 0)
        counted: Callable[..., Any] = lambda c, _: ((c[0] + 1, body_fun(c[0], c[1])), None)
        if not length and current().eager:
            return tree_map(lambda leaf: as_leaf(leaf, "fori_loop", "init_val"), init_val)
        unrolled = 1 if unroll is None else unroll
        (_, result), _ = scanned_steps(loop, counted, (begin, init_val), None, length, False, unrolled, body_fun)
        return result
    if unroll is not None and steps_per_iteration("fori_loop", unroll, 2) != 1:
        raise ArgumentError("fori_loop: unroll needs bounds that are known when the loop is traced, as Python ints are")
    step: Callable[..., Any] = lambda c: (c[0] + 1, body_fun(c[0], c[1]))
    return _while(loop, lambda c: c[0] < last, functools.wraps(body_fun)(step), (first, init_val), body_fun)[1]


def _bound(name: str, value: Integral) -> Array:
    bound = as_array(value, "fori_loop", name)
    if bound.aval.shape or not issubclass(bound.aval.dtype, dtypes.Integer):
        raise DTypeError(f"fori_loop: {name} must be an integer scalar, got {bound.aval}")
    return bound
