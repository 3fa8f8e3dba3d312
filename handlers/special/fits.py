"""Functions of one variable by polynomials on intervals.

Each polynomial interpolates its function at Chebyshev's points of its interval, computed with 34 digits, and has as
many coefficients as it takes to be right to 18. It is in t, which goes from -1 to 1 over the interval, highest power
first. Everything is in double precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.functions import logic
from effects.types import dtypes
from handlers.special import table_bessel, table_gamma


class Fit(NamedTuple):
    """A polynomial and its interval, by the middle and half of its length."""

    middle: float
    half: float
    coefficients: tuple[float, ...]


def _read(table: str) -> dict[str, Fit]:
    found: dict[str, Fit] = {}
    name, low, high = "", 0.0, 0.0
    numbers: list[float] = []
    for line in (*table.strip().splitlines(), "END 0 0"):
        if line[0] == " ":
            numbers += map(float, line.split())
            continue
        if name:
            found[name] = Fit((low + high) / 2, (high - low) / 2, tuple(numbers))
        name, first, last = line.split()
        low, high, numbers = float(first), float(last), []
    return found


FITS: Final = {**_read(table_gamma.TABLE), **_read(table_bessel.TABLE)}


def polynomial(t: Array, coefficients: Sequence[float]) -> Array:
    """Σ c[n - k] tᵏ, by Horner's rule."""
    total = t * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        total = total * t + c
    return total


def fit(name: str, x: Array) -> Array:
    """The function of this name, on its interval."""
    middle, half, coefficients = FITS[name]
    return polynomial((x - middle) / half, coefficients)


def fits(cases: Sequence[tuple[Array, str, Array]], name: str, x: Array) -> Array:
    """The first of the functions whose condition holds, each of its own variable, else that of `name` of x.

    One polynomial is computed: its coefficients are chosen, for each element.
    """
    middle, half, coefficients = FITS[name]
    t = (x - middle) / half
    longest = max([len(coefficients), *[len(FITS[other].coefficients) for _, other, _ in cases]])
    chosen: list[Array] = _padded(coefficients, longest)
    for holds, other, variable in cases[::-1]:
        middle, half, coefficients = FITS[other]
        t = logic.where(holds, (variable - middle) / half, t)
        chosen = [logic.where(holds, a, b) for a, b in zip(_padded(coefficients, longest), chosen, strict=True)]
    total = t * chosen[0] + chosen[1]
    for c in chosen[2:]:
        total = total * t + c
    return total


def _padded(coefficients: tuple[float, ...], length: int) -> list[Array]:
    return [scalar(c, dtypes.float64) for c in (*[0.0] * (length - len(coefficients)), *coefficients)]
