"""`jit`: functions that are traced, compiled by XLA, and called through jaxlib's C++ dispatch.

At the root of the chain a call with arguments of known types runs in C++. Under any other chain a call performs a
`Call` operation with the traced program as body, so that every handler sees it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, cast, final

import numpy as np

from effects.array import Array
from effects.avals import ShapedArray
from effects.chain import ROOT, current, perform
from effects.concrete import Concrete, from_host
from effects.dtypes import BY_NUMPY, current_default_float, default_of, float64
from effects.jaxpr import Jaxpr
from effects.operations.higher_order import Call
from effects.pytree import TreeDef, new_registry, tree_flatten, tree_structure, tree_unflatten
from handlers.transformations.arguments import argument_names, as_arrays, check_callable, function_name
from handlers.transformations.staging import abstract_arguments, stage_tree
from lowering import pjrt
from lowering.arrays import AVALS, array_of, buffer_of, common_device, refuse_deleted, refuse_shared
from lowering.compilation import compiled
from lowering.pjrt import BUFFER, Buffer, FastPath
from lowering.signature import NO_STATIC, Signature, StaticArguments
from lowering.stages import Lowered, Trace


class Traced(NamedTuple):
    """What tracing a call gave: a program, the values closed over (its first inputs), the result's tree."""

    jaxpr: Jaxpr
    captured: list[Array]
    out_tree: TreeDef


class CallKey(NamedTuple):
    """The structure of a call's dynamic arguments, and the static ones."""

    in_tree: TreeDef
    static: StaticArguments


@final
class Results:
    """The buffers that C++ gives back, made into the function's result by `_rebuild` before anybody sees this."""

    __slots__ = ("buffers", "form")

    def __init__(self, buffers: tuple[Buffer, ...], form: tuple[TreeDef, tuple[ShapedArray, ...]]) -> None:
        self.buffers = buffers
        self.form = form


def _rebuild(form: tuple[TreeDef, tuple[ShapedArray, ...]], buffers: Sequence[Buffer]) -> object:
    return form[0].unflatten(map(Concrete, buffers, form[1]))


_FLAT: Final = new_registry()
_FLAT.register_node(Results, lambda results: (results.buffers, results.form), _rebuild)
_LEAF: Final = tree_structure(0)


