"""An operation of a user's own that holds a program: a fixed point, with and without a rule for its derivative."""

from __future__ import annotations

from typing import Any, ClassVar

import effects as fx
from effects import Array, CustomHigherOrder, Jaxpr, ShapedArray, eval_jaxpr, operation, perform
from effects.types.avals import Typed
from handlers import Batched, Dual, jvp, make_jaxpr, while_loop


@operation
class FixPoint[V](CustomHigherOrder[V]):
    """The x with x = body(a, x), from a first guess."""

    body: Jaxpr
    a: V
    x: V

    def types(self: FixPoint[Typed]) -> tuple[ShapedArray, ...]:
        return (self.x.aval,)

    def expand(self: FixPoint[Array]) -> tuple[Array, ...]:
        def step(x: Array) -> Array:
            return eval_jaxpr(self.body, (self.a, x))[0]

        def moves(carry: tuple[Array, Array]) -> Any:
            x, before = carry
            return fx.maximum(x - before, before - x) > 1e-13

        return (while_loop(moves, lambda carry: (step(carry[0]), carry[0]), (step(self.x), self.x))[0],)


@operation
class Implicit[V](FixPoint[V]):
    """The same, with the derivative of the implicit function: ẋ = ∂body/∂x·ẋ + ∂body/∂a·ȧ."""

    def jvp(self: Implicit[Dual]) -> tuple[tuple[Array, ...], tuple[Array | None, ...]]:
        a = self.a.primal
        (x,) = perform(Implicit(self.body, a, self.x.primal))
        if self.a.tangent is None:
            return (x,), (None,)
        along = jvp(lambda a: eval_jaxpr(self.body, (a, x))[0], (a,), (self.a.tangent,))[1]
        slope = jvp(lambda x: eval_jaxpr(self.body, (a, x))[0], (x,), (fx.ones_like(x),))[1]
        return (x,), (along / (1.0 - slope),)


@operation
class Labelled[V](FixPoint[V]):
    """The same, with lanes told by a rule: this one adds 100, to be seen."""

    def batch(self: Labelled[Batched]) -> tuple[tuple[Array, ...], tuple[bool, ...]]:
        return (self.a.value + 100.0,), (self.a.batched,)


@operation
class Scaled[V](CustomHigherOrder[V]):
    """factor · body(x), linear in x, with a transposition rule that takes ten times as much, to be seen."""

    linear: ClassVar[tuple[str, ...]] = ("x",)
    body: Jaxpr
    factor: V
    x: V

    def types(self: Scaled[Typed]) -> tuple[ShapedArray, ...]:
        return (self.x.aval,)

    def expand(self: Scaled[Array]) -> tuple[Array, ...]:
        return (self.factor * eval_jaxpr(self.body, (self.x,))[0],)

    def transpose(self: Scaled[Array], cotangents: Any) -> tuple[Array | None, ...]:
        return None, 10.0 * self.factor * cotangents[0]


ONE = fx.asarray(1.0)
NEWTON = make_jaxpr(lambda a, x: 0.5 * (x + a / x))(ONE, ONE)
TWICE = make_jaxpr(lambda x: x + x)(ONE)


def root(a: Any) -> Array:
    return perform(FixPoint(NEWTON, a, ONE))[0]


def implicit_root(a: Any) -> Array:
    return perform(Implicit(NEWTON, a, ONE))[0]


def labelled_root(a: Any) -> Array:
    return perform(Labelled(NEWTON, a, ONE))[0]


def scaled(x: Any) -> Array:
    return perform(Scaled(TWICE, 3.0 * ONE, x))[0]
