"""What annotations can be: packs, formulas, callables, unions, literals, old type variables, names of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Generic, Literal, NamedTuple, NewType, Self, TypeVar

import effects as fx
from effects import F32, I64, Arr, Bool, Float, Scalar
from handlers import vmap

N = TypeVar("N")
M = TypeVar("M")
Vocabulary = NewType("Vocabulary", int)
type Width = Literal[8]
type Pair[A] = tuple[F32[A], F32[A]]


def packed[*B, D](x: Float[*B, D], w: Float[D]) -> Float[*B]:
    return x @ w


def packed_first[*B, D](x: Float[*B, D], w: Float[D]) -> Float[*B]:
    return fx.sum(x * w, axis=0)  # E: shape


def of_old_variables(x: F32[N, M], y: F32[M]) -> F32[N]:
    return x @ y


def of_old_variables_turned(x: F32[N, M], y: F32[M]) -> F32[N]:
    return y @ x  # E: shape


def of_a_file(table: F32[Vocabulary, Width], ids: I64[N]) -> F32[N, Width]:
    return table[ids]


def of_a_file_wrongly(table: F32[Vocabulary, Width], ids: I64[N]) -> F32[N, Vocabulary]:
    return table[ids]  # E: shape


def joined(x: F32[N], y: F32[M]) -> F32[Literal["N + M"]]:
    return fx.concat([x, y])


def joined_twice(x: F32[N], y: F32[M]) -> F32[Literal["N + M"]]:
    return fx.concat([x, y, x])  # E: shape


def doubled(x: F32[N]) -> F32[Literal["2 * N"]]:
    return fx.concat([x, x])


def differences(x: F32[N]) -> F32[Literal["N - 1"]]:
    return x[1:] - x[:-1]


def differences_of_all(x: F32[N]) -> F32[N]:
    return x[1:] - x[:-1]  # E: shape


def swapped(pair: Pair[N]) -> Pair[N]:
    return pair[1], pair[0]


def one_of(pair: Pair[N]) -> Pair[N]:
    return pair[1]  # E: tree


def applied(f: Callable[[F32[N]], F32[M]], x: F32[N]) -> F32[M]:
    return f(x)


def applied_twice(f: Callable[[F32[N]], F32[M]], x: F32[N]) -> F32[M]:
    return f(f(x))  # E: shape


def composed(f: Callable[[F32[N]], F32[M]], g: Callable[[F32[M]], Scalar[fx.f32]], x: F32[N]) -> Scalar[fx.f32]:
    return g(f(x))


def mapped(f: Callable[[F32[N]], F32[M]], xs: F32[Literal[5], N]) -> F32[Literal[5], M]:
    return vmap(f)(xs)


def mapped_over_columns(f: Callable[[F32[N]], F32[M]], xs: F32[Literal[5], N]) -> F32[Literal[5], M]:
    return vmap(f, in_axes=1)(xs)  # E: shape


def with_bias(x: F32[N, M], bias: F32[M] | None) -> F32[N, M]:
    return x if bias is None else x + bias


def with_bias_of_rows(x: F32[N, M], bias: F32[N] | None = None) -> F32[N, M]:
    return x if bias is None else x + bias[:, None]


def with_bias_needed(x: F32[N, M], bias: F32[N] | None) -> F32[N, M]:
    return x if bias is None else x + bias  # E: shape


def reduced(x: F32[N, M], how: Literal["sum", "mean"]) -> F32[N]:
    return x.sum(axis=1) if how == "sum" else x.mean(axis=1)


def reduced_differently(x: F32[N, M], how: Literal["sum", "mean"]) -> F32[N]:
    return x.sum(axis=1) if how == "sum" else x.mean(axis=0)  # E: shape


def kept(x: F32[N, M], keep: bool) -> F32[N]:
    if keep:
        return fx.max(x, axis=1, keepdims=True)  # E: shape
    return fx.max(x, axis=1)


def total(xs: Sequence[F32[N]]) -> F32[N]:
    return sum(xs[1:], xs[0])


def total_of_stack(xs: Sequence[F32[N]]) -> F32[N]:
    return fx.stack(xs).sum(axis=1)  # E: shape


def of_all(*xs: F32[N]) -> F32[N]:
    return fx.stack(xs).sum(axis=0)


def scaled(x: F32[N], factor: float, power: int = 2) -> F32[N]:
    return factor * x**power


def any_dtype[D: fx.Floating](x: Arr[D, N]) -> Arr[D, N]:
    return fx.sin(x)


def other_dtype[D: fx.Floating](x: Arr[D, N]) -> Arr[D, N]:
    return x.astype(fx.f64)  # E: dtype


def of_integers(x: F32[N], at: I64[M]) -> F32[M]:
    return x[at]


def of_floats(x: F32[N], at: F32[M]) -> F32[M]:
    return x[at]  # E: argument


def annotated(x: Annotated[F32[N], "measured"]) -> F32[N]:
    return -x


class Old(Generic[N, M]):
    w: F32[N, M]

    def __init__(self, w: F32[N, M]) -> None:
        self.w = w

    def __call__(self, x: F32[N]) -> F32[M]:
        return x @ self.w

    def turned(self, x: F32[N]) -> F32[M]:
        return self.w @ x  # E: shape

    @property
    def rows(self) -> F32[N]:
        return self.w.sum(axis=0)  # E: shape


class Point[D](NamedTuple):
    at: F32[D]

    def moved(self, by: F32[D]) -> Self:
        return self._replace(at=self.at + by)

    def moved_out(self, by: F32[D]) -> Self:
        return self._replace(at=self.at[:, None] + by)  # E: shape

    @staticmethod
    def apart(x: F32[N], y: F32[N]) -> Scalar[fx.f32]:
        return fx.sqrt(fx.sum((x - y) ** 2))


class Named[D, E](Point[D]):
    pass


def helper(x):
    return x[:, 0]


def by_a_helper(x: F32[N, M]) -> F32[N]:
    return helper(x)


def by_a_helper_wrongly(x: F32[N]) -> F32[N]:
    return helper(x)  # E: shape


def divided_by_eight(x: F32[N, M]) -> F32[N, M]:
    return x.reshape(x.shape[0] // 8, 8, x.shape[1]).reshape(x.shape)


def must_divide(x: F32[N]) -> F32[Literal[4], Literal["N // 4"]]:
    if x.shape[0] % 4:
        raise ValueError("four of a size")
    return x.reshape(4, -1)


def must_divide_wrongly(x: F32[N]) -> F32[Literal["N // 4"], Literal[4]]:
    assert x.shape[0] % 4 == 0
    return x.reshape(4, -1)  # E: shape


def ignored(x: F32[N]) -> F32[M]:
    return x + fx.ones(3)  # type: ignore[shape]


def recursive(x: F32[N], times: int = 3) -> F32[N]:
    return x if times == 0 else recursive(2 * x, times - 1)


def positions(x: F32[N, M]) -> tuple[F32[N, M], I64[N]]:
    return x, fx.argmax(x, axis=1)


def positions_of_columns(x: F32[N, M]) -> tuple[F32[N, M], I64[N]]:
    return x, fx.argmax(x, axis=0)  # E: shape


def by_index(x: F32[N, M]) -> F32[M]:
    return x[0, 1, 2]  # E: shape


def of_shape(x: F32[N, M]) -> F32[N]:
    return fx.zeros(x.shape[2], dtype=fx.f32)  # E: shape


def mask[B, T](lengths: I64[B], like: F32[T]) -> Bool[B, T]:
    return fx.arange(like.shape[0]) < lengths[:, None]


def encoded[N, K](labels: I64[N], classes: I64[K]) -> F32[N, K]:
    return (classes == labels[:, None]).astype(fx.f32)


def encoded_wrongly[N, K](labels: I64[N], classes: I64[K]) -> F32[K, N]:
    return (classes == labels[:, None]).astype(fx.f32)  # E: shape
