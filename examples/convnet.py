"""A small convolutional classifier of handwritten digits: `python -m examples.convnet` trains it in seconds.

Two convolutions, each with a bias, `relu` and a pool, then one layer of logits. Images are [N, 1, 8, 8], in 0 to 1.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from tqdm import tqdm

import effects as fx
from effects import Array, nn, optim, random
from handlers import grad
from lowering import Loader, jit

FEATURES = (8, 16)
BATCH = 64
OPTIMIZER = optim.momentum(0.1)

type State = tuple[optim.Trace, optim.StepCount]


class Network(NamedTuple):
    """Kernels [O, I, 3, 3] with biases [O], and the last layer [64, 10] with its bias."""

    first: Array
    first_bias: Array
    second: Array
    second_bias: Array
    last: Array
    last_bias: Array


def initial(key: random.Key) -> Network:
    """A network whose activations begin with about the size of their inputs."""
    (narrow, wide), (first, second, last) = FEATURES, random.split(key, 3)
    kernel, matrix = nn.initializers.he_normal(in_axis=1, out_axis=0), nn.initializers.he_normal()
    return Network(
        kernel(first, (narrow, 1, 3, 3), fx.float32),
        fx.zeros(narrow, dtype=fx.float32),
        kernel(second, (wide, narrow, 3, 3), fx.float32),
        fx.zeros(wide, dtype=fx.float32),
        matrix(last, (4 * wide, 10), fx.float32),
        fx.zeros(10, dtype=fx.float32),
    )


def block(images: Array, kernel: Array, bias: Array) -> Array:
    """Images of half the size: the maximum of the kernel's output in each two by two pixels."""
    features = fx.conv(images, kernel, padding="same") + fx.reshape(bias, (-1, 1, 1))
    return nn.max_pool(nn.relu(features), 2)


def logits(network: Network, images: Array) -> Array:
    """The unnormalised log-probabilities [N, 10]."""
    features = block(block(images, network.first, network.first_bias), network.second, network.second_bias)
    return fx.reshape(features, (features.shape[0], -1)) @ network.last + network.last_bias


def loss(network: Network, images: Array, labels: Array) -> Array:
    """Minus the mean log-probability of the labels."""
    likely = nn.log_softmax(logits(network, images))
    return -fx.mean(fx.take_along_axis(likely, fx.expand_dims(labels, axis=1), axis=1))


def step(network: Network, state: State, images: Array, labels: Array) -> tuple[Network, State]:
    """The network and the optimiser's state after one step down the gradient, with momentum."""
    updates, state = OPTIMIZER.update(grad(loss)(network, images, labels), state, network)
    return optim.apply_updates(network, updates), state


def train(images: npt.NDArray[np.float32], labels: npt.NDArray[np.int64], epochs: int, key: random.Key) -> Network:
    """A network trained on all images, in shuffled batches."""
    first, shuffled = random.split(key)
    network = initial(first)
    state = OPTIMIZER.init(network)
    fast = jit(step)
    loader = Loader[tuple[Array, Array]]((images, labels), BATCH, key=shuffled, last="drop")
    steps = epochs * (loader.length or 0)
    with loader.batches(epochs) as batches:
        for batch in tqdm(batches, desc="training", total=steps, unit="step", disable=None):
            network, state = fast(network, state, *batch.data)
    return network


def accuracy(network: Network, images: npt.NDArray[np.float32], labels: npt.NDArray[np.int64]) -> float:
    """The share of the images that are recognised."""
    labels_found = fx.argmax(jit(logits)(network, fx.asarray(images)), axis=1)
    return float(fx.mean(labels_found == fx.asarray(labels)))


def main() -> None:
    """Trains on all images of scikit-learn but the last 297."""
    data = load_digits()
    images, labels = (data.images[:, None] / 16).astype(np.float32), data.target.astype(np.int64)
    network = train(images[:1500], labels[:1500], 10, random.key(0))
    print(f"{accuracy(network, images[1500:], labels[1500:]):.1%} of the test images are recognised")


if __name__ == "__main__":
    main()
