"""Windows, by which segments are multiplied.

They are SciPy's, written again since its module takes the better part of a second to import.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import i0e

import effects as fx
from effects.arguments import at_least, counted, finite, flag, natural, positive, refusal, shown
from effects.arrays.array import Array
from effects.errors import ArgumentError
from effects.runtime.memory_errors import memory_errors
from effects.runtime.spellings import names_of
from effects.types.dtypes import f64

type Window = str | float | tuple[str | float | Sequence[float] | None, ...]
"""A name; a tuple of a name and parameters; or a number, the parameter of Kaiser's window."""
type Numbers = npt.NDArray[np.float64]
type Shape = Callable[..., Numbers]
"""f(t, n, *parameters): a window of n points at places t from -1 to 1."""


def _cosines(t: Numbers, n: int, weights: Sequence[float]) -> Numbers:
    """Σ wₖ cos(πkt)."""
    return sum([w * np.cos(math.pi * k * t) for k, w in enumerate(weights)], start=0.0 * t)


def _parzen(t: Numbers, n: int) -> Numbers:
    u = abs(t) * (n - 1) / n
    return np.where(abs(t) <= 0.5, 1 - 6 * u**2 + 6 * u**3, 2 * (1 - u) ** 3)


def _tukey(t: Numbers, n: int, alpha: float = 0.5) -> Numbers:
    share = min(at_least("get_window", "the share of a tukey window", alpha), 1.0)
    return (1 - np.cos(math.pi * np.clip((1 - abs(t)) / share, 0, 1))) / 2 if share else np.ones(n)


def _exponential(t: Numbers, n: int, center: float | None = None, tau: float = 1.0) -> Numbers:
    middle = (n - 1) / 2 if center is None else _number(center)
    return np.exp(-abs((t + 1) * (n - 1) / 2 - middle) / positive("get_window", "tau", tau))


def _gaussian(t: Numbers, n: int, p: float, sig: float) -> Numbers:
    width = positive("get_window", "the width of a gaussian window", sig)
    return np.exp(-0.5 * abs(t * (n - 1) / 2 / width) ** (2 * positive("get_window", "its power", p)))


def _kaiser(t: Numbers, n: int, beta: float) -> Numbers:
    b = abs(_number(beta))
    root: Numbers = np.sqrt(1 - t**2)
    shape: Numbers = np.exp(b * (root - 1)) * i0e(b * root) / i0e(b)
    return shape


WINDOWS: Final[dict[str, tuple[int, int, Shape]]] = {
    **{
        name: (0, 0, lambda t, n, weights=weights: _cosines(t, n, weights))
        for name, weights in {
            "boxcar": (1.0,),
            "hann": (0.5, 0.5),
            "hamming": (0.54, 0.46),
            "blackman": (0.42, 0.5, 0.08),
            "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
            "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
            "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
        }.items()
    },
    "bartlett": (0, 0, lambda t, n: 1 - abs(t)),
    "triang": (0, 0, lambda t, n: 1 - abs(t) * (n - 1) / (n + n % 2)),
    "parzen": (0, 0, _parzen),
    "bohman": (0, 0, lambda t, n: (1 - abs(t)) * np.cos(math.pi * abs(t)) + np.sin(math.pi * abs(t)) / math.pi),
    "cosine": (0, 0, lambda t, n: np.cos(math.pi / 2 * t * (n - 1) / n)),
    "barthann": (0, 0, lambda t, n: 0.62 - 0.24 * abs(t) + 0.38 * np.cos(math.pi * t)),
    "lanczos": (0, 0, lambda t, n: np.sinc(t)),
    "tukey": (0, 1, _tukey),
    "exponential": (0, 2, _exponential),
    "gaussian": (1, 1, lambda t, n, std: _gaussian(t, n, 1.0, std)),
    "general_gaussian": (2, 2, _gaussian),
    "general_hamming": (1, 1, lambda t, n, alpha: _cosines(t, n, (_number(alpha), 1 - _number(alpha)))),
    "general_cosine": (1, 1, lambda t, n, weights: _cosines(t, n, [_number(w) for w in weights])),
    "kaiser": (1, 1, _kaiser),
}
"""Windows by name: the least and the greatest number of parameters, and the shape."""


def _number(x: object) -> float:
    return float(finite("get_window", "a parameter of window", x))


def get_window(window: Window, Nx: int, fftbins: bool = True) -> Array[f64]:
    """A window of Nx points by its name, or its name and parameters; a number is the parameter of Kaiser's window.

    It is periodic with Nx points, or symmetric if not `fftbins`. The names are boxcar, hann, hamming, blackman,
    nuttall, blackmanharris, flattop, bartlett, triang, parzen, bohman, cosine, barthann and lanczos; with parameters
    ("tukey", alpha), ("exponential", center, tau), ("gaussian", std), ("general_gaussian", p, sig), ("general_hamming",
    alpha), ("general_cosine", weights) and ("kaiser", beta).

    >>> import effects as fx
    >>> fx.signal.get_window("hann", 4), fx.signal.get_window(("kaiser", 0.0), 2)
    (Array([0. , 0.5, 1. , 0.5], float64), Array([1., 1.], float64))
    """
    points, periodic = natural("get_window", "Nx", Nx), flag("get_window", "fftbins", fftbins)
    name, *parameters = window if isinstance(window, tuple) and window else (window,)
    if isinstance(window, float | int) and not isinstance(window, bool):
        name, parameters = "kaiser", [window]
    if not isinstance(name, str) or name not in WINDOWS:
        other = names_of("keywords")["choices"].get(name, name.lower()) if isinstance(name, str) else None
        array = "write asarray(scipy.signal.get_window(window, n)) for another"
        advice = f"write {other!r}" if other in WINDOWS else array
        raise refusal("get_window", "window", f"a name of a window, one of {', '.join(WINDOWS)}", window, advice)
    fewest, most, shape = WINDOWS[name]
    if not fewest <= len(parameters) <= most:
        count = ("" if fewest == most else f"{fewest} to ") + counted(most, "parameter")
        advice = f"write ('{name}'{', …' * most})" if most else f"write '{name}'"
        raise ArgumentError(f"get_window: a {name} window has {count}, got {shown(window)}; {advice}")
    if points < 2:
        return fx.ones(points, fx.float64)
    n = points + periodic
    with memory_errors, np.errstate(over="ignore", under="ignore"):
        at: Any = (2 * np.arange(n) - (n - 1)) / (n - 1)
        return fx.asarray(shape(at, n, *parameters)[:points])
