"""Trains a perceptron on handwritten digits and shows where the time goes: `make demo`.

The data are the 1,797 images of 8 by 8 pixels that ship inside scikit-learn. The network is a tuple of layers, its loss
is written for one image and mapped over a batch by `vmap`, and one step of AdamW around `jit(value_and_grad(loss))` is
staged, lowered and compiled as one program. Writes out/digits_loss.png and out/digits_predictions.png.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import effects as fx
from effects import optim
from handlers import value_and_grad, vmap
from lowering import Loader, Position, block_until_ready, jit, trace

OUT = Path(__file__).resolve().parents[1] / "out"
SIZES = (64, 256, 128, 10)
BATCH = 64
EPOCHS = 40
OPTIMIZER = optim.adamw(2e-3, b2=0.99, weight_decay=0.05)


class Layer(NamedTuple):
    """x ↦ x @ weight + bias, with weight [inputs, outputs] and bias [outputs]."""

    weight: fx.Array
    bias: fx.Array


type Network = tuple[Layer, ...]


class Training(NamedTuple):
    """The network and the state of its optimiser."""

    network: Network
    state: tuple[tuple[optim.Moments, tuple[()]], optim.StepCount]


class Split(NamedTuple):
    """Images [N, 64] in 0 to 1 and labels [N]."""

    images: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int32]


class Trained(NamedTuple):
    """Result of training: the network, the losses of all steps and of the test set by epoch, the test accuracy."""

    network: Network
    losses: list[float]
    test_losses: list[float]
    accuracy: float


def logits(network: Network, image: fx.Array) -> fx.Array:
    """The unnormalised log-probabilities [10] of the digits for one image [64]."""
    *hidden, last = network
    x = image
    for layer in hidden:
        x = fx.maximum(x @ layer.weight + layer.bias, 0.0)
    return x @ last.weight + last.bias


def example_loss(network: Network, image: fx.Array, label: fx.Array) -> fx.Array:
    """Minus the log-probability of one image's label."""
    scores = logits(network, image)
    scores = scores - fx.max(scores)
    log_probabilities = scores - fx.log(fx.sum(fx.exp(scores)))
    return -fx.sum(fx.where(fx.arange(10) == label, log_probabilities, 0.0))


def loss(network: Network, images: fx.Array, labels: fx.Array) -> fx.Array:
    """The mean loss of a batch."""
    return fx.mean(vmap(example_loss, in_axes=(None, 0, 0))(network, images, labels))


def predict(network: Network, images: fx.Array) -> fx.Array:
    """The most probable digit [N] of each image [N, 64]."""
    digits: fx.Array = vmap(lambda image: fx.argmax(logits(network, image)))(images)
    return digits


def train_step(training: Training, images: fx.Array, labels: fx.Array) -> tuple[fx.Array, Training]:
    """The batch's loss, and the state after one step of AdamW."""
    value, slope = jit(value_and_grad(loss))(training.network, images, labels)
    updates, state = OPTIMIZER.update(slope, training.state, training.network)
    return value, Training(optim.apply_updates(training.network, updates), state)


def initial_state(random: np.random.Generator) -> Training:
    """Weights drawn as in He et al. (2015), biases zero."""

    def layer(inputs: int, outputs: int) -> Layer:
        weight = random.normal(scale=(2.0 / inputs) ** 0.5, size=(inputs, outputs))
        return Layer(fx.asarray(weight, dtype=fx.float32), fx.zeros((outputs,), dtype=fx.float32))

    network = tuple(layer(*sizes) for sizes in pairwise(SIZES))
    return Training(network, OPTIMIZER.init(network))


def load_split(random: np.random.Generator) -> tuple[Split, Split]:
    """Four fifths of the images for training, one fifth for testing."""
    digits = load_digits()
    order = random.permutation(len(digits.target))
    images, labels = (digits.data[order] / 16.0).astype(np.float32), digits.target[order].astype(np.int32)
    cut = len(labels) * 4 // 5
    return Split(images[:cut], labels[:cut]), Split(images[cut:], labels[cut:])


