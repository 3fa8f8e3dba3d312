"""Laws of handlers, independent of their place in the chain: `check_laws`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

import effects as fx
from effects.arguments import check_callable, flag, function_name, number, refusal
from effects.arrays.array import Array
from effects.arrays.promotion import as_leaf, scalar
from effects.errors import ArgumentError, BrokenLawError, EffaxError, MissingRule, UnhandledEffectError
from effects.operations.higher_order import Call
from effects.program.chain import perform
from effects.program.operation import Operation
from effects.trees.pytree import tree_flatten, tree_map, tree_unflatten
from effects.types import dtypes
from handlers.debugging.in_python import InPython
from handlers.requests.handled import handled
from handlers.requests.handler import EffectHandler, Merging
from handlers.stateful.operations import OperationHandler
from handlers.transformations.axes.batching import vmap
from handlers.transformations.branches.cond import cond
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.custom_rules.rules import custom_jvp, custom_vjp
from handlers.transformations.derivatives.forward import jvp
from handlers.transformations.derivatives.reverse import vjp
from handlers.transformations.loops.loops import while_loop
from handlers.transformations.loops.scan import scan
from handlers.transformations.loops.steps import arguments_tree
from handlers.transformations.memory.checkpoint import checkpoint

type Function = Callable[..., Any]
type Handle = Callable[[Function], Function]


REFUSALS: Final = (ArgumentError, MissingRule, UnhandledEffectError)
"""The errors by which an order is refused."""


class Order(NamedTuple):
    """Two functions that must agree, and how the first one is written."""

    name: str
    run: Function
    expected: Function


def check_laws[O: Operation[Array], S](
    handler: OperationHandler[O] | EffectHandler[S] | Handle,
    f: Function,
    *args: object,
    rtol: float = 1e-6,
    atol: float = 1e-9,
    compiled: bool = True,
) -> dict[str, str]:
    """Check that a handler means the same in every order with jit, control flow, custom rules, derivatives and vmap.

    `handler` is an `OperationHandler` that is not installed, or a function that takes `f` to `f` under a handler, such
    as `Intervals.over`. Or it is an `EffectHandler` that has handled nothing. Then `f` takes the capability before
    `args`, and the laws of its class are checked too: a derivative inside the handler must change the state as `f`
    does, and lanes inside a `Merging` as if they ran one after the other. `args` are trees of arrays, the arguments of
    the handled function. Results and the state are compared to `rtol` and `atol`. With `f′` for a program that contains
    `f` in a call, a branch, a step, a checkpoint or a function with custom rules, and T for `jvp`, `vjp` and `vmap`,
    the laws are

        handle(f′) = jit(handle(f′)) = handle(f)
        T(handle(f′)) = T(jit(handle(f))) = jit(T(handle(f))) = T(handle(f))
        handle(jit(T(f))) = jit(handle(T(f))) = handle(T(f))

    Returns the orders that an error refuses, with its message: these are sound. Orders with derivatives are left out if
    an argument has none. Without `compiled`, Python runs what would be compiled, which takes less time.

    Raises BrokenLawError for the first order that differs, which shows both results.

    >>> import effects as fx
    >>> from handlers import Log
    >>> def logged(f):
    ...     def run(*args):
    ...         with Log(file=open("/dev/null", "w")):
    ...             return f(*args)
    ...     return run
    >>> refused = check_laws(logged, lambda x: fx.sin(x) * x, fx.asarray(0.5), compiled=False)
    >>> list(refused)[-1]
    'vjp(handle(while_loop(f)))'
    """
    check_callable("check_laws", f, "f")
    declared = isinstance(handler, OperationHandler | EffectHandler)
    if not declared and (isinstance(handler, type) or not callable(handler)):
        expected = "a handler that is not installed, or a function that takes f to f under a handler"
        raise refusal("check_laws", "handler", expected, handler)
    rtol, atol = _tolerance("rtol", rtol), _tolerance("atol", atol)
    args = tree_map(lambda leaf: as_leaf(leaf, "check_laws", "a leaf of args"), args)
    laws: Iterable[Order] = ()
    if isinstance(handler, EffectHandler):
        handle, f = _handling(handler, f)
        laws = _laws_of_effects(handle, f, args, isinstance(handler, Merging))
    else:
        handle = _installing(handler) if isinstance(handler, OperationHandler) else handler
    with contextlib.nullcontext() if flag("check_laws", "compiled", compiled) else InPython():
        return _refused_orders(handle, f, args, rtol, atol, laws)


def _refused_orders(
    handle: Handle, f: Function, args: tuple[Any, ...], rtol: float, atol: float, laws: Iterable[Order]
) -> dict[str, str]:
    check_callable("check_laws", handle(f), "what handler makes of f")
    handle(f)(*args)  # raises for any of the three
    refused: dict[str, str] = {}
    for order in (*_orders(handle, f, args), *laws):
        try:
            expected = order.expected(*args)
        except REFUSALS as error:
            refused[order.name] = error.message
            continue
        try:
            result = order.run(*args)
        except REFUSALS as error:
            refused[order.name] = error.message
            continue
        except EffaxError as error:
            raise BrokenLawError(f"{order.name} raises {type(error).__name__}, and should be {expected}") from error
        if not _agree(result, expected, rtol, atol):
            raise BrokenLawError(f"{order.name} gives {result}, and should be {expected}")
    return refused


def _tolerance(name: str, value: float) -> float:
    if not 0 <= number("check_laws", name, value) <= 1:
        raise refusal("check_laws", name, "a number from 0 to 1", value)
    return float(value)


def _installing(handler: OperationHandler[Any]) -> Handle:
    """Runs functions under copies of a handler, for the result and the state."""

    def handle(f: Function) -> Function:
        def run(*args: Any) -> Any:
            with handler.copied(handler.state) as copied:
                result = f(*args)
            return result, copied.state

        return run

    return handle


def _handling(handler: EffectHandler[Any], f: Function) -> tuple[Handle, Function]:
    """Runs functions under copies of an effect handler, for the result and the state; `f` without the capability."""
    capabilities: list[Any] = []

    def handle(g: Function) -> Function:
        def inside(capability: Any, *args: Any) -> Any:
            capabilities[:] = [capability]
            return g(*args)

        def run(*args: Any) -> Any:
            copied = handler.copied(handler.state)
            result = handled(copied, inside, *args)
            return result, tree_map(_without_statics, copied.state)

        return run

    return handle, lambda *args: f(*capabilities, *args)


def _without_statics(leaf: object) -> object:
    return leaf if isinstance(leaf, Array | int | float | complex) else None


def _laws_of_effects(handle: Handle, f: Function, args: tuple[Any, ...], merges: bool) -> Iterator[Order]:
    """The laws of an effect handler's state under transformations inside of it."""

    def to_state(g: Function) -> Function:
        return lambda *args: handle(g)(*args)[1]

    for name, transformed in _transformations(args).items():
        if name != "vmap":
            yield Order(f"the state of handle({name}(f))", to_state(transformed(f)), to_state(f))
        elif merges:
            yield Order("the state of handle(vmap(f))", to_state(_over_lanes(f)), to_state(_twice(f)))


