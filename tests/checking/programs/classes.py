"""Classes of classes, with methods and fields that have shapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
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


class Linear[I, O]:
    def __init__(self, key: Key, i: int, o: int) -> None:
        self.w: F32[I, O] = random.normal(key, (i, o), dtype=fx.f32)  # U: needs values
        self.scale = random.normal(key, o, dtype=fx.f32)  # whose shape is not said

    def __call__[N](self, x: F32[N, I]) -> F32[N, O]:
        return x @ self.w

    def bad[N](self, x: F32[N, I]) -> F32[N, O]:
        return x @ self.w.T  # E: shape


def linear_twice[N, D](layer: Linear[D, D], x: F32[N, D]) -> F32[N, D]:
    return layer(layer(x))


def linear_bad[N, D](layer: Linear[D, D], x: F32[N, D]) -> F32[N, D]:
    return layer(x.T)  # E: shape


class Bare:
    def double[N](self, x: F32[N]) -> F32[N]:
        return x + x

    def double_bad[N](self, x: F32[N]) -> F32[N]:
        return fx.stack([x, x])  # E: shape

    @staticmethod
    def mean_bad[N, D](x: F32[N, D]) -> F32[D]:
        return x.mean(axis=1)  # E: shape


class Scaled:
    def __init__(self, table, scale=2.0):
        self.table, self.scale = table, scale

    def rows_bad[N, D](self, x: F32[N, D]) -> F32[N]:
        return x.sum(axis=0)  # E: shape

    def taken[N](self, x: F32[N]) -> F32[N]:
        return self.rows_bad(x[:, None]) * 2


class Norm(ABC):
    @abstractmethod
    def norm[N](self, x: F32[N]) -> F32[()]: ...

    def unit[N](self, x: F32[N]) -> F32[N]:
        return x / self.norm(x)

    def unit_bad[N](self, x: F32[N]) -> F32[N]:
        return x / self.norm(x)[None, None]  # E: shape


class Euclid(Norm):
    def norm[N](self, x: F32[N]) -> F32[()]:
        return x  # E: shape
