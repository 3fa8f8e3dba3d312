"""Short programs as they are written from day to day; none of them has an error, and what they give is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, reveal_type

import numpy as np

import effects as fx
from effects import Array
from handlers import (
    checkpoint,
    cond,
    custom_vjp,
    fori_loop,
    grad,
    jacfwd,
    jvp,
    scan,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
    while_loop,
)
from lowering import jit


class Layer(NamedTuple):
    w: Array[fx.f32]
    b: Array[fx.f32]


type Params = list[Layer]


def dense(x: Array[fx.f32], layer: Layer) -> Array[fx.f32]:
    return fx.nn.gelu(x @ layer.w + layer.b)


def predict(params: Params, x: Array[fx.f32]) -> Array[fx.f32]:
    for layer in params:
        x = dense(x, layer)
    return fx.nn.log_softmax(x)


def cross_entropy(params: Params, x: Array[fx.f32], labels: Array[fx.i64]) -> fx.Scalar[fx.f32]:
    picked = fx.take_along_axis(predict(params, x), labels[:, None], axis=-1)
    return -fx.mean(picked)


@jit
def sgd(params: Params, x: Array[fx.f32], labels: Array[fx.i64]) -> tuple[Params, fx.Scalar[fx.f32]]:
    loss, slopes = value_and_grad(cross_entropy)(params, x, labels)
    return fx.tree_map(lambda p, g: p - 0.1 * g, params, slopes), loss


def train(params: Params, batches: Sequence[tuple[Array[fx.f32], Array[fx.i64]]]) -> list[float]:
    losses = []
    for x, labels in batches:
        params, loss = sgd(params, x, labels)
        losses.append(loss.item())
    return losses


def recurrent(w: Array[fx.f32], u: Array[fx.f32], xs: Array[fx.f32]) -> Array[fx.f32]:
    def step(h: Array[fx.f32], x: Array[fx.f32]) -> tuple[Array[fx.f32], Array[fx.f32]]:
        new = fx.tanh(w @ h + u @ x)
        return new, new

    last, states = scan(step, fx.zeros(3, fx.f32), xs)
    reveal_type(last)  # Array[float32, Any]
    return states


@custom_vjp
def clipped(x: Array[fx.f32]) -> Array[fx.f32]:
    return fx.clip(x, -1.0, 1.0)


def clipped_forward(x: Array[fx.f32]) -> tuple[Array[fx.f32], None]:
    return clipped(x), None


def clipped_backward(_: None, ct: Array[fx.f32]) -> tuple[Array[fx.f32]]:
    return (fx.clip(ct, -1.0, 1.0),)


clipped.defvjp(clipped_forward, clipped_backward)


def newton(f: Callable[[Array], Array], x: Array) -> Array:
    def step(x: Array) -> Array:
        return x - f(x) / grad(f)(x)

    return fori_loop(0, 10, lambda i, x: step(x), x)


def roots(starts: Array) -> Array:
    return vmap(lambda x: newton(lambda t: t**2 - 2.0, x))(starts)


def bisect(lo: Array, hi: Array) -> tuple[Array, Array]:
    def halve(ends: tuple[Array, Array]) -> tuple[Array, Array]:
        middle = (ends[0] + ends[1]) / 2
        left = middle**2 > 2.0
        return fx.where(left, ends[0], middle), fx.where(left, middle, ends[1])

    return while_loop(lambda ends: ends[1] - ends[0] > 1e-6, halve, (lo, hi))


def median_filter(x: Array[fx.f32], width: int) -> Array[fx.f32]:
    windows = fx.stack([fx.roll(x, k) for k in range(width)])
    return fx.median(windows, axis=0)


def top_words(counts: Array[fx.i64], k: int) -> tuple[Array[fx.i64], Array[fx.i64]]:
    order = fx.argsort(counts, descending=True)[:k]
    return order, counts[order]


def group_means(values: Array[fx.f32], groups: Array[fx.i64], n: int) -> Array[fx.f32]:
    sums = fx.segment_sum(values, groups, n)
    sizes = fx.segment_sum(fx.ones_like(values), groups, n)
    return sums / fx.maximum(sizes, 1.0)


def histogram_of(x: Array[fx.i64], n: int) -> Array[fx.i64]:
    return fx.zeros((n,), fx.i64).at[x].add(1)


def running(x: Array[fx.f32]) -> Array[fx.f32]:
    return fx.cumulative_sum(x) / fx.arange(1, x.shape[0] + 1, dtype=fx.f32)


def distances(x: Array[fx.f32], y: Array[fx.f32]) -> Array[fx.f32]:
    return vmap(lambda a: vmap(lambda b: fx.sqrt(fx.sum((a - b) ** 2)))(y))(x)


def nearest(x: Array[fx.f32], y: Array[fx.f32]) -> Array[fx.i64]:
    return fx.argmin(fx.sum((x[:, None] - y[None]) ** 2, axis=-1), axis=1)


def hessian_vector(f: Callable[[Array], Array], x: Array, v: Array) -> Array:
    _, out = jvp(grad(f), (x,), (v,))
    reveal_type(out)  # Array[Any, Any]
    return out


def pulled(x: Array[fx.f32]) -> Array[fx.f32]:
    y, back = vjp(clipped, x)
    (ct,) = back(y)
    return ct


def guarded(x: Array[fx.f32]) -> Array[fx.f32]:
    return cond(fx.any(fx.isnan(x)), lambda x: fx.zeros_like(x), lambda x: x, x)


def standard(x: Array[fx.f32]) -> Array[fx.f32]:
    return (x - fx.nanmean(x, axis=0)) / (fx.nanstd(x, axis=0) + 1e-6)


def quartiles(x: Array[fx.f32]) -> tuple[Array[fx.f32], Array[fx.f32]]:
    return fx.quantile(x, 0.25), fx.percentile(x, 75.0)


def smoothed(x: Array[fx.f32], kernel: Array[fx.f32]) -> Array[fx.f32]:
    return fx.convolve(x, kernel, mode="same") - fx.conv(x[None, None], kernel[None, None])[0, 0]


def vocabulary(x: Array[fx.i64]) -> tuple[Array[fx.i64], Array[fx.i64]]:
    found = fx.unique_counts(x)
    return found.values, found.counts


def momentum(params: dict[str, Array], f: Callable[[dict[str, Array]], Array]) -> dict[str, Array]:
    slopes = grad(f)(params)
    return {name: p - 0.1 * slopes[name] for name, p in params.items()}


def frozen(x: Array[fx.f32]) -> Array[fx.f32]:
    return x + stop_gradient(fx.sign(x))


@checkpoint
def block(x: Array[fx.f32]) -> Array[fx.f32]:
    return fx.nn.relu(x) * fx.nn.sigmoid(x)


def jacobian(x: Array[fx.f32]) -> Array[fx.f32]:
    return jacfwd(block)(x)


def slopes(x: Array) -> Array:
    return vmap(grad(fx.sin))(x) + grad(fx.sin)(fx.sum(x))


def from_numpy(x: np.ndarray[Any, Any]) -> Array[fx.f32]:
    return fx.asarray(x, dtype=fx.f32)
