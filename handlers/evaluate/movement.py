"""Movement of elements by NumPy's views."""

from __future__ import annotations

import numpy as np

from effects.arrays.concrete import Concrete, backend, concrete
from effects.operations.movement import Bitcast, Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from effects.program.chain import Performed
from handlers.evaluate.rules import RULES, refuse_foreign


@RULES.rule(Broadcast)
def evaluate_broadcast(op: Broadcast[Concrete]) -> Performed:
    x = op.x.host
    strides = [0] * len(op.shape)
    for axis, dim in enumerate(op.dims):
        if x.shape[axis] == op.shape[dim] and x.shape[axis] != 1:
            strides[dim] = x.strides[axis]
    aval = op.types()
    broadcast = np.ndarray(op.shape, x.dtype, x, 0, strides) if x.flags.c_contiguous else _spread(x, op.shape, op.dims)
    return concrete(broadcast, aval)


def _spread(x: np.ndarray, shape: tuple[int, ...], dims: tuple[int, ...]) -> np.ndarray:
    middle = [1] * len(shape)
    for axis, dim in enumerate(dims):
        middle[dim] = x.shape[axis]
    return np.broadcast_to(x.transpose(np.argsort(dims)).reshape(middle), shape)


@RULES.rule(Reshape)
def evaluate_reshape(op: Reshape[Concrete]) -> Performed:
    return concrete(op.x.host.reshape(op.shape), op.types())


@RULES.rule(PermuteDims)
def evaluate_permute_dims(op: PermuteDims[Concrete]) -> Performed:
    return concrete(op.x.host.transpose(op.axes), op.types())


@RULES.rule(Flip)
def evaluate_flip(op: Flip[Concrete]) -> Performed:
    x = op.x.host
    return concrete(
        x[(*[slice(None, None, -1 if axis in op.axes else None) for axis in range(x.ndim)], ...)], op.types()
    )


@RULES.rule(Concat)
def evaluate_concat(op: Concat[Concrete]) -> Performed:
    return concrete(np.concatenate([x.host for x in op.xs], axis=op.axis), op.types())


@RULES.rule(Pad)
def evaluate_pad(op: Pad[Concrete]) -> Performed:
    aval = op.types()
    x = op.x.host
    spaced_shape = [max(n + (n - 1) * interior, 0) for n, (_, _, interior) in zip(x.shape, op.config, strict=True)]
    spaced = np.full(spaced_shape, op.value.host, x.dtype)
    spaced[tuple([slice(None, None, interior + 1) for _, _, interior in op.config])] = x
    slices = tuple(
        [
            slice(max(-low, 0), max(n - max(-high, 0), 0))
            for n, (low, high, _) in zip(spaced_shape, op.config, strict=True)
        ]
    )
    out = np.full(aval.shape, op.value.host, x.dtype)
    inner = spaced[slices]
    at = tuple([slice(max(low, 0), max(low, 0) + n) for n, (low, _, _) in zip(inner.shape, op.config, strict=True)])
    out[at] = inner
    return concrete(out, aval)


@RULES.rule(Constrain)
def evaluate_constrain(op: Constrain[Concrete]) -> Performed:
    refuse_foreign(op)
    return backend().shard(op.x, op.sharding)


@RULES.rule(Place)
def evaluate_place(op: Place[Concrete]) -> Performed:
    refuse_foreign(op)
    return backend().place(op.x, op.device)


@RULES.rule(Bitcast)
def evaluate_bitcast(op: Bitcast[Concrete]) -> Performed:
    return concrete(np.ascontiguousarray(op.x.host).reshape(op.x.aval.shape).view(op.dtype.dtype), op.types())
