"""Convolutions. Narrow floats are added in float32; a complex convolution is four real ones, for which XLA has code."""

from __future__ import annotations

from typing import Final

from jaxlib.mlir.dialects import stablehlo

from effects.operations.convolution import Convolution
from effects.program.jaxpr import Atom, Var
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.shapes import Layout
from lowering.stablehlo.builder import Attributes
from lowering.stablehlo.context import CURRENT, Attribute, Value, bools, i64, i64_table, i64s, interned
from lowering.stablehlo.contraction import precision_of
from lowering.stablehlo.rules import RULES
from lowering.stablehlo.scope import FLOAT8, TYPES, Scope

_OF_FLOATS: Final = ("cuda", "rocm")
"""Platforms whose libraries convolve floats only: XLA refuses other dtypes there."""


@interned
def _dimensions(layout: Layout) -> Attribute:
    x, kernel, out = layout
    numbers: Attribute = stablehlo.ConvDimensionNumbers.get(
        input_batch_dimension=x[0],
        input_feature_dimension=x[1],
        input_spatial_dimensions=x[2:],
        kernel_output_feature_dimension=kernel[0],
        kernel_input_feature_dimension=kernel[1],
        kernel_spatial_dimensions=kernel[2:],
        output_batch_dimension=out[0],
        output_feature_dimension=out[1],
        output_spatial_dimensions=out[2:],
        ctx=CURRENT.context,
    )
    return numbers


def _attributes(op: Convolution[Atom]) -> Attributes:
    window, rank = op.window, len(op.window.strides)
    return {
        "window_strides": i64s(window.strides),
        "padding": i64_table(window.padding, 2),
        "lhs_dilation": i64s(window.x_dilation),
        "rhs_dilation": i64s(window.kernel_dilation),
        "window_reversal": bools((False,) * rank),
        "dimension_numbers": _dimensions(op.layout),
        "feature_group_count": i64(op.groups),
        "batch_group_count": i64(1),
        **precision_of(op.precision),
    }


@RULES.rule(Convolution)
def lower_convolution(op: Convolution[Atom], outs: tuple[Var, ...], scope: Scope) -> Value:
    out = outs[0].aval
    if not (out.size and op.x.aval.size and op.kernel.aval.size):
        return scope.fill(out, 0)
    of_x, of_kernel, of_out = [sides[2:] for sides in op.layout]
    x = scope.whole_along(scope[op.x], op.x.aval, of_x)
    kernel = scope.whole_along(scope[op.kernel], op.kernel.aval, of_kernel)
    return scope.whole_along(_convolution(op, x, kernel, out, scope), out, of_out)


def _convolution(op: Convolution[Atom], x: Value, kernel: Value, out: ShapedArray, scope: Scope) -> Value:
    """The convolution, of operands that are whole along spatial axes.

    Otherwise XLA's partitioner computes wrong numbers if the kernel is sharded too, or reaches over a whole part.
    """
    if issubclass(out.dtype, dtypes.Complex):
        return _of_parts(op, x, kernel, out, scope)
    if issubclass(out.dtype, dtypes.Integer) and scope.functions.platform in _OF_FLOATS:
        scope.functions.on_cpu.add(f"a convolution of {out.dtype}")
    if out.dtype not in dtypes.NARROW:
        return scope.op("stablehlo.convolution", TYPES[out], (x, kernel), _attributes(op))
    wide = out.with_dtype(dtypes.float32)
    if out.dtype in FLOAT8:
        x = scope.convert(x, op.x.aval.with_dtype(dtypes.float32))
        kernel = scope.convert(kernel, op.kernel.aval.with_dtype(dtypes.float32))
    return scope.convert(scope.op("stablehlo.convolution", TYPES[wide], (x, kernel), _attributes(op)), out)


def _of_parts(op: Convolution[Atom], x: Value, kernel: Value, out: ShapedArray, scope: Scope) -> Value:
    """(a + bi)(c + di) = ac - bd + (ad + bc)i"""
    dtype = dtypes.real_of(out.dtype)
    part = TYPES[out.with_dtype(dtype)]
    of_x, of_kernel = TYPES[op.x.aval.with_dtype(dtype)], TYPES[op.kernel.aval.with_dtype(dtype)]
    attributes = _attributes(op)

    def convolved(which: str, other: str) -> Value:
        operands = scope.op(f"stablehlo.{which}", of_x, (x,)), scope.op(f"stablehlo.{other}", of_kernel, (kernel,))
        return scope.op("stablehlo.convolution", part, operands, attributes)

    real = scope.do("subtract", convolved("real", "real"), convolved("imag", "imag"))
    imaginary = scope.do("add", convolved("real", "imag"), convolved("imag", "real"))
    return scope.op("stablehlo.complex", TYPES[out], (real, imaginary))
