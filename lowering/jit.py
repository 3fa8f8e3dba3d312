"""`jit`: functions that are traced, compiled by XLA, and called through jaxlib's C++ dispatch.

At the root of the chain a call with arguments of known types runs in C++. Under any other chain a call performs a
`Call` operation with the traced program as body, so that every handler sees it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from types import MethodType
from typing import Any, Final, NamedTuple, cast

from effects.array import Array
from effects.avals import ShapedArray
from effects.chain import ROOT, current, perform
from effects.concrete import Concrete
from effects.dtypes import default_of, has_standard_defaults
from effects.errors import DeletedArrayError
from effects.jaxpr import Jaxpr
from effects.operations.higher_order import Call
from effects.pytree import DISPATCH, TreeDef, tree_flatten, tree_unflatten
from handlers.transformations.arguments import argument_names, as_arrays, check_callable, function_name
from handlers.transformations.staging import abstract_arguments, stage_tree
from lowering import pjrt
from lowering.arrays import buffer_of, common_device, outputs_of
from lowering.compilation import compiled
from lowering.pjrt import FastPath
from lowering.signature import Signature, SplitArguments
from lowering.stages import Trace


class Traced(NamedTuple):
    """What tracing a call gave: an interned program, the values closed over (its first inputs), the result's tree."""

    jaxpr: Jaxpr
    captured: list[Array]
    out_tree: TreeDef


