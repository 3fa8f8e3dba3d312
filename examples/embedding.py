"""A table too large for one device: its rows are split over the mesh, and looked up on the device that holds them.

Each device looks up the tokens that are in its rows, and returns zeros for the others; the sum over devices is the
answer. The derivative goes back the same way, so each device has the slopes of only its own rows.
"""

import numpy as np

import effects as fx
from effects import Array
from handlers import axis_index, grad, psum, shard_map
from lowering import Mesh, device_put, devices, jit


def look_up(rows: Array, tokens: Array) -> Array:
    """The rows [V, D] of tokens [N], from a table whose rows are split over "rows": [N, D]."""
    own = tokens - axis_index("rows") * rows.shape[0]
    here = (own >= 0) & (own < rows.shape[0])
    own_rows = rows[fx.where(here, own, 0)]
    return psum(fx.where(here[:, None], own_rows, 0.0), "rows")


def main() -> None:
    n = len(devices())
    mesh = Mesh({"rows": n})
    table = device_put(np.random.default_rng(0).normal(size=(16 * n, 4)), mesh.sharding("rows"))
    tokens = fx.asarray([3, 0, 16 * n - 1, 3])
    find = shard_map(look_up, mesh, in_specs=("rows", None), out_specs=None)
    slope = jit(grad(lambda table: fx.sum(find(table, tokens) ** 2)))(table)
    print(f"{n} devices, {table.shards[0].block.shape[0]} rows each; slopes are {slope.sharding}")
    print(np.array_equal(jit(find)(table, tokens), np.asarray(table)[np.asarray(tokens)]))


if __name__ == "__main__":
    main()
