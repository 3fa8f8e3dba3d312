"""Programs that import the one namespace of the three packages."""

import effax as fx
import effax.linalg as la
from effax import F64, grad, nn


def means[N, D](x: fx.F64[N, D]) -> fx.F64[D]:
    return fx.mean(x, axis=0)


def means_bad[N, D](x: fx.F64[N, D]) -> fx.F64[D]:
    return fx.mean(x, axis=1)  # E: shape


def loss[N, D](w: F64[D], x: F64[N, D]) -> F64[()]:
    return fx.sum(fx.vmap(lambda row: nn.relu(row @ w))(x))


def slope[N, D](w: F64[D], x: F64[N, D]) -> F64[D]:
    return grad(loss)(w, x)


def slope_bad[N, D](w: F64[D], x: F64[N, D]) -> F64[N]:
    return grad(loss)(w, x)  # E: shape


def solved[N](a: F64[N, N], b: F64[N]) -> F64[N]:
    return la.solve(a, b)


def solved_bad[N, M](a: F64[N, N], b: F64[M]) -> F64[N]:
    return la.solve(a, b)  # E: shape
