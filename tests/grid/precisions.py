"""The checks of derivatives in narrow dtypes: they stay in the dtype, and are those of float64 rounded."""

from __future__ import annotations

from dataclasses import replace

import effects as fx
from effects import Array
from effects.types.dtypes import Complex, DType, Floating, Inexact
from effects.types.promotion import complex_of
from handlers import jvp, vjp
from tests.cases import Case
from tests.grid.checks import in_smooth, samples
from tests.grid.operands import assert_close, direction, directions


def narrowed(case: Case, dtype: type[Floating]) -> Case:
    """The case with its floating operands in `dtype`, complex ones in the complex dtype of its precision."""

    def narrow(x: Array) -> Array:
        if not issubclass(x.dtype, Inexact):
            return x
        target: type[DType] = complex_of(dtype) if issubclass(x.dtype, Complex) else dtype
        return fx.astype(x, target)

    return replace(case, op=case.op.map(narrow))


def _assert_dtypes(derivatives: tuple[Array, ...], of: tuple[Array, ...]) -> None:
    for derivative, value in zip(derivatives, of, strict=True):
        assert (derivative.shape, derivative.dtype) == (value.shape, value.dtype), f"{derivative.aval} for {value.aval}"


def check_dtypes_of_derivatives(case: Case, dtype: type[Floating]) -> None:
    """Tangents have the dtypes of the results, cotangents those of the operands."""
    narrow = narrowed(case, dtype)
    f, xs = in_smooth(narrow), tuple(samples(narrow))
    values, slopes = jvp(f, xs, tuple(directions(narrow)))
    _assert_dtypes(slopes, values)
    values, pull = vjp(f, *xs)
    _assert_dtypes(pull(tuple([direction(value, i) for i, value in enumerate(values)])), xs)


def check_narrow_values(case: Case) -> None:
    """Derivatives in float32 are those in float64 within the rounding of float32."""
    narrow = narrowed(case, fx.float32)
    _, expected = jvp(in_smooth(case), tuple(samples(case)), tuple(directions(case)))
    _, slopes = jvp(in_smooth(narrow), tuple(samples(narrow)), tuple(directions(narrow)))
    for slope, wide in zip(slopes, expected, strict=True):
        assert_close(fx.astype(slope, wide.dtype), wide, rtol=2e-4, atol=2e-4)
