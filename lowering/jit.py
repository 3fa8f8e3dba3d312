"""`jit`: functions that are traced, compiled by XLA, and called by looking up the executable for their arguments.

At the root of the chain a call with arguments of known types runs at once. Under any other chain a call performs a
`Call` operation with the traced program as body, so that every handler sees it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from time import perf_counter
from typing import Any, Final, NamedTuple, cast

from effects.arguments import check_callable, flag, function_name
from effects.arrays.concrete import Concrete
from effects.errors import TreeError
from effects.operations.higher_order import Call
from effects.program.chain import ROOT, current, perform
from effects.requests.effect import scopes
from effects.runtime.caches import PLAIN, Cache, exact_key
from effects.runtime.cpython.source import on_own_lines, rule_around
from effects.trees.pytree import TreeDef, tree_flatten, tree_leaves, tree_unflatten
from effects.trees.registration import check_static
from effects.types.avals import ShapedArray
from effects.types.dtypes import current_default_float
from handlers.transformations.calls.arguments import as_arrays, description, named_after
from handlers.transformations.calls.binding import Parameters
from handlers.transformations.calls.disabling import called
from handlers.transformations.calls.staging import Staged, abstract_arguments, stage_tree
from handlers.transformations.calls.static_arguments import Signature, StaticArguments
from lowering.arrays import arrays_of, placement_key
from lowering.calls.donation import Donated, warn_kept
from lowering.calls.jitted_function import G_co, JittedFunction, with_stages
from lowering.calls.keys import add_named, add_tree
from lowering.calls.prepared import LiveInputs, PreparedCall, operand_names
from lowering.compilation import compiled_or_shared
from lowering.constant_folding import folded
from lowering.emission import Layout
from lowering.explanation.compilations import History
from lowering.explanation.facts import CallFacts
from lowering.pjrt import BUFFER, DEVICES, Buffer, Device, forks
from lowering.placement.jit_shardings import Shardings, placement_for
from lowering.stages import Lowered, Trace


class CallKey(NamedTuple):
    """The structure of a call's dynamic arguments, and the static ones."""

    in_tree: TreeDef
    static: StaticArguments


