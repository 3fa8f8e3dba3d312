"""Values that functions close over: `closure_convert`, and the values of transformations in a function's closure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from effects.arguments import check_callable, function_name
from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.errors import TreeError
from effects.program.chain import current
from effects.program.jaxpr import eval_jaxpr
from effects.trees.pytree import tree_flatten, tree_leaves, tree_structure, tree_unflatten
from handlers.higher_order.substitution import substitutes
from handlers.transformations.calls.arguments import argument_names, as_arrays
from handlers.transformations.calls.staging import abstract_arguments, stage_tree


class Holder:
    """A callable of functions, which are all that it holds: what else is in it is not looked through."""

    functions: tuple[Callable[..., Any], ...]


def closed_over(functions: Sequence[object]) -> list[Array]:
    """The values of transformations here that these hold, in the order they are met.

    Looked through are closures, defaults, partial applications, bound objects, the attributes of callable ones, what a
    function wraps, and trees of all these. They are looked through in every call, since variables can be assigned: of n
    functions with rules in each other those inside are met n times, so that a step here is to cost little.
    """
    arrays: dict[int, Array] = {}
    visited: dict[int, object] = {}
    waiting = list(reversed(functions))
    while waiting:
        value = waiting.pop()
        if value is None or id(value) in visited:
            continue
        if isinstance(value, Array):
            if value.owner is not None and (value.owner.alive or substitutes(current(), value)):
                arrays[id(value)] = value
        else:
            visited[id(value)] = value
            if contents := _references(value):
                waiting += reversed(contents)
    return list(arrays.values())


_NOTHING_INSIDE = (type, str, bytes, int, float, complex, ModuleType)


def _references(value: object) -> Sequence[object]:
    if type(value) is FunctionType:
        contents: list[object] = []
        for cell in value.__closure__ or ():
            try:
                contents.append(cell.cell_contents)
            except ValueError:
                continue  # a variable that has no value yet
        if value.__defaults__:
            contents += value.__defaults__
        if value.__kwdefaults__:
            contents += value.__kwdefaults__.values()
        if value.__dict__:
            contents += value.__dict__.values()
        return contents
    if isinstance(value, Holder):
        return value.functions
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, _NOTHING_INSIDE):
        return []
    try:
        leaves: Sequence[object] = tree_leaves(value)
    except TreeError:
        return []
    if len(leaves) == 1 and leaves[0] is value:
        return list(vars(value).values()) if callable(value) and hasattr(value, "__dict__") else []
    return leaves


def closure_convert[*Ts, R](f: Callable[[*Ts], R], *example_args: *Ts) -> tuple[Callable[..., R], list[Array]]:
    """`f` with its closed-over values as arguments: (converted, hoisted), where `converted(*args, *hoisted)` =
    `f(*args)`.

    `f` is staged on the types of `example_args`, and `hoisted` are the arrays that it closes over. A function that has
    derivative rules and takes functions can thus be differentiated with respect to the values that these close over.

    Raises TreeError when `converted` is called with arguments of another structure.

    >>> import effects as fx
    >>> w = fx.asarray([1.0, 2.0])
    >>> converted, hoisted = closure_convert(lambda x: fx.sum(w * x), fx.ones(2))
    >>> converted(fx.ones(2), *hoisted)
    Array(3., float64)
    """
    return hoisting("closure_convert", f, *example_args)


def hoisting[*Ts, R](
    transformation: str, f: Callable[[*Ts], R], *example_args: *Ts, varying: bool = False
) -> tuple[Callable[..., R], list[Array]]:
    """`closure_convert`, of which errors say that it is `transformation`; `varying` leaves arrays that are known in f.

    A derivative rule has a tangent for each of its arguments, zeros for one that does not vary: functions with rules
    within f that close over it would be refused.
    """
    check_callable(transformation, f)
    names = functools.partial(argument_names, f, example_args, {})
    avals, treedef = abstract_arguments(transformation, example_args, {}, names)
    staged = stage_tree(f, avals, treedef, transformation, names)
    program = staged.jaxpr.shared()
    in_tree = tree_structure(example_args)
    n = len(example_args)
    fixed = [x if varying and isinstance(x, Concrete) else None for x in staged.captured]
    hoisted = [x for x, constant in zip(staged.captured, fixed, strict=True) if constant is None]

    def converted(*args: object) -> R:
        leaves, treedef = tree_flatten(args[:n])
        if treedef != in_tree or len(args) != n + len(hoisted):
            raise TreeError(
                f"{transformation}: {function_name(f)} was converted for arguments of the structure {in_tree} and "
                f"{len(hoisted)} hoisted arrays, got {treedef} and {len(args) - n}"
            )
        rest = iter(args[n:])
        captured = [next(rest) if constant is None else constant for constant in fixed]
        values = [*captured, *leaves]
        arrays = as_arrays(transformation, values, lambda: [f"args[{i}]" for i in range(len(values))])
        return cast(R, tree_unflatten(staged.out_tree, eval_jaxpr(program, arrays)))

    converted.__name__ = function_name(f)
    return converted, hoisted
