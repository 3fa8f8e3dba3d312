"""Calls of what is no public function: methods and operators of arrays, stages of compilation, handlers, rules, nodes.

Each is a function of keyword arguments, and a valid value for each of them. Methods of arrays are read off the class.
"""

from __future__ import annotations

import functools
import inspect
import io
import operator
from collections.abc import Callable, Iterator
from dataclasses import make_dataclass
from itertools import product
from typing import Any, Final

import effects as fx
import handlers
import lowering
from tests.arguments.kinds import WHOLE, V, X, double, total
from tests.arguments.signatures import Call, argument

type Valid = dict[str, Any]


def _methods() -> Iterator[Call]:
    for name, method in vars(fx.Array).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            _, *rest = inspect.signature(method).parameters.values()
            of_function = getattr(method, "__name__", name)
            for kind, x in (("floats", X), ("integers", WHOLE)):
                yield Call(
                    f"{kind}.{name}", functools.partial(method, x), tuple([argument(of_function, p) for p in rest])
                )


METHODS: Final = tuple(_methods())

ARITHMETIC: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne")
BITWISE: Final = ("and_", "or_", "xor", "lshift", "rshift")


def _operators() -> Iterator[tuple[str, Callable[..., object], Valid]]:
    kinds = {"floats": (X, 1.5), "integers": (WHOLE, 1)}
    for name, kind in [*product([*ARITHMETIC, "divmod"], kinds), *product(BITWISE, ["integers"])]:
        of = divmod if name == "divmod" else getattr(operator, name)
        x, y = kinds[kind]
        yield f"{name} {kind}", functools.partial(lambda of, x, y: of(x, y), of, x), {"y": y}
        yield f"{name} of {kind}", functools.partial(lambda of, x, y: of(y, x), of, x), {"y": y}
    yield "matmul", lambda y: X @ y, {"y": V}
    yield "matmul of", lambda y: y @ X.T, {"y": V}
    yield "in", lambda y: y in X, {"y": 1.0}


LOWERED: Final = lowering.lower(double, V)
COMPILED: Final = LOWERED.compile()
TYPE: Final = fx.ShapedArray((2,), "float32")
INFO: Final = fx.__array_namespace_info__()


def under(handler: Any) -> object:
    """A jitted function and its derivative inside a handler."""
    with handler:
        return handlers.grad(lowering.jit(total))(V)


def remat(policy: Any, prevent_cse: Any) -> object:
    def f(x: Any) -> Any:
        with handlers.Remat(policy, prevent_cse):
            return lowering.jit(lambda x: fx.sin(x) * x)(x)

    return handlers.grad(f)(1.0)


def rule(transformation: Any, method: str, *rules: Any) -> Callable[..., Any]:
    """The sine with these rules, or with these in place of rules."""
    f = transformation(lambda *args: fx.sin(args[-1]))
    getattr(f, method)(*rules)
    return f  # type: ignore[no-any-return]  # a function of any arguments


def _jvp(given: Any, method: str = "defjvp") -> object:
    return handlers.jvp(rule(handlers.custom_jvp, method, given), (V,), (V,))


def _grad(f: Callable[..., Any], *args: Any) -> object:
    def summed(x: Any) -> Any:
        return fx.sum(f(*args, x))

    return handlers.grad(summed)(V), handlers.grad(lowering.jit(summed))(V)


def _vjp(fwd: Any, bwd: Any) -> object:
    return _grad(rule(handlers.custom_vjp, "defvjp", fwd, bwd))


def _batch(given: Any) -> object:
    return handlers.vmap(rule(handlers.custom_batching, "defbatch", given))(V)


class Held:
    def __init__(self, a: object = None, *more: object) -> None:
        self.a = a


