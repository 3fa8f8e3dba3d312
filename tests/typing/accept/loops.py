"""Loops: a scan over one array keeps dtypes and shapes, a carry is of one type."""

from typing import reveal_type

import effects as fx
from effects import F32, Array, Scalar
from handlers import associative_scan, cond, fori_loop, map, scan, switch, while_loop


class N: ...


class K: ...


def step(h: F32[K], x: Scalar[fx.f32]) -> tuple[F32[K], F32[K]]:
    return h * x, h + x


def bare(h: Array, x: Array) -> tuple[Array, Array]:
    return h * x, h


def carrying(h: tuple[F32[K], F32[N]], x: Array) -> tuple[tuple[F32[K], F32[N]], None]:
    return h, None


def half(x: F32[K]) -> F32[K]:
    return x * 0.5


def loops(h: F32[K], xs: F32[N], rows: F32[N, K]) -> None:
    reveal_type(scan(step, h, xs))  # tuple[Array[float32, tuple[K]], Array[float32, tuple[N, K]]]
    reveal_type(scan(carrying, (h, xs), length=3))
    #: tuple[tuple[Array[float32, tuple[K]], Array[float32, tuple[N]]], None]
    reveal_type(map(half, rows))  # Array[float32, tuple[N, K]]
    reveal_type(while_loop(lambda v: v.sum() < 3.0, half, h))  # Array[float32, tuple[K]]
    reveal_type((fori_loop(0, 3, lambda i, v: half(v), h), switch(1, [half, half], h)))  # 2 × Array[float32, tuple[K]]
    reveal_type(associative_scan(lambda a, b: a, h))  # Array[float32, tuple[K]]
    reveal_type(while_loop(lambda v: v < 3, lambda v: v + 1, 0))  # Any
    scan(bare, fx.ones(3), fx.ones(3))


type Pair = tuple[fx.Array, fx.Array]


def halve(c: Pair) -> Pair:
    return c[0] // 2, c[1] + 1


def counted(i: fx.Array, c: Pair) -> Pair:
    return c[0] * i, c[1]


def summed(c: Pair, x: fx.Array) -> tuple[Pair, fx.Array]:
    return (c[0] + x, c[1] + 1), c[0]


def numbers_in_carries(x: fx.Array, p: fx.Bool[()]) -> None:
    reveal_type(while_loop(lambda c: c[0] != 1, halve, (x, 0)))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(fori_loop(0, 3, counted, (x, 1.0)))  # tuple[Array[Any, Any], Array[Any, Any]]
    reveal_type(scan(summed, (x, 0), x))  # tuple[tuple[Array[Any, Any], Array[Any, Any]], Array[Any, Any]]
    reveal_type(fori_loop(0, 3, lambda i, c: (c[0], c[1] + i), (x, 0)))  # tuple[Any, Any]
    cond(p, lambda: (x, 1.0), lambda: (x, 2.0))[1].shape, switch(0, [lambda: (x, 1), lambda: (x, 2)])[1].shape
