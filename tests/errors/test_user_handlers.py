"""Mistakes in a user's handler that control flow meets: an error that names the method and what it has to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from effects import Array, perform
from effects.errors import ArgumentError, EffaxError, IllTyped
from effects.operations import UnaryKind
from handlers import Forward, Parts, Tabular
from tests.errors.expect import refusal
from tests.errors.untyped import cond, fx, jit, scan, while_loop


class Ends(NamedTuple):
    lo: Any
    hi: Any


x3 = fx.asarray([1.0, 2.0, 3.0])

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "call": jit(fx.sin),
    "cond": lambda x: cond(True, fx.sin, fx.cos, x),
    "scan": lambda x: scan(lambda c, e: (c + e, c), 0.0, x),
    "while": lambda x: while_loop(lambda c: c < 3.0, lambda c: c + 1.0, fx.sum(x)),
}


class Passing(Forward[Array]):
    """Changes nothing; what is wrong is written over it."""

    sees_all = True

    def constant(self, value: Array, /) -> Array:
        return value

    def unpack(self, value: Array, /) -> Any:
        return (value,), None

    def pack(self, parts: Any, static: object, /) -> Any:
        return parts[0]

    def interpret(self, op: Any, /) -> Any:
        return perform(op)


def given(name: str, value: object) -> Callable[[], Passing]:
    return type("Mine", (Passing,), {name: value})


WRONG: list[tuple[type[EffaxError], Callable[[], Passing], str]] = [
    (IllTyped, given("unpack", lambda self, v: v), "Mine.unpack(value) must return a pair: a tuple of arrays, and the"),
    (IllTyped, given("unpack", lambda self, v: ((1.0,), None)), "Mine.unpack(value) must return a pair"),
    (IllTyped, given("pack", lambda self, parts, static: parts), "Mine.pack(parts, static) must return a carrier of"),
    (IllTyped, given("key", [1]), "Mine.key must be hashable, got [1] of type list"),
]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize(("kind", "handler", "words"), WRONG, ids=[case[2] for case in WRONG])
def test_what_control_flow_needs(
    kind: type[EffaxError], handler: Callable[[], Passing], words: str, program: Callable[[Any], Any]
) -> None:
    def use() -> None:
        with handler():
            program(x3)

    with pytest.raises(kind) as caught:
        use()
    assert words in str(caught.value)


def test_the_line_is_the_users() -> None:
    call = jit(fx.sin)

    def use() -> None:
        with given("key", [1])():
            call(x3)  # here

    refusal(IllTyped, "Mine.key", of=use)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_right_ones_go_through(program: Callable[[Any], Any]) -> None:
    with Passing():
        program(x3)


def test_a_table_says_its_carrier_and_what_is_outside() -> None:
    class Bare(Tabular[Any]):
        pass

    class Half(Tabular[Parts]):
        pass

    def bare() -> object:
        return Bare.over(fx.sin)  # here

    def half() -> object:
        return Half.over(fx.sin)  # here

    refusal(
        ArgumentError, "Bare.over: the class does not say its carrier: class Bare(Tabular[Carrier, Outside])", of=bare
    )
    refusal(ArgumentError, "Half.over: the class does not say what is outside", of=half)


def test_a_carrier_that_is_none() -> None:
    def numbers() -> object:
        class Numbers(Tabular[int]):
            pass

        return Numbers

    with pytest.raises(ArgumentError, match=r"class Numbers\(Tabular\[int\]\): a carrier is a class of Parts"):
        numbers()


def test_a_table_may_say_its_carrier_by_name_too() -> None:
    class Pair(Parts):
        lo: Array
        hi: Array

    class Named(Tabular[Any]):
        carrier, outside = Pair, Ends
        rules = dict.fromkeys([UnaryKind.NEG], lambda op: (-op.x.hi, -op.x.lo))

    class Inherited(Named):
        pass

    for table in (Named, Inherited):
        low, high = table.over(lambda x: -x)(Ends(1.0, 2.0))
        assert (low.tolist(), high.tolist()) == (-2.0, -1.0)


def test_a_table_says_both_by_its_arguments() -> None:
    class Pair(Parts):
        lo: Array
        hi: Array

    class Ranges(Tabular[Pair, Ends]):
        rules = dict.fromkeys([UnaryKind.NEG], lambda op: (-op.x.hi, -op.x.lo))

    assert Ranges.carrier is Pair
    assert Ranges.outside is Ends
    assert Ranges.over(lambda x, *, y: (-x, y))(Ends(1.0, 2.0), y=3.0)[1] == Ends(3.0, 3.0)
