"""A pipeline: every device has a stage of a deep network, and passes its results on to the next device.

Batches follow each other. In every tick, each stage works on the result of the previous stage from the previous tick.
So a device waits only while the pipeline fills and empties: S stages take M + S - 1 ticks for M batches.
"""

from collections.abc import Callable

import numpy as np

import effects as fx
from effects import Array
from handlers import axis_index, axis_size, grad, ppermute, psum, scan, shard_map
from lowering import Mesh, devices, jit


def pipelined(mesh: Mesh, stage: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """All stages in sequence: of weights [S, …] and batches [M, …] as `stage` takes and returns them."""

    def run(weights: Array, batches: Array) -> Array:
        place, count = axis_index("stage"), axis_size("stage")
        onward = [(i, i + 1) for i in range(count - 1)]
        n = batches.shape[0]

        def tick(carry: tuple[Array, Array], t: Array) -> tuple[tuple[Array, Array], None]:
            received, done = carry
            x = fx.where(place == 0, batches[fx.minimum(t, n - 1)], received)
            y = stage(weights[0], x)
            number = t - (count - 1)  # of the batch that leaves the last stage
            output = fx.where((place == count - 1) & (number >= 0), y, done[fx.maximum(number, 0)])
            return (ppermute(y, "stage", onward), done.at[fx.maximum(number, 0)].set(output)), None

        begin = (fx.zeros_like(batches[0]), fx.zeros_like(batches))
        (_, done), _ = scan(tick, begin, fx.arange(n + count - 1))
        return psum(fx.where(place == count - 1, done, 0.0), "stage")

    return shard_map(run, mesh, in_specs=("stage", None), out_specs=None)


def layer(w: Array, x: Array) -> Array:
    return fx.tanh(x @ w) + x


def one_after_the_other(weights: Array, batches: Array) -> Array:
    """The same on one device."""
    for w in weights:
        batches = layer(w, batches)
    return batches


def main() -> None:
    n = len(devices())
    rng = np.random.default_rng(0)
    weights, batches = fx.asarray(rng.normal(size=(n, 8, 8)) / 4), fx.asarray(rng.normal(size=(6, 5, 8)))
    run = jit(pipelined(Mesh({"stage": n}), layer))
    slopes = [jit(grad(lambda w, f=f: fx.sum(f(w, batches) ** 2)))(weights) for f in (run, one_after_the_other)]
    print(f"{n} stages: {float(fx.max(fx.abs(run(weights, batches) - one_after_the_other(weights, batches)))):.1e}")
    print(f"slopes: {float(np.max(np.abs(np.asarray(slopes[0]) - np.asarray(slopes[1])))):.1e}")


if __name__ == "__main__":
    main()
