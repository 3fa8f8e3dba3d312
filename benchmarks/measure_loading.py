"""Batches of a data set in memory: the time of an epoch in a random order, beside indexing by hand and putting."""

from collections.abc import Iterator

import jax
import numpy

import effects as fx
from benchmarks.harness import Measure, Sample, per_call
from benchmarks.namespace import Value
from lowering import Loader, block_until_ready

_SIZE = 256


def _loaded(x: Value, y: Value, prefetch: int) -> Sample:
    loader = Loader((x, y), _SIZE, key=fx.random.key(0), last="drop", prefetch=prefetch)

    def epoch() -> Value:
        last = None
        for batch in loader.batches():
            last = batch.data
        return last

    return per_call(epoch, block_until_ready, at_least=0.2)


def _by_hand(x: Value, y: Value) -> Sample:
    random = numpy.random.default_rng(0)

    def epoch() -> Value:
        order, last = random.permutation(len(x)), None
        for start in range(0, len(x) - _SIZE + 1, _SIZE):
            places = order[start : start + _SIZE]
            last = jax.device_put((x[places], y[places]))
        return last

    return per_call(epoch, jax.block_until_ready, at_least=0.2)


def measures() -> Iterator[Measure]:
    """The rows of this group."""
    x = numpy.random.default_rng(0).normal(size=(20_000, 784)).astype(numpy.float32)
    y = numpy.arange(20_000, dtype=numpy.int32) % 10
    contenders = {"effax": _loaded(x, y, 2), "effax, no thread": _loaded(x, y, 0), "jax": _by_hand(x, y)}
    yield Measure("loader: an epoch of 20,000 images of 784 pixels", contenders, {"jax": 0.9}, 9)
