"""Models in other styles: classes that hold classes, dictionaries, protocols, class methods, optimisers."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, NotRequired, Protocol, TypedDict

import effects as fx
from effects import F32, F64, I32, Float, Scalar, nn, random
from handlers import grad, scan, vmap
from lowering import jit

if TYPE_CHECKING:
    from effects.random import Key

type Tree[D] = dict[str, F32[D]]


class Module[I, O](Protocol):
    def __call__[N](self, x: F32[N, I]) -> F32[N, O]: ...


class Base[D](ABC):
    w: F32[D, D]

    @abstractmethod
    def act[N](self, x: F32[N, D]) -> F32[N, D]:
        """Some function of each."""

    def twice[N](self, x: F32[N, D]) -> F32[N, D]:
        return x + self.w @ x  # E: shape


@dataclass(frozen=True)
class Linear[I, O]:
    w: F32[I, O]
    b: F32[O] | None = None
    scale: float = 1.0
    count: ClassVar[int] = 0

    def __call__[*B](self, x: F32[*B, I]) -> F32[*B, O]:
        y = self.scale * (x @ self.w)
        return y if self.b is None else y + self.b

    @property
    def bias(self) -> F32[O]:
        return fx.zeros(self.w.shape[-1], dtype=fx.f32) if self.b is None else self.b

    @property
    def inputs(self) -> F32[I]:
        return self.w.sum(axis=0)  # E: shape

    @classmethod
    def like(cls, w: F32[I, O]) -> Linear[I, O]:
        return cls(w, fx.zeros(w.shape[1], dtype=fx.f32))

    def updated(self, other: Linear[I, O]) -> Linear[I, O]:
        return replace(self, w=self.w + other.w)

    def composed[P](self, other: Linear[O, P]) -> Linear[I, P]:
        return Linear(self.w @ other.w)

    def composed_wrongly[P](self, other: Linear[O, P]) -> Linear[I, P]:
        return Linear(other.w @ self.w)  # E: shape

    def composed_of_one[P](self, other: Linear[O, P]) -> Linear[I, P]:
        return self  # E: shape


@dataclass(frozen=True)
class Gated[D, H]:
    gate: Linear[D, H]
    up: Linear[D, H]
    down: Linear[H, D]

    def __call__[*B](self, x: F32[*B, D]) -> F32[*B, D]:
        return self.down(nn.silu(self.gate(x)) * self.up(x))

    def forgetful[*B](self, x: F32[*B, D]) -> F32[*B, D]:
        return nn.silu(self.gate(x)) * x  # E: shape

    def wrong_way[*B](self, x: F32[*B, D]) -> F32[*B, D]:
        return self.up(self.down(x))  # E: shape


class GRU[I, H](NamedTuple):
    wx: F32[I, 3, H]
    wh: F32[H, 3, H]

    def step(self, h: F32[H], x: F32[I]) -> F32[H]:
        a, b = fx.einsum("i,ich->ch", x, self.wx), fx.einsum("h,hcg->cg", h, self.wh)
        z, r = nn.sigmoid(a[0] + b[0]), nn.sigmoid(a[1] + b[1])
        return (1 - z) * h + z * fx.tanh(a[2] + r * b[2])

    def step_of_inputs(self, h: F32[H], x: F32[I]) -> F32[H]:
        a = fx.einsum("i,ich->ch", x, self.wx)
        return (1 - a[0]) * h + a[0] * x  # E: shape

    def run[T](self, xs: F32[T, I]) -> F32[T, H]:
        start = fx.zeros(self.wh.shape[0], dtype=fx.f32)
        return scan(lambda h, x: (self.step(h, x),) * 2, start, xs)[1]

    def run_backwards[T](self, xs: F32[T, I]) -> F32[T, H]:
        start = fx.zeros(self.wx.shape[0], dtype=fx.f32)
        return scan(lambda h, x: (self.step(h, x),) * 2, start, xs, reverse=True)[1]  # E: shape

    def batched[B, T](self, xs: F32[B, T, I]) -> F32[B, T, H]:
        return vmap(self.run)(xs)

    def batched_in_time[B, T](self, xs: F32[B, T, I]) -> F32[B, T, H]:
        return vmap(self.run, in_axes=1)(xs)  # E: shape


class Batch[N, D](TypedDict):
    x: F32[N, D]
    y: F32[N]
    weight: NotRequired[F32[N]]


def loss[N, D](w: F32[D], batch: Batch[N, D]) -> Scalar[fx.f32]:
    return fx.mean((batch["x"] @ w - batch["y"]) ** 2)


def loss_of_labels_only[N, D](w: F32[D], batch: Batch[N, D]) -> Scalar[fx.f32]:
    return fx.mean((batch["y"] @ w - batch["y"]) ** 2)  # E: shape


def slope[N, D](w: F32[D], batch: Batch[N, D]) -> F32[D]:
    return grad(loss)(w, batch)


def slope_of_turned[N, D](w: F32[D], batch: Batch[N, D]) -> F32[D]:
    turned = {**batch, "x": batch["x"].T}
    return grad(loss)(w, turned)  # E: shape


class Adam[D](NamedTuple):
    step: I32[()]
    mean: F32[D]
    square: F32[D]

    def update(self, slope: F32[D], rate: float = 1e-3) -> tuple[F32[D], Adam[D]]:
        step = self.step + 1
        mean, square = 0.9 * self.mean + 0.1 * slope, 0.999 * self.square + 0.001 * slope**2
        return -rate * mean / (fx.sqrt(square) + 1e-8), Adam(step, mean, square)

    def update_of_sum(self, slope: F32[D]) -> tuple[F32[D], Adam[D]]:
        mean = 0.9 * self.mean + 0.1 * fx.sum(slope)
        return mean, Adam(self.step, mean[None], self.square)  # E: shape


@jit
def trained[N, D](w: F32[D], adam: Adam[D], batch: Batch[N, D]) -> tuple[F32[D], Adam[D]]:
    by, later = adam.update(grad(loss)(w, batch))
    return w + by, later


@partial(jit, static_argnames="times")
def trained_long[N, D](w: F32[D], adam: Adam[D], batch: Batch[N, D], times: int = 3) -> F32[D]:
    for _ in range(times):
        w, adam = trained(w, adam, batch)
    return w


def trained_swapped[N, D](w: F32[D], adam: Adam[D], batch: Batch[N, D]) -> F32[D]:
    adam, w = trained(w, adam, batch)
    return w  # E: tree


class Kind(enum.Enum):
    SUM = enum.auto()
    MEAN = enum.auto()


def pooled[N, D](x: F32[N, D], kind: Kind) -> F32[D]:
    return x.sum(axis=0) if kind is Kind.SUM else x.mean(axis=0)


def pooled_differently[N, D](x: F32[N, D], kind: Kind) -> F32[D]:
    return x.sum(axis=0) if kind is Kind.SUM else x.mean(axis=1)  # E: shape


def encoded[N, D, L](key: Key, x: F32[N, D], w: Linear[D, L]) -> F32[N, L]:
    mean = w(x)
    return mean + random.normal(key, mean.shape, dtype=fx.f32)


def encoded_by_inputs[N, D, L](key: Key, x: F32[N, D], w: Linear[D, L]) -> F32[N, L]:
    return w(x) + random.normal(key, x.shape, dtype=fx.f32)  # E: shape


def contrasted[N, D](a: F32[N, D], b: F32[N, D]) -> Scalar[fx.f32]:
    a, b = [x / fx.linalg.norm(x, axis=1, keepdims=True) for x in (a, b)]
    return -fx.mean(fx.diagonal(nn.log_softmax(a @ b.T, axis=1)))


def contrasted_without_keeping[N, D](a: F32[N, D], b: F32[N, D]) -> Scalar[fx.f32]:
    a, b = [x / fx.linalg.norm(x, axis=1) for x in (a, b)]  # E: shape
    return -fx.mean(fx.diagonal(nn.log_softmax(a @ b.T, axis=1)))


def messages[N, E, D](nodes: F32[N, D], sources: I32[E], targets: I32[E]) -> F32[N, D]:
    return fx.zeros_like(nodes).at[targets].add(nodes[sources])


def messages_of_nodes[N, E, D](nodes: F32[N, D], sources: I32[E], targets: I32[E]) -> F32[N, D]:
    return fx.zeros_like(nodes).at[targets].add(nodes)  # E: shape


def experts[N, D, K](x: F32[N, D], gates: F32[D, K], each: F32[K, D, D]) -> F32[N, D]:
    return fx.einsum("nk,nkd->nd", nn.softmax(x @ gates), fx.einsum("nd,kde->nke", x, each))


def experts_mixed_up[N, D, K](x: F32[N, D], gates: F32[D, K], each: F32[K, D, D]) -> F32[N, D]:
    return fx.einsum("nk,nkd->nd", nn.softmax(x @ gates), fx.einsum("nd,kde->kne", x, each))  # E: shape


def normalised[*B, D](x: Float[*B, D], eps: Float[()] | float = 1e-6) -> Float[*B, D]:
    return x / fx.sqrt(fx.sum(x**2, axis=-1, keepdims=True) + eps)


def rotated[T, D](x: F32[T, D], angles: F32[T, 1]) -> F32[T, D]:
    half = x.shape[-1] // 2
    a, b = x[:, :half], x[:, half:]
    return fx.concat([a * fx.cos(angles) - b * fx.sin(angles), b * fx.cos(angles) + a * fx.sin(angles)], axis=-1)


def rotated_on_rows[T, D](x: F32[T, D], angles: F32[T, 1]) -> F32[T, D]:
    half = x.shape[-1] // 2
    a, b = x[:, :half], x[:, half:]
    return fx.concat([a * fx.cos(angles), b * fx.sin(angles)], axis=0)  # E: shape


def decorated(f: Callable[[F32[3]], F32[3]]) -> Callable[[F32[3]], F32[3]]:
    return lambda x: f(x) + 1


@decorated
def inner(x: F32[3]) -> F32[3]:
    return x[::-1]


@decorated
def inner_wrong(x: F32[3]) -> F32[3]:
    return x[1:]  # E: shape


def by_name[N, D](*, x: F32[N, D], w: F32[D], shift: F32[N] | None = None) -> F32[N]:
    return x @ w + (0 if shift is None else shift)


def calls_by_name[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:
    return by_name(w=w, x=x)


def calls_by_name_wrongly[N, D](x: F32[N, D], w: F32[D]) -> F32[N]:
    return by_name(w=w, x=x, shift=w)  # E: shape


def flattened[N, D](layers: dict[str, F32[N, D]]) -> F32[N]:
    return sum(w.sum(axis=1) for w in layers.values())


def of_tree[D](tree: Tree[D], weights: tuple[F32[D], ...]) -> F32[D]:
    return sum(tree.values()) + sum(weights)


def precise[N](x: F64[N]) -> F32[N]:
    return x  # E: dtype


@dataclass
class Cached[T, H]:
    keys: F32[T, H]
    place: int = 0
    size: int = field(init=False, default=3)

    def put(self, key: F32[H]) -> Cached[T, H]:
        return Cached(self.keys.at[self.place].set(key), self.place + 1)

    def put_two(self, key: F32[H]) -> Cached[T, H]:
        return Cached(self.keys.at[self.place].set(fx.concat([key, key])))  # E: shape
