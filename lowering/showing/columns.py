"""The programs of a function at each stage of its transformations: of `vmap(grad(f))` those of it, `grad(f)` and `f`.

Transformations keep what they transform as `__wrapped__`. The types a function is called with inside another are seen
while the outer one is traced, since only the transformation knows them: a lane of a batch, a tangent beside a primal.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from effects.arguments import function_name
from effects.arrays.array import Array
from effects.errors import EffaxError
from effects.program.jaxpr import Jaxpr
from effects.runtime.cpython.calls import CallArguments, on_first_call
from effects.runtime.cpython.source import OWN
from effects.trees.pytree import TreeDef, tree_flatten, tree_structure, tree_unflatten
from effects.types.avals import ShapedArray
from handlers.transformations.calls.arguments import argument_names
from handlers.transformations.calls.staging import abstract_arguments, stage_tree
from lowering.inspection import trace


class StageProgram(NamedTuple):
    """A function in a chain of transformations, and its program, or the error that it has without the others."""

    name: str
    program: Jaxpr | None
    error: str = ""


class _Arguments(NamedTuple):
    """The leaves of a call's arguments, types of arrays and Python's values, and their structure."""

    leaves: Sequence[object]
    treedef: TreeDef


def stages(f: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> list[StageProgram]:
    """The stages of `f` on these arguments, from the innermost function outward. Raises what `f` raises."""
    arguments = _user_arguments(f, args, kwargs)
    result = list[StageProgram]()
    name, function = _without_jit(f)
    while True:
        transformed, inner_calls = _transformed(function), list[_Arguments]()
        try:
            program = _staged(function, arguments, transformed, inner_calls)
        except EffaxError as error:
            if not result:
                raise
            result.append(StageProgram(name, None, f"{error}".partition("\n")[0]))
            break
        result.append(StageProgram(name, program))
        if transformed is None or not inner_calls:
            break
        arguments = inner_calls[0]
        name, function = _without_jit(transformed)
    return result[::-1]


def _user_arguments(f: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> _Arguments:
    """The arguments of the user's call; static ones of a jitted function are values of Python's."""
    leaves, treedef = tree_flatten((tuple(args), dict(kwargs)))
    if _is_jitted(f) and trace(f, *args, **kwargs).in_tree != tree_structure((tuple(args), dict(kwargs))):
        return _Arguments([getattr(leaf, "aval", leaf) for leaf in leaves], treedef)
    avals, treedef = abstract_arguments("show", args, kwargs, functools.partial(argument_names, f, args, kwargs))
    return _Arguments(avals, treedef)


def _is_jitted(f: Callable[..., object]) -> bool:
    return hasattr(f, "trace") and hasattr(f, "history")


def _without_jit(f: Any) -> tuple[str, Callable[..., object]]:
    """The name of a function without `jit(…)`, and the function that is jitted, which has the same program."""
    name = getattr(f, "__qualname__", "")
    name = name if "(" in name else function_name(f)
    while _is_jitted(f) and hasattr(f, "__wrapped__"):
        f = f.__wrapped__
    return name, f


def _transformed(f: Callable[..., object]) -> Callable[..., object] | None:
    """The function that `f` transforms; None if it is no transformation of the library's."""
    inner = getattr(f, "__wrapped__", None)
    if inner is None or not isinstance(f, FunctionType) or not f.__code__.co_filename.startswith(OWN):
        return None
    while isinstance(inner, functools.partial):  # its arguments are those of the function
        inner = inner.func
    return inner if f.__qualname__ != getattr(inner, "__qualname__", None) else None


def _staged(
    f: Callable[..., object], arguments: _Arguments, inner: Callable[..., object] | None, inner_calls: list[_Arguments]
) -> Jaxpr:
    """The program of `f`; appends the arguments of the first call of `inner` while it is traced to `inner_calls`."""

    def called(*arrays: object) -> object:
        values = iter(arrays)
        leaves = [next(values) if isinstance(leaf, ShapedArray) else leaf for leaf in arguments.leaves]
        args, kwargs = tree_unflatten(arguments.treedef, leaves)
        return f(*args, **kwargs)

    def names() -> list[str]:
        args, kwargs = tree_unflatten(arguments.treedef, arguments.leaves)
        named = zip(argument_names(f, args, kwargs), arguments.leaves, strict=True)
        return [name for name, leaf in named if isinstance(leaf, ShapedArray)]

    called.__name__ = called.__qualname__ = function_name(f)
    avals = [leaf for leaf in arguments.leaves if isinstance(leaf, ShapedArray)]
    staged = functools.partial(stage_tree, called, avals, tree_structure((tuple(avals), {})), "show", names)

    def observe(arguments: CallArguments) -> None:
        leaves, treedef = tree_flatten(arguments)
        inner_calls.append(_Arguments([leaf.aval if isinstance(leaf, Array) else leaf for leaf in leaves], treedef))

    return staged().jaxpr if inner is None else on_first_call(inner, observe, staged).jaxpr
