"""Operations and handlers of a user's own, as the tests use them: each handler is its declaration and one method."""

from __future__ import annotations

from typing import Any

import effects as fx
from effects import Array, CustomOp, Operation, Performed, ShapedArray, operation, perform
from effects.operations import UnaryKind
from effects.types.avals import Typed
from handlers import Batched, Dual, OperationHandler, kept, stop_gradient
from handlers.jvp.rules import Pair
from handlers.vmap.rules import Lanes


def performed(op: Operation[Array]) -> Array:
    """The result of an operation that has one."""
    result: Any = perform(op)
    assert isinstance(result, Array)
    return result


@operation
class Param[V](CustomOp[V]):
    """A number that only a handler knows."""

    label: str

    def types(self: Param[Typed]) -> ShapedArray:
        return ShapedArray((), fx.float64)

    def batch(self: Param[Batched]) -> Lanes:
        return perform(Param[Array](self.label)), False


@operation
class Tick[V](CustomOp[V]):
    """x, and it counts."""

    acts = True
    x: V

    def types(self: Tick[Typed]) -> ShapedArray:
        return self.x.aval

    def evaluate(self: Tick[Array]) -> Array:
        return self.x

    def jvp(self: Tick[Dual]) -> Pair:
        return perform(Tick(self.x.primal)), self.x.tangent

    def batch(self: Tick[Batched]) -> Lanes:
        return perform(Tick(self.x.value)), self.x.batched


@operation
class Quiet[V](CustomOp[V]):
    """x; it does not say that it does anything."""

    x: V

    def types(self: Quiet[Typed]) -> ShapedArray:
        return self.x.aval

    def evaluate(self: Quiet[Array]) -> Array:
        return self.x


class Give(OperationHandler):
    """What `Param` is."""

    handles = Param
    mu: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        return self.mu


class Ticks(OperationHandler):
    handles = (Tick, Quiet)
    count: Array = kept(default=fx.asarray(0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.count = self.count + 1
        return perform(op)


class Rounded(OperationHandler):
    """Sines to so many bits, with the derivative that they have without."""

    handles = UnaryKind.SIN
    bits: int = 8

    def interpret(self, op: Operation[Array], /) -> Performed:
        y = performed(op)
        return y + stop_gradient(fx.round(y * 2.0**self.bits) / 2.0**self.bits - y)


class Sines(OperationHandler):
    """The sum of all sines, which is differentiated like everything."""

    handles = UnaryKind.SIN
    total: Array = kept(default=fx.asarray(0.0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        result = performed(op)
        self.total = self.total + fx.sum(result)
        return result


class Count(OperationHandler):
    """Counts all operations, also those of programs: a state goes through them."""

    count: Array = kept(default=fx.asarray(0))

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.count = self.count + 1
        return perform(op)
