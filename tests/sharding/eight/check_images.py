"""Convolutions and pools of images that are cut over a mesh."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import effects as fx
from lowering import Mesh
from tests.errors.untyped import device_put, grad, jit

MESH: Final = Mesh({"a": 4, "b": 2})
RNG: Final = np.random.default_rng(0)
IMAGES: Final[Any] = RNG.normal(size=(2, 4, 8, 8))
KERNELS: Final[Any] = RNG.normal(size=(4, 4, 4, 3))


@pytest.mark.parametrize("of_images", [(None, None, "b"), (None, "a", None, "b"), (None, None, None, ("a", "b"))])
@pytest.mark.parametrize("of_kernels", [(), (None, None, "b"), ("b", "a")])
@pytest.mark.parametrize("options", [{}, {"strides": 2, "padding": ((0, 2), (1, 0))}])
def test_convolutions_of_what_is_cut(of_images: Any, of_kernels: Any, options: dict[str, Any]) -> None:
    """XLA's partitioner has wrong numbers where the kernel is cut, too, or reaches over all of a part."""

    def f(x: Any, kernel: Any) -> Any:
        y = fx.conv(x, kernel, **options)
        return y, *grad(lambda *args: fx.sum(fx.sin(fx.conv(*args, **options))), argnums=(0, 1))(x, kernel)

    cut = device_put(IMAGES, MESH.sharding(*of_images)), device_put(KERNELS, MESH.sharding(*of_kernels))
    for one, other in zip(jit(f)(*cut), f(IMAGES, KERNELS), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("pool", [fx.nn.max_pool, fx.nn.avg_pool])
@pytest.mark.parametrize("cut", [(None, None, "a", "b"), (None, "b", None, "a")])
def test_pooling_of_what_is_cut(pool: Any, cut: Any) -> None:
    """XLA's partitioner ends the process over windows with gaps along a dimension that is cut."""

    def f(x: Any) -> Any:
        options: dict[str, Any] = {"strides": (3, 2), "padding": "same", "dilation": 2}
        slope = grad(lambda x: fx.sum(fx.sin(pool(x, (1, 4), **options))))
        return pool(x, (1, 4), **options), slope(x)

    for one, other in zip(jit(f)(device_put(IMAGES, MESH.sharding(*cut))), f(IMAGES), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12, atol=1e-14)
