"""Loops that are staged: `while_loop`, `scan`, `fori_loop`, `map`.

The function that makes a step is traced once, however many steps there are, and the loop is one operation of the
program. In Python, `for` and `while` over known values make a copy of the step for every turn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from effects.arguments import check_callable, describe, flag, function_name, integer, natural
from effects.arrays.array import Array, ArrayLike, Scalar
from effects.arrays.promotion import as_array, common_type, convert
from effects.errors import ArgumentError, DTypeError, OutOfBoundsError, ShapeError, TreeError
from effects.functions import movement
from effects.operations.loops import Scan, While
from effects.program.chain import current, perform
from effects.trees.pytree import tree_leaves_with_path, tree_map, tree_structure, tree_unflatten
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.signatures import typed_as
from handlers.transformations.axes.batching import vmap
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.disabling import repeated, scanned
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.loops import signatures
from handlers.transformations.loops.carries import Carry
from handlers.transformations.loops.steps import Loop, arguments_tree, leaves_of, stage_step


@typed_as(lambda: signatures.while_loop)
def while_loop[C](cond_fun: Callable[[C], Scalar[dtypes.bool_] | bool], body_fun: Callable[[C], C], init_val: C) -> C:
    """`val = init_val; while cond_fun(val): val = body_fun(val)`; the last `val`.

    `val` is a pytree whose structure, shapes and dtypes every step keeps; Python numbers take the dtype that `body_fun`
    gives them. `cond_fun` gives a bool scalar. Both may close over arrays. Forward-mode derivatives go through
    the loop; reverse mode does not, since the number of steps is not bounded: use `scan`, or `fori_loop` with static
    bounds. Where `vmap` makes the condition differ between lanes, the loop runs while any lane does and the finished
    ones keep their values.

    Raises DTypeError for a condition that is no bool scalar; TreeError or DTypeError showing both types where a step
    changes the carry.

    >>> while_loop(lambda x: x < 100, lambda x: x * 2, 3)
    Array(192, int64)
    """
    check_callable("while_loop", cond_fun, "cond_fun")
    check_callable("while_loop", body_fun, "body_fun")
    return cast(C, _while(Loop("while_loop", "body_fun", "init_val"), cond_fun, body_fun, init_val, body_fun))


def _while(
    loop: Loop, cond_fun: Callable[..., Any], step: Callable[..., Any], init: Any, body_fun: Callable[..., Any]
) -> Any:
    arrays, tree = leaves_of(loop.name, loop.carry, init)
    if current().eager:
        init, ended = repeated(loop.name, cond_fun, step, tree_unflatten(tree, arrays))
        if ended:
            return init
        arrays, tree = leaves_of(loop.name, loop.carry, init)
    body = stage_step(
        loop, step, (arrays, tree), ([], ()), lambda out: out, lambda: argument_names(body_fun, (init,), {})
    )
    condition = stage_tree(
        cond_fun,
        [a.aval for a in body.init],
        arguments_tree(tree),
        loop.name,
        lambda: argument_names(cond_fun, (init,), {}),
    )
    given = tree_unflatten(condition.out_tree, condition.jaxpr.out_avals)
    if not isinstance(given, ShapedArray) or given.shape or given.dtype is not dtypes.bool_:
        raise DTypeError(
            f"{loop.name}: cond_fun ({function_name(cond_fun)}) must give a bool scalar, got {given}; compare, or "
            "reduce with any or all"
        )
    carry = Carry.of(body.jaxpr, body.captured, body.init)
    test, test_consts = carry.reading(condition.jaxpr, condition.captured)
    program, consts = carry.step(body.jaxpr, body.captured)
    results = perform(While(test, program, test_consts, consts, carry.changing()))
    return tree_unflatten(tree, carry.whole(results))


@typed_as(lambda: signatures.scan)
def scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """`carry, ys[i] = f(carry, xs[i])` for every i along axis 0, from `carry = init`; the last carry, the stacked ys.

    `init`, `xs` and what `f` gives are pytrees; None for `xs` (with a `length`) or as the second result of `f` means
    nothing to read or to stack. The carry keeps its structure, shapes and dtypes; Python numbers take the dtype that
    `f` gives them. `reverse` runs from the last slice to the first, ys staying where their xs are. `unroll` steps are
    compiled as one (True or 0: all of them), which can be faster and never changes the values. `f` may close over
    arrays.

    Derivatives of every order and mode go through a scan. Reverse mode keeps what the derivative of a step needs of
    each step, and what is the same in all steps once.

    Raises ArgumentError for a length that is negative or unknown, ShapeError where leading axes differ; TreeError or
    DTypeError showing both types where a step changes the carry.

    >>> import effects as fx
    >>> scan(lambda total, x: (total + x, total), 0.0, fx.asarray([1.0, 2.0, 3.0]))
    (Array(6., float64), Array([0., 1., 3.], float64))
    """
    check_callable("scan", f)
    return _scan(Loop("scan", "f", "init"), f, init, xs, length, reverse, unroll, f)


def _scan(
    loop: Loop,
    f: Callable[..., Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    unroll: int | bool,
    users: Callable[..., Any],
) -> tuple[Any, Any]:
    reverse = flag(loop.name, "reverse", reverse)
    stacked, xs_tree = leaves_of(loop.name, "xs", xs)
    steps = _length(loop.name, xs, stacked, length)

    @functools.wraps(users)
    def step(carry: Any, x: Any) -> Any:
        out = f(carry, x)
        if not isinstance(out, tuple | list) or len(out) != 2:
            raise TreeError(
                f"{loop.name}: {loop.argument} ({function_name(users)}) must return (carry, y), got {describe(out)}"
            )
        return (*out,)

    turns = _unroll(loop.name, unroll, steps)
    carried, carry_tree = leaves_of(loop.name, loop.carry, init)
    if steps and current().eager:
        order = reversed(range(steps)) if reverse else range(steps)
        return scanned(loop.name, step, tree_unflatten(carry_tree, carried), stacked, xs_tree, order)
    slices = [a.aval.with_shape(a.aval.shape[1:]) for a in stacked]
    body = stage_step(
        loop,
        step,
        (carried, carry_tree),
        (slices, (xs_tree,)),
        lambda out: out[0],
        lambda: argument_names(f, (init, xs), {}),
    )
    carry = Carry.of(body.jaxpr, body.captured, body.init)
    program, consts = carry.step(body.jaxpr, body.captured)
    init = carry.changing()
    results = perform(Scan(program, len(init), steps, reverse, turns, consts, init, tuple(stacked)))
    return cast("tuple[Any, Any]", tree_unflatten(tree_structure(body.out), carry.whole(results)))


def _length(name: str, xs: Any, stacked: list[Array], length: int | None) -> int:
    """The number of steps: the size of the leading axes of `stacked`, which must agree with `length`."""
    paths = [f"xs{path}" for path, _ in tree_leaves_with_path(xs)]
    for path, array in zip(paths, stacked, strict=True):
        if not array.aval.shape:
            raise OutOfBoundsError(f"{name}: {path} is a scalar, {array.aval}, and has no axis to step along")
    sizes = {path: array.aval.shape[0] for path, array in zip(paths, stacked, strict=True)}
    if length is not None:
        sizes = {"length": natural(name, "length", length), **sizes}
    if not sizes:
        raise ArgumentError(f"{name}: without xs the number of steps must be given as length")
    if len(set(sizes.values())) > 1:
        described = [f"{path} is {size}" if path == "length" else f"{path} has {size}" for path, size in sizes.items()]
        raise ShapeError(f"{name}: the numbers of steps differ: {', '.join(described)} along axis 0")
    return next(iter(sizes.values()))


def _unroll(name: str, unroll: object, length: int) -> int:
    if isinstance(unroll, bool | np.bool_):
        return max(length, 1) if unroll else 1
    return min(natural(name, "unroll", unroll) or length, length) or 1


@typed_as(lambda: signatures.fori_loop)
def fori_loop[C](
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, C], C],
    init_val: C,
    *,
    unroll: int | bool | None = None,
) -> C:
    """`val = init_val; for i in range(lower, upper): val = body_fun(i, val)`; the last `val`.

    `val` is a pytree whose type every step keeps, as in `while_loop`. Where the bounds are known when the loop is
    traced (Python ints), it is a `scan` and derivatives of every mode go through it; otherwise it is a
    `while_loop`, through which reverse mode does not go. `unroll` is that of `scan` and needs known bounds.

    Raises DTypeError for bounds that are no integer scalars, and what `scan` and `while_loop` raise.

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
            return tree_map(lambda leaf: as_array(leaf, "fori_loop", "init_val"), init_val)
        turns = 1 if unroll is None else unroll
        (_, result), _ = _scan(loop, counted, (begin, init_val), None, length, False, turns, body_fun)
        return cast(C, result)
    if unroll is not None and _unroll("fori_loop", unroll, 2) != 1:
        raise ArgumentError("fori_loop: unroll needs bounds that are known when the loop is traced, as Python ints are")
    step: Callable[..., Any] = lambda c: (c[0] + 1, body_fun(c[0], c[1]))
    return cast(C, _while(loop, lambda c: c[0] < last, functools.wraps(body_fun)(step), (first, init_val), body_fun)[1])


