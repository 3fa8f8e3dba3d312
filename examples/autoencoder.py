"""A variational autoencoder of handwritten digits: `python -m examples.autoencoder` trains it in seconds.

The latent variables of an image are a point of a plane. The encoder gives its mean and deviation, and the decoder the
brightness of each pixel. An epoch is one compiled program; its order, its noise and its steps come from one key.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

import effects as fx
from effects import Array, nn, optim, random
from handlers import scan, value_and_grad
from lowering import jit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HIDDEN, LATENT = 128, 2
BATCH = 64
OPTIMIZER = optim.adam(2e-3)


class Layer(NamedTuple):
    """x ↦ x @ weight + bias."""

    weight: Array
    bias: Array


class Model(NamedTuple):
    """The encoder gives means and logarithms of deviations of the latent variables, the decoder logits of pixels."""

    encoder: tuple[Layer, Layer]
    decoder: tuple[Layer, Layer]


class Training(NamedTuple):
    """The model and the state of its optimiser."""

    model: Model
    state: tuple[optim.Moments, optim.StepCount]


def initial(key: random.Key, pixels: int) -> Training:
    """A model whose activations begin with about the size of their inputs."""
    sizes = (pixels, HIDDEN), (HIDDEN, 2 * LATENT), (LATENT, HIDDEN), (HIDDEN, pixels)
    layers = [
        Layer(random.normal(k, size, fx.float32) / math.sqrt(size[0]), fx.zeros(size[1], dtype=fx.float32))
        for k, size in zip(random.split(key, 4), sizes, strict=True)
    ]
    model = Model((layers[0], layers[1]), (layers[2], layers[3]))
    return Training(model, OPTIMIZER.init(model))


def perceptron(layers: tuple[Layer, Layer], x: Array) -> Array:
    first, last = layers
    return nn.relu(x @ first.weight + first.bias) @ last.weight + last.bias


def encode(model: Model, images: Array) -> tuple[Array, Array]:
    """The means and the logarithms of the deviations of the latent variables of images [N, D]: [N, Z] each."""
    mean, deviation = fx.unstack(fx.reshape(perceptron(model.encoder, images), (len(images), 2, LATENT)), axis=1)
    return mean, deviation


def decode(model: Model, points: Array) -> Array:
    """Brightness of the pixels for latent variables [N, Z]: [N, D]."""
    return nn.sigmoid(perceptron(model.decoder, points))


def bound(model: Model, key: random.Key, images: Array) -> Array:
    """The evidence lower bound of each image, from one draw of its latent variables: of pixels that are on or off."""
    mean, deviation = encode(model, images)
    points = mean + fx.exp(deviation) * random.normal(key, mean.shape, fx.float32)
    scores = perceptron(model.decoder, points)
    likely = fx.sum(images * nn.log_sigmoid(scores) + (1 - images) * nn.log_sigmoid(-scores), axis=1)
    apart = fx.sum(fx.exp(2 * deviation) + mean**2 - 1 - 2 * deviation, axis=1) / 2
    return likely - apart


def step(training: Training, xs: tuple[random.Key, Array]) -> tuple[Training, Array]:
    """The model after one step of Adam on a batch, and the loss before."""
    loss, slope = value_and_grad(lambda model: -fx.mean(bound(model, *xs)))(training.model)
    updates, state = OPTIMIZER.update(slope, training.state, training.model)
    return Training(optim.apply_updates(training.model, updates), state), loss


@jit
def epoch(state: Training, key: random.Key, images: Array) -> tuple[Training, Array]:
    """The state after all images, in an order given by the key, and the mean loss."""
    shuffled, drawn = random.split(key)
    batches = len(images) // BATCH
    order = random.permutation(shuffled, len(images))[: batches * BATCH]
    xs = random.split(drawn, batches), fx.reshape(images[order], (batches, BATCH, -1))
    state, losses = scan(step, state, xs)
    return state, fx.mean(losses)


def train(images: Array, epochs: int, key: random.Key) -> tuple[Model, list[float]]:
    """A model of images [N, D] of numbers from 0 to 1, and the mean loss of each epoch."""
    first, *keys = random.split(key, epochs + 1)
    state, losses = initial(first, images.shape[1]), []
    for each in tqdm(keys, desc="training", unit="epoch", disable=None):
        state, loss = epoch(state, each, images)
        losses.append(float(loss))
    return state.model, losses


def picture(figure: Figure) -> str:
    """The decoder's digits at 12 by 12 points of the plane, and the loss of each epoch."""
    model, losses = train(fx.asarray((load_digits().data / 16).astype(np.float32)), 50, random.key(0, "philox"))
    xs = fx.linspace(-2.0, 2.0, 12, dtype=fx.float32)
    places = fx.reshape(fx.stack(fx.meshgrid(xs, xs), axis=-1), (-1, LATENT))
    digits = np.pad(np.asarray(decode(model, places)).reshape(12, 12, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    left.imshow(digits.transpose(0, 2, 1, 3).reshape(120, 120), cmap="gray")
    left.set_axis_off()
    right.plot(range(1, 51), losses)
    right.set(xlabel="epoch", ylabel="-log p(image), nats")
    return f"The bound falls from {losses[0]:.1f} to {losses[-1]:.1f} nats per image in 50 epochs."


def main() -> None:
    """Trains on the images of scikit-learn, and prints the digit in the middle of the plane."""
    images = fx.asarray((load_digits().data / 16).astype(np.float32))
    model, losses = train(images, 50, random.key(0, "philox"))
    print(f"-log p(image) ≤ {losses[0]:.2f} nats in the first epoch, {losses[-1]:.2f} in the last")
    for row in np.asarray(decode(model, fx.zeros((1, LATENT), dtype=fx.float32))).reshape(8, 8):
        print("".join(" .:*#"[int(5 * x * 0.999)] * 2 for x in row))


if __name__ == "__main__":
    main()