class Jitted:
    """The caches behind a jitted function, which is compiled for each kind of its arguments.

    A kind is the structure of the dynamic arguments, the static ones, the types of the leaves, their device, and the
    default dtype.
    """

    def __init__(self, signature: Signature, donated: Donated, cuts: Shardings, keep_unused: bool, fold: bool) -> None:
        self._f: Final = signature.f
        self._name: Final = function_name(signature.f)
        self._signature: Final = signature
        self._donated: Final = donated
        self._donates: Final = any(donated)
        self._shardings: Final = cuts
        self._keep_unused: Final = keep_unused
        self._fold: Final = fold
        self._traces: Final[Cache[Hashable, Staged]] = Cache()
        self._calls: Final[Cache[Hashable, PreparedCall]] = Cache()
        self._history: Final = History(signature.f)

    def caller(self) -> Callable[..., Any]:
        """The function that users call.

        It is a function rather than a callable object, so that nested calls do not use up the C stack and it binds as a
        method. Every step here shows in the benchmarks.
        """
        find = self._calls.recent.get
        static_nums, static_names = self._signature.static_argnums, self._signature.static_argnames
        shared = not self._donates

        @named_after(self._f, "jit", decorates=True)
        def jitted(*args: Any, **kwargs: Any) -> Any:
            if current() is not ROOT:
                return self._perform(args, kwargs)
            call_key: list[Hashable] = []  # the parts of the arguments
            cache_key: Hashable = None
            buffers: list[Any] = []
            call: PreparedCall | None = None
            several = len(DEVICES) > 1
            for x in args:
                if (cls := type(x)) is Concrete and type(data := x.stored) is BUFFER:
                    call_key.append((x.aval, data._sharding) if several else x.aval)  # as `where` says, without a call
                    buffers.append(data)
                elif static_nums and (len(call_key) in static_nums or len(call_key) - len(args) in static_nums):
                    call_key.append((cls, x) if cls in PLAIN else exact_key(x))
                elif not add_tree(x, call_key, buffers, shared):
                    break
            else:
                if not kwargs or add_named(kwargs, static_names, call_key, buffers, shared):
                    call_key.append(current_default_float())
                    cache_key = tuple(call_key)
                    try:
                        call = find(cache_key)
                    except (TypeError, ValueError):  # a static argument or field is not hashable
                        cache_key = None
            if call is None:
                cached = self._cached_call(args, kwargs, cache_key)
                if cached is None:
                    return self._perform(args, kwargs)
                call, buffers = cached
            forks.collect_garbage()
            try:
                operands = buffers if call.operands is None else call.operands(buffers)
                outputs = call.launch(operands).consume_with_handlers(call.handlers)
            except (ValueError, RuntimeError) as error:
                failure = call.failure_behind(error)
                if failure is None:
                    self._explain(args, kwargs)
                    raise
            else:
                return call.unflatten(outputs)
            raise failure  # out here, so that it keeps its own context

        vars(jitted).update(history=self._history, trace=self.trace, lower=self.lower, eval_shape=self.eval_shape)
        jitted.__doc__ = with_stages(jitted.__doc__)
        return jitted

    def _cached_call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], cache_key: Hashable
    ) -> tuple[PreparedCall, list[Buffer]] | None:
        """The cached call for these arguments, and their buffers; None if a leaf is no array or number.

        The call is cached by its `cache_key`, if it has one, else by its structure and types.
        """
        leaves, key = self._taken_apart(args, kwargs)
        arrays = arrays_of(leaves)
        if arrays is None:
            return None
        if cache_key is None:
            placements = [placement_key(x) for x in arrays] if len(DEVICES) > 1 else ()
            cache_key = (current_default_float(), *placements, key.in_tree, key.static.key, *[x.aval for x in arrays])
        call = self._cached(self._calls, cache_key, key)
        if call is None:
            call = self._prepare(key, arrays)
            if call is None:
                return None
            call = self._calls.keep(cache_key, call)
        return call, call.buffers(arrays, shared=not self._donates)

    def _prepare(self, key: CallKey, arrays: Sequence[Concrete]) -> PreparedCall | None:
        """Trace and compile; None if a closed-over value belongs to a handler."""
        start = perf_counter()
        traced = self._trace(key, [array.aval for array in arrays])
        if not all([type(value) is Concrete for value in traced.captured]):
            return None
        where, inputs = self._check_operands(key, traced, arrays)
        facts = CallFacts.of(self._signature, key.in_tree, key.static, arrays, self._donated, where)
        tracing = perf_counter() - start
        executable, origin = compiled_or_shared(inputs.program, where, self._name, inputs.donated)
        self._history.add(facts, origin, tracing, perf_counter() - start - tracing, len(inputs.program.eqns))
        return PreparedCall(executable, cast("list[Concrete]", traced.captured), traced, inputs)

    def _taken_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], CallKey]:
        """The leaves of the dynamic arguments, and their structure with the static arguments."""
        split = self._signature.split(args, kwargs)
        try:
            leaves, treedef = tree_flatten((split.args, split.kwargs))
        except TreeError:
            tree_flatten(split.args)  # its error has the path, without the pair
            tree_flatten(split.kwargs)
            raise
        return leaves, CallKey(treedef, split.static)

    def trace(self, /, *args: Any, **kwargs: Any) -> Trace:
        """The program for arguments like these (arrays or `ShapedArray`s), not lowered yet."""
        split = self._signature.split(args, kwargs)
        names = functools.partial(self._signature.names, split.static, split.args, split.kwargs)
        avals, treedef = abstract_arguments("jit", split.args, split.kwargs, names)
        key = CallKey(treedef, split.static)
        traced = self._trace(key, avals)
        operands = [*traced.captured, *tree_leaves((split.args, split.kwargs))]
        return Trace(
            self._name,
            traced.jaxpr,
            traced.captured,
            treedef,
            traced.out_tree,
            self._donated.leaves(split.static, split.args, split.kwargs),
            self._keep_unused,
            self._where(key, traced, operands),
            Parameters.of(self._f, split),
            description("jit", self._f),
        )

    def lower(self, /, *args: Any, **kwargs: Any) -> Lowered:
        """The StableHLO module for arguments like these: `trace(...).lower()`."""
        return self.trace(*args, **kwargs).lower()

    def eval_shape(self, /, *args: Any, **kwargs: Any) -> Any:
        """The types of the results for arguments like these: `trace(...).out_info`."""
        return self.trace(*args, **kwargs).out_info

    def _trace(self, key: CallKey, avals: Sequence[ShapedArray]) -> Staged:
        link = current()
        around = (*link.axes.items(), *(scopes(link) if link.answered else ()), *rule_around())
        cache_key = (key, tuple(avals), current_default_float(), around)
        trace = self._cached(self._traces, cache_key, key)
        if trace is not None:
            return trace
        names, f = functools.partial(self._names, key), self._function(key)
        traced = on_own_lines(lambda: stage_tree(f, avals, key.in_tree, "jit", names))
        traced = folded(traced) if self._fold else traced
        traced.jaxpr.shared()
        if all(type(value) is Concrete for value in traced.captured):
            return self._traces.keep(cache_key, traced)
        return traced  # a program over carriers of this chain cannot be used again

    def _function(self, key: CallKey) -> Callable[..., Any]:
        """The function of the dynamic arguments, with the requested shardings."""
        f, names = self._signature.partial(key.static), functools.partial(self._names, key)
        return self._shardings.constraining(f, self._signature, names) if self._shardings.any_requested else f

    def _cached[T](self, cache: Cache[Any, T], cache_key: Hashable, key: CallKey) -> T | None:
        """The cached value of a key, or the error of static arguments that cannot be compared."""
        try:
            return cache.find(cache_key)
        except ValueError:
            check_static(key.in_tree, lambda: f"jit: arguments of {self._name}")
            raise

    def _explain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise the error of arrays that made the runtime refuse a call, if they did."""
        leaves, key = self._taken_apart(args, kwargs)
        arrays = arrays_of(leaves)
        if arrays is not None:
            self._check_operands(key, self._trace(key, [array.aval for array in arrays]), arrays)

    def _check_operands(
        self, key: CallKey, traced: Staged, arrays: Sequence[Concrete]
    ) -> tuple[Device | Layout, LiveInputs]:
        """Device or layout of the operands, and the live inputs of the program; raises the errors of wrong operands."""
        captured = cast("list[Concrete]", traced.captured)
        operands = [*captured, *arrays]
        names = lambda: operand_names(len(captured), self._names(key))
        where = self._where(key, traced, operands)
        donated = self._donated.leaves(key.static, *tree_unflatten(key.in_tree, arrays))
        mask = (False,) * len(captured) + donated if any(donated) else ()
        inputs = LiveInputs.of(traced.jaxpr, mask, self._keep_unused)
        inputs.check(self._name, operands, names)
        return inputs.where(where), inputs

    def _where(self, key: CallKey, traced: Staged, operands: Sequence[object]) -> Device | Layout:
        """Device or layout of a call's program, with all operands as inputs."""
        n_captured = len(traced.captured)
        names = lambda: operand_names(n_captured, self._names(key))
        inputs = [*[None] * n_captured, *self._shardings.of_inputs(key.in_tree, operands[n_captured:], self._signature)]
        outputs = self._shardings.of_outputs(traced.out_tree, traced.jaxpr.out_avals, self._signature.f)
        return placement_for(traced.jaxpr, operands, inputs, outputs, names, self._name)

    def _names(self, key: CallKey) -> list[str]:
        """Names of the leaves of the dynamic arguments in messages."""
        args, kwargs = tree_unflatten(key.in_tree, [0] * key.in_tree.num_leaves)
        return self._signature.names(key.static, args, kwargs)

    def _perform(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Perform a call under handlers; raises the errors of arguments that are no arrays, or of another chain."""
        leaves, key = self._taken_apart(args, kwargs)
        arrays = as_arrays("jit", leaves, functools.partial(self._names, key))
        if current().eager:
            return called("jit", self._function(key), *tree_unflatten(key.in_tree, arrays))
        if self._donates and not current().recorded:
            warn_kept(self._name, current())
        traced = self._trace(key, [array.aval for array in arrays])
        operands = (*traced.captured, *arrays)
        results = perform(Call(traced.jaxpr, self._name, operands))
        return tree_unflatten(traced.out_tree, results)


def jit(
    f: G_co | None = None,
    *,
    static_argnums: int | Sequence[int] | None = (),
    static_argnames: str | Sequence[str] | None = (),
    donate_argnums: int | Sequence[int] | None = (),
    donate_argnames: str | Sequence[str] | None = (),
    keep_unused: bool = False,
    fold: bool = False,
    in_shardings: object = None,
    out_shardings: object = None,
) -> JittedFunction[G_co]:
    """`f`, compiled by XLA: traced once for each structure, shapes and dtypes of its arguments, then run from a cache.

    Static arguments (`static_argnums`, `static_argnames`; hashable) are Python values while tracing, and each value has
    its own program. Equal ones of a class mean the same program, by their `__eq__`, but 1, 1.0 and True are different.
    Donated arguments (`donate_argnums`, `donate_argnames`) give their memory to the results and cannot be used
    afterwards. Exceptions are arguments without memory on the device: scalars made by eager code and, where there are
    several devices, arrays on the host. Static and donated arguments may be passed by position or by name. Arguments
    that the program does not read are left out of it, and are not donated; with `keep_unused` it takes all.

    Python's side effects happen only while tracing. So do reads: globals, attributes such as `self.w` and closed-over
    names keep the values that they have then, so whatever changes must be an argument. With `fold`, computations that
    depend only on such arrays are done once, while tracing. Also a decorator with arguments: `@jit(static_argnums=0)`.

    A call with arrays over a mesh runs over it; so does a call of a function with shardings. `in_shardings` and
    `out_shardings` are tree prefixes of the positional arguments (which may be passed by name) and of the result, with
    shardings and None as leaves: arguments on the host are split so, others must be, and results are. Static arguments
    have no entry. The compiler decides the rest.

    The result also has `trace(*args)`, `lower(*args)` and `eval_shape(*args)` for looking at the program:
    `.lower(x).as_text()`, `.lower(x).compile().cost_analysis()`, ….

    Raises ArgumentError for positions and names that `f` does not have, for unhashable static arguments, and for an
    argument that is both static and donated; DeviceError for arguments in different places, ShapeError and TreeError
    for shardings that do not fit.

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
    if f is None:
        decorator = functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            keep_unused=keep_unused,
            fold=fold,
            in_shardings=in_shardings,
            out_shardings=out_shardings,
        )
        return cast(JittedFunction[G_co], decorator)
    check_callable("jit", f)
    keep_unused, fold = flag("jit", "keep_unused", keep_unused), flag("jit", "fold", fold)
    signature = Signature.of("jit", f, static_argnums, static_argnames)
    donated = Donated.of(signature, donate_argnums, donate_argnames)
    shardings = Shardings.of(in_shardings, out_shardings)
    caller = Jitted(signature, donated, shardings, keep_unused, fold).caller()
    return cast(JittedFunction[G_co], caller)
