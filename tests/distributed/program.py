"""What the processes of the tests run: training over all devices, and faults."""

from __future__ import annotations

import copy
import os
import signal
import socket
import sys
import time
import warnings

import numpy as np

import effects as fx
from effects.errors import NotAddressableError
from handlers import grad, pmean, scan, shard_map
from lowering import Loader, Mesh, array_from_callback, device_put, devices, distributed, jit

_taken: list[socket.socket] = []


def loss(w: fx.Array, x: fx.Array, y: fx.Array) -> fx.Array:
    return fx.mean((fx.tanh(x @ w) - y) ** 2)


def train() -> None:
    """Prints what one process with all devices prints."""
    mesh = Mesh({"data": len(devices())})
    rng = np.random.default_rng(0)
    x, y, w = rng.normal(size=(64, 8)), rng.normal(size=(64, 2)), rng.normal(size=(8, 2))
    cut = mesh.sharding("data")
    xs, ys = [array_from_callback(a.shape, cut, a.__getitem__) for a in (x, y)]

    def step(w: fx.Array, x: fx.Array, y: fx.Array) -> fx.Array:
        return w - 0.3 * pmean(grad(loss)(w, x, y), "data")

    one = shard_map(step, mesh, in_specs=(None, "data", "data"), out_specs=None)
    trained = jit(lambda w: scan(lambda w, _: (one(w, xs, ys), None), w, None, length=20)[0])(fx.asarray(w))
    print("weights", " ".join([f"{value:.12f}" for value in np.asarray(trained).ravel()]))
    print("loss", f"{float(jit(loss)(trained, xs, ys)):.12f}")