class Jitted:
    """A function compiled for each kind of its arguments. Made by `jit`; called like the function itself."""

    def __init__(self, f: Callable[..., Any], signature: Signature) -> None:
        functools.update_wrapper(self, f)
        self._f: Final = f
        self._name: Final = function_name(f)
        self._signature: Final = signature
        self._traces: Final[dict[Hashable, Traced]] = {}
        self._dispatch: Final = pjrt.dispatcher(
            self._name,
            self._miss,
            DISPATCH,
            static_argnums=signature.static_argnums,
            static_argnames=signature.static_argnames,
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if current() is ROOT and has_standard_defaults():
            try:
                return self._dispatch(*args, **kwargs)
            except ValueError:
                self._signature.refuse_unhashable(args, kwargs)
                tree_flatten((args, kwargs))  # raises for dictionary keys that have no order
                raise
        return self._miss(*args, **kwargs)[0]

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jitted {self._name}>"

    def trace(self, /, *args: Any, **kwargs: Any) -> Trace:
        """The program for arguments like these (arrays or `ShapedArray`s), not lowered yet."""
        split = self._signature.split(args, kwargs)
        avals, treedef = abstract_arguments("jit", self._f, split.args, split.kwargs)
        traced = self._trace(split, avals, treedef)
        return Trace(
            self._name, traced.jaxpr, traced.captured, treedef, traced.out_tree, self._signature.donated(split, avals)
        )

    def lower(self, /, *args: Any, **kwargs: Any) -> Any:
        """The StableHLO module for arguments like these: `trace(...).lower()`."""
        return self.trace(*args, **kwargs).lower()

    def _names(self, split: SplitArguments) -> list[str]:
        """What the leaves of the dynamic arguments are called in messages."""
        return argument_names(self._f, split.args, split.kwargs, split.dynamic_positions)

    def _trace(self, split: SplitArguments, avals: Sequence[ShapedArray], treedef: TreeDef) -> Traced:
        key = (treedef, tuple(avals), split.static, default_of(float))
        found = self._traces.get(key)
        if found is not None:
            return found
        f = self._signature.partial(self._f, split)
        staged = stage_tree(f, avals, treedef, "jit", functools.partial(self._names, split))
        traced = Traced(staged.jaxpr.interned(), staged.captured, staged.out_tree)
        if all(type(value) is Concrete for value in traced.captured):
            self._traces[key] = traced  # a program over carriers of the present chain is of no use later
        return traced

    def _miss(self, /, *args: Any, **kwargs: Any) -> tuple[Any, FastPath | None]:
        """A call in Python: the result, and how C++ can repeat it."""
        split = self._signature.split(args, kwargs)
        leaves, treedef = tree_flatten((split.args, split.kwargs))
        names = functools.partial(self._names, split)
        arrays = as_arrays("jit", leaves, names)
        avals = [array.aval for array in arrays]
        traced = self._trace(split, avals, treedef)
        operands = [*traced.captured, *arrays]
        if current() is not ROOT or any(type(value) is not Concrete for value in operands):
            results = perform(Call(traced.jaxpr, self._name, tuple(operands)))
            return tree_unflatten(traced.out_tree, results), None
        return self._run(traced, cast("list[Concrete]", operands), self._signature.donated(split, avals), names)

    def _run(
        self, traced: Traced, operands: list[Concrete], donated: tuple[bool, ...], names: Callable[[], Sequence[str]]
    ) -> tuple[Any, FastPath | None]:
        n_captured = len(traced.captured)
        _refuse_donated(operands[n_captured:], names)
        device = common_device(operands, [*(f"closed-over array {i}" for i in range(n_captured)), *names()])
        mask = (False,) * n_captured + donated if any(donated) else ()
        executable = compiled(traced.jaxpr, device, self._name, mask)
        buffers = [buffer_of(array, device) for array in operands]
        outputs = outputs_of(executable.execute(buffers), traced.jaxpr.out_avals)
        for buffer, is_donated in zip(buffers, mask, strict=False):
            if is_donated and not buffer.is_deleted():
                buffer.delete()  # no result fitted its memory: it is given away all the same
        result = tree_unflatten(traced.out_tree, outputs)
        if mask and not has_room(traced.jaxpr, mask):
            return result, None
        out_tree = DISPATCH.flatten(result)[1]
        return result, FastPath(executable, out_tree, len(operands) - n_captured, buffers[:n_captured])


def has_room(jaxpr: Jaxpr, donated: Sequence[bool]) -> bool:
    """Whether every donated input has an output of its own size and dtype to be reused for."""
    free = [(aval.shape, aval.dtype) for aval in jaxpr.out_avals]
    for aval, is_donated in zip(jaxpr.in_avals, donated, strict=True):
        if is_donated:
            if (aval.shape, aval.dtype) not in free:
                return False
            free.remove((aval.shape, aval.dtype))
    return True


def _refuse_donated(arrays: Sequence[Concrete], names: Callable[[], Sequence[str]]) -> None:
    for position, array in enumerate(arrays):
        if pjrt.is_buffer(array.data) and array.data.is_deleted():
            raise DeletedArrayError(
                f"argument {names()[position]}, {array.aval}, was donated to a compiled function before (donate_argnums) and "
                "is gone; use that function's result, or do not donate it"
            )


def jit[F: Callable[..., Any]](
    f: F,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
) -> F:
    """`f`, compiled by XLA: traced once for each structure, shapes and dtypes of its arguments, then run from the cache.

    Static arguments (by position or name; hashable) are Python values while tracing, and each value is a program of its
    own. Donated arguments (by position) give their memory to the results and cannot be used afterwards. Python's side
    effects happen while tracing only. Arrays that `f` closes over are arguments of the program, not constants in it.

    The result also has `trace(*args)`, `lower(*args)` for looking at the program: `.lower(x).as_text()`,
    `.lower(x).compile().cost_analysis()`, ….

    Raises ArgumentError for positions and names that `f` does not have and for unhashable static arguments.

    >>> import effects as fx
    >>> @jit
    ... def f(x, y):
    ...     print("tracing!")
    ...     return fx.sin(x) * fx.cos(y)
    >>> f(3.0, 4.0)
    tracing!
    Array(-0.09224219, float64)
    >>> f(4.0, 5.0)
    Array(-0.21467625, float64)
    """
    check_callable("jit", f)
    return cast(F, Jitted(f, Signature.of(f, static_argnums, static_argnames, donate_argnums)))
