"""Examples 7 to 11: linearisation, partial evaluation and reverse mode, also through jitted calls."""

from __future__ import annotations

from typing import Any

import pytest

import effects as fx
from effects import Array, ArrayLike
from handlers import grad, jvp, linearize, make_jaxpr, partial_eval_jaxpr, vjp
from lowering import jit
from tests.reference.agreement import close


def f(x: ArrayLike) -> Array:
    return -(fx.sin(x) * 2.0) + x


def test_linearize_of_sin() -> None:
    y, sin_lin = linearize(fx.sin, 3.0)
    close(y, 0.1411200080598672)
    close(sin_lin(1.0), -0.9899924966004454)


def test_calling_the_linear_function_repeats_no_work() -> None:
    calls = 0

    def counted(x: ArrayLike) -> Array:
        nonlocal calls
        calls += 1
        return fx.sin(x)

    _, lin = linearize(counted, 3.0)
    for tangent in (1.0, 2.0, 3.0):
        close(lin(tangent), tangent * -0.9899924966004454)
    assert calls == 1
    program = make_jaxpr(lin)(1.0)
    assert [eqn.op.name for eqn in program.eqns] == ["mul"]


def test_the_jvp_of_neg_sin_as_a_program_and_its_two_parts() -> None:
    program = make_jaxpr(lambda a, d: jvp(lambda x: fx.negative(fx.sin(x)), (a,), (d,)))(3.0, 1.0)
    assert str(program) == (
        "{ lambda a:float64[] b:float64[] .\n"
        "  let c:float64[] = sin a\n"
        "      d:float64[] = cos a\n"
        "      e:float64[] = mul b d\n"
        "      f:float64[] = neg c\n"
        "      g:float64[] = neg e\n"
        "  in ( f, g ) }"
    )
    known, unknown, unknown_out = partial_eval_jaxpr(program, [False, True])
    assert str(known) == (
        "{ lambda a:float64[] .\n"
        "  let b:float64[] = sin a\n"
        "      c:float64[] = cos a\n"
        "      d:float64[] = neg b\n"
        "  in ( d, c ) }"
    )
    assert str(unknown) == (
        "{ lambda a:float64[] b:float64[] .\n  let c:float64[] = mul b a\n      d:float64[] = neg c\n  in ( d ) }"
    )
    assert unknown_out == (False, True)


def test_python_control_flow_on_known_values() -> None:
    close(grad(lambda x: x**2 if x > 0 else 0.0)(3.0), 6.0)
    close(grad(lambda x: x**2 if x > 0 else 0.0)(-3.0), 0.0)


def test_linearize_of_jit() -> None:
    y, lin = linearize(jit(f), 3.0)
    close(y, 2.7177599838802657)
    close(lin(1.0), 2.979984993200891)


def test_linearize_of_a_jit_that_calls_a_jit() -> None:
    @jit
    def g(x: ArrayLike, y: ArrayLike) -> Array:
        return fx.cos(x) + y

    @jit
    def calls_g(x: ArrayLike) -> Array:
        return g(x, fx.sin(x) * 2.0)

    y, lin = linearize(calls_g, 3.0)
    close(y, -0.7077524804807109)
    close(lin(1.0), -2.121105001260758)


def test_vjp_and_grad() -> None:
    close(vjp(fx.sin, 3.0)[1](fx.asarray(1.0)), (-0.9899924966004454,))
    close(grad(f)(3.0), 2.979984993200891)


def test_grad_through_nested_jits() -> None:
    @jit
    def g(x: Array) -> Array:
        return fx.cos(x) * 2.0

    @jit
    def calls_g(x: Any) -> Array:
        return g(x * 2.0)

    close(grad(calls_g)(3.0), 1.1176619927957034)


def test_grad_of_a_function_that_is_not_scalar() -> None:
    with pytest.raises(TypeError, match=r"grad needs a function with one scalar result.*float64\[3\]"):
        grad(fx.sin)(fx.ones(3))
