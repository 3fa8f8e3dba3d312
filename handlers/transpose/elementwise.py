"""Transposes of the elementwise operations that are linear.

Cotangents pair with tangents by Re(c·t), so that the transpose of a multiplication by a complex number is the
multiplication by the same number.
"""

from __future__ import annotations

import effects.functions.elementwise.unary as fn
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, convert
from effects.errors import NotLinearError
from effects.functions.manipulation import movement
from effects.operations.elementwise import Binary, BinaryKind, Convert, Select, Unary, UnaryKind
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from effects.program.operation import Operation
from effects.types import dtypes
from effects.types.avals import ShapedArray
from handlers.transpose.rules import RULES, Cotangents, Linear, is_linear


def unbroadcast(ct: Array, aval: ShapedArray) -> Array:
    """The cotangent of an operand of type `aval` that was broadcast: the sum over the axes it was repeated along."""
    if ct.aval is aval:
        return ct
    shape = aval.shape
    ct_shape = ct.aval.shape
    if ct_shape == shape:
        return ct
    extra = len(ct_shape) - len(shape)
    repeated = tuple([a for a, n in enumerate(ct_shape) if a < extra or (shape[a - extra] == 1 and n != 1)])
    return movement.reshape(perform(Reduce(ReduceKind.SUM, repeated, ct, not extra)), shape)


def not_linear(op: Operation[Array]) -> NotLinearError:
    return NotLinearError(
        f"{op.name} is not linear in the operands that vary: {', '.join(str(v.aval) for v in op.operands)}; "
        "a function given to linear_transpose, and a derivative rule in its tangents (of a custom_jvp, or the jvp of "
        "a user-defined operation), must be linear: sums, and products with one such factor"
    )


@RULES.rule(Unary)
def transpose_unary(op: Unary[Array], ct: Array) -> Cotangents:
    kind = op.kind
    if kind is UnaryKind.NEG:
        return (perform(Unary(kind, ct)),)
    if kind is UnaryKind.CONJ:
        return (fn.conj(ct),)
    if kind is UnaryKind.REAL:
        return (convert(ct, op.x.aval.dtype),)
    if kind is UnaryKind.IMAG:
        return (convert(ct, op.x.aval.dtype) * constant_like(-1j, op.x),)
    raise not_linear(op)


@RULES.rule(Binary)
def transpose_binary(op: Binary[Array], ct: Array) -> Cotangents:
    x, y, kind = op.x, op.y, op.kind
    x_linear, y_linear = type(x) is Linear, type(y) is Linear
    if kind is BinaryKind.MUL:
        if not y_linear:
            return unbroadcast(perform(Binary(kind, ct, y)), x.aval), None
        if not x_linear:
            return None, unbroadcast(perform(Binary(kind, ct, x)), y.aval)
    elif kind is BinaryKind.ADD:
        return unbroadcast(ct, x.aval) if x_linear else None, unbroadcast(ct, y.aval) if y_linear else None
    elif kind is BinaryKind.SUB:
        return (
            unbroadcast(ct, x.aval) if x_linear else None,
            perform(Unary(UnaryKind.NEG, unbroadcast(ct, y.aval))) if y_linear else None,
        )
    elif kind in (BinaryKind.DIV, BinaryKind.SCALE) and not y_linear:
        return unbroadcast(perform(Binary(kind, ct, y)), x.aval), None
    elif kind is BinaryKind.COMPLEX:
        return (
            unbroadcast(convert(fn.real(ct), x.aval.dtype), x.aval) if x_linear else None,
            unbroadcast(convert(fn.negative(fn.imag(ct)), y.aval.dtype), y.aval) if y_linear else None,
        )
    raise not_linear(op)


@RULES.rule(Select)
def transpose_select(op: Select[Array], ct: Array) -> Cotangents:
    if is_linear(op.pred):
        raise not_linear(op)
    zero = constant_like(0, ct)
    return (
        None,
        unbroadcast(perform(Select(op.pred, ct, zero)), op.x.aval) if is_linear(op.x) else None,
        unbroadcast(perform(Select(op.pred, zero, ct)), op.y.aval) if is_linear(op.y) else None,
    )


@RULES.rule(Convert)
def transpose_convert(op: Convert[Array], ct: Array) -> Cotangents:
    source = op.x.aval.dtype
    if not dtypes.is_inexact(source) or not dtypes.is_inexact(op.dtype):
        raise not_linear(op)
    return (convert(ct, source, op.x.aval.weak_type),)
