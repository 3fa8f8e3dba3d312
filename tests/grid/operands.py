"""What the checks of the grid feed to cases, and how they compare: directions, lanes, closeness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import effects as fx
from effects import Array
from effects.arrays.concrete import concrete
from effects.types.dtypes import Complex, Floating, Inexact
from tests.cases import Case

type Host = npt.NDArray[np.generic]

LANES = 3


def host(x: Array) -> Host:
    """The elements of an array."""
    return np.asarray(x)


def direction(x: Array, seed: int) -> Array:
    """A tangent of `x`: numbers of about 1 that look random and are the same in every run."""
    draw = np.random.default_rng([seed, x.size])
    values = draw.uniform(0.5, 1.5, x.shape) * draw.choice([-1.0, 1.0], x.shape)
    if issubclass(x.dtype, Complex):
        values = values + 1j * draw.uniform(-1.0, 1.0, x.shape)
    return fx.asarray(values.astype(x.dtype.dtype))


def directions(case: Case, seed: int = 1) -> list[Array]:
    """A tangent for each differentiable operand."""
    return [direction(case.operands[i], seed + i) for i in case.smooth]


def along(case: Case, steps: Sequence[Array], by: float) -> list[Array]:
    """The differentiable operands, moved by `by` times the steps."""
    return [case.operands[i] + by * step for i, step in zip(case.smooth, steps, strict=True)]


def lanes(x: Array, count: int = LANES) -> Array:
    """`count` different samples like `x` along a front axis; each has the elements of `x` in another order.

    Single elements are scaled (floats), shifted (integers) or negated (bools) instead. Positive definite matrices are
    scaled, which leaves them so.
    """
    values = host(x)
    if _is_positive_definite(values):
        flat = [np.multiply(values, 1 + 0.25 * i).astype(values.dtype) for i in range(count)]
    elif values.size > 1:
        flat = [np.roll(values.reshape(-1), i).reshape(values.shape) for i in range(count)]
    elif x.dtype is fx.bool:
        flat = [np.logical_xor(values, i % 2 == 1) for i in range(count)]
    elif issubclass(x.dtype, Inexact):
        flat = [np.multiply(values, 1 - 0.05 * i).astype(values.dtype) for i in range(count)]
    else:
        flat = [(values + np.array(i * (-1) ** i, np.int64)).astype(values.dtype) for i in range(count)]
    stacked = fx.asarray(np.stack(flat))
    return concrete(host(stacked), fx.ShapedArray(stacked.shape, x.dtype, x.aval.weak_type))


def _is_positive_definite(x: npt.NDArray[Any]) -> bool:
    if x.ndim < 2 or x.dtype.kind not in "fc" or x.shape[-1] != x.shape[-2] or not x.size or x.shape[-1] == 1:
        return False
    even = x.itemsize >= 4 and np.allclose(x, x.conj().swapaxes(-1, -2), 1e-6, 0)
    return bool(even and (np.linalg.eigvalsh(x) > 0).all())


def tolerance(dtype: type[fx.DType]) -> float:
    """The relative error that rounding explains."""
    return 30 * float(fx.finfo(dtype).eps) if issubclass(dtype, Inexact) else 0.0


def _wide(x: Host) -> npt.NDArray[Any]:
    if x.dtype.kind in "biuc":
        return x
    return x.astype(np.float64)


def assert_same_type(actual: Array, expected: Array) -> None:
    """Shape, dtype and weakness agree, and so does what the array says with what it holds."""
    assert actual.aval is expected.aval, f"got {_full(actual)}, expected {_full(expected)}"
    for x in (actual, expected):
        assert host(x).shape == x.aval.shape and host(x).dtype == x.aval.dtype.dtype, f"{x.aval} holds {host(x)!r}"


def _full(x: Array) -> str:
    return f"{x.aval}{' (weak)' if x.aval.weak_type else ''}"


def assert_close(actual: Array, expected: Array, rtol: float | None = None, atol: float | None = None) -> None:
    """Values agree within rounding (or the given tolerances); NaNs, infinities and signs of infinities are the same."""
    assert actual.shape == expected.shape and actual.dtype is expected.dtype, f"{actual.aval} is not {expected.aval}"
    rtol = tolerance(actual.dtype) if rtol is None else rtol
    atol = rtol * (1e-3 if actual.dtype is fx.float64 else 1e-2) if atol is None else atol
    np.testing.assert_allclose(_wide(host(actual)), _wide(host(expected)), rtol=rtol, atol=atol)


def assert_same_zeros(actual: Array, expected: Array) -> None:
    """Where both are zero, they are the same of the two zeros."""
    if issubclass(actual.dtype, Floating):
        a, b = _wide(host(actual)), _wide(host(expected))
        zeros = (a == 0) & (b == 0)
        np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]), "signs of zeros")


def assert_all_close(
    actual: Sequence[Array], expected: Sequence[Array], rtol: float | None = None, atol: float | None = None
) -> None:
    """`assert_close` for every pair."""
    for a, b in zip(actual, expected, strict=True):
        assert_close(a, b, rtol, atol)
