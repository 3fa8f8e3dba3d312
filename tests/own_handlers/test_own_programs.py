"""Operations of a user's own that hold programs: every handler goes through them, and keeps the rules they bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from effects import Array, Operation, Performed
from examples.flops import Flops
from examples.interval import Bounds, interval
from handlers import OperationHandler, check_laws, cond, grad, jet, jvp, make_jaxpr, scan, vmap
from lowering import jit
from tests.own_handlers.fixed_points import FixPoint, Scaled, implicit_root, labelled_root, root, scaled
from tests.reference.agreement import close

type Function = Callable[..., Any]

TWO = fx.asarray(2.0)
SEVERAL = fx.asarray([2.0, 3.0])
WHERE: dict[str, Callable[[Function], Function]] = {
    "itself": lambda f: f,
    "jit": jit,
    "cond": lambda f: lambda a: cond(a > 0.0, f, lambda a: a, a),
    "scan": lambda f: lambda a: scan(lambda c, _: (f(a), None), a, length=1)[0],
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("f", [root, implicit_root])
def test_values_and_lanes_and_forward_derivatives(f: Function, where: str) -> None:
    g = WHERE[where](f)
    close(g(TWO), np.sqrt(2.0))
    close(vmap(g)(SEVERAL), np.sqrt([2.0, 3.0]))
    close(jvp(g, (TWO,), (fx.asarray(1.0),))[1], 0.5 / np.sqrt(2.0), 1e-9)


@pytest.mark.parametrize("where", WHERE)
def test_the_rule_of_an_operation_is_its_derivative_everywhere(where: str) -> None:
    g = WHERE[where](implicit_root)
    slopes = 0.5 / np.sqrt([2.0, 3.0])
    close(grad(g)(TWO), slopes[0])
    close(vmap(grad(g))(SEVERAL), slopes)
    close(grad(lambda a: fx.sum(vmap(g)(a)))(SEVERAL), slopes)
    close(grad(grad(g))(TWO), -0.25 * 2.0**-1.5)


def test_without_a_rule_the_derivative_is_that_of_what_it_expands_to() -> None:
    with pytest.raises(fx.MissingRule, match="while_loop has no reverse-mode derivative"):
        grad(root)(TWO)


@pytest.mark.parametrize("inner", [lambda f: f, jit], ids=["eager", "jit"])
def test_further_rules_are_kept(inner: Any) -> None:
    close(vmap(inner(labelled_root))(SEVERAL), np.asarray([102.0, 103.0]))
    close(scaled(TWO), 12.0)
    close(grad(inner(scaled))(TWO), 60.0 / 2.0)
    close(vmap(grad(inner(scaled)))(SEVERAL), np.full(2, 30.0))


def test_series() -> None:
    value, (first,) = jet(implicit_root, (TWO,), ((fx.asarray(1.0),),))
    close((value, first), (np.sqrt(2.0), 0.5 / np.sqrt(2.0)))


@pytest.mark.parametrize("f", [root, implicit_root])
def test_the_laws_of_handlers_around_it(f: Function) -> None:
    check_laws(Flops(), f, TWO, compiled=False)
    check_laws(interval, f, Bounds(TWO, TWO), compiled=False)


def test_it_may_be_handled_itself() -> None:
    class Exactly(OperationHandler):
        handles = FixPoint

        def interpret(self, op: Operation[Array], /) -> Performed:
            assert isinstance(op, FixPoint)
            return (fx.sqrt(op.a),)

    def exactly(f: Function) -> Function:
        def run(a: Any) -> Any:
            with Exactly():
                return f(a)

        return run

    close(grad(exactly(root))(TWO), 0.5 / np.sqrt(2.0))
    assert [eqn.op.name for eqn in make_jaxpr(exactly(root))(TWO).eqns] == ["sqrt"]
    assert [eqn.op.name for eqn in make_jaxpr(root)(TWO).eqns] == ["FixPoint"]


def test_what_is_missing_is_named() -> None:
    @fx.operation
    class Bare[V](fx.CustomHigherOrder[V]):
        body: fx.Jaxpr
        x: V

    @fx.operation
    class Unsaid[V](Scaled[V]):
        linear = ()

    with pytest.raises(fx.MissingRule, match=r"write the method `expand\(self\)` of Bare"):
        fx.perform(Bare(make_jaxpr(fx.sin)(TWO), TWO))
    with pytest.raises(fx.MissingRule, match=r"say in which operands it is linear, linear = \(.x.,\)"):
        grad(lambda x: fx.perform(Unsaid(make_jaxpr(fx.sin)(x), TWO, x))[0])(TWO)