def _bound(name: str, value: ArrayLike) -> Array:
    bound = as_array(value, "fori_loop", name)
    if bound.aval.shape or not issubclass(bound.aval.dtype, dtypes.Integer):
        raise DTypeError(f"fori_loop: {name} must be an integer scalar, got {bound.aval}")
    return bound


@typed_as(lambda: signatures.map)
def map(f: Callable[..., Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """`f` of every slice of `xs` along axis 0, one after the other, stacked: a `vmap` in the memory of one call.

    With `batch_size` so many slices at a time are computed together by `vmap`.

    >>> import effects as fx
    >>> map(lambda x: x @ x, fx.ones((3, 2)))
    Array([2., 2., 2.], float64)
    """
    check_callable("map", f)
    loop = Loop("map", "f", "carry")
    if batch_size is None:
        return _scan(loop, lambda carry, x: (carry, f(x)), None, xs, None, False, 1, f)[1]
    if (size := integer("map", "batch_size", batch_size)) < 1:
        raise ArgumentError(f"map: batch_size must be positive, got {size}")
    stacked, tree = leaves_of("map", "xs", xs)
    length = _length("map", xs, stacked, None)
    whole = length - length % batch_size
    batches = [movement.reshape(a[:whole], (whole // batch_size, batch_size, *a.shape[1:])) for a in stacked]
    batched = vmap(f)
    done = _scan(loop, lambda carry, x: (carry, batched(x)), None, tree_unflatten(tree, batches), None, False, 1, f)[1]
    done = tree_map(lambda y: movement.reshape(y, (whole, *y.shape[2:])), done)
    if whole == length:
        return done
    rest = batched(tree_unflatten(tree, [a[whole:] for a in stacked]))
    return tree_map(lambda y, z: movement.concat([y, z]), done, rest)
