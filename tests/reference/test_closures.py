"""Example 12: jits and jvps nested in closures over each other's values, with jit in every place.

With y = x the function is 2x + 4x² + x² sin x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import effects as fx
from handlers import grad, hessian, jvp
from lowering import jit
from tests.reference.agreement import close

X = 1.25


def foo(x: Any) -> Any:
    def bar(y: Any) -> Any:
        def baz(w: Any) -> Any:
            q = jit(lambda x: y)(x)
            q = q + jit(lambda: y)()
            q = q + jit(lambda y: w + y)(y)
            return jit(lambda w: jit(fx.sin)(x) * y)(1.0) + q

        p, t = jvp(baz, (x + 1.0,), (y,))
        return t + x * p

    return jit(bar)(x)


def along(f: Callable[..., Any]) -> Callable[..., Any]:
    """The derivative by forward mode."""
    return lambda x: jvp(f, (x,), (1.0,))[1]


SIN, COS = 0.9489846193555862, 0.3153223623952687  # of X
VALUE = 2 * X + 4 * X**2 + X**2 * SIN
FIRST = 2 + 8 * X + 2 * X * SIN + X**2 * COS
SECOND = 8 + 2 * SIN + 4 * X * COS - X**2 * SIN

VALUES: dict[str, Callable[..., Any]] = {
    "f": foo,
    "jit f": jit(foo),
    "jit jit f": jit(jit(foo)),
    "jvp f": lambda x: jvp(foo, (x,), (1.0,))[0],
    "jvp jit f": lambda x: jvp(jit(foo), (x,), (1.0,))[0],
}
FIRST_DERIVATIVES: dict[str, Callable[..., Any]] = {
    "jvp f": along(foo),
    "jvp jit f": along(jit(foo)),
    "jit jvp f": jit(along(foo)),
    "jit jvp jit f": jit(along(jit(foo))),
    "grad f": grad(foo),
    "grad jit f": grad(jit(foo)),
    "jit grad f": jit(grad(foo)),
    "jit grad jit f": jit(grad(jit(foo))),
}
SECOND_DERIVATIVES: dict[str, Callable[..., Any]] = {
    "grad grad": grad(grad(foo)),
    "grad grad jit": grad(grad(jit(foo))),
    "grad jit grad": grad(jit(grad(foo))),
    "jit grad grad": jit(grad(grad(foo))),
    "jit grad jit grad jit": jit(grad(jit(grad(jit(foo))))),
    "jvp grad": along(grad(foo)),
    "jvp jit grad": along(jit(grad(foo))),
    "jvp grad jit": along(grad(jit(foo))),
    "grad jvp": grad(along(foo)),
    "grad jit jvp": grad(jit(along(foo))),
    "jvp jvp jit": along(along(jit(foo))),
    "hessian": hessian(foo),
    "hessian jit": hessian(jit(foo)),
    "jit hessian": jit(hessian(foo)),
}


@pytest.mark.parametrize("order", VALUES)
def test_value(order: str) -> None:
    close(VALUES[order](X), VALUE)


@pytest.mark.parametrize("order", FIRST_DERIVATIVES)
def test_first_derivative(order: str) -> None:
    close(FIRST_DERIVATIVES[order](X), FIRST)


@pytest.mark.parametrize("order", SECOND_DERIVATIVES)
def test_second_derivative(order: str) -> None:
    close(SECOND_DERIVATIVES[order](X), SECOND)
