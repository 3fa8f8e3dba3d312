"""Wrong use of loops."""

import effects as fx
from effects import F32, Scalar
from handlers import fori_loop, map, scan, switch, while_loop


class N: ...


class K: ...


def step(h: F32[K], x: Scalar[fx.f32]) -> tuple[F32[K], F32[K]]:
    return h * x, h + x


def forgets(h: F32[K], x: Scalar[fx.f32]) -> F32[K]:
    return h * x


def half(x: F32[K]) -> F32[K]:
    return x * 0.5


def total(x: F32[K]) -> Scalar[fx.f32]:
    return x.sum()


def loops(h: F32[K], xs: F32[N], rows: F32[N, K]) -> None:
    scan(step, xs, xs)  # E: Argument 1 to "scan" has incompatible type
    scan(forgets, h, xs)  # E: Argument 1 to "scan" has incompatible type
    while_loop(lambda v: True, total, h)  # E: Argument 2 to "while_loop" has incompatible type
    while_loop(half, half, h)  # E: Argument 1 to "while_loop" has incompatible type
    fori_loop(0, "3", lambda i, v: half(v), h)  # E: Argument 2 to "fori_loop" has incompatible type "str"
    fori_loop(0.5, 3, lambda i, v: half(v), h)  # E: Argument 1 to "fori_loop" has incompatible type "float"
    switch(1.5, [half, half], h)  # E: Argument 1 to "switch" has incompatible type "float"
    map(half, rows, batch_size="2")  # E: Argument "batch_size" to "map" has incompatible type "str"
    switch(1, [half, total], xs)  # E: List item 0 has incompatible type