def _orders(handle: Handle, f: Function, args: tuple[Any, ...]) -> Iterator[Order]:
    containing = list(_containing(f))
    plain = {each: _once(handle(each)) for _, _, each in containing}
    for name, contained, without in containing:
        yield Order(f"handle({name})", handle(contained), plain[without])
        yield Order(f"jit(handle({name}))", called(handle(contained)), plain[without])
    for name, transformed in _transformations(args).items():
        inside = _once(handle(transformed(f)))
        yield Order(f"handle(jit({name}(f)))", handle(called(transformed(f))), inside)
        yield Order(f"jit(handle({name}(f)))", called(handle(transformed(f))), inside)
        outside = {each: _once(transformed(handle(each))) for each in plain}
        for inner, contained, without in containing:
            yield Order(f"{name}(handle({inner}))", transformed(handle(contained)), outside[without])
        yield Order(f"{name}(jit(handle(f)))", transformed(called(handle(f))), outside[f])
        yield Order(f"jit({name}(handle(f)))", called(transformed(handle(f))), outside[f])


def _once(f: Function) -> Function:
    """`f` for calls with equal arguments: run once, its result or its refusal is repeated afterwards."""
    ends: list[tuple[Any, EffaxError | None]] = []

    def run(*args: Any) -> Any:
        if not ends:
            try:
                ends.append((f(*args), None))
            except REFUSALS as error:
                ends.append((None, error))
        result, refused = ends[0]
        if refused is not None:
            raise refused
        return result

    return run


