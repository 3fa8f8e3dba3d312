"""Derivatives are linear maps, and transposition is what it should be: an adjoint, and its own inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

import effects as fx
from effects import Array
from handlers import hessian, jacfwd, jacrev, jvp, linear_transpose, linearize, vjp
from tests.laws.expressions import Expression, expressions, many, points
from tests.reference.agreement import close


def inner(a: tuple[Array, ...], b: tuple[Array, ...]) -> Any:
    return sum(float(fx.sum(u * v)) for u, v in zip(a, b, strict=True))


@many
@given(f=expressions(), x=points(), y=points(), s=points(), t=points())
def test_linearised_functions_are_linear(f: Expression, x: Array, y: Array, s: Array, t: Array) -> None:
    _, lin = linearize(f, x, y)
    mixed = lin(2.0 * s - t, -0.5 * t + s)
    first, second = lin(2.0 * s, s), lin(t, 0.5 * t)
    close(mixed, tuple(u - v for u, v in zip(first, second, strict=True)), 1e-9, 1e-11)
    close(first, tuple(2.0 * u for u in lin(s, 0.5 * s)), 1e-9, 1e-11)
    close(lin(fx.zeros(3), fx.zeros(3)), tuple(fx.zeros(3) for _ in mixed))


@many
@given(f=expressions(), x=points(), y=points(), s=points(), t=points())
def test_linearisation_is_the_derivative(f: Expression, x: Array, y: Array, s: Array, t: Array) -> None:
    value, lin = linearize(f, x, y)
    close((value, lin(s, t)), jvp(f, (x, y), (s, t)), 1e-9, 1e-11)


@many
@given(f=expressions(2), x=points(), y=points(), s=points(), t=points())
def test_the_pullback_is_the_adjoint(f: Expression, x: Array, y: Array, s: Array, t: Array) -> None:
    _, pushed = jvp(f, (x, y), (s, t))
    cotangents = (fx.sin(t), fx.cos(s))
    pulled = vjp(f, x, y)[1](cotangents)
    np.testing.assert_allclose(inner(cotangents, pushed), inner(pulled, (s, t)), rtol=1e-9, atol=1e-11)


@many
@given(f=expressions(1), x=points(), y=points(), s=points(), t=points())
def test_transposing_twice_is_the_identity(f: Expression, x: Array, y: Array, s: Array, t: Array) -> None:
    _, lin = linearize(lambda x, y: f(x, y)[0] + 0.1 * x + 0.2 * y, x, y)
    transposed = linear_transpose(lin, s, t)
    again = linear_transpose(transposed, fx.zeros(3))
    (result,) = again((s, t))
    close(result, lin(s, t), 1e-9, 1e-11)


@many
@given(f=expressions(2), x=points(), y=points())
def test_jacobians_by_rows_and_by_columns_agree(f: Expression, x: Array, y: Array) -> None:
    close(jacrev(f, (0, 1))(x, y), jacfwd(f, (0, 1))(x, y), 1e-9, 1e-11)

    def one(x: Array, y: Array) -> dict[str, Array]:  # one number in all: one row
        first, second = f(x, y)
        return {"none": first[:0], "total": fx.sum(first * second)}

    close(jacrev(one, (0, 1))(x, y), jacfwd(one, (0, 1))(x, y), 1e-9, 1e-11)
    close(hessian(lambda x: one(x, y)["total"])(x), jacrev(jacfwd(lambda x: one(x, y)["total"]))(x), 1e-9, 1e-11)


def test_squares_at_the_ends() -> None:
    ends = np.array([0.0, -0.0, 5e-324, 1e-200, 1e200, np.inf, -np.inf, np.nan])
    for values in (ends, ends.astype(np.complex128), ends + 1j):
        x = fx.asarray(values)
        t = fx.full_like(x, 1.5 - 0.5j if values.dtype.kind == "c" else 1.5)
        same = jvp(lambda v: v * v, (x,), (t,))[1]
        apart = jvp(lambda v, w: v * w, (x, x), (t, t))[1]
        np.testing.assert_array_equal(np.asarray(same), np.asarray(apart))
