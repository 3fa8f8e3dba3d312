"""Functions of matrices of few rows whose elements are known: calling a compiled program takes longer."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from effects.arrays.calls import Call, Run, call, calling, computed, copying, multiplying, space
from effects.arrays.concrete import Concrete, Host
from effects.arrays.lapack import finite
from effects.types import dtypes
from effects.types.avals import ShapedArray
from effects.types.dtypes import DType
from effects.types.promotion import complex_of

FEW: Final = 16
"""Of so few rows a loop takes longer than what it does."""
_WELL: Final = 1e-3
"""The share of the greatest eigenvalue that the least one has to be above for roots by eigenvalues."""
_BLOCK: Final = 16
"""How many columns at most a routine takes at once."""


def _approximation(order: int) -> list[float]:
    """The coefficients of the rational approximation of the exponential, those of the lowest powers first."""
    f = math.factorial
    return [float(f(2 * order - i) // (f(order - i) * f(i))) for i in range(order + 1)]


PADE: Final = _approximation(13)
_PARTS: Final = np.array([[0.0, *PADE[9::2]], PADE[1:8:2], [0.0, *PADE[8::2]], PADE[0:7:2]])
"""Those of 1, x², x⁴ and x⁶ in the parts that it is made of: times x⁷, times x, times x⁶, times 1."""
_SUM: Final = 0
"""What stands among orders for the sum 1 + x + x²/2 + … + x⁶/720."""
_OF_SUM: Final = np.array([[1.0, 1.0, 1 / 2, 0.0], [1 / 6, 1 / 24, 1 / 120, 1 / 720]])
"""The coefficients of 1, x, x² and x³ in the part without x³, and in the one times x³."""
_LOWER: Final = {order: np.array([c[1::2], c[::2]]) for order in (5, 7, 9) for c in [_approximation(order)]}
"""Of lower orders those of 1, x², x⁴, … in the part times x and in the other one."""
REACH: Final = 5.37
"""The norm up to which order 13 is exact to double precision."""
SQUARINGS: Final = 32
_MOST: Final = REACH * 2.0**SQUARINGS
_NEAR: Final[dict[type[DType], tuple[tuple[int, float], ...]]] = {
    dtypes.float32: ((_SUM, 0.25), (5, 1.88), (7, 3.92), (13, _MOST)),
    dtypes.float64: ((_SUM, 0.016), (5, 0.253), (7, 0.95), (9, 2.09), (13, _MOST)),
}
"""Orders, and the norm up to which they are exact to the precision, the last one after the matrix is divided."""


def exponential(x: Concrete) -> Concrete | None:
    """The exponential, in double precision. None where it is not finite."""
    aval = x.aval
    if aval.ndim != 2 or not 0 < aval.shape[0] <= FEW or aval.dtype not in _NEAR:
        return None
    elements = x.host.ravel()
    size = math.sqrt(elements.dot(elements))
    for order, reach in _NEAR[aval.dtype]:
        if size <= reach:
            count = math.ceil(math.log2(size / REACH)) if size > REACH else 0
            found = computed((_by_powers, aval, order, count) if order else (_by_sum, aval), x)
            return None if found is None else found[0]
    return None


def _by_powers(x: ShapedArray, order: int, count: int) -> Call | None:
    n, double = x.shape[0], np.dtype(np.float64)
    parts = _LOWER[order] if order < 13 else _PARTS
    scaled, sums, info = space((n, n), double), space((n * n, len(parts)), double), space(1)
    columns = space((n * n, parts.shape[1]), double)
    one, *powers = _matrices(columns)
    one[...] = np.eye(n)
    below = space((n, n), double)
    runs = [calling(double, "scal", n * n, np.array([2.0**-count]), scaled, 1)] if count else []
    runs.append(multiplying(scaled, scaled, powers[0]))
    runs += [multiplying(before, powers[0], power) for before, power in pairwise(powers)]
    runs.append(multiplying(columns, np.asfortranarray(parts.T), sums))
    if order < 13:
        odd, even = _matrices(sums)
    else:
        high_odd, odd, high_even, even = _matrices(sums)
        runs += multiplying(powers[2], high_odd, odd, kept=1.0), multiplying(powers[2], high_even, even, kept=1.0)
    runs += copying(b"A", even, below), multiplying(scaled, odd, below, factor=-1.0, kept=1.0)
    runs.append(multiplying(scaled, odd, even, kept=1.0))
    runs.append(calling(double, "gesv", n, n, below, n, space(n), even, n, info))
    found, other = even, below
    for _ in range(count):
        runs.append(multiplying(found, found, other))
        found, other = other, found
    return _in_precision(x, runs, scaled, found, info)


def _by_sum(x: ShapedArray) -> Call | None:
    n, double = x.shape[0], np.dtype(np.float64)
    columns, sums = space((n * n, 4), double), space((n * n, 2), double)
    one, own, second, third = _matrices(columns)
    one[...] = np.eye(n)
    low, high = _matrices(sums)
    runs = [multiplying(own, own, second), multiplying(second, own, third)]
    runs += multiplying(columns, np.asfortranarray(_OF_SUM.T), sums), multiplying(third, high, low, kept=1.0)
    return _in_precision(x, runs, own, low)


def _in_precision(
    x: ShapedArray, runs: list[Run | None], of: Host, found: Host, info: Host | None = None
) -> Call | None:
    """The call of runs in double precision, with the result in that of x."""
    result = found
    if x.dtype is dtypes.float32:
        result = space(found.shape, np.float32)
        runs = [*runs, partial(np.copyto, result, found, "same_kind")]
    return call(tuple(runs), (of,), (result,), info)


def _matrices(columns: Host) -> list[Host]:
    """The square matrices whose elements columns are."""
    n = math.isqrt(len(columns))
    return [column.reshape((n, n), order="F") for column in columns.T]


def root(x: Concrete) -> Concrete | None:
    """The square root. None where it is not finite, or may not be."""
    aval = x.aval
    if aval.ndim != 2 or not 0 < aval.shape[0] <= FEW // 2 or aval.dtype in dtypes.NARROW or not finite(x.host):
        return None
    host = x.host
    found = None
    if host.dtype.kind == "f" and host.tobytes() == host.T.tobytes():
        found = computed((_by_spectrum, aval), x)
    found = found or computed((_by_triangle, aval), x)
    return None if found is None else found[0]


def _by_spectrum(x: ShapedArray) -> Call | None:
    """z @ √d @ zᵀ for positive eigenvalues d."""
    n, dtype = x.shape[0], x.dtype.dtype
    z, values, info, rooms = space((n, n), dtype), space(n, dtype), space(1), space(3 + 5 * n)
    room = 1 + 6 * n + 2 * n * n  # no more is used of few rows
    factor = calling(dtype, "syevd", b"V", b"L", n, z, n, values, space(room, dtype), room, rooms, len(rooms), info)
    roots, half, real = [space((n, n), dtype) for _ in range(3)]
    rooted = partial(_rooted, values, roots.reshape(-1, order="F")[:: n + 1], info)
    found = space((n, n), complex_of(x.dtype).dtype)
    products = multiplying(z, roots, half), multiplying(half, z, real, b"C")
    return call((factor, rooted, *products, partial(np.copyto, found.real, real)), (z,), (found,), info)


def _rooted(values: Host, roots: Host, info: Host) -> None:
    """The roots of eigenvalues, if all are known to be positive."""
    known = values.tolist()
    if known[0] > _WELL * known[-1]:
        roots[...] = list(map(math.sqrt, known))
    else:
        info[0] = 1


def _by_triangle(x: ShapedArray) -> Call | None:
    n, dtype = x.shape[0], complex_of(x.dtype).dtype
    t, z, half, found = [space((n, n), dtype) for _ in range(4)]
    room = n * _BLOCK
    values, more, work = space(n, dtype), space(n, dtype), space(room, dtype)
    count, info = space(1), space(n)
    letters = b"V", b"N", None
    factor = calling(dtype, "gees", *letters, n, t, n, count, values, z, n, work, room, more, None, info)
    diagonal, scales = t.reshape(-1, order="F")[:: n + 1], np.ones(n, dtype.char.lower())
    runs = [factor, partial(np.sqrt, diagonal, diagonal)]
    for j in range(1, n):  # the column above each root: what the roots before make of it, and it itself, are known
        above, own, scale = t[:j, j], t[j:, j], scales[j:]
        columns = b"N", b"N", 1, j, 1, t, n, own, n, above, n
        runs.append(calling(dtype, "trsyl", *columns, scale, info[j:]))
    runs += partial(_refuse, diagonal, scales, info), multiplying(z, t, half), multiplying(half, z, found, b"C")
    return call(tuple(runs), (t,), (found,), info)


def _refuse(roots: Host, scales: Host, info: Host) -> None:
    """Say in `info` where a root of a triangle is not known to be right.

    That is next to negative numbers, of which rounding says which of two roots it is, and where sums of roots vanish.
    """
    far = [abs(own.imag) > 1000 * own.real for own in roots.tolist()]
    if any(far) or any(info.tolist()) or min(scales.tolist()) < 1:
        info[0] = 1
