"""einops takes arrays as it takes NumPy's: eagerly, under transformations, and where they can be assigned to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import effects as fx
from handlers import grad, vmap, writable
from lowering import jit

einops: Any = pytest.importorskip("einops")

X = np.random.default_rng(0).normal(size=(2, 3, 4))

CALLS: dict[str, Callable[..., Any]] = {
    "rearrange": lambda x: einops.rearrange(x, "a b c -> (b a) c"),
    "rearrange of a list": lambda x: einops.rearrange([x, 2.0 * x], "k a b c -> a k b c"),
    "reduce by mean": lambda x: einops.reduce(x, "a b c -> a c", "mean"),
    "reduce by max": lambda x: einops.reduce(x, "a (b) c -> b 1", "max"),
    "repeat": lambda x: einops.repeat(x, "a b c -> a (b 2) c 3"),
    "einsum": lambda x: einops.einsum(x, x[0], "a b c, d c -> a b d"),
    "pack": lambda x: einops.pack([x, x[..., 0]], "a b *")[0],
    "unpack": lambda x: einops.unpack(x, [(2,), (1, 2)], "a b *")[1],
}


@pytest.mark.parametrize("name", CALLS)
def test_in_every_mode(name: str) -> None:
    f = CALLS[name]
    expected = f(X)
    lanes: Callable[[Any], Any] = lambda x: vmap(f)(x[None])[0]
    for run in (f, jit(f), lanes, jit(lanes), writable(f), jit(writable(f))):
        result = run(fx.asarray(X))
        assert isinstance(result, fx.Array)
        np.testing.assert_allclose(result, expected, rtol=1e-14)
    weights, direction = (
        np.cos(np.arange(expected.size)).reshape(expected.shape),
        np.sin(np.arange(24.0)).reshape(X.shape),
    )
    difference = np.sum(weights * (f(X + 1e-6 * direction) - f(X - 1e-6 * direction))) / 2e-6
    for slope in (grad(lambda x: fx.sum(f(x) * weights)), jit(grad(lambda x: fx.sum(writable(f)(x) * weights)))):
        np.testing.assert_allclose(np.sum(np.asarray(slope(fx.asarray(X))) * direction), difference, rtol=1e-8)


def test_to_numpy_and_back() -> None:
    assert np.array_equal(einops.asnumpy(fx.asarray(X)), X)
    assert einops.parse_shape(fx.asarray(X), "a _ c") == {"a": 2, "c": 4}
