"""exp and log for results that are rounded to single precision: in programs, by half as many operations on doubles.

They are right to eleven digits. What is evaluated at once is NumPy's: one operation for a dozen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.functions.elementwise.custom_derivatives import with_derivatives
from effects.operations.movement import Bitcast
from effects.program.chain import perform
from effects.runtime.cpython.extent import setting
from effects.special.calling import has_more_digits, tolerance
from effects.types import dtypes
from handlers.special.fits import fit

_SHARE: Final = 2.0**-31
"""Relative tolerance; logarithms become exponents."""
_LOG_2: Final = math.log(2.0)
_LEAST, _MOST = -1023.4, 1024.0
"""Exponents of 2 from where on the power is 0, and infinite."""
_VAST: Final = 1e30
"""A number from which on densities are 0."""
_PLACES: Final = 52
_WHOLE: Final = 1.5 * 2.0**_PLACES + 1023.0
"""Of the sum with a number the last bits are the number rounded, as the exponent of a double."""
_START: Final = 0x3FE6666600000000
"""The bits of 0.7, but for the last ones."""


@with_derivatives(lambda y, x: y)
def exp(x: Array) -> Array:
    return _unless_known(transcendental.exp, _exp, x)


@with_derivatives(lambda y, x: 1.0 / x)
def log(x: Array) -> Array:
    """log(x), but some number where x is infinite, and not of 0."""
    return _unless_known(lambda x: transcendental.log(arithmetic.minimum(x, _VAST)), _log, x)


@with_derivatives(lambda y, x: 1.0 / (1.0 + x))
def log1p(x: Array) -> Array:
    """log(1 + x) of finite x > -1."""
    return _unless_known(transcendental.log1p, _log1p, x)


def _unless_known(f: Callable[[Array], Array], short: Callable[[Array], Array], x: Array) -> Array:
    if isinstance(x, Concrete) or not has_more_digits(x):
        return f(x)
    with setting(tolerance, _SHARE):
        return short(x)


def _exp(x: Array) -> Array:
    exponent = x * (1.0 / _LOG_2)
    exponent = logic.where(exponent < _LEAST, _LEAST, logic.where(exponent > _MOST, _MOST, exponent))
    moved = exponent + _WHOLE
    return fit("EXP2", exponent - (moved - _WHOLE)) * _number(_bits(moved) << _PLACES)


def _log(x: Array) -> Array:
    exponent, f = _parts(x)
    return logic.where(x > 0.0, _of_parts(exponent, f), math.nan)


def _log1p(x: Array) -> Array:
    exponent, f = _parts(1.0 + x)
    return _of_parts(exponent, logic.where(exponent == 0.0, x, f))


def _parts(x: Array) -> tuple[Array, Array]:
    """k and f of x = 2ᵏ (1 + f) with 0.7 ≤ 1 + f < 1.4."""
    moved = _bits(x) - _START
    f = _number((moved & (2**_PLACES - 1)) + _START) - 1.0
    return unary.astype(moved >> _PLACES, dtypes.float64), f


def _of_parts(exponent: Array, f: Array) -> Array:
    return _LOG_2 * exponent + (f + f * f * fit("LOG1PMX", f))


def _bits(x: Array) -> Array:
    return perform(Bitcast(dtypes.int64, x))


def _number(bits: Array) -> Array:
    return perform(Bitcast(dtypes.float64, bits))
