"""Wrong programs over several devices."""

import effects as fx
from effects import Array, f32
from handlers import psum, shard_map
from lowering import Mesh

mesh = Mesh({"data": 1}, ["cpu:0"])


def loss(w: Array[f32], x: Array[f32]) -> Array[f32]:
    return psum(fx.sum(x @ w), "data")


def blocks(w: Array[f32], i: Array[fx.i32]) -> None:
    parallel = shard_map(loss, mesh, in_specs=(None, "data"), out_specs=None)
    parallel(w)  # E: Too few arguments
    parallel(w, i)  # E: Argument 2 has incompatible type "Array[int32, Any]"
    shard_map(loss, "data", None, None)  # E: Argument 2 to "shard_map" has incompatible type "str"
    shard_map(loss, mesh, 0, None)  # E: Argument 3 to "shard_map" has incompatible type "int"
    shard_map(loss, mesh, in_specs="data")  # E: Missing positional argument "out_specs" in call to "shard_map"
    shard_map(3, mesh, "data", "data")  # E: Value of type variable "F" of "shard_map" cannot be "int"
