"""Functions of complex numbers, where NumPy's lose digits or differ from C and the compiler at infinities."""

from __future__ import annotations

import numpy as np

from effects.arrays.concrete import Host


def _complex(real: Host, imag: Host, like: Host) -> Host:
    out = np.empty(np.broadcast_shapes(real.shape, imag.shape), like.dtype)
    out.real = real
    out.imag = imag
    return out


def expm1(x: Host) -> Host:
    """NumPy's expm1, or eˣ - 1 where that is not finite; the real part of a zero is 0, not -0."""
    out = np.expm1(x, out=...)
    out.real += 0
    power = np.exp(x)
    return np.where(np.isfinite(out) & np.isfinite(x), out, _complex(power.real - 1, power.imag, x))


def log1p(x: Host) -> Host:
    """log(1 + x), also near |1 + x| = 1, where NumPy's log1p, which is that formula, loses digits."""
    a, b = x.real, x.imag
    excess = a * (2 + a) + b * b  # |1 + x|² - 1
    near_unit = np.abs(excess) < 0.5
    real = np.where(near_unit, 0.5 * np.log1p(np.where(near_unit, excess, 0)), np.log(_complex(1 + a, b, x)).real)
    return _complex(real, np.arctan2(b, 1 + a), x)


def logistic(x: Host) -> Host:
    """Of the forms 1 / (1 + e⁻ˣ) and eˣ / (1 + eˣ) the one that does not overflow."""
    one = x.dtype.type(1)
    small = np.exp(np.where(x.real < 0, x, -x))
    return divide(np.where(x.real < 0, small, one), one + small)


def rsqrt(x: Host) -> Host:
    return divide(x.dtype.type(1), np.sqrt(x))


def sign(x: Host) -> Host:
    """x / |x|, scaled so that nothing overflows; beside an infinite part, a finite one counts as zero."""
    a, b = x.real, x.imag
    infinite = np.isinf(a) | np.isinf(b)
    a, b = [np.where(infinite, np.copysign(np.where(np.isinf(v), 1, 0 * v), v), v) for v in (a, b)]
    scale = np.where(np.maximum(np.abs(a), np.abs(b)) > 1, x.real.dtype.type(0.25), x.real.dtype.type(1))
    a, b = a * scale, b * scale
    length = np.hypot(a, b)
    is_zero = length == 0
    safe = np.where(is_zero, 1, length)
    return _complex(np.where(is_zero, 0, a / safe), np.where(is_zero, 0, b / safe), x)


def tanh(x: Host) -> Host:
    """NumPy's tanh, but at infinite Re x the zero imaginary part has the sign of Im x, as in the Array API."""
    out = np.tanh(x, out=...)
    infinite = np.isinf(x.real) & np.isfinite(x.imag)
    out.imag = np.where(infinite, np.copysign(x.imag.dtype.type(0), x.imag), out.imag)
    return out


def divide(x: Host, y: Host) -> Host:
    """NumPy's quotient; where it is NaN, that of C: x / 0 and ∞ / y are infinite, and x / ∞ is zero."""
    out: Host = np.true_divide(x, y, out=...)
    if not np.isnan(out).any():
        return out
    x, y = np.broadcast_arrays(x, y)
    a, b, c, d = x.real, x.imag, y.real, y.imag
    zero_divisor = (c == 0) & (d == 0) & ~(np.isnan(a) & np.isnan(b))
    signed_infinity = np.copysign(np.inf, c)
    infinite_dividend = np.isinf(a) | np.isinf(b)
    p, q, r, s = [np.copysign(np.where(np.isinf(v), 1, 0), v) for v in (a, b, c, d)]
    from_infinity = _complex(np.inf * (p * c + q * d), np.inf * (q * c - p * d), out)
    to_infinity = _complex(0 * (a * r + b * s), 0 * (b * r - a * s), out)
    both_nan = np.isnan(out.real) & np.isnan(out.imag)
    out = np.where(both_nan & infinite_dividend & np.isfinite(y), from_infinity, out)
    out = np.where(both_nan & (np.isinf(c) | np.isinf(d)) & np.isfinite(x), to_infinity, out)
    return np.where(zero_divisor, _complex(signed_infinity * a, signed_infinity * b, out), out)


def power(x: Host, y: Host) -> Host:
    """NumPy's power; for infinite or NaN operands, unless x is 0 or y is 1, exp(y · log x) with 0 · ∞ = 0."""
    out: Host = np.power(x, y, out=...)
    ordinary = np.isfinite(x) & np.isfinite(y) | (x == 0) | (y == 1)
    if ordinary.all():
        return out
    logarithm = np.log(np.where(ordinary, 1, x).astype(out.dtype))
    a, b, length, angle = y.real, y.imag, logarithm.real, logarithm.imag
    exponent = _complex(_product(a, length) - _product(b, angle), _product(a, angle) + _product(b, length), out)
    return np.where(ordinary, out, np.exp(exponent))


def _product(x: Host, y: Host) -> Host:
    """x · y, which is zero where x or y is, even if the other one is infinite or NaN."""
    return np.where((x == 0) | (y == 0), 0 * np.where(x == 0, x, y), x * y)
