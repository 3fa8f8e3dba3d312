"""Attention, with heads and masks, and a block of a transformer."""

from dataclasses import dataclass
from typing import NamedTuple

import effects as fx
from effects import F32, nn


def attend[T, S, D, E](q: F32[T, D], k: F32[S, D], v: F32[S, E]) -> F32[T, E]:
    scores = q @ k.T / fx.sqrt(q.shape[-1])
    return nn.softmax(scores, axis=-1) @ v


def without_transpose[T, S, D](q: F32[T, D], k: F32[S, D], v: F32[S, D]) -> F32[T, D]:
    return nn.softmax(q @ k) @ v  # E: shape


def values_by_features[T, S, D](q: F32[T, D], k: F32[S, D], v: F32[S, D]) -> F32[T, D]:
    weights = nn.softmax(q @ k.T)
    return weights.T @ v  # E: shape


def of_queries[T, S, D](q: F32[T, D], k: F32[S, D], v: F32[S, D]) -> F32[S, D]:
    return attend(q, k, v)  # E: shape


def keys_for_queries[T, S, D](q: F32[T, D], k: F32[S, D], v: F32[S, D]) -> F32[T, D]:
    return attend(q, v, q)  # E: shape


def split_heads[B, T, H, K](x: F32[B, T, H, K]) -> F32[B, H, T, K]:
    return x.transpose(0, 2, 1, 3)


def split_heads_wrongly[B, T, H, K](x: F32[B, T, H, K]) -> F32[B, H, T, K]:
    return x.transpose(0, 1, 3, 2)  # E: shape


def causal[T, S](scores: F32[T, S]) -> F32[T, S]:
    mask = fx.arange(scores.shape[0])[:, None] >= fx.arange(scores.shape[1])
    return fx.where(mask, scores, -1e9)


def causal_wrong_axis[T, S](scores: F32[T, S]) -> F32[T, S]:
    mask = fx.arange(scores.shape[1])[:, None] >= fx.arange(scores.shape[0])
    return fx.where(mask, scores, -1e9)  # E: shape


class Norm[D](NamedTuple):
    scale: F32[D]
    shift: F32[D]

    def __call__[*B](self, x: F32[*B, D]) -> F32[*B, D]:
        centred = x - fx.mean(x, axis=-1, keepdims=True)
        return centred / fx.sqrt(fx.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * self.scale + self.shift


class BadNorm[D](NamedTuple):
    scale: F32[D]

    def __call__[*B](self, x: F32[*B, D]) -> F32[*B, D]:
        return (x - fx.mean(x, axis=-1)) * self.scale  # E: shape


@dataclass
class Block[D, H, K, M]:
    norm: Norm[D]
    qkv: F32[D, 3, H, K]
    out: F32[H, K, D]
    up: F32[D, M]
    down: F32[M, D]

    def mix[T](self, x: F32[T, D]) -> F32[T, D]:
        q, k, v = fx.unstack(fx.einsum("td,dchk->cthk", self.norm(x), self.qkv))
        return x + fx.einsum("thk,hkd->td", nn.dot_product_attention(q, k, v, is_causal=True), self.out)

    def perceptron[T](self, x: F32[T, D]) -> F32[T, D]:
        return x + nn.gelu(self.norm(x) @ self.up) @ self.down

    def __call__[T](self, x: F32[T, D]) -> F32[T, D]:
        return self.perceptron(self.mix(x))

    def mix_by_heads[T](self, x: F32[T, D]) -> F32[T, D]:
        q, k, v = fx.unstack(fx.einsum("td,dchk->cthk", self.norm(x), self.qkv))
        return x + fx.einsum("thk,khd->td", nn.dot_product_attention(q, k, v), self.out)  # E: shape

    def perceptron_without_up[T](self, x: F32[T, D]) -> F32[T, D]:
        return x + nn.gelu(self.norm(x)) @ self.down  # E: shape

    def forget_down[T](self, x: F32[T, D]) -> F32[T, D]:
        return self.norm(x) @ self.up  # E: shape

    def norm_of_hidden[T](self, x: F32[T, D]) -> F32[T, M]:
        hidden = x @ self.up
        return self.norm(hidden)  # E: shape
