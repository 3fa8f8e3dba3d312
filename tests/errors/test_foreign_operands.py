"""Operators beside what is no array: the other operand is asked, equality is False, errors are ours."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from effects.errors import ArgumentError
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, jit, jvp, make_jaxpr, vmap

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "divmod": divmod,
}
ORDER = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
FUNCTIONS: dict[str, Any] = {
    "add": fx.add,
    "sub": fx.subtract,
    "mul": fx.multiply,
    "truediv": fx.divide,
    "floordiv": fx.floor_divide,
    "mod": fx.remainder,
    "pow": fx.pow,
    "matmul": fx.matmul,
    "and": fx.bitwise_and,
    "or": fx.bitwise_or,
    "xor": fx.bitwise_xor,
    "lshift": fx.bitwise_left_shift,
    "rshift": fx.bitwise_right_shift,
    "lt": fx.less,
    "le": fx.less_equal,
    "gt": fx.greater,
    "ge": fx.greater_equal,
    "eq": fx.equal,
    "ne": fx.not_equal,
}


class Unit:
    """Something that knows what arrays are, where arrays do not know it."""


class Silent:
    """Something that knows nothing."""


def _answer(name: str) -> Callable[[Unit, object], tuple[str, Unit, object]]:
    return lambda self, other: (name, self, other)


for asked in [f"__r{name}__" for name in ARITHMETIC] + [f"__{name}__" for name in ORDER]:
    setattr(Unit, asked, _answer(asked))

ARRAYS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "eager": lambda f: f(fx.asarray([1, 2])),
    "jit": lambda f: _under(jit, f),
    "grad": lambda f: _under(lambda g: lambda x: grad(lambda y: fx.sum(g(y)))(x * 1.0), f),
    "jvp": lambda f: _under(lambda g: lambda x: jvp(g, (x * 1.0,), (x * 1.0,)), f),
    "vmap": lambda f: _under(vmap, f),
}


def _under(transform: Callable[[Any], Any], f: Callable[[Any], Any]) -> Any:
    found: list[Any] = []

    def noted(x: Any) -> Any:
        found.append(f(x))
        return x

    transform(noted)(fx.asarray([1, 2]))
    return found[0]


@pytest.mark.parametrize("where", ARRAYS)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_the_right_operand_is_asked(name: str, where: str) -> None:
    unit = Unit()
    reflected, other, x = ARRAYS[where](lambda x: ARITHMETIC[name](x, unit))
    assert (reflected, other) == (f"__r{name}__", unit) and isinstance(x, fx.Array)


@pytest.mark.parametrize("name", ORDER)
def test_the_right_operand_is_asked_for_the_reverse_order(name: str) -> None:
    unit = Unit()
    assert getattr(operator, name)(fx.ones(2), unit)[:2] == (f"__{ORDER[name]}__", unit)


def test_an_operator_declines_what_knows_better() -> None:
    assert fx.ones(2).__mul__(Unit()) is NotImplemented
    assert fx.ones(2).__eq__(None) is NotImplemented
    refusal(ArgumentError, "multiply: y must be an array", of=lambda: fx.multiply(fx.ones(2), Unit()))


FOREIGN: tuple[Any, ...] = (None, "a", b"a", Silent(), {}, {1}, Path("a"), len, ..., Unit())
UNEQUAL: tuple[Any, ...] = (Fraction(1), Decimal(1))


@pytest.mark.parametrize("where", ARRAYS)
@pytest.mark.parametrize("other", FOREIGN, ids=lambda other: type(other).__name__)
def test_no_array_is_equal_to_what_is_none(other: object, where: str) -> None:
    assert ARRAYS[where](lambda x: x == other) is False
    assert ARRAYS[where](lambda x: x != other) is True
    assert ARRAYS[where](lambda x: other == x) is False
    assert ARRAYS[where](lambda x: other != x) is True
    assert ARRAYS[where](lambda x: other in x) is False


@pytest.mark.parametrize("other", UNEQUAL, ids=lambda other: type(other).__name__)
def test_equality_with_numbers_is_refused_where_false_would_be_wrong(other: object) -> None:
    refusal(ArgumentError, "equal: y", of=lambda: fx.ones(1) == other)
    refusal(ArgumentError, "not_equal: y", of=lambda: fx.ones(1) != other)


def test_membership() -> None:
    x, y = fx.ones(3), fx.asarray(2.0)
    assert x in [None, x] and y in [None, y] and fx.asarray(2.0) in [None, "a", y] and y not in [None, 1.0]
    assert [None, "a", y].index(y) == 2 and [None, 2.0].count(y) == 1
    assert 1.0 in x and 2.0 not in x


def _applied(apply: Callable[[Any, Any], Any], x: Any, y: Any) -> Callable[[], object]:
    return lambda: apply(x, y)


REFUSING: tuple[Any, ...] = (None, "a", {}, {1}, Fraction(1), Decimal(1), Path("a"), Silent())


@pytest.mark.parametrize("other", REFUSING, ids=lambda other: type(other).__name__)
@pytest.mark.parametrize("name", [*ARITHMETIC, *ORDER])
def test_operands_that_know_no_arrays_are_refused_in_our_words(name: str, other: object) -> None:
    apply = ARITHMETIC.get(name) or getattr(operator, name)
    for x in (fx.ones(2), fx.asarray(2)):
        refusal(ArgumentError, ": x2 " if name == "matmul" else ": y ", of=_applied(apply, x, other))
        if (name, type(other)) not in [("mod", str), ("pow", Fraction)]:  # which have an answer of their own
            refusal(ArgumentError, "", of=_applied(apply, other, x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_operator_is_its_function(name: str) -> None:
    method = getattr(operator, name, None) or getattr(operator, f"{name}_")
    x, y = fx.asarray([[6, 3], [2, 1]]), fx.asarray([[1, 2], [3, 2]])
    for other in (y, np.asarray(y)) if name == "matmul" else (y, np.asarray(y), 2):
        operated = make_jaxpr(lambda a, b=other: method(a, b))(x)
        assert str(operated) == str(make_jaxpr(lambda a, b=other: FUNCTIONS[name](a, b))(x))


def test_numpy_on_the_left_leaves_the_operation_to_us() -> None:
    assert isinstance(np.ones(3) * fx.ones(3), fx.Array) and isinstance(np.float64(2.0) + fx.ones(3), fx.Array)
    assert isinstance(np.ones(3) == fx.ones(3), fx.Array) and isinstance(fx.ones(3) * np.ones(3), fx.Array)
