"""Functions in many manners: returned and nested functions, classes of classes, sizes that are computed."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar

import numpy as np

import effects as fx
from effects import C64, F32, F64, I64, Array, Bool, Float, Int, linalg
from handlers import WritableArray, jacrev, map as fmap, vjp, writable

D = TypeVar("D")
Image: TypeAlias = "F32[Literal[28], Literal[28]]"
EPS: Final = 1e-6
HEADS = 4


def size[N](x: F32[N]) -> int:
    return x.shape[0]


def by_size[N](x: F32[N]) -> F32[N, N]:
    return fx.zeros((size(x), size(x)), dtype=fx.f32) + x


def by_size_bad[N, M](x: F32[N], y: F32[M]) -> F32[N, M]:
    return fx.zeros((size(y), size(x)), dtype=fx.f32)  # E: shape


def first_hundred[N](x: F32[N]) -> F32[100]:
    return x[:100]


def last_five[N](x: F32[N]) -> F32[Literal[5]]:
    return x[-5:]


def last_five_bad[N](x: F32[N]) -> F32[Literal[5]]:
    return x[:-5]  # E: shape


def by_five[N, K](x: F32[N, K]) -> F32[N, Literal["K // 5"], Literal[5]]:
    return x.reshape(x.shape[0], -1, 5)


def heads[T, E](x: F32[T, E]) -> F32[HEADS, T, Literal["E // 4"]]:
    t, e = x.shape
    return x.reshape(t, HEADS, e // HEADS).transpose(1, 0, 2)


def heads_bad[T, E](x: F32[T, E]) -> F32[HEADS, T, Literal["E // 4"]]:
    t, e = x.shape
    return x.reshape(t, HEADS, e // HEADS).transpose(0, 1, 2)  # E: shape


def of_image(x: Image) -> F32[Literal[784]]:
    return x.reshape(-1)


def of_image_bad(x: Image) -> F32[Literal[764]]:
    return x.reshape(-1)  # E: shape


def maker[N](x: F32[N]) -> Callable[[F32[N]], F32[N]]:
    return lambda y: x + y


def made[N](x: F32[N]) -> F32[N]:
    return maker(x)(x)


def made_bad[N, M](x: F32[N], y: F32[M]) -> F32[N]:
    return maker(x)(y)  # E: shape


def square_only[N, M](x: F32[N, M]) -> F32[N, M]:
    if x.shape[0] == x.shape[1]:
        return x.T
    return x


@functools.lru_cache
def table(n: int) -> Array:  # U: no argument has a shape
    return fx.arange(n, dtype=fx.f32)


def positions[N](x: F32[N]) -> F32[N]:
    return x + table(x.shape[0])


@contextlib.contextmanager
def timed(x: F32[D]) -> Iterator[None]:
    yield


def in_context[N](x: F32[N]) -> F32[N]:
    with timed(x):
        return x * 2


def each[N, M](xs: Sequence[F32[N, M]]) -> list[F32[M, N]]:
    return [x.T for x in xs]


def each_bad[N, M](xs: Sequence[F32[N, M]]) -> list[F32[M, N]]:
    return list(xs)  # E: shape


def embed[N, E](ids: I64[N], table: F32[Any, E]) -> F32[N, E]:
    return table[ids]


def unbound[N, E](ids: I64[N]) -> F32[N, E]:
    return fx.ones((ids.shape[0], 16), dtype=fx.f32)


def calls_unbound[N](ids: I64[N], w: F32[16]) -> F32[N]:
    return unbound(ids) @ w


def calls_unbound_bad[N](ids: I64[N], w: F32[15]) -> F32[N]:
    return unbound(ids) @ w  # E: shape


def merge[N](x: F32[N]) -> F32[N]:
    if x.shape[0] <= 1:
        return x
    half = x.shape[0] // 2
    return fx.concat([merge(x[:half]), merge(x[half:])])


def merge_bad[N](x: F32[N]) -> F32[N]:
    if x.shape[0] <= 1:
        return x
    half = x.shape[0] // 2
    return fx.concat([merge_bad(x[:half]), merge_bad(x[:half]), x])  # E: shape


def kwargs[N](x: F32[N], **options: float) -> F32[N]:
    return x * options.get("by", 1.0)


def default_array[N](x: F32[N], w: F32[3] = fx.ones(3, dtype=fx.f32)) -> F32[N]:
    return x * w.sum()


def complexes[N](x: C64[N]) -> F32[N]:
    return fx.abs(x)


def reverse[N, M](x: F32[N, M]) -> tuple[F32[M], F32[N, M]]:
    y, back = vjp(lambda x: x.sum(axis=0), x)
    return y, back(y)[0]


def reverse_bad[N, M](x: F32[N, M]) -> tuple[F32[M], F32[N, M]]:
    y, back = vjp(lambda x: x.sum(axis=0), x)
    return y, back(x)[0]  # E: shape


def mapped[N, M](x: F32[N, M]) -> F32[N]:
    return fmap(lambda row: row.max(), x)


def mapped_bad[N, M](x: F32[N, M]) -> F32[M]:
    return fmap(lambda row: row.max(), x)  # E: shape


def jac[N, M](w: F32[M, N], x: F32[N]) -> F32[M, N]:
    return jacrev(lambda x: fx.sin(w @ x))(x)


def stats[N, K](x: F32[N, K]) -> dict[str, F32[K]]:
    return {"mean": x.mean(axis=0), "std": x.std(axis=0)}


def stats_bad[N, K](x: F32[N, K]) -> dict[str, F32[K]]:
    return {"mean": x.mean(axis=0), "std": x.std(axis=1)}  # E: shape


def union[N](x: F32[N] | F64[N]) -> F32[N]:
    return x.astype(fx.f32)


def kron[N, M](a: F32[N, N], b: F32[M, M]) -> F32[Literal["N * M"], Literal["N*M"]]:
    return fx.kron(a, b)


def kron_bad[N, M](a: F32[N, N], b: F32[M, M]) -> F32[Literal["N * M"], Literal["N*N"]]:
    return fx.kron(a, b)  # E: shape


def windows[N](x: F32[N]) -> F32[Literal["N - 2"], 3]:
    return fx.stack([x[:-2], x[1:-1], x[2:]], axis=1)


def windows_bad[N](x: F32[N]) -> F32[Literal["N - 2"], 3]:
    return fx.stack([x[:-2], x[1:-1], x[2:]], axis=0)  # E: shape


def numpy_made[N](x: F32[N]) -> F32[N]:
    scale = np.linspace(0, 1, x.shape[0], dtype=np.float32)
    return x * fx.asarray(scale)


def ranked[*S](x: Float[*S]) -> Float[()]:
    return x.sum()


def ranked_bad[*S](x: Float[*S]) -> Float[()]:
    return x.sum(axis=-1)  # E: shape


def middle[A, *S, B](x: F32[A, *S, B]) -> F32[B, *S, A]:
    return fx.swapaxes(x, 0, -1)


def middle_bad[A, *S, B](x: F32[A, *S, B]) -> F32[B, *S, A]:
    return fx.swapaxes(x, 0, 1)  # E: shape


def callback[N](f: Callable[..., F32[N]], x: F32[N]) -> F32[N]:
    return f(x, 3) + x


def by_reduce[N](xs: list[F32[N]]) -> F32[N]:
    return functools.reduce(operator.add, xs)


def walrus[N](x: F32[N]) -> F32[N]:
    return y if (y := x * 2).ndim == 1 else x


def bits[N](x: Int[N]) -> Int[N]:
    return x & 3


def masked[N](x: F32[N], m: Bool[N]) -> Array:
    return fx.where(m, x, 0)


def masked_bad[N, M](x: F32[N], m: Bool[M]) -> Array:
    return fx.where(m, x, 0)  # E: shape


def in_place[N](out: dict[str, F32[N]], x: F32[N]) -> None:
    out["y"] = x


def no_result[N, M](x: F32[N], y: F32[M]):
    return x + y  # E: shape


def str_param[N](x: F32[N], how: str = "sum") -> F32[()]:
    return getattr(fx, how)(x)


def lower[N](a: F64[N, N], b: F64[N]) -> F64[N]:
    return linalg.solve_triangular(linalg.cholesky(a), b, lower=True)


def log_det[N](a: F64[N, N]) -> F64[()]:
    sign, value = linalg.slogdet(a)
    return value


def batched_solve[B, N](a: F64[B, N, N], b: F64[B, N]) -> F64[B, N]:
    return linalg.solve(a, b[..., None])[..., 0]


def batched_solve_bad[B, N](a: F64[B, N, N], b: F64[B, N]) -> F64[B, N]:
    return linalg.solve(a, b)  # E: shape


def outer_ring[N, M](x: F32[N, M]) -> F32[Literal["N + 2"], Literal["M + 2"]]:
    return fx.pad(x, 1)


def outer_ring_bad[N, M](x: F32[N, M]) -> F32[Literal["N + 2"], Literal["M + 2"]]:
    return fx.pad(x, ((1, 1), (0, 0)))  # E: shape


def added_places[N, T, E](places: F32[T, E], x: F32[N, E]) -> F32[N, E]:
    return x + places[: x.shape[0]]  # as many as there are, or more


def added_places_of_columns[N, T, E](places: F32[T, E], x: F32[N, E]) -> F32[N, E]:
    return x + places[:, : x.shape[0]]  # E: shape


@writable
def edge_of_ones[N, M](x: WritableArray[fx.float32, tuple[N, M]]) -> F32[N, M]:
    x[:, 0] = 1.0
    return fx.asarray(x)


@writable
def edge_of_edges[N, M](x: WritableArray[fx.float32, tuple[N, M]]) -> F32[N, M]:
    x[:, 0] = x[0, :]  # E: shape
    return fx.asarray(x)
