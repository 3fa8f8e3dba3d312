"""Mistakes that Python words of its own would be said of, or that hide what was meant: each says what to write."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from effects import CustomOp, Operand, operation
from effects.errors import (
    ArgumentError,
    ConcretizationError,
    DTypeError,
    EffaxError,
    IllTyped,
    LeakedValueError,
    OutOfBoundsError,
    ShapeError,
    UnknownAttribute,
)
from tests.errors.untyped import fx, grad, handlers, jit, jvp, vmap

x3, m23 = fx.asarray([1.0, 2.0, 3.0]), fx.ones((2, 3))


class Kind(enum.Enum):
    DENSE = 1


@fx.register
@dataclasses.dataclass
class Layer:
    w: Any
    kind: Any


@dataclasses.dataclass
class Unregistered:
    w: Any


class Called(Unregistered):
    def __call__(self, x: Any) -> Any:
        return fx.sum(self.w * x)


class Plain:
    pass


@operation
class Scaled(CustomOp):
    x: Operand

    def types(self) -> Any:
        return self.x.shape

    def evaluate(self) -> Any:
        return self.x * 2.0


@operation
class Squared(CustomOp):
    x: Operand

    def types(self) -> Any:
        return self.x.aval

    def evaluate(self) -> Any:
        return self.x * 2.0

    def jvp(self) -> Any:
        rate: Any = self.x.tangent
        return fx.perform(Squared(self.x.primal)), fx.perform(Squared(rate))

    def transpose(self, cotangent: Any) -> Any:
        return (cotangent * self.x,)


@operation
class OnDual(CustomOp):
    x: Operand

    def types(self) -> Any:
        return self.x.aval

    def evaluate(self) -> Any:
        return self.x * 2.0

    def jvp(self) -> Any:
        return self.x * 2.0, self.x.tangent


def assigned() -> None:
    x3.at[0] = 3.0


def doubled(x: Any) -> Any:
    x[x > 0] *= 2.0
    return x


def added(x: Any) -> Any:
    x[0, 1:] += 1.0
    return x


def undecorated() -> object:
    class NoBase:
        x: fx.Operand

    return fx.operation(NoBase)


def entered_again() -> None:
    handler = handlers.Log()
    with handler:
        pass
    with handler:
        pass


def static(value: object) -> Callable[[], object]:
    return lambda: jit(lambda t: fx.sum(t.w))(Layer(x3, value))


TOLD: dict[str, tuple[type[EffaxError], tuple[str, ...], Callable[[], object]]] = {
    "at without a key": (UnknownAttribute, ("x.at[key].set(…)",), lambda: x3.at.set(1.0)),
    "at misspelt": (UnknownAttribute, ("no `.sett`", "set, add"), lambda: x3.at[0].sett(1.0)),
    "at assigned": (ArgumentError, ("x = x.at[0].set(…)",), assigned),
    "a part added to": (ArgumentError, ("x[0, 1:] += …", "write x = x.at[0, 1:].add(…), or run"), lambda: added(m23)),
    "elements doubled": (ArgumentError, ("x[mask] *= …", "x = x.at[mask].multiply(…)"), lambda: doubled(x3)),
    "unknown elements doubled": (ConcretizationError, ("x = x.at[mask].multiply(…)",), lambda: jit(doubled)(x3)),
    "unknown elements in writable": (
        ConcretizationError,
        ("x[key]: an index is a mask", "Write x[...] = where(mask, x * y, x)"),
        lambda: jit(handlers.writable(doubled))(x3),
    ),
    "a linear operand": (
        ArgumentError,
        ("linear operand", "aval"),
        lambda: grad(lambda x: fx.perform(Squared(x)))(1.0),
    ),
    "a linear operand, staged": (
        ArgumentError,
        ("linear operand", "aval"),
        lambda: jit(grad(lambda x: fx.perform(Squared(x))))(1.0),
    ),
    "types of values": (IllTyped, ("x.aval.shape",), lambda: jit(lambda x: fx.perform(Scaled(x)))(x3)),
    "no base": (ArgumentError, ("class NoBase(CustomOp)",), undecorated),
    "a Dual": (
        LeakedValueError,
        ("x.primal and x.tangent",),
        lambda: jvp(lambda x: fx.perform(OnDual(x)), (1.0,), (1.0,)),
    ),
    "a handler again": (LeakedValueError, ("its block is over", "a new one"), entered_again),
    "no types": (ArgumentError, ("pure_callback(sin, result_types",), lambda: handlers.pure_callback(np.sin, x3)),
    "psum": (ArgumentError, ("psum(x, axis_name)",), lambda: vmap(lambda v: handlers.psum("i", v), axis_name="i")(x3)),
    "no common integers": (
        DTypeError,
        ("gcd: no dtype of integers holds both x, uint64[], and y, int64[3]; use astype",),
        lambda: fx.gcd(np.uint64(4), fx.arange(3)),
    ),
    "sorter": (
        OutOfBoundsError,
        ("searchsorted: sorter: index 9 is out of bounds for axis 0 of size 3",),
        lambda: fx.searchsorted(x3, x3, sorter=np.array([0, 1, 9])),
    ),
    "shares": (
        ShapeError,
        ("pinv: rtol must be one number, or one for each matrix of x, float64[2,3], got float64[3]",),
        lambda: fx.linalg.pinv(m23, rtol=x3),
    ),
    "q in percent": (ArgumentError, ("q must be in [0, 100], got [50, -1]",), lambda: fx.percentile(x3, [50, -1])),
    "q complex": (DTypeError, ("q must be real, got complex128[]",), lambda: fx.quantile(x3, 1j)),
    "bins": (
        ArgumentError,
        ("histogramdd: bins and range must have one entry for each of 3 axes, got [2, 2] and None",),
        lambda: fx.histogramdd(m23, [2, 2]),
    ),
    "points": (ShapeError, ("a point in each row, got float64[3]",), lambda: fx.histogramdd(x3, 2)),
    "period": (
        ArgumentError,
        ("unwrap: period must fit int8, the dtype of p, got 300",),
        lambda: fx.unwrap(fx.asarray([0, 3], dtype=fx.int8), period=300),
    ),
    "initial": (ShapeError, ("sum: initial must be a scalar, got float64[3]",), lambda: fx.sum(x3, initial=x3)),
    "no initial": (ArgumentError, ("max: where may leave out", "initial="), lambda: fx.max(x3, where=x3 > 1)),
    "choices": (ArgumentError, ("of one length, 1 at least, got 2 and 1",), lambda: fx.select([x3 > 0, x3 > 1], [x3])),
    "range": (ConcretizationError, ("fori_loop(0, n, body, init)",), lambda: jit(lambda n: list(range(n)))(3)),
    "NumPy's array": (ConcretizationError, ("fx.stack([x, y])",), lambda: jit(lambda x: np.array([x[0], x[1]]))(x3)),
    "a static text": (ArgumentError, ("register(static=['kind'])",), static("dense")),
    "a static enum": (ArgumentError, ("register(static=['kind'])",), static(Kind.DENSE)),
    "a static function": (ArgumentError, ("register(static=['kind'])",), static(np.sin)),
    "a static result": (ArgumentError, ("register(static=['kind'])",), lambda: jit(lambda w: Layer(w, "dense"))(x3)),
    "a static field under grad": (
        ArgumentError,
        ("register(static=['kind'])",),
        lambda: grad(lambda t: fx.sum(t.w))(Layer(x3, "dense")),
    ),
    "a dataclass": (
        ArgumentError,
        ("write @effects.register above class Unregistered",),
        lambda: jit(lambda t: 1.0)(Unregistered(x3)),
    ),
    "a dataclass under grad": (
        ArgumentError,
        ("write @effects.register above class Unregistered",),
        lambda: grad(lambda t: 1.0)(Unregistered(x3)),
    ),
    "a callable dataclass, as state of a search": (
        ArgumentError,
        ("write @effects.register above class Called",),
        lambda: fx.optimize.minimize(lambda m: m(1.0), Called(x3)),
    ),
    "a dataclass as a result": (
        ArgumentError,
        ("write @effects.register above class Unregistered",),
        lambda: jit(Unregistered)(x3),
    ),
    "a class": (
        ArgumentError,
        ("write @effects.register above class Plain, if it is a dataclass, and use register_node if not",),
        lambda: vmap(lambda t: 1.0)(Plain()),
    ),
}


@pytest.mark.parametrize("told", TOLD)
def test_what_to_write(told: str) -> None:
    kind, words, bad = TOLD[told]
    with pytest.raises(kind) as caught:
        bad()
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert caught.value.source is not None and caught.value.source.file == __file__


def test_a_donated_array_can_be_shown() -> None:
    x = jit(lambda x: x + 1.0)(x3)
    jit(lambda x: x * 2.0, donate_argnums=0)(x)
    assert repr(x) == "Array(donated, float64[3])" and "donated" in repr([x])
