"""The programs of examples/ that solve, filter, draw and learn in double precision, as `programs_of_examples`."""

import numpy

from benchmarks.namespace import Function, Value
from benchmarks.programs_of_examples import Examples


def _random(*shape: int, seed: int = 0) -> Value:
    return numpy.random.default_rng(seed).normal(size=shape)


def gaussian_process(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """The gradient of the likelihood of 200 observations in the plane, by the scales."""
    module = examples("gaussian_process")
    slope = examples("neural_ode").value_and_grad(module.log_likelihood)
    return lambda scales, x, y: slope(scales, x, y, 0.1), (numpy.array([1.0, 0.7]), _random(200, 2), _random(200))


def kalman(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """The smoother of 200 observations of two numbers of a state of four."""
    module = examples("kalman")
    move = numpy.eye(4) + 0.1 * numpy.eye(4, k=2)
    model = move, 0.01 * numpy.eye(4), numpy.eye(2, 4), 0.1 * numpy.eye(2)
    smooth = lambda model, start, observations: module.smoothed(module.Model(*model), start, observations)
    return smooth, (model, (numpy.zeros(4), numpy.eye(4)), _random(200, 2))


def autoencoder(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """An epoch of 512 images of 64 pixels, its order and noise of a key."""
    module = examples("autoencoder")

    def epoch(images: Value) -> Value:
        key = module.random.key(0)
        return module.epoch(module.initial(key, 64), key, images)[1]

    return epoch, (numpy.random.default_rng(0).uniform(size=(512, 64)).astype(numpy.float32),)


def hamiltonian(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """100 draws of a line through 40 points, in each of 8 chains."""
    module = examples("regression")

    def draws(x: Value, y: Value) -> Value:
        def density(w: Value) -> Value:
            return -((y - w[0] - w[1] * x) ** 2).sum() / (2 * module.NOISE**2) - (w * w).sum() / 2

        def turn(w: Value, key: Value) -> tuple[Value, Value]:
            after = module.hamiltonian(density, w, key)
            return after, after

        def chain(key: Value) -> Value:
            return module.scan(turn, module.random.normal(key, (2,)), module.random.split(key, 100))[1]

        return module.vmap(chain)(module.random.split(module.random.key(0), 8))

    return draws, (_random(40), _random(40, seed=1))


def _hunted(y: Value, t: Value, rates: Value) -> Value:
    prey, hunters = y[0], y[1]
    return y * rates[:2] * (1.0 - 2.0 * rates[2:]) + prey * hunters * rates[2:] - 0.1 * t * y


def dormand_prince(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """A path of two numbers and its gradient, by the adjoint equation."""
    odeint, value_and_grad = examples("ode").integrate.odeint, examples("neural_ode").value_and_grad

    def length(y: Value, rates: Value, times: Value) -> Value:
        return (odeint(_hunted, y, times, rates) ** 2).sum()

    slope = value_and_grad(length, (0, 1))
    return slope, (numpy.ones(2), numpy.array([0.5, 0.4, 0.3, -0.2]), numpy.linspace(0.0, 2.0, 5))


def neural_ode(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """Three steps of learning a path of two numbers at six times by a network of 16 units."""
    module = examples("neural_ode")

    def learnt(first: Value, last: Value, times: Value, path: Value) -> Value:
        return module.train(module.Network(first, first[0] * 0.0, last), times, path, 3)[1]

    times = numpy.linspace(0.0, 2.0, 6)
    path = numpy.stack([numpy.cos(times), numpy.sin(times)], axis=1)
    return learnt, (_random(2, 16), 0.02 * _random(16, 2), times, path)


def _valley(x: Value) -> Value:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def minimum(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """The minimum of a valley of 20 numbers by BFGS."""
    minimize = examples("optimum").optimize.minimize
    return lambda x: minimize(_valley, x, method="bfgs", tol=1e-6).x, (numpy.full(20, 0.9),)


def components(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """Five principal components of 500 rows of 50 numbers."""
    module = examples("components")
    return lambda x: module.components(x, 5), (_random(500, 50),)


def sharpened(examples: Examples) -> tuple[Function, tuple[Value, ...]]:
    """A picture of 256 by 256, blurred and sharpened by Wiener's filter."""
    module = examples("spectral")
    return lambda x: module.sharpen(module.blur(x, 2.0), 2.0, 1e-3), (_random(256, 256),)


PROGRAMS = [
    *(gaussian_process, kalman, autoencoder, hamiltonian, dormand_prince),
    *(neural_ode, minimum, components, sharpened),
]
