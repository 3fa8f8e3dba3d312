"""Users' operations, lowered by a method of their own or by what they evaluate to."""

from __future__ import annotations

import numpy as np
import pytest

import effects as fx
from effects.arrays.array import Array
from effects.arrays.concrete import from_host
from effects.errors import ArgumentError, IllTyped, MissingRule
from effects.program.chain import perform
from effects.program.custom import CustomOp
from effects.program.operation import operation
from effects.types.avals import ShapedArray
from lowering.stablehlo import Builder, emit
from tests.stablehlo.agreement import X, one, program, run, same


@operation
class Square[V](CustomOp[V]):
    """x²; `evaluate` is written with functions of `effects`."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self: Square[Array]) -> Array:
        return fx.multiply(self.x, self.x)


@operation
class Sine[V](CustomOp[V]):
    """Lowers itself."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def lower(self, builder: Builder) -> object:
        return builder.op("stablehlo.sine", builder.results[0], (self.x,))  # type: ignore[arg-type]  # V is Value here


@operation
class SumAndTable[V](CustomOp[V]):
    """Two results, a parameter, a nested operation of a user, and an array from outside."""

    scale: float
    x: V

    def types(self) -> tuple[ShapedArray, ShapedArray]:
        return self.x.aval, ShapedArray((3,), fx.float64)  # type: ignore[attr-defined]  # V is typed here

    def evaluate(self) -> tuple[Array, Array]:
        squared = perform(Square(self.x))  # type: ignore[arg-type]  # V is Array here
        return fx.multiply(squared, self.scale), from_host(np.array([1.0, 2, 3]))


@operation
class InNumPy[V](CustomOp[V]):
    """Evaluates by NumPy only."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return np.asarray(self.x) * 2  # type: ignore[return-value]  # arrays of NumPy are taken too


@operation
class Mistyped[V](CustomOp[V]):
    """Says float32 and gives a scalar."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return from_host(np.array(1.0))


@operation
class HoldsALot[V](CustomOp[V]):
    """Uses a large array that is no operand."""

    x: V

    def types(self) -> ShapedArray:
        return ShapedArray((5000,), fx.float64)

    def evaluate(self) -> Array:
        return from_host(np.arange(5000.0))


@operation
class Endless[V](CustomOp[V]):
    """Performs itself."""

    x: V

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return one(perform(Endless(self.x)))  # type: ignore[arg-type]  # V is Array here


@operation
class Growing[V](CustomOp[V]):
    """Performs itself with another parameter each time."""

    x: V
    count: int = 0

    def types(self) -> ShapedArray:
        return self.x.aval  # type: ignore[attr-defined,no-any-return]  # V is typed here

    def evaluate(self) -> Array:
        return one(perform(Growing(self.x, self.count + 1)))  # type: ignore[arg-type]  # V is Array here


def test_users_operations() -> None:
    def f(x: Array) -> list[Array]:
        both = perform(SumAndTable(3.0, x))
        assert isinstance(both, tuple)
        return [one(perform(Square(x))), one(perform(Square(x))), one(perform(Sine(x))), *both]

    got = run(f, X)
    for result, expected in zip(got, [X * X, X * X, np.sin(X), 3 * X * X, np.array([1.0, 2, 3])], strict=True):
        same(result, expected)
    assert emit(program(f, [X]), "f").text().count("func.func private") == 2


def test_users_operations_that_cannot_be_lowered() -> None:
    for op, error, words in (
        (Endless, MissingRule, "performs Endless again, without an end"),
        (Growing, MissingRule, "performs Growing again, without an end"),
        (InNumPy, MissingRule, r"write the method `lower\(self, builder\)` of InNumPy"),
        (Mistyped, IllTyped, r"Mistyped.evaluate\(self\): the result must be float32\[3,4\], got float64\[\]"),
        (HoldsALot, ArgumentError, "make it an operand of HoldsALot"),
    ):
        jaxpr = program(lambda x: [one(perform(op(x)))], [X])  # noqa: B023
        with pytest.raises(error, match=words):
            emit(jaxpr, "f")
