"""The checks of derivatives in narrow dtypes: they stay in the dtype, and are those of float64 rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import effects as fx
from effects import Array, ShapedArray
from effects.operations import Fourier
from effects.operations.reduction import Norm
from effects.types.dtypes import Complex, DType, Floating, Inexact
from effects.types.promotion import complex_of
from handlers import eval_shape, jvp, vjp
from tests.cases import Case
from tests.grid.checks import in_smooth, samples
from tests.grid.compiled import MATRICES
from tests.grid.operands import assert_close, directions


def narrowed(case: Case, dtype: type[Floating]) -> Case:
    """The case with its floating operands in `dtype`, complex ones in the complex dtype of its precision."""

    def narrow(x: Array) -> Array:
        if not issubclass(x.dtype, Inexact):
            return x
        target: type[DType] = complex_of(dtype) if issubclass(x.dtype, Complex) else dtype
        return fx.astype(x, target)

    return replace(case, op=case.op.map(narrow))


def _assert_dtypes(derivatives: Sequence[Array | ShapedArray], of: Sequence[Array | ShapedArray]) -> None:
    for derivative, value in zip(derivatives, of, strict=True):
        assert (derivative.shape, derivative.dtype) == (value.shape, value.dtype), f"{derivative} for {value}"


_SINGLE: Final = (Fourier, Norm, *MATRICES)  # whose functions convert what is narrower


def check_dtypes_of_derivatives(case: Case) -> None:
    """Tangents have the dtypes of the results, cotangents those of the operands, in each narrow dtype, as traced."""
    for dtype in (fx.float32,) if isinstance(case.op, _SINGLE) else (fx.float32, fx.float16, fx.bfloat16):
        narrow = narrowed(case, dtype)
        f, xs = in_smooth(narrow), tuple(samples(narrow))
        values, slopes = eval_shape(lambda *args, f=f: jvp(f, args[0], args[1]), xs, tuple(directions(narrow)))
        _assert_dtypes(slopes, values)
        cotangents = tuple([fx.zeros(value.shape, dtype=value.dtype) for value in values])
        _assert_dtypes(eval_shape(lambda xs, ct, f=f: vjp(f, *xs)[1](ct), xs, cotangents), xs)


def check_narrow_values(case: Case) -> None:
    """Derivatives in float32 are of float32, and those in float64 within its rounding."""
    narrow = narrowed(case, fx.float32)
    _, expected = jvp(in_smooth(case), tuple(samples(case)), tuple(directions(case)))
    values, slopes = jvp(in_smooth(narrow), tuple(samples(narrow)), tuple(directions(narrow)))
    _assert_dtypes(slopes, values)
    for slope, wide in zip(slopes, expected, strict=True):
        assert_close(fx.astype(slope, wide.dtype), wide, rtol=2e-4, atol=2e-4)
