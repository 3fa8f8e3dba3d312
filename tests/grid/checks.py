"""The checks of the grid: what must hold between a case and a handler. Each raises AssertionError where it does not.

They are functions of their own, so that tests can plant a wrong rule and see them fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import effects as fx
from effects import Array
from handlers import grad, jvp, linear_transpose, vjp
from tests.cases import Case
from tests.grid.operands import along, assert_all_close, assert_close, direction, directions, tolerance

type Function = Callable[..., tuple[Array, ...]]

STEP = 1e-6


def in_smooth(case: Case) -> Function:
    """The case as a function of its differentiable operands."""
    return in_operands(case, case.smooth)


def in_operands(case: Case, positions: Sequence[int]) -> Function:
    """The case as a function of some of its operands, the others held at the samples."""

    def f(*chosen: Array) -> tuple[Array, ...]:
        operands = list(case.operands)
        for position, value in zip(positions, chosen, strict=True):
            operands[position] = value
        return case.all_on(*operands)

    return f


def samples(case: Case) -> list[Array]:
    """The differentiable operands."""
    return [case.operands[i] for i in case.smooth]


def _differences(f: Function, case: Case, steps: Sequence[Array]) -> list[Array]:
    """The central difference quotients of `f` along `steps`, in the dtypes of the results."""
    ahead, behind = f(*along(case, steps, STEP)), f(*along(case, steps, -STEP))
    return [fx.astype((a - b) / (2 * STEP), a.dtype) for a, b in zip(ahead, behind, strict=True)]


def _assert_slopes(actual: Sequence[Array], expected: Sequence[Array], f: Function, case: Case) -> None:
    """Slopes agree within the error of difference quotients, which grows with the values that are subtracted."""
    for slope, quotient, value in zip(actual, expected, f(*samples(case)), strict=True):
        size = float(fx.max(fx.abs(value))) if value.size else 0.0
        assert_close(slope, quotient, rtol=1e-6, atol=1e-7 + 1e-9 * size)


def check_jvp(case: Case) -> None:
    """∂f(x)·t = (f(x + ht) - f(x - ht)) / 2h, and the primal result is f(x)."""
    f, steps = in_smooth(case), directions(case)
    values, slopes = jvp(f, tuple(samples(case)), tuple(steps))
    assert_all_close(values, f(*samples(case)))
    _assert_slopes(slopes, _differences(f, case, steps), f, case)


def check_second_jvp(case: Case) -> None:
    """The same of x ↦ ∂f(x)·t."""
    first, steps = directions(case), directions(case, seed=7)

    def slope(*xs: Array) -> tuple[Array, ...]:
        return jvp(in_smooth(case), tuple(xs), tuple(first))[1]

    _, slopes = jvp(slope, tuple(samples(case)), tuple(steps))
    _assert_slopes(slopes, _differences(slope, case, steps), slope, case)


def _paired(xs: Sequence[Array], ys: Sequence[Array]) -> Array:
    """Σ Re(x·y)."""
    total = fx.asarray(0.0)
    for x, y in zip(xs, ys, strict=True):
        product = x * y
        total = total + fx.sum(fx.real(product) if fx.isdtype(product.dtype, "complex floating") else product)
    return total


def _cotangents(results: Sequence[Array]) -> list[Array]:
    return [direction(result, 20 + i) for i, result in enumerate(results)]


def check_vjp(case: Case) -> None:
    """⟨c, ∂f(x)·t⟩ = ⟨∂f(x)ᵀ·c, t⟩, and cotangents have the types of the operands."""
    f, xs, steps = in_smooth(case), samples(case), directions(case)
    _, slopes = jvp(f, tuple(xs), tuple(steps))
    values, pull = vjp(f, *xs)
    assert_all_close(values, f(*xs))
    cotangents = _cotangents(values)
    pulled = pull(tuple(cotangents))
    for ct, x in zip(pulled, xs, strict=True):
        assert ct.shape == x.shape and ct.dtype is x.dtype, f"the cotangent of {x.aval} is {ct.aval}"
    assert_close(_paired(cotangents, slopes), _paired(pulled, steps), rtol=1e-11, atol=1e-11)


def _gradient(f: Callable[..., Array], at: Sequence[Array]) -> Sequence[Array]:
    """The derivatives of `f` by all arguments."""
    found: object = grad(f, tuple(range(len(at))))(*at)
    return cast("tuple[Array, ...]", found)


def check_second_orders(case: Case) -> None:
    """tᵀ·∂²f(x)·s is the same by forward over forward, forward over reverse, and reverse over reverse mode."""
    f, xs = in_smooth(case), samples(case)
    first, second = directions(case), directions(case, seed=7)
    cotangents = _cotangents(f(*xs))

    def scalar(*at: Array) -> Array:
        return _paired(cotangents, f(*at))

    def slope(*at: Array) -> Array:
        return jvp(scalar, tuple(at), tuple(first))[1]

    def slope_by_gradient(*at: Array) -> Array:
        return _paired(_gradient(scalar, at), first)

    expected = jvp(slope, tuple(xs), tuple(second))[1]
    assert_close(jvp(slope_by_gradient, tuple(xs), tuple(second))[1], expected, rtol=1e-9, atol=1e-9)
    assert_close(_paired(_gradient(slope_by_gradient, xs), second), expected, rtol=1e-9, atol=1e-9)


def check_transpose(case: Case, positions: tuple[int, ...]) -> None:
    """⟨c, f(t)⟩ = ⟨fᵀ(c), t⟩ for the operands in which the operation is linear."""
    f = in_operands(case, positions)
    steps = [direction(case.operands[i], 3 + i) for i in positions]
    results = f(*steps)
    cotangents = _cotangents(results)
    pulled = linear_transpose(f, *steps)(tuple(cotangents))
    for ct, x in zip(pulled, steps, strict=True):
        assert ct.shape == x.shape and ct.dtype is x.dtype, f"the cotangent of {x.aval} is {ct.aval}"
    rtol = max([tolerance(x.dtype) for x in (*steps, *results)])
    wide = [[fx.astype(v, fx.complex128) for v in vs] for vs in (cotangents, results, pulled, steps)]
    assert_close(_paired(wide[0], wide[1]), _paired(wide[2], wide[3]), rtol=rtol, atol=rtol)


def check_transposes(case: Case) -> None:
    """`check_transpose` of every set of operands in which the operation is linear."""
    for positions in case.linear:
        check_transpose(case, positions)
