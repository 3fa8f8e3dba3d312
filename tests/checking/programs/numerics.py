"""Solvers, statistics, transforms: loops, branches and matrices."""

import functools
from typing import Literal

import numpy as np

import effects as fx
from effects import F64, I64, Bool, Scalar, fft, linalg
from handlers import checkpoint, cond, custom_vjp, fori_loop, hessian, jacfwd, jvp, scan, switch, vmap, while_loop
from lowering import jit

WEIGHTS = fx.asarray(np.linspace(0.0, 1.0, 5))


def covariance[N, D](x: F64[N, D]) -> F64[D, D]:
    centred = x - x.mean(axis=0)
    return centred.T @ centred / x.shape[0]


def covariance_of_rows[N, D](x: F64[N, D]) -> F64[D, D]:
    centred = x - x.mean(axis=1)[:, None]
    return centred @ centred.T / x.shape[0]  # E: shape


def whitened[N, D](x: F64[N, D]) -> F64[N, D]:
    values, vectors = linalg.eigh(covariance(x))
    return (x - x.mean(axis=0)) @ vectors / fx.sqrt(values)


def whitened_by_rows[N, D](x: F64[N, D]) -> F64[N, D]:
    values, vectors = linalg.eigh(covariance(x))
    return (x @ vectors) / fx.sqrt(values)[:, None]  # E: shape


def components[N, D](x: F64[N, D]) -> tuple[F64[2, D], F64[2]]:
    _, sizes, axes = linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return axes[:2], sizes[:2]


def components_of_left[N, D](x: F64[N, D]) -> F64[2, D]:
    left, _, _ = linalg.svd(x, full_matrices=False)
    return left[:, :2].T  # E: shape


def fitted[N, D](x: F64[N, D], y: F64[N]) -> F64[D]:
    return linalg.solve(x.T @ x + 1e-3 * fx.eye(x.shape[1]), x.T @ y)


def fitted_with_large_identity[N, D](x: F64[N, D], y: F64[N]) -> F64[D]:
    return linalg.solve(x.T @ x + 1e-3 * fx.eye(x.shape[0]), x.T @ y)  # E: shape


def newton[D](a: F64[D, D], x: F64[D]) -> F64[D]:
    f = lambda x: x @ a @ x / 2 + fx.sum(fx.cos(x))
    step = lambda x: x - linalg.solve(hessian(f)(x), jacfwd(f)(x))
    return while_loop(lambda x: linalg.norm(jacfwd(f)(x)) > 1e-8, step, x)


def newton_with_matrix_of_steps[D](a: F64[D, D], x: F64[D]) -> F64[D]:
    f = lambda x: x @ a @ x / 2
    step = lambda x: x - hessian(f)(x) * jacfwd(f)(x)
    return while_loop(lambda x: linalg.norm(x) > 1e-8, step, x)  # E: shape


def newton_until_each[D](a: F64[D, D], x: F64[D]) -> F64[D]:
    return while_loop(lambda x: fx.abs(x) > 1e-8, lambda x: x / 2, x)  # E: dtype


def power[D](a: F64[D, D], x: F64[D]) -> F64[D]:
    return fori_loop(0, 10, lambda i, x: a @ x / linalg.norm(a @ x), x)


def power_of_oblong[D, E](a: F64[E, D], x: F64[D]) -> F64[D]:
    return fori_loop(0, 10, lambda i, x: a @ x, x)  # E: shape


def euler[T, D](a: F64[D, D], x: F64[D], times: F64[T]) -> F64[T, D]:
    def step(x: F64[D], h: Scalar[fx.f64]) -> tuple[F64[D], F64[D]]:
        later = x + h * (a @ x)
        return later, later

    return scan(step, x, times)[1]


def euler_of_matrices[T, D](a: F64[D, D], x: F64[D], times: F64[T]) -> F64[T, D]:
    def step(x: F64[D], h: Scalar[fx.f64]) -> tuple[F64[D], F64[D, D]]:
        return x + h * (a @ x), h * a

    return scan(step, x, times)[1]  # E: shape


