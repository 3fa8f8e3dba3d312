"""Examples 7 to 11: linearisation, partial evaluation and reverse mode, also through jitted calls."""

from __future__ import annotations

import effects as fx
from effects import Array, ArrayLike
from handlers import grad, jvp, linearize, make_jaxpr, partial_eval_jaxpr
from tests.reference.agreement import close


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