def _containing(f: Function) -> Iterator[tuple[str, Function, Function]]:
    """Programs that contain `f` in a call, branch, loop and so on: the name, the program, and what it must equal."""
    true, false, twice = scalar(True, dtypes.bool_), scalar(False, dtypes.bool_), _twice(f)

    def branch(*args: Any) -> Any:
        return called(lambda holds, *rest: cond(holds, f, f, *rest))(true, *args)

    def scanned(*args: Any) -> Any:
        return scan(lambda carry, _: (f(*args), None), f(*args), length=1)[0]

    def repeated(*args: Any) -> Any:
        return while_loop(lambda c: c[0], lambda c: (false, f(*args)), (true, f(*args)))[1]

    def forwards(primals: Any, tangents: Any) -> Any:
        return jvp(f, primals, tangents)

    def backwards(residuals: Any, cotangent: Any) -> Any:
        return vjp(f, *residuals)[1](cotangent)

    yield "f", f, f
    yield "jit(f)", called(f), f
    yield "jit(jit(f))", called(called(f)), f
    yield "cond(f)", branch, f
    yield "scan(f)", scanned, twice
    yield "while_loop(f)", repeated, twice
    yield "checkpoint(f)", checkpoint(f), f
    yield "custom_jvp(f)", custom_jvp(forwards)(f), f
    yield "jit(custom_jvp(f))", called(custom_jvp(forwards)(f)), f
    yield "custom_vjp(f)", custom_vjp(lambda *args: (f(*args), args), backwards)(f), f
    yield "jit(custom_vjp(f))", called(custom_vjp(lambda *args: (f(*args), args), backwards)(f)), f


def _twice(f: Function) -> Function:
    def run(*args: Any) -> Any:
        f(*args)
        return f(*args)

    return run


def _transformations(args: tuple[Any, ...]) -> dict[str, Callable[[Function], Function]]:
    leaves, _ = tree_flatten(args)
    if not all([dtypes.is_inexact(as_leaf(leaf, "check_laws", "a leaf of args").aval.dtype) for leaf in leaves]):
        return {"vmap": _over_lanes}
    return {"jvp": _pushed, "vjp": _pulled, "vmap": _over_lanes}


def _smooth(f: Function) -> Function:
    """`f`, returning only those of its results that have derivatives."""

    def run(*args: Any) -> list[Array]:
        results = [as_leaf(leaf, "check_laws", "a result") for leaf in tree_flatten(f(*args))[0]]
        return [x for x in results if dtypes.is_inexact(x.aval.dtype)]

    return run


def _ones(tree: Any) -> Any:
    return tree_map(lambda x: fx.ones_like(as_leaf(x, "check_laws", "a leaf")), tree)


def _pushed(f: Function) -> Function:
    return lambda *args: jvp(_smooth(f), args, _ones(args))


def _pulled(f: Function) -> Function:
    def run(*args: Any) -> Any:
        results, pull = vjp(_smooth(f), *args)
        return results, tree_flatten(pull(_ones(results)))[0]

    return run


def _over_lanes(f: Function) -> Function:
    def run(*args: Any) -> Any:
        return vmap(f)(*tree_map(lambda x: fx.stack([as_leaf(x, "check_laws", "a leaf")] * 2), args))

    return run


def _agree(result: Any, expected: Any, rtol: float, atol: float) -> bool:
    leaves, tree = tree_flatten(result)
    others, other_tree = tree_flatten(expected)
    return tree == other_tree and all([_close(a, b, rtol, atol) for a, b in zip(leaves, others, strict=True)])


def _close(a: Any, b: Any, rtol: float, atol: float) -> bool:
    x, y = np.asarray(a), np.asarray(b)
    return x.shape == y.shape and x.dtype == y.dtype and bool(np.allclose(x, y, rtol, atol, equal_nan=True))


def called(f: Function) -> Function:
    """`f` as a jitted function is performed: its program in one operation."""

    def call(*args: Any) -> Any:
        leaves, _ = tree_flatten(args)
        trees = [tree_flatten(arg)[1] for arg in args]
        operands = [as_leaf(leaf, "check_laws", "a leaf of args") for leaf in leaves]
        staged = stage_tree(f, [x.aval for x in operands], arguments_tree(*trees), "check_laws")
        results = perform(Call(staged.jaxpr, function_name(f), (*staged.captured, *operands)))
        return tree_unflatten(staged.out_tree, results)

    return call
