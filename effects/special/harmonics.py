"""Spherical harmonics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np

import handlers
from effects.arguments import natural
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array, constant_like, convert
from effects.errors import ArgumentError, DTypeError
from effects.functions.elementwise import arithmetic, logic, transcendental, unary
from effects.special.calling import reals
from effects.types import dtypes

if TYPE_CHECKING:
    from effects.types.dtypes import c64, c128, f32, f64
    from effects.types.signatures.becoming import Integral


@overload
def sph_harm_y(
    n: Integral, m: Integral, theta: Array[f64], phi: Array[f64] | float, *, n_max: int | None = None
) -> Array[c128]: ...
@overload
def sph_harm_y(
    n: Integral, m: Integral, theta: Array[f32], phi: Array[f32] | float, *, n_max: int | None = None
) -> Array[c64]: ...
@overload
def sph_harm_y[X: ArrayLike, Y: ArrayLike](
    n: Integral, m: Integral, theta: X, phi: Y | float, *, n_max: int | None = None
) -> Array: ...
def sph_harm_y(n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, n_max: int | None = None) -> Array:
    """The spherical harmonic of degree n and order m at the polar angle `theta` and the azimuth `phi`, complex.

    Orthonormal, with the sign (-1)ᵐ of Condon and Shortley; for θ outside of [0, π] that of cos θ and |sin θ|, as in
    SciPy. n and m are integers; where the values of n are not known, `n_max` says how great they are at most, since the
    recurrence over degrees is that long. Differentiable in both angles. Special cases: 0 for |m| > n; NaN for n < 0 and
    for n above n_max.

    >>> import effects as fx
    >>> fx.special.sph_harm_y(1, 0, 0.0, 0.0)
    Array(0.48860251+0.j, complex128)
    """
    degree, order = [as_array(v, "sph_harm_y", name) for v, name in ((n, "n"), (m, "m"))]
    for name, array in (("n", degree), ("m", order)):
        if not issubclass(array.aval.dtype, dtypes.Integer):
            raise DTypeError(f"sph_harm_y: {name} must be of integers, got {array.aval}")
    angles = reals("sph_harm_y", theta=theta, phi=phi)
    kind = angles[0].aval.dtype
    wide = [a if kind is dtypes.float64 else convert(a, dtypes.float64, a.aval.weak_type) for a in angles]
    most = _most(degree, n_max)
    l, k = [convert(convert(v, dtypes.int64), dtypes.float64) for v in (degree, order)]
    value = _harmonic(l, k, wide[0], wide[1], most)
    return value if kind is dtypes.float64 else convert(value, dtypes.complex64, value.aval.weak_type)


def _most(degree: Array, n_max: int | None) -> int:
    if n_max is not None:
        return natural("sph_harm_y", "n_max", n_max)
    known = degree.known()
    if known is None:
        raise ArgumentError("sph_harm_y: the values of n are not known here; pass n_max, an upper bound")
    return int(max(0, np.max(known.fetch(), initial=0)))


def _harmonic(l: Array, m: Array, theta: Array, phi: Array, most: int) -> Array:
    size = unary.abs(m)
    cosine, sine = transcendental.cos(theta), transcendental.sin(theta)
    sine = logic.where(sine < 0, -sine, sine)  # whose slope at a pole is the one from θ in [0, π]
    one = constant_like(1, theta)
    start = constant_like(math.sqrt(0.25 / math.pi), theta)
    begin = start + 0 * (cosine + size)
    zero = 0 * begin

    def diagonal(k: Any, p: Array) -> Array:
        """Of degree and order k of the one before."""
        at = convert(as_array(k, "sph_harm_y", "k"), theta.aval.dtype)
        root = transcendental.sqrt((2 * at + one) / (2 * at))
        return logic.where(at <= size, -p * (root * sine), p)

    def upward(k: Any, both: tuple[Array, Array]) -> tuple[Array, Array]:
        """Of degree k and order m of the two before."""
        last, before = both
        at = convert(as_array(k, "sph_harm_y", "k"), theta.aval.dtype)
        step = logic.logical_and(at > size, at <= l)
        degree = logic.where(step, at, size + one)
        apart = (degree - size) * (degree + size)
        ahead = transcendental.sqrt((4 * degree * degree - one) / apart)
        behind = (degree - one - size) * (degree - one + size)
        behind = transcendental.sqrt(logic.where(behind > 0, behind, one)) * convert(behind > 0, theta.aval.dtype)
        below = transcendental.sqrt(
            4 * (degree - one) * (degree - one) - one + convert(degree == 1, theta.aval.dtype) * 4
        )
        value = ahead * (cosine * last - behind / below * before)
        return logic.where(step, value, last), logic.where(step, last, before)

    p = handlers.fori_loop(1, most + 1, diagonal, begin)
    p, _ = handlers.fori_loop(1, most + 1, upward, (p, zero))
    p = logic.where(size > l, constant_like(0, p), p)
    unknown = logic.logical_or(l < 0, l > most)
    p = logic.where(unknown, constant_like(math.nan, p), p)
    odd = size - 2 * unary.floor(size / 2)
    p = logic.where(m < 0, p * (one - 2 * odd), p)
    return arithmetic.complex(p * transcendental.cos(m * phi), p * transcendental.sin(m * phi))
