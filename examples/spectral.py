"""Filters of periodic signals and pictures, as products of spectra."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import effects as fx
from effects import Array, fft

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def low_pass(x: Array, rate: float, cutoff: float | Array, order: int = 4) -> Array:
    """A signal, with `rate` samples per second along the last axis, without frequencies above the cutoff, in Hertz.

    The gain is that of Butterworth's filter, 1 / √(1 + (f / cutoff)²ⁿ), without a delay.

    >>> fx.round(low_pass(fx.asarray([1.0, -1.0, 1.0, -1.0]) + 3.0, 4.0, 0.2), 2)
    Array([3., 3., 3., 3.], float64)
    """
    n = x.shape[-1]
    gain = 1 / fx.sqrt(1 + (fft.rfftfreq(n, d=1 / rate) / cutoff) ** (2 * order))
    return fft.irfft(fft.rfft(x) * gain, n=n)


def transfer(shape: tuple[int, ...], width: float | Array) -> Array:
    """Transfer function of a Gaussian blur of this width, in pixels: the factor of each frequency of a picture."""
    rows, columns = fft.fftfreq(shape[0])[:, None], fft.rfftfreq(shape[1])
    return fx.exp(-2 * (math.pi * width) ** 2 * (rows**2 + columns**2))


def blur(picture: Array, width: float | Array) -> Array:
    """The picture blurred by a Gaussian, periodic at its edges; differentiable in the width."""
    return fft.irfft2(fft.rfft2(picture) * transfer(picture.shape, width), s=picture.shape)


def sharpen(picture: Array, width: float | Array, noise: float | Array) -> Array:
    """The picture before the blur, by Wiener's filter: noise is its power relative to that of the picture.

    >>> picture = fx.asarray([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    >>> fx.allclose(sharpen(blur(picture, 0.5), 0.5, 1e-9), picture, atol=1e-4)
    Array(True, bool)
    """
    gain = transfer(picture.shape, width)
    return fft.irfft2(fft.rfft2(picture) * gain / (gain**2 + noise), s=picture.shape)


def derivative(x: Array, length: float, order: int = 1) -> Array:
    """The derivative of a periodic function sampled over one period of this length.

    >>> t = fx.linspace(0, 2 * math.pi, 8, endpoint=False)
    >>> fx.allclose(derivative(fx.sin(t), 2 * math.pi), fx.cos(t))
    Array(True, bool)
    """
    n = x.shape[-1]
    k = 2j * math.pi * fft.rfftfreq(n, d=length / n)
    spectrum = fft.rfft(x) * k**order
    if n % 2 == 0 and order % 2:  # at half the rate of samples the sign is not known
        spectrum = spectrum.at[..., -1].set(0.0)
    return fft.irfft(spectrum, n=n)


def picture(figure: Figure) -> str:
    """Rings with a blur of two pixels and a little noise, and their restoration."""
    figure.set_size_inches(4.8, 1.65)
    far = fx.hypot(*fx.meshgrid(fx.linspace(-1.0, 1.0, 96), fx.linspace(-1.0, 1.0, 96)))
    rings = fx.where(fx.cos(18 * far**1.5) > 0, 1.0, 0.0)
    noisy = blur(rings, 2.0) + 0.01 * fx.random.normal(fx.random.key(0), rings.shape)
    restored = sharpen(noisy, 2.0, 2e-3)
    for axes, image in zip(figure.subplots(1, 3), (rings, noisy, restored), strict=True):
        axes.imshow(np.asarray(fx.clip(image, 0.0, 1.0)), cmap="gray")
        axes.set_axis_off()
    before, after = [float(fx.sqrt(fx.mean((image - rings) ** 2))) for image in (noisy, restored)]
    return f"The root mean square error falls from {before:.3f} to {after:.3f}."