class Clock:
    """Seconds by stage, in the order of the stages' first appearance."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


def train(learn: Split, test: Split, random: np.random.Generator, clock: Clock, epochs: int = EPOCHS) -> Trained:
    """Compiles the step stage by stage, then runs it over the epochs."""
    state = initial_state(random)
    loader = Loader[tuple[fx.Array, fx.Array]](tuple(learn), BATCH, key=fx.random.key(0), last="drop")
    test_images, test_labels = fx.asarray(test.images), fx.asarray(test.labels)
    with clock.stage("trace"):
        traced = trace(train_step, state, *next(loader.batches()).data)
    with clock.stage("lower"):
        lowered = traced.lower()
    with clock.stage("compile"):
        step = lowered.compile()
    with clock.stage("test set: trace to first run"):
        test_loss, classify = jit(loss), jit(predict)
        block_until_ready((test_loss(state.network, test_images, test_labels), classify(state.network, test_images)))

    losses: list[fx.Array] = []
    test_losses: list[float] = []
    accuracy = 0.0
    with clock.stage("run"), tqdm(range(epochs), desc="training", unit="epoch", disable=None) as progress:
        for epoch in progress:
            for batch in loader.batches(epoch + 1, Position(epoch)):
                value, state = step(state, *batch.data)
                losses.append(value)
            test_losses.append(float(test_loss(state.network, test_images, test_labels)))
            accuracy = float(np.mean(np.asarray(classify(state.network, test_images)) == test.labels))
            progress.set_postfix(loss=f"{float(losses[-1]):.4f}", test=f"{accuracy:.1%}", refresh=False)
    return Trained(state.network, [float(value) for value in losses], test_losses, accuracy)


def plot_losses(trained: Trained, figure: Figure) -> None:
    """The loss of every step, and the test set's after every epoch."""
    axes = figure.subplots()
    steps = len(trained.losses) // len(trained.test_losses)
    axes.semilogy(trained.losses, color="C0", alpha=0.35, linewidth=0.8, label="batch")
    ends = np.arange(1, len(trained.test_losses) + 1) * steps
    axes.semilogy(ends, np.reshape(trained.losses, (-1, steps)).mean(axis=1), color="C0", label="mean of an epoch")
    axes.semilogy(ends, trained.test_losses, color="C1", label="test set")
    axes.set(xlabel="step", ylabel="cross-entropy", title=f"handwritten digits: {trained.accuracy:.1%} on the test set")
    axes.legend()


def plot_predictions(trained: Trained, test: Split, figure: Figure) -> None:
    """Test images under the digit that the network predicts: errors first, in red with the label, then others."""
    predicted = np.asarray(predict(trained.network, fx.asarray(test.images)))
    order = np.argsort(predicted == test.labels, kind="stable")
    for axes, i in zip(figure.subplots(5, 10).flat, order, strict=False):
        right = predicted[i] == test.labels[i]
        axes.imshow(test.images[i].reshape(8, 8), cmap="gray_r")
        axes.set_title(
            str(predicted[i]) if right else f"{predicted[i]}, not {test.labels[i]}", color="black" if right else "red"
        )
        axes.axis("off")


def picture(figure: Figure) -> str:
    """The loss of every step, the mean of every epoch, and the loss on test images."""
    random = np.random.default_rng(0)
    learn, test = load_split(random)
    trained = train(learn, test, random, Clock())
    plot_losses(trained, figure)
    return f"{trained.accuracy:.1%} of {len(test.labels)} test images are recognised after {EPOCHS} epochs."


def main() -> None:
    """Trains with a fixed seed, writes the two pictures and prints a summary."""
    random = np.random.default_rng(0)
    learn, test = load_split(random)
    clock = Clock()
    trained = train(learn, test, random, clock)
    OUT.mkdir(exist_ok=True)
    pictures = OUT / "digits_loss.png", OUT / "digits_predictions.png"
    with clock.stage("plot"):
        figures = Figure((7, 4), layout="constrained"), Figure((10, 6), layout="constrained")
        plot_losses(trained, figures[0])
        plot_predictions(trained, test, figures[1])
        for figure, path in zip(figures, pictures, strict=True):
            figure.savefig(path, dpi=120)
    print(f"test accuracy {trained.accuracy:.2%} on {len(test.labels)} images, {len(trained.losses)} steps of {BATCH}")
    for name, seconds in clock.seconds.items():
        print(f"  {name:<28} {seconds * 1e3:9.1f} ms")
    print(f"  {'run, per step':<28} {clock.seconds['run'] / len(trained.losses) * 1e3:9.3f} ms")
    print(*(f"wrote {picture}" for picture in pictures), sep="\n")


if __name__ == "__main__":
    main()
