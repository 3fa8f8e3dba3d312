"""Training that continues after a process was killed: from the last checkpoint, on the devices that are available then.

    python -m examples.restart

trains in two processes with two devices each, and kills one of them during training. This process then loads their last
checkpoint over its own mesh, and finishes the training. The numbers are those of an uninterrupted training.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tqdm import tqdm

import effects as fx
from effects import Array
from handlers import value_and_grad
from lowering import (
    Mesh,
    checkpoint_steps,
    device_put,
    devices,
    distributed,
    jit,
    load_checkpoint,
    save_checkpoint_async,
    with_sharding_constraint,
)

STEPS, EVERY, KILLED_AT = 30, 5, 17


class State(NamedTuple):
    """Everything on which the next step depends."""

    weights: Array
    speed: Array
    key: fx.random.Key
    step: int
    loss: Array


def initial(mesh: Mesh) -> State:
    columns = device_put(fx.zeros((16, 8)), mesh.sharding(None, "model"))
    return State(columns, columns, fx.random.key(0), 0, device_put(fx.asarray(0.0), mesh.sharding()))


def loss(weights: Array, x: Array) -> Array:
    return fx.mean((fx.tanh(x @ weights) - fx.sin(x[:, :8])) ** 2)


def trainer(mesh: Mesh) -> Callable[[State], State]:
    """Function that returns the state after a step, on a batch drawn for it."""

    @jit
    def step(weights: Array, speed: Array, batch: fx.random.Key) -> tuple[Array, Array, Array]:
        x = with_sharding_constraint(fx.random.normal(batch, (64, 16)), mesh.sharding("data"))
        value, slope = value_and_grad(loss)(weights, x)
        speed = with_sharding_constraint(0.9 * speed - 0.5 * slope, mesh.sharding(None, "model"))
        return weights + speed, speed, value

    def after(state: State) -> State:
        weights, speed, value = step(state.weights, state.speed, fx.random.fold_in(state.key, state.step))
        return State(weights, speed, state.key, state.step + 1, value)

    return after


def trained(mesh: Mesh, folder: Path, killed_at: int | None = None) -> State:
    """The state after all steps, from the last saved one, if any; it is saved while the next steps run."""
    state, after, pending = initial(mesh), trainer(mesh), None
    if checkpoint_steps(folder):
        state, killed_at = load_checkpoint(folder, like=state), None  # which happens once
    steps = range(state.step, STEPS)
    for _ in tqdm(steps, desc="training", initial=state.step, total=STEPS, unit="step", disable=None):
        state = after(state)
        if state.step % EVERY == 0:
            pending = save_checkpoint_async(folder, state.step, state, keep=2)
        if state.step == killed_at and distributed.process_index() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    if pending is not None:
        pending.wait()
    return state


def disturbed(folder: Path) -> int:
    """Trains in two processes, one of which is killed; the last step that was saved."""
    program = [Path(__file__), folder]
    launch = [sys.executable, "-m", "lowering.launch", "-n", "2", "--devices", "2", "--grace", "1"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([*launch, *program], env=environment, capture_output=True, text=True, check=False)
    if "process 1 of 2 was ended by signal 9" not in done.stderr:
        raise RuntimeError(done.stderr)
    return max(checkpoint_steps(folder))


def main() -> None:
    across = 2 if len(devices()) % 2 == 0 else 1
    mesh = Mesh({"data": len(devices()) // across, "model": across})
    with TemporaryDirectory() as folder:
        last = disturbed(Path(folder, "disturbed"))
        print(f"a process was killed at step {KILLED_AT}; {mesh} goes on after step {last}")
        restarted = trained(mesh, Path(folder, "disturbed"))
        expected = trained(mesh, Path(folder, "undisturbed"))
    difference = float(fx.max(fx.abs(restarted.weights - expected.weights)))
    losses = f"{float(restarted.loss):.6f}, and undisturbed {float(expected.loss):.6f}"
    print(f"loss {losses}; weights differ by {difference:.0e}")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        distributed.initialize()
        trained(Mesh({"data": len(devices()), "model": 1}), Path(sys.argv[1]), KILLED_AT)
