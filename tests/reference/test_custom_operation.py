"""Example 24: an operation of a user's own, whose meanings are written one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, CustomOp, MissingRule, operation, perform
from handlers import Batched, Dual, grad, jvp, vmap
from lowering import jit
from tests.reference.agreement import close
from tests.reference.multiply_add import MultiplyAdd, multiply_add

TWO, TEN = fx.asarray(2.0), fx.asarray(10.0)


def refused(handler: str, method: str, f: Callable[..., object], *args: object) -> None:
    """Assert that `f(*args)` raises an error that names the operation, the handler and the method to write."""
    with pytest.raises(MissingRule) as caught:
        f(*args)
    message = caught.value.message
    assert "Bare" in message
    assert handler in message
    assert f"`{method}" in message


def test_one_cell_at_a_time() -> None:
    @operation
    class Bare[V](CustomOp[V]):
        x: V
        y: V
        z: V

    def use(x: Array, y: Array, z: Array) -> Any:
        return perform(Bare(x, y, z))

    def square(a: Array, b: Array) -> Any:
        return use(a, a, b)

    def write(method: str) -> None:
        setattr(Bare, method, getattr(MultiplyAdd, method))

    refused("Evaluate", "evaluate(self)", square, TWO, TEN)
    write("evaluate")
    close(square(TWO, TEN), 14.0)

    refused("staging", "types(self)", jit(square), TWO, TEN)
    write("types")
    close(jit(square)(TWO, TEN), 14.0)

    refused("Jvp", "jvp(self)", jvp, square, (TWO, TEN), (TWO, TEN))
    refused("Jvp", "jvp(self)", grad(square), TWO, TEN)

    def derivative(self: Bare[Dual]) -> tuple[Any, Any]:
        x, y, z = self.x, self.y, self.z
        assert x.tangent is not None
        assert y.tangent is not None
        zero = fx.zeros_like(x.tangent)
        tangent = use(x.primal, y.tangent, use(x.tangent, y.primal, zero if z.tangent is None else z.tangent))
        return use(x.primal, y.primal, z.primal), tangent

    Bare.jvp = derivative  # type: ignore[method-assign,assignment]  # written after the class, on purpose
    one = fx.asarray(1.0)
    close(jvp(square, (TWO, TEN), (one, one)), (14.0, 5.0))
    close(jit(lambda a, b: jvp(square, (a, b), (one, one)))(TWO, TEN), (14.0, 5.0))

    refused("Transpose", "transpose(self, cotangent)", grad(square), TWO, TEN)
    write("transpose")
    close(grad(square)(TWO, TEN), 4.0)
    close(jit(grad(square))(TWO, TEN), 4.0)

    lanes = fx.asarray([2.0, 3.0]), fx.asarray([10.0, 20.0])
    refused("Vmap", "batch(self)", vmap(square), *lanes)

    def batch(self: Bare[Batched]) -> tuple[Any, bool]:
        return use(self.x.value, self.y.value, self.z.value), True

    Bare.batch = batch  # type: ignore[method-assign,assignment]  # as above
    close(vmap(square)(*lanes), np.asarray([14.0, 29.0]))
    close(jit(vmap(square))(*lanes), np.asarray([14.0, 29.0]))


def test_lowering_is_missing_where_evaluate_needs_the_elements() -> None:
    @operation
    class Bare[V](CustomOp[V]):
        x: V

        def types(self: Any) -> Any:
            return self.x.aval

        def evaluate(self: Any) -> Any:
            return fx.asarray(np.sin(np.asarray(self.x)))

    def use(x: Array) -> Any:
        return perform(Bare(x))

    close(use(TWO), np.sin(2.0))
    refused("StableHLO", "lower(self, builder)", jit(use), TWO)


def test_an_absent_tangent_is_absent() -> None:
    seen: list[tuple[bool, ...]] = []

    @operation
    class Watched[V](MultiplyAdd[V]):
        def jvp(self: Any) -> Any:
            seen.append(tuple(v.tangent is None for v in self.operands))
            return MultiplyAdd(*self.operands).jvp()

    def watched(x: Array) -> Any:
        return perform(Watched(x, TEN, TEN))

    jvp(watched, (TWO,), (TWO,))
    jvp(jit(watched), (TWO,), (TWO,))
    grad(watched)(TWO)
    assert seen == [(False, True, True)] * 3
    assert [str(v.aval) for v in (multiply_add(TWO, TEN, TEN),)] == ["float64[]"]
