"""Transposes of a convolution in one of its operands: convolutions of the cotangent with the other."""

from __future__ import annotations

from effects.arrays.array import Array
from effects.functions.windows.convolution_transposes import by_kernel, by_operand
from effects.operations.convolution import Convolution
from handlers.transpose.elementwise import not_linear
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Convolution)
def transpose_convolution(op: Convolution[Array], ct: Array) -> Cotangents:
    if is_linear(op.x) and not is_linear(op.kernel):
        return by_operand(op, ct, op.kernel, op.x.aval.shape), None
    if is_linear(op.kernel) and not is_linear(op.x):
        return None, by_kernel(op, op.x, ct, op.kernel.aval.shape)
    raise not_linear(op)
