"""Batching of movements: the batch axis stays in front."""

from __future__ import annotations

import effects as fx
from effects.arrays.array import Array
from effects.arrays.promotion import constant_like, scalar
from effects.operations.elementwise import Select
from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.program.chain import perform
from effects.types import dtypes
from handlers.vmap.rules import RULES, Batched, Lanes, Whole, materialized, on_last_axes, size_of

RULES.rule(Bitcast, Place)(on_last_axes)


@RULES.rule(Broadcast)
@Whole
def batch_broadcast(op: Broadcast[Batched]) -> Broadcast[Array]:
    x = op.x.value
    shape = (x.aval.shape[0], *op.shape)
    return Broadcast(shape, (0, *[d + 1 for d in op.dims]), x)


@RULES.rule(Reshape)
@Whole
def batch_reshape(op: Reshape[Batched]) -> Reshape[Array]:
    x = op.x.value
    return Reshape((x.aval.shape[0], *op.shape), x)


@RULES.rule(Constrain)
@Whole
def batch_constrain(op: Constrain[Batched]) -> Constrain[Array]:
    sharding = op.sharding
    return Constrain(sharding.mesh.sharding(None, *sharding.spec), op.free + 1, op.x.value)


@RULES.rule(PermuteDims)
@Whole
def batch_permute_dims(op: PermuteDims[Batched]) -> PermuteDims[Array]:
    return PermuteDims((0, *[a + 1 for a in op.axes]), op.x.value)


@RULES.rule(Flip)
@Whole
def batch_flip(op: Flip[Batched]) -> Flip[Array]:
    return Flip(tuple([a + 1 for a in op.axes]), op.x.value)


@RULES.rule(Concat)
def batch_concat(op: Concat[Batched]) -> Lanes:
    size = size_of(op)
    return perform(Concat(op.axis + 1, tuple([materialized(x, size) for x in op.xs]))), True


@RULES.rule(Pad)
def batch_pad(op: Pad[Batched]) -> Lanes:
    size = size_of(op)
    x = materialized(op.x, size)
    config = ((0, 0, 0), *op.config)
    if not op.value.batched:
        return perform(Pad(config, x, op.value.value)), True
    # Each lane has a padding value of its own: pad with zeros, then select by where the elements of x went.
    padded = perform(Pad(config, x, constant_like(0, x)))
    inside = perform(Pad(op.config, fx.ones(op.x.aval.shape, dtype=dtypes.bool_), scalar(False, dtypes.bool_)))
    lanes = fx.reshape(op.value.value, (size, *(1,) * len(op.config)))
    return perform(Select(inside, padded, lanes)), True
