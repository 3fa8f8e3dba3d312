"""Heat in a plate that is split into strips: each device computes one, and gets the adjacent rows from its neighbours.

A stencil needs one row beyond each edge, the halo. The edges of the plate have no neighbour: `ppermute` gives zeros
there, which is the cold outside.
"""

from collections.abc import Callable

import numpy as np

import effects as fx
from effects import Array
from handlers import axis_size, ppermute, scan, shard_map
from lowering import Mesh, devices, jit


def with_halo(strip: Array) -> Array:
    """The strip [R, C] with the last row of the one above and the first row of the one below: [R + 2, C]."""
    n = axis_size("strips")
    above = ppermute(strip[-1:], "strips", [(i, i + 1) for i in range(n - 1)])
    below = ppermute(strip[:1], "strips", [(i + 1, i) for i in range(n - 1)])
    return fx.concat([above, strip, below])


def flow(padded: Array) -> Array:
    """Flow into each element from its neighbours, for rows with a halo."""
    x = padded[1:-1]
    sides = fx.pad(x, ((0, 0), (1, 1)))
    return padded[:-2] + padded[2:] + sides[:, :-2] + sides[:, 2:] - 4 * x


def heated(mesh: Mesh, steps: int, rate: float = 0.1) -> Callable[[Array], Array]:
    """A plate [R, C] after so many steps."""

    def run(strip: Array) -> Array:
        return scan(lambda x, _: (x + rate * flow(with_halo(x)), None), strip, length=steps)[0]

    return shard_map(run, mesh, in_specs="strips", out_specs="strips")


def main() -> None:
    n = len(devices())
    plate = np.zeros((4 * n, 12))
    plate[2 * n - 1 : 2 * n + 1, 5:7] = 100.0
    warm = jit(heated(Mesh({"strips": n}), 50))(fx.asarray(plate))
    print(f"{n} strips: {float(fx.max(warm)):.2f} at most, {float(fx.sum(warm)):.2f} in all")


if __name__ == "__main__":
    main()
