"""What a user's `lower` gives is checked against `types`: a result of another type would be read as what it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects import CustomOp, operation, perform
from effects.errors import ArgumentError, CompileError, IllTyped
from lowering import try_compile
from tests.errors.expect import refusal
from tests.errors.untyped import fx, grad, jit, vmap

x2 = fx.asarray([8.0, 27.0])


def rooted(lower: Callable[[Any, Any], object]) -> Callable[[object], Any]:
    """The cube root, by NumPy and by this lowering."""

    @operation
    class Root[V](CustomOp[V]):
        x: V

        def types(self: Any) -> Any:
            return self.x.aval

        def evaluate(self: Any) -> Any:
            return np.cbrt(np.asarray(self.x))

        def jvp(self: Any) -> Any:
            root = perform(Root(self.x.primal))
            return root, None if self.x.tangent is None else self.x.tangent / (3.0 * root * root)

        def batch(self: Any) -> Any:
            return perform(Root(self.x.value)), True

        def lower(self: Any, builder: Any, /) -> Any:
            return lower(self, builder)

    return lambda x: perform(Root(fx.asarray(x)))


def test_the_right_one() -> None:
    root = rooted(lambda op, builder: builder.op("stablehlo.cbrt", builder.results[0], (op.x,)))
    np.testing.assert_allclose(np.asarray(jit(root)(x2)), [2.0, 3.0])
    np.testing.assert_allclose(np.asarray(jit(vmap(grad(root)))(x2)), np.asarray(vmap(grad(root))(x2)))


WRONG: dict[str, Callable[[Any, Any], object]] = {
    "must return a StableHLO value, as builder.op(…) does, or a tuple of them for several results, got None": (
        lambda op, builder: None
    ),
    "got 3 of type int": lambda op, builder: 3,
    "got array([1., 1.]) of type ndarray": lambda op, builder: np.ones(2),
    "must return tensor<2xf64>, as types(self) says, got tensor<3xf64>": lambda op, builder: builder.constant(
        np.ones(3)
    ),
    "as types(self) says, got tensor<2xf32>": lambda op, builder: builder.constant(np.ones(2, np.float32)),
    "as types(self) says, got tensor<2xf64>, tensor<2xf64>": lambda op, builder: (op.x, op.x),
    "as types(self) says, got nothing": lambda op, builder: (),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_lower_gives(words: str) -> None:
    call = jit(rooted(WRONG[words]))
    refusal(IllTyped, "Root.lower(self, builder)", words, of=lambda: call(x2))


NOT_EMITTED: dict[str, tuple[type[Exception], Callable[[Any, Any], object]]] = {
    "unregistered operation 'stablehlo.nope'": (
        CompileError,
        lambda op, builder: builder.op("stablehlo.nope", builder.results[0], (op.x,)),
    ),
    "requires a single operand": (
        CompileError,
        lambda op, builder: builder.op("stablehlo.cbrt", builder.results[0], (op.x, op.x)),
    ),
    "requires the same shape for all operands and results": (
        CompileError,
        lambda op, builder: builder.op("stablehlo.add", builder.results[0], (op.x, builder.constant(np.ones(3)))),
    ),
    "result must be a type, such as x.type or one of builder.results, got": (
        ArgumentError,
        lambda op, builder: builder.op("stablehlo.cbrt", builder.results, (op.x,)),
    ),
    "operands must be a tuple of StableHLO values, such as (self.x,), got": (
        ArgumentError,
        lambda op, builder: builder.op("stablehlo.cbrt", builder.results[0], op.x),
    ),
    "operands must be a tuple of StableHLO values, such as (self.x,), got 1.0": (
        ArgumentError,
        lambda op, builder: builder.ops("stablehlo.cbrt", builder.results, (1.0,)),
    ),
    "attributes must be attributes by their names, got 1": (
        ArgumentError,
        lambda op, builder: builder.op("stablehlo.cbrt", builder.results[0], (op.x,), {"accuracy": 1}),
    ),
}


@pytest.mark.parametrize("words", NOT_EMITTED)
def test_what_lower_emits(words: str) -> None:
    kind, lower = NOT_EMITTED[words]
    error = try_compile(rooted(lower), x2).failure()
    assert isinstance(error, kind) and words in error.message and "Root.lower(self, builder)" in error.message
    assert error.source is not None and error.source.line == lower.__code__.co_firstlineno, error.source
