"""Functions of one variable by polynomials on intervals.

Each polynomial interpolates its function at Chebyshev's points of its interval (`tests.special.coefficients`), and has
as many coefficients as it takes to be right to 18 digits. It is in t, which goes from -1 to 1 over the interval,
highest power first: a table beside this file has its name, the interval and these. Everything is in double precision.
Where the result is rounded to single precision, fewer coefficients suffice: as a sum of Chebyshev's polynomials it is
truncated, since the last terms are the smallest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from effects.arrays.array import Array
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.series import polynomial
from effects.functions.manipulation import movement
from effects.functions.manipulation.repetition import broadcast_arrays
from effects.runtime.caches import memoised
from effects.runtime.coefficients import numbers_below
from effects.special.calling import tolerance
from effects.types import dtypes


class Fit(NamedTuple):
    """A polynomial and its interval, by the middle and half of its length."""

    middle: float
    half: float
    coefficients: tuple[float, ...]


def _read(table: str) -> dict[str, Fit]:
    fits_by_name: dict[str, Fit] = {}
    for (name, *interval), numbers in numbers_below(Path(__file__).with_name(f"{table}.txt")):
        low, high = map(float, interval)
        fits_by_name[name] = Fit((low + high) / 2, (high - low) / 2, tuple(numbers))
    return fits_by_name


_EXP2: Final = tuple([math.log(2.0) ** k / (2**k * math.factorial(k)) for k in range(13, -1, -1)])
FITS: Final = {
    **{name: f for table in ("gamma", "bessel", "integrals") for name, f in _read(table).items()},
    "EXP2": Fit(0.0, 0.5, _EXP2),
}
_LONGEST: Final = max([len(f.coefficients) for f in FITS.values()])


def fitted(name: str) -> Fit:
    """The polynomial of this name, with as many coefficients as the present tolerance needs."""
    share = tolerance.get()
    return _shortened(name, share) if share else FITS[name]


@memoised
def _shortened(name: str, share: float) -> Fit:
    middle, half, coefficients = FITS[name]
    chebyshev = coefficients[::-1] @ _powers_in_chebyshev()[: len(coefficients), : len(coefficients)]
    smallest_value = np.abs(np.polyval(coefficients, np.linspace(-1.0, 1.0, 257))).min()
    remainders = np.cumsum(np.abs(chebyshev)[::-1])[::-1]
    length = max(2, int(np.count_nonzero(remainders > share * smallest_value)))
    powers = chebyshev[:length] @ _chebyshev_in_powers()[:length, :length]
    return Fit(middle, half, tuple(powers[::-1].tolist()))


@cache
def _powers_in_chebyshev() -> npt.NDArray[np.float64]:
    """In row n, xⁿ as a sum of Chebyshev's polynomials, whose products with x are means of their neighbours."""
    rows = np.eye(_LONGEST)
    for n in range(1, _LONGEST):
        half_previous = 0.5 * rows[n - 1]
        rows[n] = np.append(half_previous[1:], 0.0) + np.append(0.0, half_previous[:-1])
        rows[n, 1] += half_previous[0]
    return rows


@cache
def _chebyshev_in_powers() -> npt.NDArray[np.float64]:
    """In row n, the coefficients of Chebyshev's polynomial of degree n, the lowest first; they are exact."""
    rows = np.eye(_LONGEST)
    for n in range(2, _LONGEST):
        rows[n] = 2.0 * np.append(0.0, rows[n - 1, :-1]) - rows[n - 2]
    return rows


def veltkamp_split(x: Array) -> tuple[Array, Array]:
    """x as a sum of two numbers whose products are exact (Veltkamp's splitting)."""
    scaled = (134217729.0 if x.aval.dtype is dtypes.float64 else 4097.0) * x
    high = scaled - (scaled - x)
    return high, x - high


def exact_square(x: Array) -> tuple[Array, Array]:
    """x² as a sum of its rounded value and the rounding error (Dekker)."""
    square, (high, low) = x * x, veltkamp_split(x)
    return square, ((high * high - square) + 2.0 * high * low) + low * low


def power(x: Array, n: Array) -> Array:
    """xⁿ of x > 0."""
    return transcendental.exp(n * transcendental.log(x)) if tolerance.get() else arithmetic.pow(x, n)


_SINE: Final = tuple([(-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(12, -1, -1)])
"""Of sin(πt) / t in powers of t²."""


def sin_pi(x: Array) -> Array:
    """sin(πx), right near whole x; a polynomial, which processors compute for several numbers at once."""
    reduced = x - 2.0 * unary.round(x / 2.0)
    beyond_quarter = unary.abs(reduced) > 0.5
    t = logic.where(beyond_quarter, unary.sign(reduced) - reduced, reduced)
    return t * polynomial(t * t, _SINE)


def cos_pi(x: Array) -> Array:
    """cos(πx), right near its roots."""
    reduced = x - 2.0 * unary.round(x / 2.0)
    t = 0.5 - logic.where(reduced < 0.0, -reduced, reduced)
    return t * polynomial(t * t, _SINE)


def cotangent_pi(t: Array) -> Array:
    """cos(πt) / sin(πt) of |t| ≤ ½."""
    square = t * t
    return fit("COTANGENT", square) / (t * (1.0 - square))


def fit(name: str, x: Array) -> Array:
    """The function of this name, on its interval."""
    middle, half, coefficients = fitted(name)
    return polynomial((x - middle) * (1.0 / half), coefficients)


def fits(cases: Sequence[tuple[Array, str, Array]], name: str, x: Array) -> Array:
    """The first of the functions whose condition holds, each of its own variable, else that of `name` of x.

    All are computed, and one is selected, which compiled programs vectorise. They would not vectorise a choice of
    coefficients for each element.
    """
    value = fit(name, x)
    for condition, other, variable in cases[::-1]:
        value = logic.where(condition, fit(other, variable), value)
    return value


def of_each(f: Callable[[Array], Array], *xs: Array) -> tuple[Array, ...]:
    """f of each array, computed on their stack, so that f is compiled once."""
    return movement.unstack(f(movement.stack(broadcast_arrays(*xs))))
