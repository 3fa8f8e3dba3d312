"""Spectra of segments of signals, and trends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import effects as fx
from effects.arguments import choice, entries, flag, integers, natural, positive, step_count
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, at_least_single, convert, inexact, promoted
from effects.errors import ArgumentError, DTypeError, ShapeError
from effects.signal.weights import Window, get_window
from effects.types import dtypes, shapes

type Scaling = Literal["density", "spectrum"]
type Average = Literal["mean", "median"]
type Trend = Literal["linear", "constant", False]
type Boundary = Literal["even", "odd", "constant", "zeros"] | None

_SEGMENT: Final = 256
"""Default number of points of a segment."""
_BEYOND: Final[dict[str, tuple[Literal["constant", "reflect", "edge"], Literal["even", "odd"] | None]]] = {
    "even": ("reflect", None),
    "odd": ("reflect", "odd"),
    "constant": ("edge", None),
    "zeros": ("constant", None),
}
"""The mode of `pad` for each way to extend a signal."""


class Segments(NamedTuple):
    """The window, its points, the step from a segment to the next, the points of a transform and of a unit of time."""

    window: Array
    points: int
    step: int
    length: int
    rate: float

    def scale(self, density: bool) -> Array:
        """Factor of powers, for a density or for the power of sines."""
        return 1 / (self.rate * fx.sum(self.window**2)) if density else 1 / fx.sum(self.window) ** 2

    def frequencies(self, onesided: bool) -> Array:
        return (fx.fft.rfftfreq if onesided else fx.fft.fftfreq)(self.length, 1 / self.rate)

    def places(self, count: int) -> Array:
        """The positions of the points of segments."""
        return (fx.arange(count) * self.step)[:, None] + fx.arange(self.points)


def _segments(
    function: str,
    x: Array,
    fs: object,
    window: Window | ArrayLike,
    nperseg: object,
    noverlap: object,
    nfft: object,
    n: int,
) -> Segments:
    """The segments of a signal of n points, in the real dtype of x."""
    if not n:
        raise ShapeError(f"{function}: x must have points along axis, got {x.aval}")
    points = min(_SEGMENT, n) if nperseg is None else step_count(function, "nperseg", nperseg)
    if isinstance(window, str | tuple | float | int):
        shape = get_window(window, points)
    else:
        shape = as_array(window, function, "window")
        if shape.ndim != 1 or not shape.size or nperseg not in (None, shape.size):
            raise ShapeError(f"{function}: window must be a vector of nperseg elements, got {shape.aval}")
        if issubclass(shape.dtype, dtypes.Complex):
            raise DTypeError(f"{function}: window must be of real numbers, got {shape.aval}")
        points = shape.size
    if points > n:
        raise ShapeError(f"{function}: nperseg must be at most the {n} points of the signal, got {points}")
    overlap = points // 2 if noverlap is None else natural(function, "noverlap", noverlap)
    length = points if nfft is None else step_count(function, "nfft", nfft)
    if overlap >= points:
        raise ArgumentError(f"{function}: noverlap must be less than nperseg, {points}, got {overlap}")
    if length < points:
        raise ArgumentError(f"{function}: nfft must be at least nperseg, {points}, got {length}")
    shape = convert(shape, dtypes.real_of(x.dtype))
    return Segments(shape, points, points - overlap, length, float(positive(function, "fs", fs)))


def _signal(function: str, argument: str, x: object, axis: int) -> tuple[Array, int]:
    """The signal with `axis` moved to the end, and the position of the axis."""
    array = inexact(function, x, argument)
    if not array.ndim:
        raise ShapeError(f"{function}: {argument} must have an axis of points, got {array.aval}")
    at = shapes.normalize_axis(function, array.shape, axis)
    return fx.moveaxis(at_least_single(array), at, -1), at


def _transformed(function: str, x: Array, segments: Segments, trend: Trend, onesided: bool) -> Array:
    """The transforms of the segments of x, each along the last axis."""
    parts = x[..., segments.places((x.shape[-1] - segments.points) // segments.step + 1)]
    if trend is not False:
        linear = choice(function, "detrend", trend, ("linear", "constant")) == "linear"
        parts = _less_line(parts) if linear else parts - fx.mean(parts, axis=-1, keepdims=True)
    return (fx.fft.rfft if onesided else fx.fft.fft)(parts * segments.window, segments.length)


def _is_onesided(function: str, argument: str, value: object, *xs: Array) -> bool:
    return flag(function, argument, value) and not any([issubclass(x.dtype, dtypes.Complex) for x in xs])


def detrend(
    data: ArrayLike, /, axis: int = -1, type: Literal["linear", "constant"] = "linear", bp: int | Sequence[int] = 0
) -> Array:
    """The data less the nearest line, by least squares, or less its mean (`type` "constant"), along `axis`.

    `bp` are indices between which each part has its own line.

    >>> import effects as fx
    >>> fx.signal.detrend(fx.asarray([1.0, 3.0, 4.0, 7.0]), type="constant")
    Array([-2.75, -0.75,  0.25,  3.25], float64)
    """
    x, at = _signal("detrend", "data", data, axis)
    n = x.shape[-1]
    if not n:
        raise ShapeError(f"detrend: data must have elements along axis {at}, got {x.aval}")
    if choice("detrend", "type", type, ("linear", "constant")) == "constant":
        return fx.moveaxis(x - fx.mean(x, axis=-1, keepdims=True), -1, at)
    breaks = integers("detrend", "bp", entries(bp))
    if any([not 0 <= b <= n for b in breaks]):
        raise ArgumentError(f"detrend: bp must be positions from 0 to {n}, got {bp}")
    ends = sorted({0, *breaks, n})
    parts = [_less_line(x[..., start:stop]) for start, stop in pairwise(ends)]
    return fx.moveaxis(fx.concat(parts, axis=-1), -1, at)


def _less_line(x: Array) -> Array:
    n = x.shape[-1]
    places = fx.arange(n, dtype=dtypes.real_of(x.dtype)) - (n - 1) / 2
    slope = fx.sum(places * x, axis=-1, keepdims=True) / (n * (n * n - 1) / 12 or 1)
    return x - fx.mean(x, axis=-1, keepdims=True) - slope * places


def csd(
    x: ArrayLike,
    y: ArrayLike,
    /,
    fs: float = 1.0,
    *,
    window: Window | ArrayLike = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: Scaling = "density",
    axis: int = -1,
    average: Average = "mean",
) -> tuple[Array, Array]:
    """Frequencies, and the cross power of x and y at them: the mean of conj(X)·Y over segments (Welch, 1967).

    Segments along `axis` have `nperseg` points (256, or all if there are fewer) and overlap by `noverlap` (half of
    them). Each segment loses its `detrend` ("constant", "linear" or False), is multiplied by the `window` ("hann"), a
    name or an array, padded with zeros to `nfft` points and transformed; `fs` is the sampling frequency. Powers are
    densities, or with `scaling="spectrum"` those of sines; for real signals they include both directions, unless
    `return_onesided=False`. `average="median"` is corrected for its bias.

    >>> import effects as fx
    >>> frequencies, power = fx.signal.csd(fx.sin(fx.arange(32.0)), fx.cos(fx.arange(32.0)), nperseg=16)
    >>> frequencies[fx.argmax(abs(power))]
    Array(0.1875, float64)
    """
    options = (window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    return _cross_power("csd", x, y, fs, *options)


def welch(
    x: ArrayLike,
    /,
    fs: float = 1.0,
    *,
    window: Window | ArrayLike = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: Scaling = "density",
    axis: int = -1,
    average: Average = "mean",
) -> tuple[Array, Array]:
    """Frequencies, and the power of x at them: `csd` of x and itself.

    >>> import effects as fx
    >>> frequencies, power = fx.signal.welch(fx.sin(fx.arange(32.0)), nperseg=16)
    >>> frequencies[fx.argmax(power)]
    Array(0.1875, float64)
    """
    options = (window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    frequencies, power = _cross_power("welch", x, None, fs, *options)
    return frequencies, fx.real(power)


def _cross_power(
    function: str,
    x: ArrayLike,
    y: ArrayLike | None,
    fs: float,
    window: Window | ArrayLike,
    nperseg: int | None,
    noverlap: int | None,
    nfft: int | None,
    detrend: Trend,
    return_onesided: bool,
    scaling: Scaling,
    axis: int,
    average: Average,
) -> tuple[Array, Array]:
    first, at = _signal(function, "x", x, axis)
    second = first
    if y is not None:
        first, second = promoted(function, x=first, y=_signal(function, "y", y, axis)[0])
        if first.shape[-1] != second.shape[-1]:
            raise ShapeError(
                f"{function}: x and y must have as many points along axis, got {first.aval} and {second.aval}"
            )
    segments = _segments(function, first, fs, window, nperseg, noverlap, nfft, first.shape[-1])
    onesided = _is_onesided(function, "return_onesided", return_onesided, first, second)
    scale = segments.scale(choice(function, "scaling", scaling, Scaling) == "density")
    by_mean = choice(function, "average", average, Average) == "mean"
    transform = _transformed(function, first, segments, detrend, onesided)
    other = transform if y is None else _transformed(function, second, segments, detrend, onesided)
    power = fx.conj(transform) * other * scale
    if onesided:
        last = power.shape[-1] - (1 - segments.length % 2)
        power = power.at[..., 1:last].multiply(2)
    if by_mean:
        mean = fx.mean(power, axis=-2)
    else:
        medians = [fx.median(part, axis=-2) for part in (fx.real(power), fx.imag(power))]
        count = (power.shape[-2] - 1) // 2
        mean = fx.complex(*medians) / (1 + sum([1 / (2 * k + 1) - 1 / (2 * k) for k in range(1, count + 1)]))
    return segments.frequencies(onesided), fx.moveaxis(mean, -1, at - first.ndim)


def stft(
    x: ArrayLike,
    /,
    fs: float = 1.0,
    window: Window | ArrayLike = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = False,
    return_onesided: bool = True,
    boundary: Boundary = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: Literal["spectrum", "psd"] = "spectrum",
) -> tuple[Array, Array, Array]:
    """Frequencies, times, and the Fourier transforms of segments of x around these times, along a new last axis.

    Arguments are those of `csd`. Segments begin half of one before x, which is extended there by zeros, or as
    `boundary` says; with `padded` zeros fill the last one. `istft` is the inverse.

    >>> import effects as fx
    >>> frequencies, times, transforms = fx.signal.stft(fx.sin(fx.arange(32.0)), nperseg=16)
    >>> transforms.shape, times
    ((9, 5), Array([ 0.,  8., 16., 24., 32.], float64))
    """
    signal, at = _signal("stft", "x", x, axis)
    if not signal.shape[-1]:
        raise ShapeError(f"stft: x must have elements along axis {at}, got {signal.aval}")
    around = None if boundary is None else choice("stft", "boundary", boundary, tuple(_BEYOND))
    segments = _segments("stft", signal, fs, window, nperseg, noverlap, nfft, signal.shape[-1])
    half = segments.points // 2 if around else 0
    widths = [(0, 0)] * (signal.ndim - 1)
    if around is not None:
        mode, kind = _BEYOND[around]
        signal = fx.pad(signal, [*widths, (half, half)], mode, reflect_type=kind)
    if flag("stft", "padded", padded):
        lacking = -(signal.shape[-1] - segments.points) % segments.step % segments.points
        signal = fx.pad(signal, [*widths, (0, lacking)])
    onesided = _is_onesided("stft", "return_onesided", return_onesided, signal)
    scale = segments.scale(choice("stft", "scaling", scaling, ("spectrum", "psd")) == "psd")
    transforms = _transformed("stft", signal, segments, detrend, onesided) * fx.sqrt(scale)
    times = (fx.arange(transforms.shape[-2]) * segments.step + (0 if around else segments.points / 2)) / segments.rate
    return segments.frequencies(onesided), times, fx.moveaxis(fx.moveaxis(transforms, -2, -1), -2, at)


def istft(
    Zxx: ArrayLike,
    /,
    fs: float = 1.0,
    window: Window | ArrayLike = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: Literal["spectrum", "psd"] = "spectrum",
) -> tuple[Array, Array]:
    """Times, and the signal whose `stft` comes nearest to Zxx (Griffin, Lim, 1984).

    Arguments are those of `stft`; `boundary` tells that its segments began before the signal. Points outside all
    windows are 0.

    >>> import effects as fx
    >>> x = fx.sin(fx.arange(32.0))
    >>> fx.allclose(fx.signal.istft(fx.signal.stft(x, nperseg=16)[2])[1], x)
    Array(True, bool)
    """
    array = inexact("istft", Zxx, "Zxx")
    named = (("time_axis", time_axis), ("freq_axis", freq_axis))
    axes = [shapes.normalize_axis("istft", array.shape, axis, name) for name, axis in named]
    if axes[0] == axes[1]:
        raise ArgumentError(f"istft: time_axis and freq_axis must differ, both are {axes[0]}")
    transforms = fx.moveaxis(at_least_single(array), tuple(axes), (-2, -1))
    onesided, bins = flag("istft", "input_onesided", input_onesided), transforms.shape[-1]
    points = 2 * (bins - 1) if onesided else bins
    size = points if nperseg is None else step_count("istft", "nperseg", nperseg)
    if nfft is None and size > points + onesided:
        raise ArgumentError(
            f"istft: nperseg must be at most {points + onesided}, as Zxx has {bins} frequencies, got {size}"
        )
    length = nfft if nfft is not None else size if onesided and size == points + 1 else points
    segments = _segments("istft", transforms, fs, window, size, noverlap, length, size)
    scale = segments.scale(choice("istft", "scaling", scaling, ("spectrum", "psd")) == "psd")
    parts = (fx.fft.irfft if onesided else fx.fft.ifft)(transforms, segments.length)[..., : segments.points]
    count = transforms.shape[-2]
    total, places = (count - 1) * segments.step + segments.points, segments.places(count)
    weighted = parts * segments.window / fx.sqrt(scale)
    sums = fx.zeros((*parts.shape[:-2], total), weighted.dtype).at[..., places].add(weighted)
    norms = fx.zeros(total, segments.window.dtype).at[places].add(fx.broadcast_to(segments.window**2, places.shape))
    signal = sums / fx.where(norms > 1e-10, norms, 1)
    half = segments.points // 2 if flag("istft", "boundary", boundary) else 0
    signal = signal[..., half : total - half]
    time, frequency = axes
    return fx.arange(signal.shape[-1]) / segments.rate, fx.moveaxis(signal, -1, time - (frequency < time))
