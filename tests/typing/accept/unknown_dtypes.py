"""Functions of an array of which nothing is said give arrays that other functions take."""

from typing import reveal_type

import effects as fx
from effects import Array, linalg, nn
from handlers import vmap


def total(x: Array) -> Array:
    reveal_type((fx.abs(x), x.real))  # 2 × Array[Any, Any]
    parts = [fx.abs(x), abs(x), fx.real(x), fx.imag(x), x.real, x.imag, ~fx.bitwise_invert(x), fx.angle(x)]
    means = [fx.median(x), fx.nanmean(x), fx.nanmedian(x), fx.quantile(x, 0.5), fx.var(x), fx.cumlogsumexp(x)]
    sums = [fx.trapezoid(x), fx.cumsum(x), fx.nansum(x), fx.cumulative_sum(x), fx.ldexp(x, 1), *fx.modf(x)]
    layers = [nn.gelu(x), nn.elu(x), nn.celu(x), nn.glu(x), nn.leaky_relu(x), nn.standardize(x)]
    factors = [linalg.cholesky(x), linalg.pinv(x), linalg.lu(x).U, linalg.qr(x).Q, linalg.svd(x).U, linalg.svdvals(x)]
    powers = [linalg.det(x), linalg.norm(x), linalg.trace(x), linalg.expm(x), linalg.sqrtm(x), linalg.eigvals(x)]
    spectra = [fx.fft.fft(x), fx.fft.ifft(x), fx.fft.rfft(x), fx.fft.irfft(x), fx.fft.hfft(x), fx.fft.fftn(x)]
    everything = [fx.sum(y) for y in parts + means + sums + layers + factors + powers + spectra]
    return sum(everything, fx.sum(fx.max(fx.abs(x)) * fx.median(x)))


def products(x: Array) -> None:
    reveal_type((vmap(fx.vecdot)(x, x), vmap(fx.outer)(x, x)))  # 2 × Array[Any, Any]
