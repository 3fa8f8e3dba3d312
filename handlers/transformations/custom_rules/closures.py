"""Closed-over values: `closure_convert`, and the carriers in a function's closure."""

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
    """A callable whose `functions` are searched for closed-over values, and no other attribute of it."""

    functions: tuple[Callable[..., Any], ...]


def closed_over(functions: Sequence[object]) -> list[Array]:
    """The carriers of handlers in the chain that these functions close over, in the order of the search.

    Closures, defaults, partial applications, bound objects, attributes of callable objects, wrapped functions, and
    trees of these are searched. They are searched in every call, since variables can be assigned: for n nested
    functions with rules the inner ones are searched n times, so a step here must be cheap.
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
                continue  # the variable has no value yet
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
    """`closure_convert` for `transformation`, which errors name; with `varying`, known arrays stay in f.

    A derivative rule has a tangent for each of its arguments, if only zeros: functions with rules in f that close over
    such an argument would be refused.
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