def step_declared_wrongly[T, D](a: F64[D, D], x: F64[D], times: F64[T]) -> F64[T, D]:
    def step(x: F64[D], h: F64[D]) -> tuple[F64[D], F64[D]]:
        return x + h, x

    return scan(step, x, times)[1]  # E: shape


def branched[N](x: F64[N]) -> F64[N]:
    return cond(fx.sum(x) > 0, lambda x: x, lambda x: -x, x)


def branched_unevenly[N](x: F64[N]) -> F64[N]:
    return cond(fx.sum(x) > 0, lambda x: x, lambda x: x[:1], x)  # E: shape


def switched[N](which: I64[()], x: F64[N]) -> F64[N]:
    return switch(which, [fx.sin, fx.cos, lambda x: x**2], x)


def switched_by_each[N](which: I64[N], x: F64[N]) -> F64[N]:
    return switch(which, [fx.sin, fx.cos], x)  # E: dtype


def spectrum[N](x: F64[N]) -> F64[Literal["N // 2 + 1"]]:
    return fx.abs(fft.rfft(x))


def spectrum_of_all[N](x: F64[N]) -> F64[N]:
    return fx.abs(fft.rfft(x))  # E: shape


def smoothed[N](x: F64[N]) -> F64[N]:
    padded = fx.pad(x, 2, mode="edge")
    return sum(WEIGHTS[i] * padded[i : i + x.shape[0]] for i in range(5))


def smoothed_without_padding[N](x: F64[N]) -> F64[N]:
    return sum(WEIGHTS[i] * x[i : x.shape[0] - 4 + i] for i in range(5))  # E: shape


def weighted[N](x: F64[N, 5]) -> F64[N]:
    return x @ WEIGHTS


def weighted_by_six[N](x: F64[N, 6]) -> F64[N]:
    return x @ WEIGHTS  # E: shape


def distances[N, M, D](x: F64[N, D], y: F64[M, D]) -> F64[N, M]:
    return fx.sqrt(((x[:, None] - y[None]) ** 2).sum(-1))


def distances_by_maps[N, M, D](x: F64[N, D], y: F64[M, D]) -> F64[N, M]:
    one = lambda a, b: linalg.norm(a - b)
    return vmap(vmap(one, in_axes=(None, 0)), in_axes=(0, None))(x, y)


def distances_turned[N, M, D](x: F64[N, D], y: F64[M, D]) -> F64[N, M]:
    one = lambda a, b: linalg.norm(a - b)
    return vmap(vmap(one, in_axes=(0, None)), in_axes=(None, 0))(x, y)  # E: shape


def nearest[N, K, D](x: F64[N, D], centres: F64[K, D]) -> I64[N]:
    return fx.argmin(distances(x, centres), axis=1)


def nearest_of_centres[N, K, D](x: F64[N, D], centres: F64[K, D]) -> I64[N]:
    return fx.argmin(distances(x, centres), axis=0)  # E: shape


def means[N, K, D](x: F64[N, D], centres: F64[K, D]) -> F64[K, D]:
    of = fx.nn.one_hot(nearest(x, centres), centres.shape[0], dtype=fx.f64)
    return of.T @ x / fx.sum(of, axis=0)[:, None]


def means_without_axis[N, K, D](x: F64[N, D], centres: F64[K, D]) -> F64[K, D]:
    of = fx.nn.one_hot(nearest(x, centres), centres.shape[0], dtype=fx.f64)
    return of.T @ x / fx.sum(of, axis=0)  # E: shape


def masked_mean[N, D](x: F64[N, D], mask: Bool[N]) -> F64[D]:
    return fx.sum(fx.where(mask[:, None], x, 0), axis=0) / fx.sum(mask)


def masked_mean_wrongly[N, D](x: F64[N, D], mask: Bool[N]) -> F64[D]:
    return fx.sum(fx.where(mask, x, 0), axis=0) / fx.sum(mask)  # E: shape


def selected[N, D](x: F64[N, D], order: I64[N]) -> F64[N, D]:
    return fx.take_along_axis(x, order[:, None], axis=0)


