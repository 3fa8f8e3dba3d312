"""A process with eight CPU devices that takes the samples of `measure_devices`.

The number of devices is one for all of a process, and calls look for it. So these samples have a process of their own,
which reads from each line what to sample, and answers with seconds.
"""

import itertools
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy

import effects as fx
import handlers
import lowering
from benchmarks.harness import Sample, per_call, timed

type Function = Callable[..., Any]


class OverDevices:
    """A library over `count` devices along one axis: what the rows are written with."""

    def __init__(self, name: str, count: int) -> None:
        self.np: Any = fx if name == "effax" else jnp
        self.fresh = itertools.count(1)
        self.jit: Function
        self.pmean: Function
        if name == "effax":
            mesh = lowering.Mesh({"i": count}, lowering.devices()[:count])
            self.jit, self.grad, self.block = lowering.jit, handlers.grad, lowering.block_until_ready
            self.put: Function = lambda x, cut: lowering.device_put(x, mesh.sharding("i") if cut else mesh.sharding())
            self.over: Function = lambda f, ins, out: handlers.shard_map(f, mesh, ins, out)
            self.pmean = handlers.pmean
            self.constrained: Function = lambda x, *spec: lowering.with_sharding_constraint(x, mesh.sharding(*spec))
        else:
            kinds = (jax.sharding.AxisType.Auto,)
            of_jax = jax.make_mesh((count,), ("i",), devices=jax.devices()[:count], axis_types=kinds)
            cut_of: Function = lambda cut: jax.sharding.PartitionSpec("i") if cut else jax.sharding.PartitionSpec()
            self.jit, self.grad, self.block = jax.jit, jax.grad, jax.block_until_ready
            self.put = lambda x, cut: jax.device_put(x, jax.NamedSharding(of_jax, cut_of(cut)))
            self.over = lambda f, ins, out: jax.shard_map(
                f, mesh=of_jax, in_specs=tuple(map(cut_of, ins)), out_specs=cut_of(out)
            )
            self.pmean = jax.lax.pmean
            placed: Function = lambda *spec: jax.NamedSharding(of_jax, jax.sharding.PartitionSpec(*spec))
            self.constrained = lambda x, *spec: jax.lax.with_sharding_constraint(x, placed(*spec))

    def loss(self, scale: float, w: Any, v: Any, x: Any) -> Any:
        hidden = self.np.tanh(x @ w) * scale
        return self.pmean(self.np.mean((hidden @ v) ** 2), "i")

    def loss_of_layers(self, scale: float, w: Any, v: Any, x: Any) -> Any:
        for _ in range(3):
            hidden = self.constrained(self.np.tanh(x @ w) * scale, None, "i")
            x = x + self.constrained(hidden @ v, "i")
        return self.np.mean(x**2)


def call(of: OverDevices) -> Sample:
    """An elementwise program of an array that is cut."""
    x = of.put(numpy.ones((64, 8), numpy.float32), True)
    run = of.jit(lambda x: x * 2 + 1)
    return per_call(lambda: run(x), of.block)


def call_with_sum(of: OverDevices) -> Sample:
    """A program over blocks with one all-reduce."""
    x = of.put(numpy.ones((64, 8), numpy.float32), True)
    run = of.jit(of.over(lambda x: x - of.pmean(x, "i"), ("i",), "i"))
    return per_call(lambda: run(x), of.block)


def step(of: OverDevices) -> Sample:
    """A step of data-parallel training of a network of two layers, on 8192 rows."""
    rng = numpy.random.default_rng(0)
    w, v = (of.put(rng.normal(size=shape).astype(numpy.float32), False) for shape in ((256, 256), (256, 8)))
    x = of.put(rng.normal(size=(8192, 256)).astype(numpy.float32), True)
    run = of.jit(of.grad(of.over(partial(of.loss, 1.0), (None, None, "i"), None)))
    return per_call(lambda: run(w, v, x), of.block, 0.05)


def tracing(of: OverDevices) -> Sample:
    """Tracing and lowering that step, of a program that was not met before."""
    w, v = of.put(numpy.ones((16, 16), numpy.float32), False), of.put(numpy.ones((16, 8), numpy.float32), False)
    x = of.put(numpy.ones((64, 16), numpy.float32), True)

    def sample() -> float:
        scale = 1.0 + next(of.fresh) / 1024
        step = of.jit(of.grad(of.over(partial(of.loss, scale), (None, None, "i"), None)))
        return timed(lambda: step.trace(w, v, x).lower())

    return sample


def tracing_layers(of: OverDevices) -> Sample:
    """Tracing and lowering the gradient of three layers, of which is said between them how they are cut."""
    w, v, x = (of.put(numpy.ones(shape, numpy.float32), False) for shape in ((16, 32), (32, 16), (64, 16)))

    def sample() -> float:
        scale = 1.0 + next(of.fresh) / 1024
        step = of.jit(of.grad(partial(of.loss_of_layers, scale)))
        return timed(lambda: step.trace(w, v, x).lower())

    return sample


KINDS: dict[str, Callable[[OverDevices], Sample]] = {
    "call": call,
    "call with an all-reduce": call_with_sum,
    "step of training": step,
    "trace and lower a step": tracing,
    "trace and lower constrained layers": tracing_layers,
}


def main() -> None:
    """Answer until the input ends: with the seconds of one sample, of a contender, a number of devices and a kind."""
    samples: dict[str, Sample] = {}
    for line in sys.stdin:
        if line not in samples:
            name, count, kind = line.strip().split(" ", 2)
            samples[line] = KINDS[kind](OverDevices(name, int(count)))
        print(repr(samples[line]()), flush=True)


if __name__ == "__main__":
    main()
