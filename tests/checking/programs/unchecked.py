"""What cannot be checked, or not to the end, and why; nothing here is an error."""

from collections.abc import Sequence
from typing import Any, Literal

import effects as fx
from effects import F32, Array


def without_shapes(x: Array, w: Array) -> Array:  # U: argument x: an array whose shape is not said
    return x @ w


def by_values[N](x: F32[N]) -> F32[N]:
    if float(x.sum()) > 0:  # U: needs values
        return x
    return x[:1]


def by_one_branch_of_three[N](x: F32[N], y: F32[N]) -> F32[N]:
    if x.sum() > 0:
        return x
    elif y.sum() > 0:  # U: needs values
        return x[1:]
    return y


def of_a_size[N](x: F32[N], n: int) -> F32[Any]:
    return fx.zeros(n, dtype=fx.f32)  # U: needs values


def of_an_object[N](x: F32[N], by: object) -> F32[N]:  # U: argument by: the annotation object says no shapes
    return x


def made(n: int) -> F32[Literal[3]]:  # U: no argument has a shape
    raise RuntimeError("not to be run")


def refused[N](x: F32[N]) -> F32[N]:  # U: RuntimeError: as it is
    raise RuntimeError("as it is")


K = Literal["k"]


def unbound(x: F32[K]) -> F32[K]:  # U: argument x: the dimension k is no type parameter, and no name of the module
    return x


def ks[N](x: F32[N]) -> list[F32[K]]:  # U: the result: the dimension k is no type parameter, and no name of the module
    return [x]


def unbound_default[N](x: F32[N], more: Sequence[F32[K]] = ()) -> F32[N]:
    return sum(more, x[:, None])  # E: shape


class Plain:
    def __init__(self, table, size=3):
        self.table, self.size = table, size

    def looked_up[N](self, x: F32[N]) -> F32[N]:
        return x @ self.table  # U: Plain does not say what its table is


class Broken[N]:
    def __init__(self, w: F32[N]) -> None:
        self.w = w @ w[:, None] @ w  # E: shape

    def scaled(self, x: F32[N]):  # U: its arguments cannot be made: matmul contraction mismatch: [1] @ [N]: 1 vs N
        return x * self.w


def mistaken_before_values[N, M](x: F32[N], y: F32[M]) -> F32[N]:
    z = x + y  # E: shape
    return x if z.sum() > 0 else y


def of_any_size(x: F32[int, int], w: F32[int, int]) -> F32[int, int]:
    return x @ w  # U: a size that is not said: matmul contraction mismatch: [?, ?] @ [?, ?]: ? vs ?


def of_any_columns[N, D](x: F32[N, D], w: F32[int, int]) -> F32[N, int]:
    return x @ w  # U: a size that is not said: matmul contraction mismatch: [N, D] @ [?, ?]: D vs ?


def mistaken_beside_any_size[N, D](x: F32[N, D], w: F32[int, int]) -> F32[N, int]:
    return (x @ x) @ w  # E: shape


if __name__ == "__main__":
    raise RuntimeError("not to be run")