def node(cls: Any = None, flatten: Any = None, unflatten: Any = None, keys: Any = None) -> Any:
    """A class that is a node by these functions."""
    made = type("Node", (Held,), {}) if cls is None else cls
    fx.register_node(
        made,
        (lambda node: ((node.a,), None)) if flatten is None else flatten,
        (lambda _, children: made(*children)) if unflatten is None else unflatten,
        keys,
    )
    return made


def walked(tree: object) -> object:
    """All that is done with trees."""
    leaves, structure = fx.tree_flatten(tree)
    fx.tree_leaves_with_path(tree)
    fx.tree_map(lambda x: x, tree)
    return lowering.jit(lambda tree: fx.tree_leaves(tree))(fx.tree_unflatten(structure, leaves))


def of_fields(static: Any, a: Any, b: Any) -> object:
    made: Any = make_dataclass("Fields", ["a", "b"])
    fx.register(static=static)(made)
    return walked(made(a, b))


_POLICY: Final = handlers.checkpoint_policies.nothing_saveable
_UNRAVEL: Final = fx.ravel_pytree({"a": V})[1]
_PULLBACK: Final = handlers.vjp(fx.sin, V)[1]
_PUSHFORWARD: Final = handlers.linearize(fx.sin, V)[1]
_KEYS: Final = [fx.GetAttrKey("a")]

