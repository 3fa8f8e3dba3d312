"""Resizing beside Pillow, and beside a loop over the new elements; its derivative, lanes, dtypes and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from PIL import Image

import effects as fx
from effects.errors import ArgumentError, EffaxError, OutOfMemoryError, ShapeError
from handlers import linear_transpose, vmap
from lowering import jit

RNG: Final = np.random.default_rng(5)
resize: Final = fx.image.resize
PILLOW: Final = {
    "nearest": Image.Resampling.NEAREST,
    "linear": Image.Resampling.BILINEAR,
    "cubic": Image.Resampling.BICUBIC,
    "lanczos3": Image.Resampling.LANCZOS,
}


@pytest.mark.parametrize("method", PILLOW)
@pytest.mark.parametrize("shape", [(3, 4), (14, 11), (7, 30), (40, 2), (1, 1), (15, 16)])
def test_is_that_of_pillow(method: Any, shape: tuple[int, int]) -> None:
    x = RNG.normal(size=(14, 15)).astype(np.float32)
    expected = np.asarray(Image.fromarray(x).resize(shape[::-1], PILLOW[method]))
    np.testing.assert_allclose(resize(x, shape, method), expected, rtol=2e-5, atol=2e-6)


def _cubic(x: float) -> float:
    if x < 1:
        return 1.5 * x**3 - 2.5 * x**2 + 1
    return -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2 if x < 2 else 0.0


def _lanczos(x: float) -> float:
    if x == 0:
        return 1.0
    return 3 * math.sin(math.pi * x) * math.sin(math.pi * x / 3) / (math.pi * x) ** 2 if x < 3 else 0.0


KERNELS: Final[dict[str, Callable[[float], float]]] = {
    "linear": lambda x: max(1 - x, 0.0),
    "cubic": _cubic,
    "lanczos3": _lanczos,
}


def loop(x: np.ndarray, n: int, kernel: Callable[[float], float], antialias: bool) -> np.ndarray:
    out, m = np.zeros((n, *x.shape[1:])), len(x)
    for i in range(n):
        centre = (i + 0.5) * m / n - 0.5
        width = max(m / n, 1.0) if antialias else 1.0
        weights = [kernel(abs(centre - j) / width) for j in range(m)]
        out[i] = sum([w * row for w, row in zip(weights, x, strict=True)]) / sum(weights)
    return out


@pytest.mark.parametrize("method", KERNELS)
@pytest.mark.parametrize("antialias", [True, False])
def test_is_the_loop(method: Any, antialias: bool) -> None:
    x = RNG.normal(size=(3, 7, 8, 2))
    kernel = KERNELS[method]
    for shape in ((3, 7, 8, 2), (3, 12, 3, 2), (3, 2, 8, 2), (5, 5, 5, 5)):
        expected = x
        for axis, n in enumerate(shape):
            if n != x.shape[axis]:
                rows = np.moveaxis(expected, axis, 0)
                expected = np.moveaxis(loop(rows, n, kernel, antialias), 0, axis)
        for f in (resize, jit(resize, static_argnums=(1, 2, 3))):
            np.testing.assert_allclose(f(x, shape, method, antialias), expected, rtol=1e-11, atol=1e-13)
    lanes = vmap(lambda x: resize(x, (9, 4, 2), method, antialias))(x)
    np.testing.assert_allclose(lanes, resize(x, (3, 9, 4, 2), method, antialias), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("method", PILLOW)
def test_its_derivative_is_its_transpose(method: Any) -> None:
    def f(x: fx.Array) -> fx.Array:
        return resize(x, (3, 11), method)

    x, y = fx.asarray(RNG.normal(size=(5, 4))), fx.asarray(RNG.normal(size=(3, 11)))
    (back,) = linear_transpose(f, x)(y)
    np.testing.assert_allclose(fx.sum(f(x) * y), fx.sum(x * back), rtol=1e-12)
    np.testing.assert_allclose(jit(linear_transpose(f, x))(y)[0], back, rtol=1e-12)


def test_dtypes() -> None:
    counts = fx.asarray([[1, 2], [3, 4]])
    assert resize(counts, (2, 3), "nearest").dtype is fx.int64 and resize(counts, (2, 3), "cubic").dtype is fx.float64
    waves = RNG.normal(size=5) + 1j * RNG.normal(size=5)
    parts = [np.asarray(resize(part, 8, "cubic")) for part in (waves.real, waves.imag)]
    np.testing.assert_allclose(resize(waves, 8, "cubic"), parts[0] + 1j * parts[1], rtol=1e-13)
    narrow = fx.asarray(RNG.normal(size=(6, 6)), dtype="bfloat16")
    wide = resize(narrow.astype("float32"), (4, 9), "lanczos3").astype("bfloat16")
    np.testing.assert_array_equal(resize(narrow, (4, 9), "lanczos3").astype("float32"), wide.astype("float32"))
    assert resize(fx.ones((3, 4)), (0, 2), "linear").shape == (0, 2)
    assert resize(fx.ones((0, 4)), (0, 2), "linear").shape == (0, 2)


X: Final = fx.ones((2, 3))
REFUSED: Final[dict[str, tuple[type[EffaxError], Callable[[], object], str]]] = {
    "memory": (OutOfMemoryError, lambda: resize(X, (2**55, 3), "nearest"), "resize: there is not enough memory"),
    "memory of weights": (OutOfMemoryError, lambda: resize(X, (2**55, 3), "linear"), "resize: there is not enough"),
    "a rank": (ShapeError, lambda: resize(X, (4,), "linear"), r"a size for each axis of image, .*, got \[4\]"),
    "nothing": (
        ShapeError,
        lambda: resize(X[:, :0], (2, 1), "nearest"),
        "axis 1 of image, .* has no elements to make 1",
    ),
    "a size": (ShapeError, lambda: resize(X, (2, -3), "nearest"), "dimension -3 is negative"),
    "a name": (ArgumentError, lambda: resize(X, (2, 4), "bilinear"), "method must be 'nearest', 'linear', 'cubic' or"),  # type: ignore[arg-type]  # the mistake
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, attempt, words = REFUSED[name]
    with pytest.raises(error, match=words):
        attempt()