class Jitted:
    """A function compiled for each kind of its arguments: what `jit` keeps behind the function it gives back.

    Python takes the arguments apart into device buffers and numbers; C++ looks up what to run by their types and by
    what it does not see, the structure of the arguments and the static ones (None: every argument is an array), runs
    it, and has the result put together; a single array comes back as its buffer.
    """

    def __init__(self, f: Callable[..., Any], signature: Signature) -> None:
        self._f: Final = f
        self._name: Final = function_name(f)
        self._signature: Final = signature
        self._all_dynamic: Final = not signature.static_argnums and not signature.static_argnames
        self._traces: Final[dict[Hashable, Traced]] = {}
        self._dispatch: Final = pjrt.dispatcher(self._name, self._miss, _FLAT, static_argnums=(0,))

    def caller(self) -> Callable[..., Any]:
        """The function that users call.

        It is a function rather than a callable object: calls of it nest without using up the C stack, and it binds as
        a method. It is the path that has to be fast: every step here would be seen in the benchmarks.
        """
        dispatch, all_dynamic = self._dispatch, self._all_dynamic

        @functools.wraps(self._f)
        def jitted(*args: Any, **kwargs: Any) -> Any:
            if current() is not ROOT or current_default_float() is not float64:
                return self._in_python(args, kwargs)
            result: Any
            try:
                buffers = [data for x in args if type(x) is Concrete and type(data := x.data) is BUFFER]
                if len(buffers) == len(args) and all_dynamic and not kwargs:
                    result = dispatch(None, *buffers)
                else:
                    key, leaves = self._taken_apart(args, kwargs)
                    buffers = [data for x in leaves if type(x) is Concrete and type(data := x.data) is BUFFER]
                    if len(buffers) == len(leaves):
                        result = dispatch(key, *buffers)
                    else:
                        result = dispatch(key, *dispatchable(leaves))
            except (ValueError, RuntimeError) as error:
                if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # raised in C++
                    self._explain(args, kwargs)
                raise
            return Concrete(result, AVALS[result.aval]) if type(result) is BUFFER else result

        jitted.trace = self.trace  # type: ignore[attr-defined]  # functions have attributes of their own
        jitted.lower = self.lower  # type: ignore[attr-defined]  # as above
        return jitted

    def _taken_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[TreeDef | CallKey, list[Any]]:
        """The leaves of the dynamic arguments, and the rest: their structure, with the static arguments if any."""
        if self._all_dynamic:
            leaves, treedef = tree_flatten((args, kwargs))
            return treedef, leaves
        split = self._signature.split(args, kwargs)
        leaves, treedef = tree_flatten((split.args, split.kwargs))
        return CallKey(treedef, split.static), leaves

    def trace(self, /, *args: Any, **kwargs: Any) -> Trace:
        """The program for arguments like these (arrays or `ShapedArray`s), not lowered yet."""
        split = self._signature.split(args, kwargs)
        avals, treedef = abstract_arguments("jit", self._f, split.args, split.kwargs)
        traced = self._trace(CallKey(treedef, split.static), avals)
        return Trace(
            self._name,
            traced.jaxpr,
            traced.captured,
            treedef,
            traced.out_tree,
            self._signature.donated(split.static, split.args),
        )

    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """The StableHLO module for arguments like these: `trace(...).lower()`."""
        return self.trace(*args, **kwargs).lower()

    def _trace(self, key: CallKey, avals: Sequence[ShapedArray]) -> Traced:
        axes = tuple(current().axes.items())
        cache_key = (key, tuple(avals), default_of(float), axes)
        found = self._traces.get(cache_key)
        if found is not None:
            return found
        f = self._signature.partial(self._f, key.static)
        names = functools.partial(self._names, key)
        staged = stage_tree(f, avals, key.in_tree, "jit", names)
        traced = Traced(staged.jaxpr.shared(), staged.captured, staged.out_tree)
        if all(type(value) is Concrete for value in traced.captured):
            self._traces[cache_key] = traced  # a program over carriers of the present chain is of no use later
        return traced

    def _explain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise the error that says what is wrong with a call that C++ refused, if its arrays are to blame."""
        split = self._signature.split(args, kwargs)
        leaves, treedef = tree_flatten((split.args, split.kwargs))
        for traced in self._traces.values():
            refuse_deleted(self._name, traced.captured, functools.partial(_operand_names, len(traced.captured)))
        mask = self._signature.donated(split.static, split.args)
        names = functools.partial(self._names, CallKey(treedef, split.static))
        refuse_shared(self._name, leaves, mask, lambda: _operand_names(0, names()))

    def _names(self, key: CallKey) -> list[str]:
        """What the leaves of the dynamic arguments are called in messages."""
        args, kwargs = tree_unflatten(key.in_tree, [0] * key.in_tree.num_leaves)
        return argument_names(self._f, args, kwargs, self._signature.dynamic_positions(key.static, len(args)))

    def _in_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call under handlers, or with other defaults than C++ has seen."""
        key, leaves = self._taken_apart(args, kwargs)
        result, _ = self._call(key if isinstance(key, CallKey) else CallKey(key, NO_STATIC), leaves)
        return Concrete(result, AVALS[result.aval]) if type(result) is BUFFER else result

    def _miss(self, key: TreeDef | CallKey | None, /, *leaves: Any) -> tuple[Any, FastPath | None]:
        """A call of a kind that C++ has not seen."""
        arrays = [array_of(leaf) if pjrt.is_buffer(leaf) else leaf for leaf in leaves]
        if not isinstance(key, CallKey):
            key = CallKey(tree_structure((leaves, {})) if key is None else key, NO_STATIC)
        return self._call(key, arrays)

    def _call(self, key: CallKey, leaves: Sequence[Any]) -> tuple[Any, FastPath | None]:
        """The result, and how C++ can repeat the call."""
        names = functools.partial(self._names, key)
        arrays = as_arrays("jit", leaves, names)
        traced = self._trace(key, [array.aval for array in arrays])
        operands = [*traced.captured, *arrays]
        if current() is not ROOT or any(type(value) is not Concrete for value in operands):
            results = perform(Call(traced.jaxpr, self._name, tuple(operands)))
            return tree_unflatten(traced.out_tree, results), None
        args, _ = tree_unflatten(key.in_tree, arrays)
        return self._run(traced, cast("list[Concrete]", operands), self._signature.donated(key.static, args), names)

    def _run(
        self, traced: Traced, operands: list[Concrete], donated: tuple[bool, ...], names: Callable[[], Sequence[str]]
    ) -> tuple[Any, FastPath | None]:
        n_captured = len(traced.captured)
        described = lambda: _operand_names(n_captured, names())
        refuse_deleted(self._name, operands, described)
        device = common_device(operands, described)
        n_rest = len(operands) - n_captured - len(donated)
        mask = (False,) * n_captured + donated + (False,) * n_rest if any(donated) else ()
        refuse_shared(self._name, operands, mask, described)
        executable = compiled(traced.jaxpr, device, self._name, mask)
        buffers = [buffer_of(array, device) for array in operands]
        outputs = executable.execute(buffers)
        for buffer, is_donated in zip(buffers, mask, strict=False):
            if is_donated and not buffer.is_deleted():
                buffer.delete()  # no result fitted its memory: it is given away all the same
        form = (traced.out_tree, traced.jaxpr.out_avals)
        result = outputs[0] if traced.out_tree == _LEAF else _rebuild(form, outputs)
        if executable.calls_back or (mask and not has_room(traced.jaxpr, mask)):
            return result, None
        out_tree = _FLAT.flatten(outputs[0] if traced.out_tree == _LEAF else Results(tuple(outputs), form))[1]
        return result, FastPath(executable, out_tree, len(operands) - n_captured, buffers[:n_captured])


