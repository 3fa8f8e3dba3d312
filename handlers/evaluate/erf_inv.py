"""The inverse of the error function, which NumPy lacks: polynomials of M. Giles (2010), as XLA has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from effects.arrays.concrete import Host
from effects.runtime.coefficients import numbers_below

type _Piece = tuple[float, float, list[float]]


@cache
def _pieces() -> dict[str, list[_Piece]]:
    """By dtype, polynomials in w = -log(1 - x²), in √w all but the first: where each ends, its centre, coefficients."""
    pieces: dict[str, list[_Piece]] = {}
    for (dtype, up_to, centre), numbers in numbers_below(Path(__file__).with_suffix(".txt")):
        pieces.setdefault(dtype, []).append((float(up_to), float(centre), numbers))
    return pieces


def erf_inv(x: Host) -> Host:
    """y with erf(y) = x, of float32 or float64."""
    flat = x.reshape(-1)
    w = np.negative(np.log1p(-flat * flat))
    first, *others = _pieces()[x.dtype.name]
    out = polynomial(w - x.dtype.type(first[1]), first[2])
    lowest = first[0]
    for highest, centre, coefficients in others:
        at = np.flatnonzero((w >= lowest) & ~(w >= highest))
        if at.size:
            out[at] = polynomial(np.sqrt(w[at]) - x.dtype.type(centre), coefficients)
        lowest = highest
    out *= flat
    ends = np.abs(flat) == 1
    if ends.any():
        out[ends] = flat[ends] * x.dtype.type(np.inf)
    return out.reshape(x.shape)


def polynomial(w: npt.NDArray[np.floating], coefficients: Sequence[float]) -> npt.NDArray[np.floating]:
    """Σ c[n - k] wᵏ, in the dtype of w."""
    out = np.full_like(w, coefficients[0])
    for c in coefficients[1:]:
        np.multiply(out, w, out)
        np.add(out, c, out)
    return out
