"""Operations whose operands are annotated `Operand`: the same under every handler as those of a type variable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, Array, CustomOp, Operand, Operands, ShapedArray, each_result, operation, perform
from handlers import Linear, grad, jvp, linearize, make_jaxpr, vjp, vmap
from lowering import jit


@operation
class Normal(CustomOp):
    """exp(-rate · x²)."""

    x: Operand
    rate: float

    def types(self) -> ShapedArray:
        return self.x.aval

    def evaluate(self) -> Array:
        return fx.exp(-self.rate * self.x**2)

    def jvp(self) -> tuple[Array, Array | None]:
        y = perform(Normal(self.x.primal, self.rate))
        if self.x.tangent is None:
            return y, None
        return y, -2.0 * self.rate * self.x.primal * self.x.tangent * y

    def batch(self) -> tuple[Array, bool]:
        return perform(Normal(self.x.value, self.rate)), self.x.batched


@operation
class Both(CustomOp[Array, tuple[Array, Array]]):
    """The sum of all, and of their doubles: linear in all of them."""

    xs: fx.Operands

    def types(self) -> tuple[ShapedArray, ShapedArray]:
        return self.xs[0].aval, self.xs[0].aval

    def evaluate(self) -> tuple[Array, Array]:
        total = sum(self.xs[1:], start=self.xs[0] * 1.0)
        return total, 2.0 * total


@operation
class Scale(CustomOp):
    """factor · x, linear in x."""

    factor: Operand
    x: Operand

    def types(self) -> ShapedArray:
        return self.x.aval

    def evaluate(self) -> Array:
        return self.factor * self.x

    def jvp(self) -> tuple[Array, Array | None]:
        factor = self.factor.primal
        tangent = self.x.tangent
        return perform(Scale(factor, self.x.primal)), None if tangent is None else perform(Scale(factor, tangent))

    def transpose(self, cotangent: Array, /) -> tuple[Array | None, ...]:
        return None, perform(Scale(self.factor, cotangent)) if isinstance(self.x, Linear) else None


X = np.array([0.1, -0.4, 1.5])


SLOPE = -4.0 * X * np.exp(-2.0 * X**2)


def normal(x: Array) -> Array:
    return perform(Normal(x, 2.0))


def test_under_every_handler() -> None:
    x, t = fx.asarray(X), fx.asarray([1.0, 2.0, 3.0])
    total = lambda x: fx.sum(normal(x))
    np.testing.assert_allclose(np.asarray(normal(x)), np.exp(-2.0 * X**2))
    np.testing.assert_allclose(np.asarray(jit(normal)(x)), np.exp(-2.0 * X**2))
    np.testing.assert_allclose(np.asarray(jvp(normal, (x,), (t,))[1]), SLOPE * np.asarray(t))
    np.testing.assert_allclose(np.asarray(linearize(normal, x)[1](t)), SLOPE * np.asarray(t))
    np.testing.assert_allclose(np.asarray(grad(total)(x)), SLOPE)
    np.testing.assert_allclose(np.asarray(jit(grad(total))(x)), SLOPE)
    np.testing.assert_allclose(np.asarray(vmap(grad(normal))(x)), SLOPE)
    assert str(make_jaxpr(normal)(x)) == "{ lambda a:float64[3] . let b:float64[3] = Normal[rate=2.0] a in ( b ) }"


def test_a_tuple_of_operands_and_several_results() -> None:
    x = fx.asarray(X)

    def plain(*xs: Array) -> tuple[Array, Array]:
        return perform(Both(xs))

    for both in (plain, jit(plain)):
        total, doubled = both(x, x, x)
        np.testing.assert_allclose(np.asarray(total), 3.0 * X)
        np.testing.assert_allclose(np.asarray(doubled), 6.0 * X)
    op = Both((x, x))
    assert op.operands == (x, x)
    assert op.params == ()


def test_the_transpose() -> None:
    _, back = vjp(lambda x: perform(Scale(fx.asarray(3.0), x)), fx.asarray(2.0))
    assert back(5.0)[0].item() == 15.0


def test_parts_of_an_operation() -> None:
    x = fx.asarray(X)
    op = Normal(x, 2.0)
    assert (op.operands, op.params) == ((x,), (2.0,))
    assert op.map(lambda v: v.aval).operands == (x.aval,)


def test_a_class_that_names_no_operands() -> None:
    with pytest.raises(ArgumentError, match=r"class Plain\(CustomOp\) where they are annotated Operand"):

        @operation
        class Plain(CustomOp):
            x: Array


def test_each_result() -> None:
    one, two = fx.asarray(1.0), fx.asarray(2.0)
    alone = each_result(lambda x, y: x - y, one, two)
    several = each_result(lambda x, y: x - y, (one, two), (two, two))
    assert isinstance(alone, Array)
    assert isinstance(several, tuple)
    assert [alone.item(), *[x.item() for x in several]] == [-1.0, -1.0, 0.0]
    with pytest.raises(ArgumentError, match="tuples of as many arrays each"):
        each_result(lambda x, y: x - y, (one, two), (two,))


UNDER_ANNOTATIONS = [("Operand", True), ("fx.Operand", True), ("effects.Operand", True), ("NoOperand", False)]


@pytest.mark.parametrize(("text", "is_one"), UNDER_ANNOTATIONS)
def test_however_it_is_spelled(text: str, is_one: bool) -> None:
    made: Any = type("Named", (CustomOp,), {"__annotations__": {"x": Operand, "y": text}})
    op = operation(made)(1, 2)
    assert op.operands == ((1, 2) if is_one else (1,))
    made = type("Many", (CustomOp,), {"__annotations__": {"xs": Operands}})
    assert operation(made)((1, 2)).operands == (1, 2)