def dispatchable(leaves: Sequence[Any]) -> list[object]:
    """The leaves of the arguments as C++ takes them: buffers, and numbers.

    A host array is put, once, where the arrays beside it are. What is neither an array nor a number is left to the call
    in Python, which names it.
    """
    held = [leaf.data for leaf in leaves if type(leaf) is Concrete and pjrt.is_buffer(leaf.data)]
    device = pjrt.require_device(held[0]) if held else pjrt.default_device()
    taken: list[object] = []
    for leaf in leaves:
        if isinstance(leaf, np.ndarray) and leaf.dtype in BY_NUMPY:
            taken.append(buffer_of(from_host(leaf.copy()), device))
        elif type(leaf) is not Concrete:
            taken.append(leaf)
        elif pjrt.is_buffer(leaf.data) or not (leaf.aval.shape or leaf.aval.weak_type):
            taken.append(leaf.data)
        else:
            taken.append(buffer_of(leaf, device))
    return taken


def _operand_names(n_captured: int, arguments: Sequence[str] = ()) -> list[str]:
    return [*(f"closed-over array {i}" for i in range(n_captured)), *(f"argument {name}" for name in arguments)]


def has_room(jaxpr: Jaxpr, donated: Sequence[bool]) -> bool:
    """Whether every donated input has an output of its own size and dtype to be reused for."""
    free = [(aval.shape, aval.dtype) for aval in jaxpr.out_avals]
    for aval, is_donated in zip(jaxpr.in_avals, donated, strict=True):
        if is_donated:
            if (aval.shape, aval.dtype) not in free:
                return False
            free.remove((aval.shape, aval.dtype))
    return True


def jit[F: Callable[..., Any]](
    f: F,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
) -> F:
    """`f`, compiled by XLA: traced once for each structure, shapes and dtypes of its arguments, then run from a cache.

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
    return cast(F, Jitted(f, Signature.of(f, static_argnums, static_argnames, donate_argnums)).caller())
