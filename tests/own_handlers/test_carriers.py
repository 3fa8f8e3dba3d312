"""What handlers with carriers could lose without a word: forgotten carriers, undecided conditions, wrong types."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import effects as fx
from effects import Array, Carrier, EffaxError, Effect
from effects.errors import ArgumentError, IllTyped, MissingRule
from effects.operations import BinaryKind, CompareKind, Sort, TopK, UnaryKind
from examples.interval import Bounds, interval
from handlers import (
    EffectHandler,
    Forward,
    OperationHandler,
    Parts,
    Rules,
    Tabular,
    cond,
    custom_jvp,
    grad,
    kept,
    partwise,
    switch,
    while_loop,
)
from lowering import jit
from tests.reference.agreement import close

X, SINE = fx.asarray(0.7), fx.sin(0.7)


class Ends(NamedTuple):
    lo: Any
    hi: Any


class Pair(Parts):
    lo: Array
    hi: Array


class Pairs(Tabular[Pair, Ends]):
    rules = dict.fromkeys((UnaryKind.SIN, CompareKind.GT, BinaryKind.MUL), partwise)


class Integers(Tabular[Pair, Ends]):
    rules: Rules[Any] = {UnaryKind.SIN: lambda op: (fx.asarray(1), fx.asarray(2))}  # noqa: RUF012  # a table


class Length(Parts):
    value: Array
    unit: Any


@dataclasses.dataclass
class Measured:
    value: Any
    unit: Any


class Lengths(Tabular[Length, Measured]):
    rules: Rules[Any] = {BinaryKind.ADD: lambda op: (op.x.value + op.y.value, op.x.unit)}  # noqa: RUF012  # a table


class Listed(Tabular[Length, Measured]):
    rules: Rules[Any] = {UnaryKind.SIN: lambda op: (fx.sin(op.x.value), [op.x.unit])}  # noqa: RUF012  # a table


class Known(Carrier):
    def __init__(self, owner: Any, value: Array) -> None:
        self.owner, self.value = owner, value

    @property
    def aval(self) -> fx.ShapedArray:
        return self.value.aval


class Forgetting(Forward[Any, None]):
    def constant(self, value: Array, /) -> Known:
        return Known(self, value)

    def interpret(self, op: Any, /) -> Any:
        return fx.perform(op.map(lambda known: known.value))

    def unpack(self, value: Known, /) -> tuple[tuple[Array, ...], None]:
        return (value.value,), None

    def pack(self, parts: Any, static: None, /) -> Known:
        return Known(self, parts[0])


class Knowing(Forgetting):
    loses = True


class Sines(OperationHandler):
    handles = UnaryKind.SIN
    total: Array = kept(default=fx.asarray(0.0))

    def interpret(self, op: Any, /) -> Any:
        self.total = self.total + op.x
        return fx.perform(op) * self.total


class Told(EffectHandler[Array], Effect):
    pass


class Plainly(Knowing):
    loses = False

    def interpret(self, op: Any, /) -> Any:
        return Known(self, super().interpret(op))


def with_method(**methods: Any) -> Any:
    return type("Slip", (Plainly,), methods)()


def carried(handler: Any, f: Callable[[Any], Any] = fx.sin) -> Any:
    with handler as entered:
        return entered.lift(f(Known(entered, X))).value


def entered(handler: Any) -> None:
    with handler:
        pass


def owning() -> None:
    class Owned(Parts):
        owner: Array  # type: ignore[assignment]  # the mistake


def depending(x: Any) -> Any:
    f: Any = custom_jvp(fx.sin)
    f.defjvp(lambda primals, tangents: (fx.sin(*primals), tangents[0]))
    with Sines():
        fx.sin(x)
        return f(x)


MISTAKES: dict[str, tuple[type[EffaxError], Callable[[], object]]] = {
    "Integers.rules[UnaryKind.SIN] must return a carrier of type float64[], got int64[]": (
        IllTyped,
        lambda: Integers.over(fx.sin)(Ends(0.0, 1.0)),
    ),
    "cond: Pairs: a condition is a carrier of 2 arrays, and none of them is known to decide it; write Pairs.pred": (
        MissingRule,
        lambda: Pairs.over(lambda x: cond(x > 0.5, fx.sin, lambda x: x, x))(Ends(0.0, 1.0)),
    ),
    "while_loop: Pairs: a condition is a carrier of 2 arrays": (
        MissingRule,
        lambda: Pairs.over(lambda x: while_loop(lambda x: x > 0.5, fx.sin, x))(Ends(0.0, 1.0)),
    ),
    "Forgetting.interpret of sin gives float64[], which is not a carrier of Forgetting": (
        IllTyped,
        lambda: carried(Forgetting()),
    ),
    "Slip.interpret of sin must return a carrier of type float64[], got float64[3]": (
        IllTyped,
        lambda: carried(with_method(interpret=lambda self, op: Known(self, fx.ones(3)))),
    ),
    "Slip.constant(value) must return a carrier of Slip, got Array(1., float64)": (
        IllTyped,
        lambda: carried(with_method(constant=lambda self, value: value), lambda x: x + 1.0),
    ),
    "Slip.pack(parts, static) must return a carrier of Slip, got": (
        IllTyped,
        lambda: carried(with_method(pack=lambda self, parts, static: parts[0]), jit(fx.sin)),
    ),
    "Lengths.constant is not written: a value from outside has no unit": (
        MissingRule,
        lambda: Lengths.over(lambda x: x + 1.0)(Measured(1.0, "m")),
    ),
    "Lengths.over: unit of Measured is a static field and must be hashable": (
        ArgumentError,
        lambda: Lengths.over(lambda x: x + x)(Measured(1.0, ["m"])),
    ),
    "Listed.rules[UnaryKind.SIN]: unit is a static field and must be hashable": (
        ArgumentError,
        lambda: Listed.over(fx.sin)(Measured(1.0, "m")),
    ),
    "Owned.owner: every carrier has an owner": (ArgumentError, owning),
    "Sines.sent: the handler has not been installed yet": (ArgumentError, lambda: Sines().sent),
    "with Sines: Sines is a class; write with Sines(...)": (ArgumentError, lambda: entered(Sines)),
    "with Pairs: Pairs is a class": (ArgumentError, lambda: entered(Pairs)),
    "with Told(...): the handler of an effect is installed by handled(Told(...), f, ...)": (
        ArgumentError,
        lambda: entered(Told(X)),
    ),
    "the state of Sines, a handler around it, float64[], is being differentiated": (
        ArgumentError,
        lambda: grad(depending)(X),
    ),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_refused(words: str) -> None:
    error, wrong = MISTAKES[words]
    with pytest.raises(error) as raised:
        wrong()
    assert words in str(raised.value)


def test_what_may_be_a_constant_says_so() -> None:
    close(carried(Knowing()), SINE)
    close(carried(Plainly(), jit(fx.sin)), SINE)


class Scaled(Tabular[Pair, Ends]):
    rules: Rules[Any] = {UnaryKind.SIN: partwise}  # noqa: RUF012  # a table

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def interpret(self, op: Any, /) -> Any:
        made: Any = super().interpret(op)
        return self.make(made.lo * self.scale, made.hi * self.scale)


@pytest.mark.parametrize("f", [fx.sin, jit(fx.sin), lambda x: cond(True, fx.sin, fx.sin, x)])
def test_a_table_with_attributes_is_given_as_a_handler(f: Any) -> None:
    for scale in (1.0, 2.0, 3.0):
        scaled = Scaled(scale).over(f)
        for run in (scaled, jit(scaled), scaled):
            close(run(Ends(X, X)).lo, scale * SINE)


def test_a_condition_of_one_value_decides() -> None:
    f = Pairs.over(lambda x: cond(fx.asarray(1.0) > 0.5, fx.sin, lambda x: x, x))
    close(f(Ends(X, X)).lo, SINE)
    close(jit(f)(Ends(X, X)).lo, SINE)


def test_intervals_take_every_branch_that_may_be_taken() -> None:
    def chosen(x: Any) -> Any:
        return switch(x.astype(fx.int64), [lambda x: x, lambda x: x * 5.0, lambda x: x - 7.0], x)

    for f in (interval(chosen), jit(interval(chosen)), interval(jit(chosen))):
        close(f(Bounds(0.0, 2.0)), Bounds(-7.0, 10.0))
        close(f(Bounds(0.0, 1.0)), Bounds(0.0, 5.0))


def test_nothing_is_known_of_a_loop_that_may_go_on() -> None:
    def halved(x: Any) -> Any:
        return while_loop(lambda s: s[0] > 1.0, lambda s: (s[0] * 0.5, s[1] + 1), (x, fx.asarray(0)))

    runs: list[Any] = [interval(halved), jit(interval(halved)), interval(jit(halved))]
    for f in runs:
        close(f(Bounds(5.0, 6.0))[0], Bounds(0.625, 0.75))
        close(f(Bounds(5.0, 6.0))[1], Bounds(3, 3))
        x, steps = f(Bounds(3.0, 5.0))
        assert (float(x.lo), float(x.hi)) == (-fx.inf, fx.inf)
        assert int(steps.lo) < 0 < int(steps.hi)


def test_operations_with_several_results_have_rules_in_tables() -> None:
    class Ordered(Tabular[Pair, Ends]):
        rules: Rules[Any] = dict.fromkeys((Sort, TopK), partwise)  # a table

    ends = Ends(fx.asarray([3.0, 1.0, 2.0]), fx.asarray([5.0, 9.0, 7.0]))
    first, second = Ordered.over(lambda x: fx.sort_together([x, x]))(ends)
    assert first.lo.tolist() == second.lo.tolist() == [1.0, 2.0, 3.0] and first.hi.tolist() == [5.0, 7.0, 9.0]
    assert Ordered.over(lambda x: fx.top_k(x, 1)[0])(ends).hi.tolist() == [9.0]
    Ordered.rules = {Sort: lambda op: (op.operands[0].lo, op.operands[0].hi)}
    with pytest.raises(IllTyped, match=r"rules\[Sort\], result 0 must return a tuple of the fields of Pair, .*"):
        Ordered.over(lambda x: fx.sort_together([x, x]))(ends)
