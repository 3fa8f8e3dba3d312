"""Sums of narrow floats are added in float32 and rounded once, evaluated and compiled; long ones in parts."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest
import scipy.special

import effects as fx
from effects import Array
from effects.types.dtypes import DType
from handlers import grad, pmean, psum, scan, vmap
from lowering import jit
from tests.narrow.rounding import DTYPES, Function, Host, Oracle, assert_within, host, random, rounded, wide


def _signed(x: Array) -> Array:
    """Of changing sign, so that sums nearly cancel."""
    return x * fx.asarray(np.where(np.arange(x.shape[-1]) % 3, 1, -1).astype(x.dtype.dtype))


def _broadcast(x: Array) -> Array:
    return fx.sum(fx.broadcast_to(x, (300, *x.shape)), dtype=fx.float32)


SUMS: Final[dict[str, tuple[Function, Oracle]]] = {
    "sum": (fx.sum, lambda x: x.sum()),
    "sum over 0": (lambda x: fx.sum(x, axis=0), lambda x: x.sum(0)),
    "sum over 1": (lambda x: fx.sum(x, axis=1, keepdims=True), lambda x: x.sum(1, keepdims=True)),
    "sum of a transpose": (lambda x: fx.sum(x.T, axis=1), lambda x: x.sum(0)),
    "prod over 1": (lambda x: fx.prod(2 * x[:, :9], axis=1), lambda x: (2 * x[:, :9]).prod(1)),
    "mean": (fx.mean, lambda x: x.mean()),
    "mean over 0": (lambda x: fx.mean(x, axis=0), lambda x: x.mean(0)),
    "var": (lambda x: fx.var(x, axis=1), lambda x: x.var(1)),
    "std": (lambda x: fx.std(x, axis=0, correction=1), lambda x: x.std(0, ddof=1)),
    "trace": (lambda x: fx.trace(x[:60]), lambda x: np.trace(x[:60])),
    "einsum i->": (lambda x: fx.einsum("ij->", x), lambda x: x.sum()),
    "einsum ij->j": (lambda x: fx.einsum("ij->j", x), lambda x: x.sum(0)),
    "einsum ii->": (lambda x: fx.einsum("ii->", x[:60, :60]), lambda x: np.trace(x[:60])),
    "einsum ij,ij->i": (lambda x: fx.einsum("ij,ij->i", x, x), lambda x: (x * x).sum(1)),
    "matmul": (lambda x: (x @ x.T)[:5], lambda x: (x @ x.T)[:5]),
    "matmul with a vector": (lambda x: x @ x[0], lambda x: x @ x[0]),
    "tensordot": (lambda x: fx.tensordot(x, x, axes=2), lambda x: (x * x).sum()),
    "vecdot": (lambda x: fx.vecdot(x, x), lambda x: (x * x).sum(1)),
    "dot_general": (lambda x: fx.dot_general(x, x, ((0,), (0,)), ((1,), (1,))), lambda x: (x * x).sum(0)),
    "logsumexp": (lambda x: fx.logsumexp(x, axis=1), lambda x: scipy.special.logsumexp(x, axis=1)),
    "softmax": (lambda x: fx.softmax(x, axis=0), lambda x: scipy.special.softmax(x, axis=0)),
    "log_softmax": (lambda x: fx.log_softmax(x, axis=1), lambda x: scipy.special.log_softmax(x, axis=1)),
    "psum": (lambda x: vmap(lambda v: psum(v, "i"), axis_name="i")(x)[0], lambda x: x.sum(0)),
    "pmean": (lambda x: vmap(lambda v: pmean(v, "i"), axis_name="i")(x)[0], lambda x: x.mean(0)),
    "of a broadcast": (lambda x: grad(_broadcast)(x), lambda x: np.full(x.shape, 300.0)),
}
"""Functions of a matrix of 300 rows and 60 columns that add up, and the same in float64."""


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_sum_of_a_narrow_dtype(dtype: type[DType]) -> None:
    x = random(dtype, 300, 60)

    def all_of_them(x: Array) -> list[Array]:
        return [function(x) for function, _ in SUMS.values()]

    compiled = jit(all_of_them)
    for sign, argument in (("positive", x), ("of either sign", _signed(x))):
        for (name, (function, oracle)), by_jit in zip(SUMS.items(), compiled(argument), strict=True):
            what = f"{name} of {dtype}, {sign}"
            expected = rounded(oracle(wide(host(argument))), dtype)
            assert_within(1, host(function(argument)), expected, what)
            assert_within(1, host(by_jit), expected, f"{what}, compiled")


def test_gradients_of_a_parameter_that_is_broadcast() -> None:
    for dtype in (fx.bfloat16, fx.float16):
        x, b = fx.ones((4096, 2), dtype=dtype), fx.ones(2, dtype=dtype)
        slope = grad(lambda b: fx.mean((x * b) ** 2))  # noqa: B023
        assert host(slope(b)).tolist() == host(jit(slope)(b)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("dtype", [fx.float32, fx.float64, fx.complex64], ids=str)
def test_sums_are_pairwise_along_every_axis(dtype: type[DType]) -> None:
    draw = np.random.default_rng(1).uniform(0.0, 1.0, (97, 1031, 5)).astype(dtype.dtype)
    shapes: list[tuple[Host, tuple[int, ...]]] = [
        (draw.reshape(-1, 5), (0,)),
        (draw.reshape(-1, 5).T, (1,)),
        (draw, (0, 1)),
        (draw, (0, 2)),
        (draw.transpose(2, 0, 1), (1, 2)),
        (draw[:, ::-1, 1:3], (0, 1)),
        (draw.reshape(-1, 1), (0,)),
    ]
    eps = float(fx.finfo(dtype).eps)
    for x, axes in shapes:
        exact: Host = x.astype(np.complex128 if dtype is fx.complex64 else np.longdouble).sum(axes)
        for keepdims in (False, True):
            got = fx.sum(fx.asarray(x), axis=axes, keepdims=keepdims)
            assert got.shape == x.sum(axes, keepdims=keepdims).shape
            np.testing.assert_allclose(host(got).reshape(exact.shape), exact, rtol=16 * eps)


def test_a_million_rows_of_one_number() -> None:
    rows = fx.full((10**6, 2), 0.1, dtype=fx.float32)

    def over_rows(x: Array) -> Array:
        return fx.sum(x, axis=0)

    for got in (over_rows(rows), jit(over_rows)(rows), fx.sum(rows.T, axis=1)):
        np.testing.assert_allclose(host(got), 10**6 * float(np.float32(0.1)), rtol=2e-6)


def test_integers_are_added_in_their_own_way() -> None:
    for dtype in (fx.int8, fx.uint8, fx.bool):
        x = fx.asarray(np.resize(np.array([1, 0, 1, 1], dtype.dtype), (300, 7)))
        for function in (fx.sum, fx.count_nonzero, lambda x: fx.sum(x, axis=0)):
            expected = np.asarray(x).astype(np.int64).sum(None if function in (fx.sum, fx.count_nonzero) else 0)
            for got in (function(x), jit(function)(x)):
                assert host(got).tolist() == expected.tolist()


def test_the_mean_of_lanes_of_integers() -> None:
    lanes = fx.full(300, 100, dtype=fx.int8)
    mean = vmap(lambda v: pmean(v, "i"), axis_name="i", out_axes=None)
    for got in (mean(lanes), jit(mean)(lanes)):
        assert got.dtype is fx.float64 and got.item() == 100.0


@pytest.mark.parametrize("dtype", [fx.bfloat16, fx.float16], ids=str)
def test_gradients_of_what_a_loop_closes_over(dtype: type[DType]) -> None:
    xs = fx.ones(4096, dtype=dtype)

    def total(b: Array) -> Array:
        _, ys = scan(lambda carry, x: (carry, x * b), fx.zeros((), dtype=dtype), xs)
        return fx.mean(ys)

    b = fx.asarray(1.0, dtype=dtype)
    for slope in (grad(total), jit(grad(total)), lambda b: vmap(grad(total))(b[None])[0]):
        assert slope(b).dtype is dtype and slope(b).item() == 1.0
    assert grad(grad(lambda b: total(b) ** 2))(b).item() == 2.0


@pytest.mark.parametrize("dtype", [fx.float32, fx.complex64, fx.bfloat16, fx.float16], ids=str)
def test_long_products_are_added_in_parts(dtype: type[DType]) -> None:
    count = 300_007
    x, v = fx.full((count, 3), 0.1, dtype=dtype), fx.full(count, 0.01, dtype=dtype)
    two, pairs = fx.stack([x, x]), fx.stack([v, v])

    def products(x: Array, v: Array, two: Array, pairs: Array) -> list[Array]:
        of_lanes = fx.einsum("kij,ki->kj", two, pairs)
        return [v @ x, x.T @ v, fx.vecdot(v, v * 10), x.T @ x / 10, fx.stack([v, v]) @ x, of_lanes]

    expected = count * np.asarray(x)[0, 0].astype(np.complex128) * np.asarray(v)[0].astype(np.complex128)
    close = 1e-4 if dtype.dtype.itemsize > 2 else 2 * float(fx.finfo(dtype).eps)
    for results in (products(x, v, two, pairs), jit(products)(x, v, two, pairs)):
        for i, result in enumerate(results):
            np.testing.assert_allclose(host(result).astype(np.complex128), expected, rtol=close, err_msg=str(i))