OTHERS: Final[dict[str, tuple[Callable[..., object], Valid]]] = {
    **{name: (f, valid) for name, f, valid in _operators()},
    "x[k]": (lambda k: X[k], {"k": 0}),
    "x[k, l]": (lambda k, l: X[k, l], {"k": 0, "l": 0}),
    "x[a:b:c]": (lambda a, b, c: X[a:b:c], {"a": 0, "b": 1, "c": 1}),
    "round": (lambda n: round(X, n), {"n": 0}),
    "item": (lambda i, j: X.item(i, j), {"i": 0, "j": 1}),
    "to_device": (lambda device, stream: X.to_device(device, stream=stream), {"device": "cpu:0", "stream": None}),
    "namespace": (lambda version: X.__array_namespace__(api_version=version), {"version": None}),
    "dtypes": (lambda device, kind: INFO.dtypes(device=device, kind=kind), {"device": None, "kind": None}),
    "default_dtypes": (lambda device: INFO.default_dtypes(device=device), {"device": None}),
    "ShapedArray": (fx.ShapedArray, {"shape": (2,), "dtype": "int8", "weak_type": False}),
    "with_shape": (TYPE.with_shape, {"shape": (3,)}),
    "with_dtype": (TYPE.with_dtype, {"dtype": fx.float32}),
    "jitted": (lambda x: lowering.jit(double)(x), {"x": V}),
    "trace": (lambda x: lowering.trace(double, x), {"x": V}),
    "lower": (lambda x: lowering.lower(double, x), {"x": V}),
    "as_text": (lambda dialect, lines: LOWERED.as_text(dialect, debug_info=lines), {"dialect": "hlo", "lines": False}),
    "compiler_ir": (LOWERED.compiler_ir, {"dialect": "hlo"}),
    "compile": (LOWERED.compile, {"compiler_options": None}),
    "an option": (lambda value: LOWERED.compile({"xla_cpu_enable_fast_math": value}), {"value": True}),
    "compiled": (lambda x: COMPILED(x), {"x": V}),
    "Loader": (
        lambda source, size, key, last, sharding, prefetch: list(
            lowering.Loader(source, size, key=key, last=last, sharding=sharding, prefetch=prefetch).batches()
        ),
        {"source": V, "size": 1, "key": None, "last": None, "sharding": None, "prefetch": 0},
    ),
    "batches": (
        lambda epochs, start: next(lowering.Loader(V, 1, prefetch=0).batches(epochs, start), None),
        {"epochs": 1, "start": lowering.Position()},
    ),
    "default_float": (fx.default_float, {"dtype": "float32"}),
    "Vmap": (
        lambda size, name, directions: under(handlers.Vmap(size, name, directions=directions)),
        {"size": 3, "name": "i", "directions": False},
    ),
    "Jet": (lambda order: under(handlers.Jet(order)), {"order": 2}),
    "Log": (lambda prefix, file: under(handlers.Log(prefix, file)), {"prefix": "", "file": io.StringIO()}),
    "Remat": (remat, {"policy": _POLICY, "prevent_cse": True}),
    "a policy": (
        lambda allowed: handlers.grad(handlers.checkpoint(total, policy=lambda op: allowed))(V),
        {"allowed": True},
    ),
    "save_only_these_names": (lambda name: handlers.checkpoint_policies.save_only_these_names(name), {"name": "a"}),
    "defjvp": (_jvp, {"given": lambda primals, tangents: (primals[0], tangents[0])}),
    "jvp rule": (lambda out: _jvp(lambda primals, tangents: out), {"out": (V, V)}),
    "jvp rule's result": (lambda out: _jvp(lambda primals, tangents: (out, tangents[0])), {"out": V}),
    "jvp rule's tangent": (lambda out: _jvp(lambda primals, tangents: (primals[0], out)), {"out": V}),
    "defjvps": (lambda given: _jvp(given, "defjvps"), {"given": lambda tangent, result, x: tangent}),
    "part of a tangent": (lambda out: _jvp(lambda tangent, result, x: out, "defjvps"), {"out": V}),
    "defvjp": (_vjp, {"fwd": lambda x: (x, x), "bwd": lambda kept, ct: (ct,)}),
    "fwd": (lambda out: _vjp(lambda x: out, lambda kept, ct: (ct,)), {"out": (V, V)}),
    "residuals": (lambda out: _vjp(lambda x: (x, out), lambda kept, ct: (ct,)), {"out": V}),
    "bwd": (lambda out: _vjp(lambda x: (x, x), lambda kept, ct: out), {"out": (V,)}),
    "cotangent": (lambda out: _vjp(lambda x: (x, x), lambda kept, ct: (out,)), {"out": V}),
    "defbatch": (_batch, {"given": lambda size, batched, x: (x, True)}),
    "batching rule": (lambda out: _batch(lambda size, batched, x: out), {"out": (V, True)}),
    "batched": (lambda out: _batch(lambda size, batched, x: (x, out)), {"out": True}),
    "deftranspose": (
        lambda given: _grad(rule(handlers.custom_transpose, "deftranspose", given), 1.0),
        {"given": lambda kept, ct: ct},
    ),
    "custom_gradient": (lambda out: _grad(handlers.custom_gradient(lambda x: out)), {"out": (V, lambda ct: ct)}),
    "linear function": (lambda ct, tangent: (_PULLBACK(ct), _PUSHFORWARD(tangent)), {"ct": V, "tangent": V}),
    "unravel": (lambda flat: _UNRAVEL(flat), {"flat": V}),
    "Partial": (lambda f, x: fx.Partial(f, x)(V), {"f": fx.add, "x": 1.0}),
    "register_node": (node, {"cls": None, "flatten": None, "unflatten": None, "keys": None}),
    "flattened": (lambda out: walked(node(flatten=lambda node: out)(V)), {"out": ((V,), None)}),
    "children": (lambda out: walked(node(flatten=lambda node: (out, None))(V)), {"out": (V,)}),
    "static data": (lambda out: walked(node(flatten=lambda node: ((V,), out))(V)), {"out": None}),
    "unflattened": (lambda out: walked(node(unflatten=lambda data, children: out)(V)), {"out": 1.0}),
    "keys": (lambda out: walked(node(keys=lambda node: out)(V)), {"out": _KEYS}),
    "register": (lambda cls: fx.register(cls), {"cls": make_dataclass("Fields", ["a"])}),
    "fields": (of_fields, {"static": ("b",), "a": V, "b": 2}),
}
"""Functions of keyword arguments, each with a valid value for every one of them."""
