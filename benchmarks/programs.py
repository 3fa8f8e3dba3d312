"""The programs that are measured, written once against a NumPy-like namespace `np`.

A `salt` is a number in the program's text. A salt that was not used before makes a program that no cache has met, with
the same operations.
"""

import itertools
from collections.abc import Callable

import numpy

from benchmarks.namespace import Function, Namespace, Value

type Arrays = dict[str, Value]

ROWS, COLUMNS = 4, 8
BLOCK_OPERATIONS = 25

_salts = itertools.count(1)


def fresh_salt() -> float:
    """A number near one that no call returned before."""
    return 1.0 + next(_salts) * 2.0**-16


def mixture(np: Namespace, operations: int, salt: float) -> Callable[[Value, Value, Value], Value]:
    """A scalar-valued program of (h [4, 8], w [8, 8], b [8]) that performs about `operations` operations.

    Its block of 25 has matrix products, a bias, normalisation over an axis, a softmax, a reshape with a transposition,
    a choice, and Python scalars among arrays: what a model's forward pass is made of.
    """

    def program(h: Value, w: Value, b: Value) -> Value:
        for _ in range(max(1, operations // BLOCK_OPERATIONS)):
            z = np.tanh(np.matmul(h, w) + b)
            centred = z - np.mean(z, axis=1, keepdims=True)
            variance = np.sum(centred * centred, axis=1, keepdims=True) * (1 / COLUMNS)
            normal = centred / np.sqrt(variance + 1e-5)
            e = np.exp(normal - np.max(normal, axis=1, keepdims=True))
            p = e / np.sum(e, axis=1, keepdims=True)
            t = np.permute_dims(np.reshape(p, (COLUMNS, ROWS)), (1, 0))
            q = np.where(t > 0.05, t * salt, 0.1 * normal)
            h = 0.5 * h + np.sin(q)
        return np.sum(h * h)

    return program


def mixture_arguments(batch: int | None = None) -> tuple[Value, ...]:
    """Operands of `mixture` as NumPy arrays, each with a leading axis where `batch` is given."""
    random = numpy.random.default_rng(0)
    lead = () if batch is None else (batch,)
    shapes = [(ROWS, COLUMNS), (COLUMNS, COLUMNS), (COLUMNS,)]
    return tuple(random.normal(size=lead + shape).astype(numpy.float32) for shape in shapes)


def ten_operations(np: Namespace) -> Callable[[Value], Value]:
    """A scalar function of a scalar with ten operations."""

    def f(x: Value) -> Value:
        y = np.sin(x) * 2.0 + x
        z = np.exp(-y) + np.cos(x)
        return np.tanh(z * y) - x / 3.0

    return f


def mlp_loss(np: Namespace, salt: float) -> Callable[[Arrays, Value, Value], Value]:
    """Cross-entropy of a perceptron with two hidden layers; x is [N, D], and labels are one-hot, [N, K]."""

    def loss(params: Arrays, x: Value, labels: Value) -> Value:
        h = np.tanh(np.matmul(x, params["w1"]) + params["b1"])
        h = np.maximum(np.matmul(h, params["w2"]) + params["b2"], 0.0)
        logits = (np.matmul(h, params["w3"]) + params["b3"]) * salt
        top = np.max(logits, axis=1, keepdims=True)
        log_sum = np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True)) + top
        return -np.mean(np.sum(labels * (logits - log_sum), axis=1))

    return loss


def attention_loss(np: Namespace, salt: float) -> Callable[[Arrays, Value, Value], Value]:
    """Squared error of a transformer block: norm, four-headed attention, norm, perceptron; x and target [N, T, D]."""

    def normalise(x: Value, scale: Value) -> Value:
        centred = x - np.mean(x, axis=-1, keepdims=True)
        return centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * scale

    def heads(x: Value) -> Value:
        n, t, d = x.shape
        return np.permute_dims(np.reshape(x, (n, t, 4, d // 4)), (0, 2, 1, 3))

    def loss(params: Arrays, x: Value, target: Value) -> Value:
        n, t, d = x.shape
        y = normalise(x, params["norm1"])
        q, k, v = (heads(np.matmul(y, params[name])) for name in ("wq", "wk", "wv"))
        scores = np.matmul(q, np.permute_dims(k, (0, 1, 3, 2))) * (salt * (d // 4) ** -0.5)
        e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        mixed = np.matmul(e / np.sum(e, axis=-1, keepdims=True), v)
        x = x + np.matmul(np.reshape(np.permute_dims(mixed, (0, 2, 1, 3)), (n, t, d)), params["wo"])
        y = np.matmul(normalise(x, params["norm2"]), params["w1"]) + params["b1"]
        y = 0.5 * y * (1.0 + np.tanh(0.79788456 * (y + 0.044715 * y * y * y)))
        difference = x + np.matmul(y, params["w2"]) + params["b2"] - target
        return np.mean(difference * difference)

    return loss


def sgd_step(value_and_grad: Function, loss: Function) -> Function:
    """(params, x, y) ↦ (loss, params moved down the gradient)."""

    def step(params: Arrays, x: Value, y: Value) -> tuple[Value, Arrays]:
        value, slope = value_and_grad(loss)(params, x, y)
        return value, {name: param - 0.01 * slope[name] for name, param in params.items()}

    return step


def _parameters(**shapes: tuple[int, ...]) -> Arrays:
    random = numpy.random.default_rng(0)
    return {name: (0.05 * random.normal(size=shape)).astype(numpy.float32) for name, shape in shapes.items()}


def mlp_arguments() -> tuple[Arrays, Value, Value]:
    """Parameters 784-256-256-10 and a batch of 128."""
    params = _parameters(w1=(784, 256), b1=(256,), w2=(256, 256), b2=(256,), w3=(256, 10), b3=(10,))
    random = numpy.random.default_rng(1)
    x = random.normal(size=(128, 784)).astype(numpy.float32)
    return params, x, numpy.eye(10, dtype=numpy.float32)[random.integers(0, 10, 128)]


def attention_arguments() -> tuple[Arrays, Value, Value]:
    """Parameters of width 128 and a batch of 8 sequences of 64."""
    square: dict[str, tuple[int, ...]] = dict.fromkeys(("wq", "wk", "wv", "wo"), (128, 128))
    params = _parameters(**square, norm1=(128,), norm2=(128,), w1=(128, 512), b1=(512,), w2=(512, 128), b2=(128,))
    random = numpy.random.default_rng(1)
    x, target = (random.normal(size=(8, 64, 128)).astype(numpy.float32) for _ in range(2))
    return params, x, target