def look() -> None:
    """What is here, and what is not."""
    here, count = distributed.process_index(), distributed.process_count()
    mesh = Mesh({"data": len(devices())})
    for dtype in (fx.float64, fx.bfloat16, fx.complex64, fx.bool):
        x = np.arange(16).astype(dtype.dtype)
        xs = array_from_callback((16,), mesh.sharding("data"), x.__getitem__)
        assert len(xs.shards) == len(devices()) // count
        for shard in xs.shards:
            assert shard.block.device == shard.device
            np.testing.assert_array_equal(np.asarray(shard.block), x[shard.index])
        try:
            np.asarray(xs)
        except NotAddressableError as error:
            assert "x.shards" in str(error) and "process_allgather" in str(error)
        else:
            raise AssertionError("it is not all here")
        np.testing.assert_array_equal(np.asarray(distributed.process_allgather(xs)), x)
    xs = array_from_callback((16,), mesh.sharding("data"), np.arange(16).__getitem__)
    assert repr(xs).startswith("Array(parts in other processes, int64[16], Mesh(data=")
    own = copy.deepcopy({"x": xs})["x"]
    jit(fx.negative, donate_argnums=0)(xs)
    assert own.sharding == mesh.sharding("data") and int(own[15]) == 15
    turned = Mesh({"a": len(devices()) // 2, "b": 2}, devices()[::-2] + devices()[::2])
    moved = device_put({"w": own}, turned.sharding(("b", "a")))["w"]
    assert moved.sharding == turned.sharding(("b", "a")) and int(jit(fx.sum)(moved)) == 120
    assert all([np.array_equal(shard.block, np.arange(16)[shard.index]) for shard in moved.shards])
    for elsewhere in (devices()[0], Mesh({"some": 2}, devices()[1:3]).sharding("some")):
        try:
            device_put({"w": own}, elsewhere)
        except NotAddressableError as error:
            assert "device_put: tree['w'], int64[16], sharded as Mesh(data=" in str(error), error
            assert "put distributed.process_allgather(x) there" in str(error), error
        else:
            raise AssertionError("it is not all here")
    try:
        fx.save(f"never{here}.npz", {"w": [own]})
    except NotAddressableError as error:
        assert "save: tree['w'][0], int64[16], sharded as Mesh(data=" in str(error), error
        assert "by save_checkpoint" in str(error) and not os.path.exists(f"never{here}.npz"), error
    else:
        raise AssertionError("it is not all here")
    every = distributed.process_allgather(fx.asarray([here, 10 * here]))
    assert every.tolist() == [[i, 10 * i] for i in range(count)]
    assert fx.ones(2).device == f"cpu:{2048 * here}"
    print("seen")


class Untellable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Recorded:
    """Examples by their positions, which knows those that were read."""

    def __init__(self) -> None:
        self.read: set[int] = set()

    def __len__(self) -> int:
        return 24

    def __getitem__(self, position: int) -> np.ndarray:
        self.read.add(position)
        return np.full(3, position)


def load() -> None:
    """Each process reads its own parts of the batches, in the order that all have."""
    source, here = Recorded(), distributed.process_index()
    mesh, key = Mesh({"data": len(devices())}), fx.random.key(3)
    loader = Loader[fx.Array](source, 8, key=key, sharding=mesh.sharding("data"))
    source.read.clear()
    own: set[int] = set()
    for i, batch in enumerate(loader.batches()):
        rows = np.asarray(fx.random.permutation(fx.random.fold_in(key, 0), 24))[8 * i : 8 * i + 8]
        half = 8 // distributed.process_count()
        own |= set(map(int, rows[half * here : half * (here + 1)]))
        for shard in batch.data.shards:
            np.testing.assert_array_equal(shard.block[:, 0], rows[shard.index[0]])
        gathered = distributed.process_allgather(batch.data)
        np.testing.assert_array_equal(gathered, np.broadcast_to(rows[:, None], (8, 3)))
        assert float(jit(lambda x: fx.sum(x))(batch.data)) == 3 * rows.sum()
    assert source.read == own
    print("loaded")


def come_as_strangers() -> None:
    """To the port of process 0, before it is there."""
    host, _, port = os.environ["EFFAX_COORDINATOR"].partition(":")
    while len(_taken) < 4:
        try:
            _taken.append(socket.create_connection((host, int(port))))
        except OSError:
            time.sleep(0.05)
    _taken[0].sendall(b"GET / HTTP/1.1\r\n")
    _taken[1].sendall(b"\xff" * 100000)
    _taken[2].close()


def fork() -> None:
    """One that ends in its own time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, of which the fork uses none
        child = os.fork()
    if not child:
        sys.exit(3)
    os.waitpid(child, 0)
    print("done", int(distributed.process_allgather(fx.ones(2)).sum()))


def wrong(mode: str) -> None:
    """What happens to process 1."""
    if distributed.process_index() == 1:
        if mode == "untellable":
            raise Untellable
        if mode == "long":
            raise ValueError("bad " * 1000000)
        if mode == "words":
            sys.exit("no more data")
        if mode == "raise":
            raise ValueError("a bad batch")
        if mode == "exit":
            sys.exit(3)
        if mode in ("kill", "stop"):
            os.kill(os.getpid(), signal.SIGKILL if mode == "kill" else signal.SIGSTOP)
        if mode == "types":
            distributed.process_allgather(fx.ones(3))
    distributed.process_allgather(fx.ones(2))
    time.sleep(120)


def apart(mode: str) -> None:
    """Two processes that do not call the same programs."""
    index = distributed.process_index()
    xs = device_put(np.arange(4.0), Mesh({"data": len(devices())}).sharding("data"))

    def step(x: fx.Array) -> fx.Array:
        rate = 0.5 if mode == "rate" and index else 0.25
        return x + (fx.max(x) if mode == "other" and index else rate * fx.sum(x))

    run = jit(step)
    for _ in range(3 if mode == "early" and index == 0 else 2):
        xs = run(xs)
    xs.shards[0].block.tolist()


def some(mode: str) -> None:
    """Of three processes those that are not the first meet, and do not call the same."""
    index = distributed.process_index()
    mesh = Mesh({"data": 2}, devices()[1:])
    if index:
        xs = array_from_callback((4,), mesh.sharding("data"), np.arange(4.0).__getitem__)

        def step(x: fx.Array) -> fx.Array:
            return x + (fx.max(x) if mode == "other of some" and index == 2 else fx.sum(x))

        run = jit(step)
        for _ in range(3 if mode == "early of some" and index == 1 else 2):
            xs = run(xs)
        xs.shards[0].block.tolist()


def main(mode: str) -> None:
    index = int(os.environ.get("EFFAX_PROCESS", "0"))
    if mode == "never" and index == 1:
        time.sleep(120)
    if mode == "port" and index == 0:
        host, _, port = os.environ["EFFAX_COORDINATOR"].partition(":")
        _taken.append(socket.create_server((host, int(port))))
    if mode == "strangers" and index == 1:
        come_as_strangers()
    soon = mode in ("stop", "never", "port")  # elsewhere processes may be slow
    distributed.initialize(silent_for=2.0 if soon else 15.0, meet_within=3.0 if soon else 15.0)
    if mode == "train":
        train()
    elif mode == "strangers":
        fork()
    elif mode == "look":
        look()
    elif mode == "load":
        load()
    elif mode in ("early", "other", "rate"):
        apart(mode)
    elif mode.endswith("of some"):
        some(mode)
    elif mode == "barrier":
        if index == 0:
            distributed.barrier("that nobody else comes to", 1.0)
        time.sleep(120)
    else:
        wrong(mode)


if __name__ == "__main__":
    main(sys.argv[1])
