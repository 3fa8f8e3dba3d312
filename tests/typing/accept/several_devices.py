"""Arrays over several devices."""

from typing import assert_type

import numpy as np

import effects as fx
from effects import Array, f32
from handlers import pmean, psum, saved_residuals, shard_map
from lowering import (
    Batch,
    Collective,
    Loader,
    Mesh,
    Shard,
    Sharding,
    array_from_callback,
    collectives,
    device_put,
    jit,
    lower,
    visualize,
    with_sharding_constraint,
)

mesh = Mesh({"data": 1}, ["cpu:0"])
rows = mesh.sharding("data", None)
assert_type(rows, Sharding)
placed = device_put(np.ones((4, 2)), rows)
placed.sharding.spec
y: Array = placed + 1
w: Array[f32] = device_put(fx.ones(3, dtype=fx.float32), mesh.sharding())
first: Shard = placed.shards[0]
block: Array = first.block
name: str = first.device
z: Array = array_from_callback((4, 2), rows, lambda index: np.ones((4, 2))[index])


@jit(in_shardings=rows, out_shardings=mesh.sharding())
def f(x: Array[f32]) -> Array[f32]:
    return with_sharding_constraint(x, rows) + 1


v: Array[f32] = f(fx.ones((4, 2), dtype=fx.float32))


def loss(w: dict[str, Array[f32]], x: Array[f32]) -> Array[f32]:
    return pmean(fx.sum(x @ w["w"]), "data")


parallel = shard_map(loss, mesh, in_specs=({"w": None}, "data"), out_specs=None)
u: Array[f32] = parallel({"w": w}, fx.ones((4, 3), dtype=fx.float32))


def parts(x: Array[f32]) -> tuple[Array[f32], Array[f32]]:
    return psum(x, "data"), x


total, own = shard_map(parts, mesh, "data", (None, rows))(v)
assert_type(total, Array[f32])
shard_map(lambda x: x + 1, mesh, "data", "data")(v)

visualize(rows)
found: list[tuple[str, int]] = [(row.kind, row.bytes) for row in collectives(lower(parallel, {"w": w}, v))]
several: list[Collective] = list(collectives(lower(parallel, {"w": w}, v).compile()))
told = collectives(lower(parallel, {"w": w}, v))
assert_type(told[0].bytes, int)
assert_type(told[:2], tuple[Collective, ...])
assert_type(saved_residuals(loss, {"w": w}, v)[0].bytes, int)

loader = Loader[tuple[Array[f32], Array]]((np.ones((4, 2), np.float32), np.arange(4)), 2, sharding=rows)
for batch in loader.batches(2):
    assert_type(batch, Batch[tuple[Array[f32], Array]])
    assert_type(batch.data[0], Array[f32])
