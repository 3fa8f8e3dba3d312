"""What is refused of jets, and in which words."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import effects as fx
from effects import Array, perform
from effects.errors import ArgumentError, DTypeError, EffaxError, MissingRule, ShapeError, TreeError
from effects.program.custom import CustomOp
from effects.program.operation import operation
from handlers import cond, custom_vjp, jet
from tests.reference.agreement import close


def _unchecked(value: object) -> Any:
    return value


def test_series_that_do_not_fit() -> None:
    x = fx.zeros(3)

    def f(x: Array, y: Array) -> Array:
        return x * y

    with pytest.raises(ArgumentError, match=r"jet: series must be a tuple"):
        jet(fx.sin, (x,), _unchecked({}))
    with pytest.raises(TreeError, match=r"jet: series"):
        jet(f, (x, x), ([x],))
    with pytest.raises(TreeError, match=r"jet: series of argument x must be a list of its derivatives"):
        jet(fx.sin, (x,), (x,))
    with pytest.raises(TreeError, match=r"at least one"):
        jet(fx.sin, (x,), ([],))
    with pytest.raises(ArgumentError, match=r"argument y has 1 derivatives, that of x has 2"):
        jet(f, (x, x), ([x, x], [x]))
    with pytest.raises(ShapeError, match=r"derivative 2 of argument y has shape \[2\], expected float64\[3\]"):
        jet(f, (x, x), ([x, x], [x, fx.zeros(2)]))
    with pytest.raises(DTypeError, match=r"derivative 1 of argument x is float32\[3\], expected float64\[3\]"):
        jet(fx.sin, (x,), ([x.astype(fx.float32)],))
    with pytest.raises(ArgumentError, match=r"derivative 1 of argument x"):
        jet(fx.sin, (x,), (["no array"],))


def test_values_do_not_leak() -> None:
    kept: list[Array] = []

    def f(x: Array) -> Array:
        kept.append(x)
        return x

    jet(f, (fx.asarray(1.0),), ([1.0],))
    with pytest.raises(EffaxError, match=r"leaked"):
        fx.sin(kept[0])


@operation
class Unruly[V](CustomOp[V]):
    """Its jvp rule hands its own result to a conditional."""

    x: V

    def evaluate(self: Unruly[Array]) -> Array:
        return fx.exp(self.x)

    def jvp(self: Unruly[Any]) -> tuple[Array, Array]:
        y = perform(Unruly(self.x.primal))
        return y, cond(self.x.primal > 0, lambda y, t: y * t, lambda y, t: y * t, y, self.x.tangent)


@operation
class Ruleless[V](CustomOp[V]):
    """It has no jvp rule."""

    x: V

    def evaluate(self: Ruleless[Array]) -> Array:
        return fx.exp(self.x)


def test_operations_without_a_rule() -> None:
    with pytest.raises(MissingRule, match=r"jvp\(self\)"):
        jet(lambda x: perform(Ruleless(x)), (fx.asarray(1.0),), ([1.0],))
    with pytest.raises(MissingRule, match=r"the jvp rule of Unruly puts its own result into a conditional"):
        jet(lambda x: perform(Unruly(x)), (fx.asarray(1.0),), ([1.0, 0.0],))


def test_the_handler_is_usable_after_an_error() -> None:
    def f(x: Array) -> Array:
        with suppress(MissingRule):
            perform(Ruleless(x))
        return x * x

    close(jet(f, (fx.asarray(3.0),), ([1.0, 0.0],)), (9.0, [6.0, 2.0]))


def test_reverse_rules_alone() -> None:
    @custom_vjp
    def f(x: Array) -> Array:
        return fx.sin(x)

    f.defvjp(lambda x: (fx.sin(x), x), lambda x, ct: (fx.cos(x) * ct,))
    with pytest.raises(MissingRule, match=r"f has a rule for reverse mode only, and jet is forward mode"):
        jet(f, (fx.asarray(1.0),), ([1.0],))
