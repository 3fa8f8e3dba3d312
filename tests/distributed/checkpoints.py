"""What the processes of the tests of checkpoints run."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import effects as fx
from effects.errors import ArgumentError, FileError
from lowering import (
    Mesh,
    array_from_callback,
    checkpoint_steps,
    device_put,
    devices,
    distributed,
    jit,
    load_checkpoint,
    save_checkpoint,
    save_checkpoint_async,
)
from lowering.checkpoints import chunks, writing

X = np.arange(64.0).reshape(8, 8)


def refused(kind: type[BaseException], call: Callable[[], object], *words: str) -> None:
    """Every process has the error, and goes on."""
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(f"no {kind.__name__}, which says {words}")


def state(mesh: Mesh) -> Any:
    def cut(*spec: str | None) -> fx.Array:
        return array_from_callback((8, 8), mesh.sharding(*spec), X.__getitem__)

    return {
        "both": cut("a", "b"),
        "rows": cut("b"),
        "whole": cut(),
        "key": fx.random.key(7),
        "local": device_put(fx.ones(4), Mesh({"l": 2}, [d.name for d in devices() if d in mine()][:2]).sharding("l")),
        "n": 3,
    }


def mine() -> tuple[object, ...]:
    return tuple([d for d in devices() if d.raw.process_index == distributed.process_index()])


def everything(folder: Path) -> None:
    """Save on 2 × 4, load on other meshes, and what fails in one process fails in all."""
    here = distributed.process_index()
    mesh = Mesh({"a": 2, "b": 4})
    save_checkpoint(folder, 1, state(mesh))
    line = Mesh({"c": 8}, [d.name for d in devices()][::-1])
    likes: list[Any] = [None, state(mesh)]
    for like in likes:
        cuts = {**dict.fromkeys(["key", "local", "n"]), "both": line.sharding("c"), "rows": line.sharding(None, "c")}
        found = load_checkpoint(folder, like=like, shardings={**cuts, "whole": line.sharding()})
        for name in ("both", "rows", "whole"):
            assert len(found[name].shards) == 4 and found[name].sharding.mesh == line
            for shard in found[name].shards:
                np.testing.assert_array_equal(np.asarray(shard.block), X[shard.index])
        assert found["n"] == 3 and found["key"] == fx.random.key(7) and found["local"].tolist() == [1.0] * 4
    found = load_checkpoint(folder)
    np.testing.assert_array_equal(np.asarray(found["both"]), X)

    pending = save_checkpoint_async(folder, 2, state(mesh))
    x = array_from_callback((8, 8), mesh.sharding("a"), X.__getitem__)
    total = jit(fx.sum)(x)  # the processes talk meanwhile
    assert float(total) == X.sum()
    distributed.barrier("meanwhile")
    distributed.process_allgather(fx.ones(2))
    pending.wait()
    assert checkpoint_steps(folder) == (1, 2)

    refused(FileError, lambda: save_checkpoint(folder, 2, state(mesh)), "step-2 exists")
    other = {"n": 3.0} if here else {"n": 3}
    refused(ArgumentError, lambda: save_checkpoint(folder, 3, other), "process 1 saves another step or tree")
    own = {"key": fx.random.key(here)}
    refused(ArgumentError, lambda: save_checkpoint(folder, 3, own), "tree['key'].data", "process_allgather(x)")
    words = ["x" if here else 1.0]
    refused(
        ArgumentError if here else FileError, lambda: save_checkpoint(folder, 3, words), "tree[0] must be an array or"
    )

    write = chunks.write
    if here:
        chunks.write = full  # type: ignore[assignment]  # it takes all
    refused(FileError, lambda: save_checkpoint(folder, 3, state(mesh)), "No space left")
    refused(FileError, save_checkpoint_async(folder, 3, state(mesh)).wait, "No space left")
    if here:
        chunks.write = interrupted  # type: ignore[assignment]  # it takes all
    refused(
        KeyboardInterrupt if here else FileError, lambda: save_checkpoint(folder, 3, state(mesh)), "KeyboardInterrupt"
    )
    chunks.write = write
    module: Any = writing
    if here:  # as on a machine that has another folder of this name
        module.Path = lambda path: Path(f"{path}/elsewhere")
    refused(FileError, lambda: save_checkpoint(folder, 3, state(mesh)), "process 1 does not see", "elsewhere")
    module.Path = Path
    distributed.barrier("all have failed")
    assert sorted(os.listdir(folder)) == [".lock", "step-1", "step-2"], os.listdir(folder)

    distributed.barrier("before it is broken")
    if here == 0:
        (folder / "step-2/0.both/c.1.3").unlink()  # which process 1 needs, to load it as it was
    distributed.barrier("it is broken")
    refused(
        FileError, lambda: load_checkpoint(folder, like=state(mesh)), "step-2, entry 'both'", "another step, of [1]"
    )
    refused(FileError, lambda: load_checkpoint(folder, 5), "no checkpoint of step 5")
    save_checkpoint(folder, 2, state(mesh), overwrite=True, keep=1)
    assert checkpoint_steps(folder) == (2,)
    save_checkpoint_async(folder, 3, state(mesh))
    distributed.shutdown()  # which waits for it
    assert checkpoint_steps(folder) == (2, 3)
    print("all of it")


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt("KeyboardInterrupt")


def dies(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(folder: Path) -> None:
    """Process 1 is killed while it writes."""
    mesh = Mesh({"a": len(devices())})
    x = array_from_callback((8, 8), mesh.sharding("a"), X.__getitem__)
    save_checkpoint(folder, 1, {"x": x})
    if distributed.process_index() == 1:
        chunks.write = dies  # type: ignore[assignment]  # it takes all
    save_checkpoint_async(folder, 2, {"x": x})
    threading.Event().wait(30)


if __name__ == "__main__":
    distributed.initialize(silent_for=5.0)
    {"everything": everything, "killed": killed}[sys.argv[1]](Path(sys.argv[2]))
