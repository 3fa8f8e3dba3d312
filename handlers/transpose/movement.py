"""Transposes of movements: each moves elements back."""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like
from effects.operations.indexing import Slice
from effects.operations.movement import Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.operations.reduction import Reduce, ReduceKind
from effects.program.chain import perform
from handlers.transpose.rules import RULES, Cotangents, is_linear


@RULES.rule(Broadcast)
def transpose_broadcast(op: Broadcast[Array], ct: Array) -> Cotangents:
    shape = op.x.aval.shape
    repeated = tuple(
        [d for d, n in enumerate(op.shape) if d not in op.dims or (n != 1 and shape[op.dims.index(d)] == 1)]
    )
    none_new = len(op.dims) == len(op.shape)
    summed = perform(Reduce(ReduceKind.SUM, repeated, ct, none_new)) if repeated else ct
    # The remaining axes are those of x, or those that were not repeated, in the order of the result.
    dims = sorted([d for d in op.dims if none_new or d not in repeated])
    order = [dims.index(d) for d in op.dims if d in dims]
    return (fx.reshape(fx.permute_dims(summed, tuple(order)), shape),)


@RULES.rule(Reshape)
def transpose_reshape(op: Reshape[Array], ct: Array) -> Cotangents:
    return (fx.reshape(ct, op.x.aval.shape),)


@RULES.rule(Constrain)
def transpose_constrain(op: Constrain[Array], ct: Array) -> Cotangents:
    return (perform(Constrain(op.sharding, op.free, ct)),)


@RULES.rule(Place)
def transpose_place(op: Place[Array], ct: Array) -> Cotangents:
    return (ct if op.source is None else perform(Place(op.source, op.device, ct)),)


@RULES.rule(PermuteDims)
def transpose_permute_dims(op: PermuteDims[Array], ct: Array) -> Cotangents:
    inverse = tuple([op.axes.index(a) for a in range(len(op.axes))])
    return (perform(PermuteDims(inverse, ct)),)


@RULES.rule(Flip)
def transpose_flip(op: Flip[Array], ct: Array) -> Cotangents:
    return (perform(Flip(op.axes, ct)),)


@RULES.rule(Concat)
def transpose_concat(op: Concat[Array], ct: Array) -> Cotangents:
    results: list[Array | None] = []
    begin = 0
    shape = ct.aval.shape
    for x in op.xs:
        end = begin + x.aval.shape[op.axis]
        if is_linear(x):
            start = tuple([begin if a == op.axis else 0 for a in range(len(shape))])
            limit = tuple([end if a == op.axis else n for a, n in enumerate(shape)])
            results.append(perform(Slice(start, limit, (1,) * len(shape), ct)))
        else:
            results.append(None)
        begin = end
    return tuple(results)


@RULES.rule(Pad)
def transpose_pad(op: Pad[Array], ct: Array) -> Cotangents:
    zero = constant_like(0, ct)
    cut = perform(Pad(tuple([(-low, -high, 0) for low, high, _ in op.config]), ct, zero))
    rank = len(op.config)
    strides = tuple([interior + 1 for _, _, interior in op.config])
    at_x = perform(Slice((0,) * rank, cut.aval.shape, strides, cut))
    ct_x = at_x if is_linear(op.x) else None
    ct_value = fx.sum(ct) - fx.sum(at_x) if is_linear(op.value) else None
    return ct_x, ct_value
