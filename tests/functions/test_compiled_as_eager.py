"""What XLA computes otherwise where there are thousands of elements: it is the same as eagerly, NaN included."""

from collections.abc import Callable

import numpy as np
import pytest

import effects as fx
from effects import linalg, nn
from lowering import jit

rng = np.random.default_rng(0)

REDUCTIONS: dict[str, Callable[[fx.Array], fx.Array]] = {
    "max of rows": lambda x: fx.max(x, axis=1),
    "min of columns": lambda x: fx.min(x, axis=0),
    "max of all": fx.max,
    "ptp": lambda x: fx.ptp(x, axis=1),
    "argmax": lambda x: fx.argmax(x, axis=1),
    "argmin": lambda x: fx.argmin(x, axis=0),
    "norm": lambda x: linalg.vector_norm(x, axis=1, ord=fx.inf),
    "windows": lambda x: fx.window_max(x, (2, 4), strides=(2, 4)),
    "pool": lambda x: nn.max_pool(x.reshape((1, 1, *x.shape)), 2),
    "sum of relu": lambda x: fx.sum(fx.maximum(x, 0.0), axis=1),
    "mean of a minimum": lambda x: fx.mean(fx.minimum(x, 1.0)),
    "max of a sum": lambda x: fx.max(x + 1.0, axis=1),
    "max of a product": lambda x: fx.max(x @ x.T, axis=1),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_goes_through_what_is_compiled_of_many_elements(dtype: str) -> None:
    x = rng.normal(size=(96, 128)).astype(dtype)
    x[5, 7] = x[40, 127] = np.nan
    compiled = jit(lambda x: [f(x) for f in REDUCTIONS.values()])(x)
    for (name, f), actual in zip(REDUCTIONS.items(), compiled, strict=True):
        expected = np.asarray(f(fx.asarray(x)))
        if expected.dtype.kind == "i":
            assert np.array_equal(np.asarray(actual), expected), name
        else:
            assert np.isnan(expected).any(), name
            assert np.array_equal(np.isnan(np.asarray(actual)), np.isnan(expected)), name


def test_sums_of_many_elements_are_of_the_elements() -> None:
    x = rng.normal(size=(96, 128)).astype("float32")
    rounded, large = jit(
        lambda x: (fx.sum(x.astype(fx.bfloat16).astype(fx.float32)), fx.sum(fx.exp(x * 0 + 88.7) * 1e-30, axis=1))
    )(x)
    assert np.isclose(float(rounded), np.sum(np.asarray(fx.asarray(x).astype(fx.bfloat16)).astype("float64")), 1e-5)
    assert np.allclose(np.asarray(large), 128 * np.exp(np.float32(88.7)).astype("float64") * 1e-30, 1e-4)


SHAPES = [((5000,), 3), ((2, 3, 777), 5), ((2, 4096), 1)]


@pytest.mark.parametrize("dtype", [fx.float32, fx.float64, fx.bfloat16, fx.int8, fx.uint32, fx.bool], ids=str)
def test_the_greatest_of_many_are_those_found_eagerly(dtype: type[fx.DType]) -> None:
    """Equal elements, both zeros and NaN of both signs, in blocks and in what is left of them."""
    xs = [np.array(fx.asarray(rng.integers(0, 6, shape)).astype(dtype)) for shape, _ in SHAPES]
    for x in xs:
        if issubclass(dtype, fx.Floating):
            flat = x.reshape(-1)
            flat[::3] = -np.zeros((), x.dtype)
            flat[7::501] = -np.array(np.nan, x.dtype)
            flat[-1:] = np.array(np.nan, x.dtype)
            flat[: x.shape[-1] // 2] = np.array(-np.inf, x.dtype)
    compiled = jit(lambda *xs: [fx.top_k(x, k) for x, (_, k) in zip(xs, SHAPES, strict=True)])(*xs)
    for x, (_, k), (values, places) in zip(xs, SHAPES, compiled, strict=True):
        eager = fx.top_k(x, k)
        assert np.array_equal(np.asarray(eager[1]), np.asarray(places))
        wide, found = (np.asarray(v).astype("float64") for v in (eager[0], values))
        assert np.array_equal(wide, found, equal_nan=True) and not np.signbit(found[found == 0]).any()
