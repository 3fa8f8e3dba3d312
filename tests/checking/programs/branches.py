"""`if` and `while` on values: both branches are checked."""

import effects as fx
from effects import F64, Scalar


def positive[N](x: F64[N]) -> F64[N]:
    if x.sum() > 0:
        return x
    return -x


def shortened[N](x: F64[N]) -> F64[N]:
    if x.sum() > 0:
        return x[1:]  # E: shape
    return -x


def shortened_otherwise[N](x: F64[N]) -> F64[N]:
    if x.sum() > 0:
        return x
    return -x[1:]  # E: shape


def checked[N, M](x: F64[N, M]) -> F64[M]:
    assert fx.all(x > 0), "positive"
    return fx.log(x).sum(axis=0)


def checked_wrongly[N, M](x: F64[N, M]) -> F64[M]:
    assert fx.all(x > 0), "positive"
    return fx.log(x).sum(axis=1)  # E: shape


def refused[N, M](x: F64[N, M]) -> F64[M]:
    if not fx.all(x > 0):
        raise ValueError("positive")
    return fx.log(x).sum(axis=1)  # E: shape


def root[N](a: F64[N, N], x: F64[N]) -> F64[N]:
    while fx.sum(x**2) > 1e-6:
        x = fx.linalg.solve(a, x)
    return x


def root_of_products[N](a: F64[N, N], x: F64[N]) -> F64[N]:
    while fx.sum(x**2) > 1e-6:
        x = fx.outer(x, x)  # a mistake that shows where it is given back
    return x  # E: shape


def endless[N](x: F64[N]) -> Scalar[fx.f64]:
    while not x.sum() > 0:
        x = x + 1
    return x  # E: shape


def in_a_loop[T, D](xs: F64[T, D]) -> F64[D]:
    best = xs[0]
    for x in xs:
        if x.sum() > best.sum():
            best = x
    return best


def in_a_loop_wrongly[T, D](xs: F64[T, D]) -> F64[D]:
    best = xs[0]
    for x in xs:
        if x.sum() > best.sum():
            best = x.sum()  # then it has no axes
    return best  # E: shape


def of_each[N](x: F64[N]) -> F64[N]:
    if x > 0:  # E: argument
        return x
    return -x


def of_a_flag[T, D](xs: F64[T, D]) -> F64[D]:
    positive = xs.sum() > 0
    total = fx.zeros(xs.shape[1]) if positive else xs[0, 0]
    for x in xs:
        total = total + x if positive else total * x[0]
    return total if positive else total * xs[0]