def sorted_rows[N, D](x: F64[N, D]) -> F64[N, D]:
    return x[fx.argsort(x[:, 0])]


def sorted_rows_of_columns[N, D](x: F64[N, D]) -> F64[N, D]:
    return x[fx.argsort(x, axis=0)]  # E: shape


def best[N](x: F64[N]) -> tuple[F64[3], I64[3]]:
    return fx.top_k(x, 3)


def best_of_rows[N, M](x: F64[N, M]) -> F64[N]:
    return fx.top_k(x, 3)[0]  # E: shape


@custom_vjp
def clipped[N](x: F64[N]) -> tuple[F64[N], F64[N]]:
    return fx.clip(x, -1, 1), x


@jit
def jitted[N, M](x: F64[N, M]) -> F64[M]:
    return fx.logsumexp(x, axis=0)


def of_jitted[N, M](x: F64[N, M]) -> F64[M]:
    return jitted(x) + jitted(x[:2])


def of_jitted_wrongly[N, M](x: F64[N, M]) -> F64[N]:
    return jitted(x.T) + jitted(x)  # E: shape


@functools.partial(jit, static_argnums=1)
def rolled[N](x: F64[N], by: int = 1) -> F64[N]:
    return fx.roll(x, by)


def along[N, D](x: F64[N, D]) -> tuple[F64[N], F64[N]]:
    return jvp(lambda x: fx.sum(x**2, axis=1), (x,), (x,))


def along_another[N, D](x: F64[N, D], v: F64[D, N]) -> tuple[F64[N], F64[N]]:
    return jvp(lambda x: fx.sum(x**2, axis=1), (x,), (v,))  # E: shape


def jacobian[N, M](x: F64[N], a: F64[M, N]) -> F64[M, N]:
    return jacfwd(lambda x: fx.tanh(a @ x))(x)


def jacobian_turned[N, M](x: F64[N], a: F64[M, N]) -> F64[N, M]:
    return jacfwd(lambda x: fx.tanh(a @ x))(x)  # E: shape


def remembered[N, D](x: F64[N, D], w: F64[D, D]) -> F64[N, D]:
    return checkpoint(lambda x: fx.tanh(x @ w) @ w)(x)


def remembered_wrongly[N, D](x: F64[N, D], w: F64[D, D]) -> F64[N, D]:
    return checkpoint(lambda x: fx.tanh(w @ x) @ w)(x)  # E: shape


def matched[N](x: F64[N, Literal[2]]) -> F64[N]:
    match x.shape:
        case (_, 2):
            return x[:, 0] * x[:, 1]
        case _:
            return x[:, 0, 0]


def unrolled[T, D](x: F64[T, D], w: F64[D, D]) -> F64[D]:
    state = fx.zeros(x.shape[1])
    for t in range(x.shape[0]):
        state = fx.tanh(w @ state + x[t])
    return state


def unrolled_by_columns[T, D](x: F64[T, D], w: F64[D, D]) -> F64[D]:
    state = fx.zeros(x.shape[1])
    for t in range(x.shape[0]):
        state = fx.tanh(w @ state + x[:, t])  # E: shape
    return state


def tried[N](x: F64[N]) -> F64[N]:
    try:
        return x @ fx.eye(3)
    except fx.ShapeError:
        return x


def triangles[N](x: F64[N, N]) -> F64[N, N]:
    return fx.tril(x) + fx.triu(x, 1)


def halves[N](x: F64[Literal["2 * N"]]) -> tuple[F64[N], F64[N]]:
    first, second = fx.split(x, 2)
    return first, second


def halves_of_rows[N, D](x: F64[N, Literal["2 * D"]]) -> tuple[F64[N, D], F64[N, D]]:
    return tuple(fx.split(x, 2))  # E: shape


def segments[N, D](x: F64[N, D], of: I64[N]) -> F64[4, D]:
    return fx.segment_sum(x, of, 4)


def segments_of_columns[N, D](x: F64[N, D], of: I64[D]) -> F64[4, D]:
    return fx.segment_sum(x, of, 4)  # E: shape
