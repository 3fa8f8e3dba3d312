"""Derivatives of reductions.

An extreme has the mean of the tangents at the positions where it is attained, and NaN where there is one. The product
is differentiated by halving, (a, ȧ)·(b, ḃ) = (ab, ȧb + aḃ), which is exact at zeros, to every order.
"""

from __future__ import annotations

import math
from typing import Final

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, rounded_once
from effects.functions.elementwise import logic
from effects.operations.elementwise import Binary, BinaryKind, Compare, CompareKind, Select
from effects.operations.reduction import ArgReduce, Norm, Reduce, ReduceKind
from effects.program.chain import perform
from handlers.jvp.rules import RULES, Dual, Pair, value_of


@RULES.rule(Reduce)
def jvp_reduce(op: Reduce[Dual]) -> Pair:
    x, t = op.x.primal, op.x.tangent
    out = value_of(Reduce(op.kind, op.axes, x, op.keepdims))
    if t is None:
        return out, None
    if op.kind is ReduceKind.SUM:
        return out, _sum(op, t)
    if op.kind is ReduceKind.PROD:
        slope = rounded_once(lambda x, t: product_tangent(x, t, op.axes), x, t)
        return out, fx.reshape(slope, out.aval.shape)
    assert op.kind in (ReduceKind.MAX, ReduceKind.MIN), "bools have no tangents"
    return out, rounded_once(lambda x, t, out: _extreme_tangent(op, x, t, out), x, t, out)


def _sum(op: Reduce[Dual], x: Array) -> Array:
    return perform(Reduce(ReduceKind.SUM, op.axes, x, op.keepdims))


def _extreme_tangent(op: Reduce[Dual], x: Array, t: Array, out: Array) -> Array:
    keepdims_out = fx.reshape(out, tuple([1 if a in op.axes else n for a, n in enumerate(x.aval.shape)]))
    missed = perform(Compare(_MISSED[op.kind], x, keepdims_out))  # nowhere, if the extreme is NaN
    zero, one = constant_like(0, x), constant_like(1, x)
    total = _sum(op, perform(Select(missed, zero, t)))
    count = _sum(op, perform(Select(missed, zero, one)))
    # A constant NaN: `out` has a tangent under another derivative, which XLA could not remove.
    divisor = perform(Select(perform(Compare(CompareKind.EQ, out, out)), count, constant_like(math.nan, x)))
    return perform(Binary(BinaryKind.DIV, total, divisor))


_MISSED: Final = {ReduceKind.MAX: CompareKind.LT, ReduceKind.MIN: CompareKind.GT}


def product_tangent(x: Array, t: Array, axes: tuple[int, ...]) -> Array:
    """The tangent of the product of `x` over `axes`, which are removed; the other axes keep their order."""
    others = tuple([a for a in range(x.aval.ndim) if a not in axes])
    order = (*axes, *others)
    shape = (math.prod([x.aval.shape[a] for a in axes]), *[x.aval.shape[a] for a in others])
    a, da = (fx.reshape(fx.permute_dims(v, order), shape) for v in (x, t))
    if a.aval.shape[0] == 0:
        return fx.sum(da, axis=0)
    while (n := a.aval.shape[0]) > 1:
        half = n // 2
        odd = [(a[2 * half :], da[2 * half :])] if n % 2 else []
        b, db, c, dc = a[:half], da[:half], a[half : 2 * half], da[half : 2 * half]
        a, da = b * c, db * c + b * dc
        for rest, drest in odd:
            a, da = fx.concat([a, rest]), fx.concat([da, drest])
    return da[0]


@RULES.rule(ArgReduce)
def jvp_argreduce(op: ArgReduce[Dual]) -> Pair:
    return perform(ArgReduce(op.kind, op.axis, op.x.primal)), None


@RULES.rule(Norm)
def jvp_norm(op: Norm[Dual]) -> Pair:
    """The sum of the real parts of x̄·ẋ divided by the norm; 0 where the norm is 0."""
    x, t = op.x.primal, op.x.tangent
    norm = value_of(Norm(op.axes, x, op.keepdims))
    if t is None:
        return norm, None
    zero = norm == 0
    inverse = logic.where(zero, 0, 1 / logic.where(zero, 1, norm))
    products = fx.real(fx.conj(x) * t)
    return norm, fx.sum(products, axis=op.axes, keepdims=op.keepdims) * inverse
