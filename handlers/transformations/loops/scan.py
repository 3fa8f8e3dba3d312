"""Staged loops over the slices of arrays: `scan`, `map`.

The function of a step is traced once, however many steps there are, and the loop is one operation of the program.
Stacked arrays have an axis for the steps in front; to the type checker trees stay trees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast, overload

import numpy as np

from effects.arguments import (
    check_callable,
    describe,
    flag,
    function_name,
    in_the_name_of,
    integer,
    natural,
    repetitions,
)
from effects.arrays.array import Array, ArrayLike
from effects.errors import ArgumentError, OutOfBoundsError, ShapeError, TreeError
from effects.functions.manipulation import movement
from effects.operations.loops import Scan
from effects.program.chain import current, perform
from effects.trees.pytree import tree_leaves_with_path, tree_map, tree_structure, tree_unflatten
from effects.types.dtypes import DType
from effects.types.signatures.refused import NoInteger
from handlers.transformations.axes.batching import vmap
from handlers.transformations.calls.disabling import scanned
from handlers.transformations.calls.types import Counted, Tree
from handlers.transformations.loops.carries import Carry
from handlers.transformations.loops.steps import Loop, leaves_of, stage_step, step_names


@overload
def scan[DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[Array, Array[DX, tuple[*SX]]], tuple[ArrayLike, Array[DY, tuple[*SY]]]],
    init: complex,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Array[DY, tuple[N, *SY]]]: ...
@overload
def scan[DX: DType, *SX, N, Y: Tree](
    f: Callable[[Array, Array[DX, tuple[*SX]]], tuple[ArrayLike, Y]],
    init: complex,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Y]: ...
@overload
def scan[DY: DType](
    f: Callable[[Array, Any], tuple[ArrayLike, Array[DY, Any]]],
    init: complex,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Array[DY]]: ...
@overload
def scan[Y: Tree](
    f: Callable[[Array, Any], tuple[ArrayLike, Y]],
    init: complex,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Array, Y]: ...
@overload
def scan[C, DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[C, Array[DX, tuple[*SX]]], tuple[C, Array[DY, tuple[*SY]]]],
    init: C,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Array[DY, tuple[N, *SY]]]: ...
@overload
def scan[C, DX: DType, *SX, N, Y: Tree](
    f: Callable[[C, Array[DX, tuple[*SX]]], tuple[C, Y]],
    init: C,
    xs: Array[DX, tuple[N, *SX]],
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Y]: ...
@overload
def scan[C, DY: DType](
    f: Callable[[C, Any], tuple[C, Array[DY, Any]]],
    init: C,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Array[DY]]: ...
@overload
def scan[C, Y: Tree](
    f: Callable[[C, Any], tuple[C, Y]],
    init: C,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Y]: ...
@overload
def scan[C, DY: DType](
    f: Callable[[C, Any], tuple[C, Array[DY, Any]]],
    init: Counted,
    xs: Array | Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Array[DY]]: ...
@overload
def scan[C, Y: Tree](
    f: Callable[[C, Any], tuple[C, Y]],
    init: Counted,
    xs: Array | Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[C, Y]: ...
def scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """`carry, ys[i] = f(carry, xs[i])` for every i along axis 0, from `carry = init`; the last carry, the stacked ys.

    `init`, `xs` and the results of `f` are pytrees; None for `xs` (with a `length`) or as the second result of `f`
    means nothing to read or to stack. The carry keeps its structure, shapes and dtypes; Python numbers take the dtype
    that `f` returns. `reverse` runs from the last slice to the first; each y keeps the position of its x. `unroll`
    steps are compiled as one (True or 0: all of them), which can be faster and never changes the values. `f` may close
    over arrays.

    Derivatives of every order and mode go through a scan. Reverse mode saves the residuals of each step, and values
    that are the same in all steps once.

    Raises ArgumentError for a length that is negative or unknown, ShapeError where leading axes differ; TreeError,
    ShapeError or DTypeError showing both types where a step changes the carry.

    >>> import effects as fx
    >>> scan(lambda total, x: (total + x, total), 0.0, fx.asarray([1.0, 2.0, 3.0]))
    (Array(6., float64), Array([0., 1., 3.], float64))
    """
    check_callable("scan", f)
    return scanned_steps(Loop("scan", "f", "init"), f, init, xs, length, reverse, unroll, f)


def scanned_steps(
    loop: Loop,
    f: Callable[..., Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    unroll: int | bool,
    user_function: Callable[..., Any],
) -> tuple[Any, Any]:
    reverse = flag(loop.name, "reverse", reverse)
    arguments = init, xs  # for the names of arguments
    stacked, xs_tree = leaves_of(loop.name, "xs", xs)
    steps = _length(loop.name, xs, stacked, length)

    def step(carry: Any, x: Any) -> Any:
        out = f(carry, x)
        if not isinstance(out, tuple | list) or len(out) != 2:
            raise TreeError(
                f"{loop.name}: {loop.argument} ({function_name(user_function)}) must return (carry, y), got "
                f"{describe(out)}"
            )
        return (*out,)

    step.__name__ = function_name(user_function)
    unrolled = steps_per_iteration(loop.name, unroll, steps)
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
        lambda: step_names(loop, user_function, *arguments),
    )
    carry = Carry.of(body.jaxpr, body.captured, body.init)
    program, consts = carry.step(body.jaxpr, body.captured)
    init = carry.changing()
    results = perform(Scan(program, len(init), steps, reverse, unrolled, consts, init, tuple(stacked)))
    return cast("tuple[Any, Any]", tree_unflatten(tree_structure(body.out), carry.whole(results)))


def _length(name: str, xs: Any, stacked: list[Array], length: int | None) -> int:
    """The number of steps: the size of the leading axes of `stacked`, which must agree with `length`."""
    leading = {array.aval.shape[:1] for array in stacked}
    if length is None and len(leading) == 1 and (common := leading.pop()):
        return common[0]
    paths = [f"xs{path}" for path, _ in tree_leaves_with_path(xs)]
    for path, array in zip(paths, stacked, strict=True):
        if not array.aval.shape:
            advice = "; Python's is builtins.map" if name == "map" else ""
            raise OutOfBoundsError(f"{name}: {path} is a scalar, {array.aval}, and has no axis to step along{advice}")
    sizes = {path: array.aval.shape[0] for path, array in zip(paths, stacked, strict=True)}
    if length is not None:
        sizes = {"length": natural(name, "length", length), **sizes}
    if not sizes:
        raise ArgumentError(f"{name}: without xs the number of steps must be given as length")
    if len(set(sizes.values())) > 1:
        described = [f"{path} is {size}" if path == "length" else f"{path} has {size}" for path, size in sizes.items()]
        raise ShapeError(f"{name}: the numbers of steps differ: {', '.join(described)} along axis 0")
    return next(iter(sizes.values()))


def steps_per_iteration(name: str, unroll: object, length: int) -> int:
    """Number of steps per iteration of a loop of this length, from `unroll`; at least 1."""
    if isinstance(unroll, bool | np.bool_):
        count = length if unroll else 1
    else:
        count = min(natural(name, "unroll", unroll) or length, length)
    return repetitions(name, "unroll", count) or 1


@overload
def map[DX: DType, *SX, DY: DType, *SY, N](
    f: Callable[[Array[DX, tuple[*SX]]], Array[DY, tuple[*SY]]],
    xs: Array[DX, tuple[N, *SX]],
    *,
    batch_size: int | NoInteger | None = None,
) -> Array[DY, tuple[N, *SY]]: ...
@overload
def map[DX: DType, *SX, N, Y: Tree](
    f: Callable[[Array[DX, tuple[*SX]]], Y], xs: Array[DX, tuple[N, *SX]], *, batch_size: int | None = None
) -> Y: ...
@overload
def map[DY: DType](f: Callable[[Any], Array[DY, Any]], xs: Tree, *, batch_size: int | None = None) -> Array[DY]: ...
@overload
def map[Y: Tree](f: Callable[[Any], Y], xs: Tree, *, batch_size: int | None = None) -> Y: ...
def map(  # type: ignore[misc]  # which takes an integer alone
    f: Callable[..., Any], xs: Any, *, batch_size: int | None = None
) -> Any:
    """`f` of every slice of `xs` along axis 0, in sequence, stacked: a `vmap` in the memory of one call.

    With `batch_size`, `vmap` computes that many slices at a time.

    >>> import effects as fx
    >>> map(lambda x: x @ x, fx.ones((3, 2)))
    Array([2., 2., 2.], float64)
    """
    check_callable("map", f)
    if batch_size is None:
        return _each(f, xs, f)
    if (size := integer("map", "batch_size", batch_size)) < 1:
        raise ArgumentError(f"map: batch_size must be positive, got {size}")
    stacked, tree = leaves_of("map", "xs", xs)
    length = _length("map", xs, stacked, None)
    divisible = length - length % batch_size
    batches = [movement.reshape(a[:divisible], (divisible // batch_size, batch_size, *a.shape[1:])) for a in stacked]
    batched = vmap(f)
    results = _each(batched, tree_unflatten(tree, batches), f)
    results = tree_map(lambda y: movement.reshape(y, (divisible, *y.shape[2:])), results)
    if divisible == length:
        return results
    remainder = batched(tree_unflatten(tree, [a[divisible:] for a in stacked]))
    return tree_map(lambda y, z: movement.concat([y, z]), results, remainder)


def _each(f: Callable[..., Any], xs: Any, user_function: Callable[..., Any]) -> Any:
    """`f` of each slice; messages name the user's function and its argument."""

    @in_the_name_of(user_function)
    def step(carry: None, x: Any) -> tuple[None, Any]:
        return carry, f(x)

    step.selects = user_function, (0, 0)  # type: ignore[attr-defined]  # the carry holds nothing
    return scanned_steps(Loop("map", "f", "carry"), step, None, xs, None, False, 1, step)[1]
