"""Mistakes with handlers and operations of one's own: the error names what the user wrote, and what to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from effects import Carrier, CustomHigherOrder, CustomOp, Operand, Performed, operation
from effects.errors import ArgumentError, EffaxError, IllTyped, MissingRule, NotLinearError
from effects.operations import Binary, BinaryKind, Compare, Cond, Reduce, ReduceKind, Unary, UnaryKind
from handlers import Forward, OperationHandler, Parts, Tabular, kept
from tests.errors.untyped import cond, fx, grad, handlers, jit, make_jaxpr

x, v = fx.asarray(0.2), fx.asarray([0.1, 0.2])
do: Any = fx.perform


class Duals(Parts):
    x: fx.Array
    t: fx.Array


class Pair(NamedTuple):
    x: Any
    t: Any


def tabular(rules: Any) -> Any:
    class Table(Tabular[Duals, Pair]):
        pass

    made: Any = Table
    made.rules = rules
    return made


def _sine(op: Any) -> Any:
    return fx.sin(op.x.x), op.x.t


def _same(op: Any) -> Any:
    return op.x.x, op.x.t


class Scales(OperationHandler):
    handles = UnaryKind.SIN
    s: fx.Array = kept(default=fx.asarray(1.0))

    def interpret(self, op: Any, /) -> Any:
        self.s = self.s * op.x
        return fx.perform(op) * self.s


def depending() -> Any:
    g = handlers.custom_jvp(lambda primals, tangents: (fx.sin(*primals), fx.cos(*primals) * tangents[0]))(fx.sin)

    def run(x: Any) -> Any:
        with Scales():
            return g(fx.sin(x))

    return grad(run)(x)


class Wrapped(OperationHandler):
    handles = UnaryKind.SIN

    def interpret(self, op: Any, /) -> Performed:
        return (fx.perform(op),)


def wrapped() -> None:
    with Wrapped():
        fx.sin(x)


def _same_again(op: Any) -> Any:
    return (op.x,)


def fixed(x: Any = x, **members: Any) -> Any:
    class Fix(CustomHigherOrder[Any]):
        body: Any
        x: Operand

    for name, member in {"types": lambda self: (self.x.aval,), **members}.items():
        setattr(Fix, name, member)
    made: Any = operation(Fix)
    return made(make_jaxpr(lambda q: q * 2)(0.5), x)


def scaled(**members: Any) -> Any:
    class Scale(CustomOp):
        x: Operand

    for name, member in {"types": lambda self: self.x.aval, "evaluate": lambda self: self.x * 2, **members}.items():
        setattr(Scale, name, member)
    return operation(Scale)


class Good(Carrier):
    def __init__(self, owner: Any, value: Any) -> None:
        self.owner, self.value = owner, value

    @property
    def aval(self) -> Any:
        return self.value.aval


class NoOwner(Good):
    def __init__(self, owner: Any, value: Any) -> None:
        self.value = value


class NoType(Carrier):
    def __init__(self, owner: Any, value: Any) -> None:
        self.owner, self.value = owner, value


def carried(carrier: Any, f: Callable[[Any], Any], static: object = None) -> Any:
    class Mine(Forward[Any, Any]):
        def constant(self, value: Any, /) -> Any:
            return carrier(self, value)

        def interpret(self, op: Any, /) -> Any:
            return carrier(self, fx.perform(op.map(lambda q: q.value)))

        def unpack(self, value: Any, /) -> Any:
            return (value.value,), static

        def pack(self, parts: Any, static: Any, /) -> Any:
            return carrier(self, parts[0])

    with Mine() as handler:
        return handler.lift(f(carrier(handler, x)))


def numbers_only() -> None:
    class Bounds(Parts):
        lo: float
        hi: float


def a_list_of_rules() -> None:
    class Table(Tabular[Duals, Pair]):
        rules = fx.ones(3)  # the mistake


MISTAKES: dict[str, tuple[type[EffaxError], str, Callable[[], object]]] = {
    "no rule in a derivative": (
        MissingRule,
        "Table has no rule for cos (help(UnaryKind) says what it is); write Table.rules[UnaryKind.COS]",
        lambda: tabular({UnaryKind.SIN: _sine}).over(grad(fx.sin))(Pair(x, x)),
    ),
    "no rule in a derivative, two": (
        MissingRule,
        "Table has no rule for above (help(BinaryKind) says what it is)",
        lambda: tabular({UnaryKind.LOG: _same, BinaryKind.DIV: _same}).over(grad(fx.log))(Pair(x, x)),
    ),
    "state that varies": (ArgumentError, "let sin depend on its arguments alone", depending),
    "a tuple of one": (IllTyped, "must return one array, float64[]; got a tuple of 1, (float64[])", wrapped),
    "types of one": (
        IllTyped,
        "Fix.types(self) must return a tuple, a type for each result",
        lambda: do(fixed(types=lambda self: self.x.aval, expand=_same_again)),
    ),
    "expand to one": (IllTyped, "Fix.expand(self) must return 1 result", lambda: do(fixed(expand=lambda self: self.x))),
    "linear in what is not there": (
        ArgumentError,
        "Fix.linear names the operand 'y', and Fix has no such field",
        lambda: grad(lambda x: do(fixed(x, expand=_same_again, linear=("y",), transpose=lambda self, ct: ct))[0])(x),
    ),
    "closed over": (
        ArgumentError,
        "what a function closed over comes first (closure_convert)",
        lambda: jit(lambda q: fx.eval_jaxpr(make_jaxpr(lambda t: t * q)(x), (x,)))(x),
    ),
    "not linear": (
        NotLinearError,
        "the jvp of a user-defined operation",
        lambda: grad(lambda x: do(scaled(jvp=lambda self: (self.x.primal, self.x.tangent**2))(x)))(x),
    ),
    "no result": (
        IllTyped,
        "x.aval rather than x.aval.shape",
        lambda: jit(lambda x: do(scaled(types=lambda self: self.x.aval.shape)(x)))(x),
    ),
    "no result, eager": (
        IllTyped,
        "x.aval rather than x.aval.shape",
        lambda: do(scaled(types=lambda self: self.x.aval.shape)(x)),
    ),
    "kind": (ArgumentError, "Unary: kind must be a UnaryKind, got 'sin'", lambda: do(Unary("sin", x))),  # type: ignore[arg-type]  # the mistake
    "kind, jit": (ArgumentError, "Unary: kind must be a UnaryKind", lambda: jit(lambda x: do(Unary("sin", x)))(x)),  # type: ignore[arg-type]  # the mistake
    "kind, swapped": (ArgumentError, "Unary: kind must be a UnaryKind", lambda: do(Unary(x, UnaryKind.SIN))),
    "kind of two": (ArgumentError, "Binary: kind must be a BinaryKind", lambda: do(Binary("add", x, x))),  # type: ignore[arg-type]  # the mistake
    "kind of comparison": (ArgumentError, "kind must be a CompareKind", lambda: do(Compare("lt", x, x))),  # type: ignore[arg-type]  # the mistake
    "kind of reduction": (ArgumentError, "kind must be a ReduceKind", lambda: do(Reduce("sum", (0,), v))),  # type: ignore[arg-type]  # the mistake
    "no array": (ArgumentError, "class Bounds(Parts): no field is an array; annotate", numbers_only),
    "no owner": (ArgumentError, "NoOwner.__init__ must set self.owner", lambda: carried(NoOwner, fx.sin)),
    "no type": (MissingRule, "NoType.aval: a carrier says which type", lambda: carried(NoType, fx.sin)),
    "a list as form": (
        IllTyped,
        "Mine.unpack: the static form must be hashable, got [1] of type list",
        lambda: carried(Good, jit(fx.sin), [1]),
    ),
    "a tuple that leaves": (
        ArgumentError,
        "Mine.lift: value must be an array, got (",
        lambda: carried(Good, lambda x: (x, x)),
    ),
    "a list of rules": (ArgumentError, "rules must be a dict of functions", a_list_of_rules),
    "a rule that is none": (
        IllTyped,
        "Table.rules[UnaryKind.SIN] must be a function of the operation, got 3",
        lambda: tabular({UnaryKind.SIN: 3}).over(fx.sin)(Pair(x, x)),
    ),
    "inside, not installed": (
        ArgumentError,
        "Wrapped.inside: the handler is not installed",
        lambda: Wrapped().inside(make_jaxpr(fx.sin)(x), (x,)),
    ),
}


@pytest.mark.parametrize(("kind", "words", "wrong"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(kind: type[EffaxError], words: str, wrong: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        wrong()
    assert words in str(caught.value), str(caught.value)
    assert caught.value.source is not None and caught.value.source.file in (__file__,)


class InBranches(OperationHandler):
    handles = Cond

    def interpret(self, op: Any, /) -> Any:
        return self.inside(op.branches[1], op.operands_)


def test_what_inside_gives_is_what_interpret_gives() -> None:
    def run(x: Any) -> Any:
        with InBranches():
            return cond(x > 1, fx.sin, fx.cos, x)

    assert float(run(x)) == float(jit(run)(x)) == float(fx.sin(x))


def test_operations_are_shown() -> None:
    assert repr(Unary(UnaryKind.SIN, x)) == "sin float64[]"
    assert repr(Reduce(ReduceKind.SUM, (0,), v)) == "reduce_sum[axes=(0,)] float64[2]"
    assert repr(make_jaxpr(fx.sin)(x).eqns[0].op) == "sin float64[]"
