"""Measures of checkpoints beside `numpy.savez` of the same arrays, which is on the disk when the clock is read, too."""

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import count
from tempfile import TemporaryDirectory

import numpy as np

import effects as fx
from benchmarks.harness import Measure, timed
from lowering import PendingCheckpoint, checkpoint_steps, load_checkpoint, save_checkpoint, save_checkpoint_async

HOST = {f"w{i}": np.random.default_rng(i).normal(size=(512, 512)) for i in range(32)}
STEPS = count()


@cache
def folder() -> TemporaryDirectory[str]:
    """Folder that they are written to."""
    return TemporaryDirectory()


@cache
def tree() -> dict[str, fx.Array]:
    """The arrays that are saved."""
    return {name: fx.asarray(x) for name, x in HOST.items()}


def savez() -> float:
    """Seconds of writing an archive."""

    def write() -> None:
        with open(f"{folder().name}/a.npz", "wb") as file:
            np.savez(file, allow_pickle=False, **HOST)
            file.flush()
            os.fsync(file.fileno())

    return timed(write)


def save() -> float:
    """Seconds of writing a checkpoint, and removing the one before."""
    return timed(lambda: save_checkpoint(f"{folder().name}/saved", next(STEPS), tree(), keep=1))


def begin() -> float:
    """Seconds of the call of a program that goes on."""
    begun: list[PendingCheckpoint] = []
    where = f"{folder().name}/begun"
    seconds = timed(lambda: begun.append(save_checkpoint_async(where, next(STEPS), tree(), keep=1)))
    begun[0].wait()
    return seconds


def load() -> float:
    """Seconds of reading a checkpoint."""
    where = f"{folder().name}/read"
    if not checkpoint_steps(where):
        save_checkpoint(where, 0, tree())
    return timed(lambda: load_checkpoint(where))


def loadz() -> float:
    """Seconds of reading an archive."""
    path = f"{folder().name}/read.npz"
    if not os.path.exists(path):
        np.savez(path, allow_pickle=False, **HOST)
    return timed(lambda: dict(np.load(path)))


def measures() -> Iterator[Measure]:
    """The rows of this group, where tensorstore is installed."""
    if find_spec("tensorstore") is None:
        return
    yield Measure("save a checkpoint of 64 MB", {"effax": save, "numpy": savez})
    yield Measure("save a checkpoint of 64 MB: the call of a program that goes on", {"effax": begin, "numpy": savez})
    yield Measure("load a checkpoint of 64 MB", {"effax": load, "numpy": loadz})
