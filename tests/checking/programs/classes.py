"""Classes of classes, with methods and fields that have shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import effects as fx
from effects import F32, random
from effects.random import Key


@dataclass(frozen=True)
class Vec[N]:
    at: F32[N]

    def __post_init__(self):
        if self.at.ndim != 1:
            raise ValueError("rank")

    def __add__(self, other: Vec[N]) -> Vec[N]:
        return Vec(self.at + other.at)

    def __matmul__(self, other: Vec[N]) -> F32[()]:
        return self.at @ other.at

    def outer[M](self, other: Vec[M]) -> F32[N, M]:
        return self.at[:, None] * other.at

    def outer_bad[M](self, other: Vec[M]) -> F32[M, N]:
        return self.at[:, None] * other.at  # E: shape

    def plus_bad[M](self, other: Vec[M]) -> Vec[N]:
        return self + other  # E: shape


class Layer[I, O]:
    w: F32[I, O]

    def __init__(self, key: Key, w: F32[I, O]) -> None:
        self.w = random.normal(key, w.shape, dtype=fx.f32)

    def __call__[N](self, x: F32[N, I]) -> F32[N, O]:
        return x @ self.w


class Stack[E](NamedTuple):
    layers: list[Layer[E, E]]
    norms: tuple[F32[E], ...]
    head: F32[E, Literal[10]] | None = None

    def __call__[N](self, x: F32[N, E]) -> F32[N, E]:
        for layer, norm in zip(self.layers, self.norms):
            x = layer(x) * norm
        return x

    def logits[N](self, x: F32[N, E]) -> F32[N, Literal[10]]:
        assert self.head is not None
        return self(x) @ self.head

    def logits_bad[N](self, x: F32[N, E]) -> F32[N, Literal[10]]:
        assert self.head is not None
        return self.head @ self(x)  # E: shape


class Special[E](Stack[E]):
    def __call__[N](self, x: F32[N, E]) -> F32[N, E]:
        return super().__call__(x) + x


class Sub[I](Layer[I, I]):
    def twice[N](self, x: F32[N, I]) -> F32[N, I]:
        return self(self(x))

    def twice_bad[N](self, x: F32[I, N]) -> F32[I, N]:
        return self(self(x))  # E: shape
