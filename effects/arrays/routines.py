"""Systems and factors of one matrix by LAPACK's routines, of which NumPy has the library and no function.

Each function gives None where there is no such routine, for more axes than two or no elements, and where something in
the result is not finite: compiled programs, which take longer to call than small matrices do, say what it is then.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from effects.arrays.calls import (
    FEW,
    Call,
    Run,
    call,
    calling,
    computed,
    copying,
    exchanging,
    multiplying,
    of_programs,
    setting,
    space,
)
from effects.arrays.concrete import Concrete, Host, concrete
from effects.arrays.lapack import finite
from effects.types.avals import ShapedArray

_BLOCK: Final = 64
"""How many columns or rows at most routines take at once, if they have so much memory for it."""


def _factoring(x: ShapedArray, parts: bool) -> Call | None:
    if x.ndim != 2 or not x.size:
        return None
    (m, n), dtype = x.shape, x.dtype.dtype
    k = min(m, n)
    a, places = space((m, n), dtype), space(k)
    factor = calling(dtype, "getrf", m, n, a, m, places, space(1))  # that u is singular is no failure
    if not parts:
        order, rows = space(m, np.int32), np.arange(m, dtype=np.int32)
        return call((factor, partial(np.copyto, order, rows), exchanging(order, places, 1)), (a,), (a, order))
    p, lower, upper = space((m, m), dtype), space((m, k), dtype), space((k, n), dtype)
    permute = setting(b"A", p), exchanging(p, places, -1)
    split = copying(b"L", a, lower), setting(b"U", lower), copying(b"U", a, upper)
    return call((factor, *permute, *split), (a,), (p, lower, upper), checked=a)


def lu(x: Concrete) -> tuple[Concrete, ...] | None:
    """Both factors of x[order] in one matrix, and the order, as the operation `LU` has them."""
    return computed((_factoring, x.aval, False), x)


def lu_parts(x: Concrete) -> tuple[Concrete, ...] | None:
    """The permutation, the lower and the upper triangle whose product is x."""
    return computed((_factoring, x.aval, True), x)


def _columns(a: ShapedArray, b: ShapedArray) -> int:
    """How many columns there are that go with one matrix: of a vector one, and none of others."""
    return 0 if a.ndim != 2 or not 0 < b.ndim <= 2 or not b.size else b.shape[1] if b.ndim == 2 else 1


def _eliminating(of: ShapedArray, right: ShapedArray, *steps: tuple[bool, str, bool]) -> Call | None:
    """A call for a matrix and columns, which become what each triangle of the matrix makes of them in turn."""
    n, columns, dtype = of.shape[-1], _columns(of, right), of.dtype.dtype
    if not columns:
        return None
    a, b = space(of.shape, dtype), space(right.shape, dtype)
    runs = []
    for lower, turn, unit in steps:
        letters = (b"L" if lower else b"U", turn.encode(), b"U" if unit else b"N", n)
        if b.ndim == 1:
            runs.append(calling(dtype, "trsv", *letters, a, n, b, 1))
        else:
            runs.append(calling(dtype, "trsm", b"L", *letters, columns, np.ones(1, dtype), a, n, b, n))
    return call(tuple(runs), (a, b), (b,))


def triangular_solve(lower: bool, turn: str, unit: bool, a: Concrete, b: Concrete) -> Concrete | None:
    """The x with t @ x = b for a triangle t of a, or tᵀ or tᴴ for the turns "T" and "C"; b is a vector or columns."""
    found = computed((_eliminating, a.aval, b.aval, (lower, turn, unit)), a, b)
    return None if found is None else found[0]


def lu_solve(turn: str, factors: Concrete, order: Concrete, b: Concrete) -> Concrete | None:
    """The x with a @ x = b for what `lu` gives of a, or with aᵀ or aᴴ for the turns "T" and "C"."""
    if order.aval.ndim != 1:
        return None
    steps = ((True, turn, True), (False, turn, False))
    if turn == "N":
        ordered = concrete(b.host[order.host], b.aval)
        found = computed((_eliminating, factors.aval, b.aval, *steps), factors, ordered)
        return None if found is None else found[0]
    found = computed((_eliminating, factors.aval, b.aval, *reversed(steps)), factors, b)
    if found is None:
        return None
    x = np.empty_like(b.host)
    x[order.host] = found[0].host
    return concrete(x, b.aval)


def _by_factor(of: ShapedArray, right: ShapedArray, lower: bool) -> Call | None:
    n, columns, dtype = of.shape[-1], _columns(of, right), of.dtype.dtype
    if not columns:
        return None
    c, b, info = space(of.shape, dtype), space(right.shape, dtype), space(1)
    solve = calling(dtype, "potrs", b"L" if lower else b"U", n, columns, c, n, b, n, info)
    return call((solve,), (c, b), (b,), info)


def cho_solve(lower: bool, c: Concrete, b: Concrete) -> Concrete | None:
    """The x with a @ x = b for the lower or upper Cholesky factor c of a."""
    found = computed((_by_factor, c.aval, b.aval, lower), c, b)
    return None if found is None else found[0]


def _by_diagonals(right: ShapedArray) -> Call | None:
    if right.ndim != 2 or not right.size:
        return None
    (n, columns), dtype = right.shape, right.dtype.dtype
    below, diagonal, above = space(n + 1, dtype), space(n, dtype), space(n, dtype)  # whose ends are not read
    b, info = space(right.shape, dtype), space(1)
    solve = calling(dtype, "gtsv", n, columns, below[1:], diagonal, above, b, n, info)
    return call((solve,), (b, below[:n], diagonal, above), (b,), info)


def tridiagonal_solve(below: Concrete, diagonal: Concrete, above: Concrete, b: Concrete) -> Concrete | None:
    """The columns x with t @ x = b for the matrix t of these diagonals."""
    found = computed((_by_diagonals, b.aval), b, below, diagonal, above)
    return None if found is None else found[0]


def _orthonormal(x: ShapedArray, complete: bool) -> Call | None:
    if x.ndim != 2 or not x.size:
        return None
    (m, n), dtype = x.shape, x.dtype.dtype
    k = min(m, n)
    columns = m if complete else k
    room = max(n, columns) * min(k, _BLOCK)
    a, q, r = space((m, n), dtype), space((m, columns), dtype), space((columns, n), dtype)
    scales, work, info = space(k, dtype), space(room, dtype), space(1)
    factor = calling(dtype, "geqrf", m, n, a, m, scales, work, room, info)
    name = "ungqr" if dtype.kind == "c" else "orgqr"
    multiply = calling(dtype, name, m, columns, k, q, m, scales, work, room, info)
    return call((factor, copying(b"U", a, r), copying(b"L", a, q), multiply), (a,), (q, r), info)


def qr(complete: bool, x: Concrete) -> tuple[Concrete, ...] | None:
    """q, with as many columns as rows if `complete`, and r."""
    return computed((_orthonormal, x.aval, complete), x)


def _triangular(x: ShapedArray) -> Call | None:
    of = of_programs()
    if x.ndim != 2 or not 0 < x.size <= FEW or of is None:  # others go by how many threads there are
        return None
    n, dtype = x.shape[0], x.dtype.dtype
    t, z, count, info = space((n, n), dtype), space((n, n), dtype), space(1, np.int32), space(1, np.int32)
    real = np.dtype(dtype.char.lower())
    values, more = ((space(n, dtype),), (space(n, real),)) if dtype.kind == "c" else ((space(n, dtype),) * 2, ())

    def factor(work: Host, size: int) -> Run | None:
        taken = b"V", b"N", None, n, t, n, count, *values, z, n, work, size, *more, None, info
        return calling(dtype, "gees", *taken, of=of)

    room = space(1, dtype)
    asked = factor(room, -1)
    if asked is None:
        return None
    asked()  # how much memory it takes
    size = int(room[0].real)
    return call((factor(space(size, dtype), size),), (t,), (t, z), info)


def schur(x: Concrete) -> tuple[Concrete, ...] | None:
    """The triangle, or what has blocks of two rows on its diagonal, and the basis of it."""
    return computed((_triangular, x.aval), x) if finite(x.host) else None


def _by_values(of: ShapedArray, right: ShapedArray) -> Call | None:
    columns, dtype = _columns(of, right), of.dtype.dtype
    if not columns or not of.size or dtype.kind != "f":
        return None
    (m, n), most = of.shape, max(of.shape)
    a, b, s = space((m, n), dtype), space((most, columns), dtype), space(min(m, n), dtype)
    share, rank, info = space(1, dtype), space(()), space(1)
    room, rooms = space(1, dtype), space(1)
    asked = calling(dtype, "gelsd", m, n, columns, a, m, b, most, s, share, rank, room, -1, rooms, info)
    if asked is None:
        return None
    asked()  # how much memory it takes
    size = int(room[0])
    work, places = space(size, dtype), space(int(rooms[0]))
    solve = calling(dtype, "gelsd", m, n, columns, a, m, b, most, s, share, rank, work, size, places, info)
    given, wanted = space((m, n), dtype), space((m, columns), dtype)
    runs = [copying(b"A", given, a), copying(b"A", wanted, b), solve]
    residuals = space(columns if m > n else 0, dtype)
    if m > n:
        runs += multiplying(given, b, wanted, factor=-1.0, kept=1.0), partial(np.vecdot, wanted.T, wanted.T, residuals)
    first, found = (wanted, b[:n]) if right.ndim == 2 else (wanted[:, 0], b[:n, 0])
    return call(tuple(runs), (given, first, share), (found, residuals, rank, s), info, checked=b)


def least_squares(a: Concrete, b: Concrete, share: Concrete) -> tuple[Concrete, ...] | None:
    """The x that makes a @ x - b least, the squares of that summed if a has more rows than columns, the rank and the
    singular values of a matrix of real numbers, of which those up to a share of the greatest count as zero.
    """
    if share.aval.ndim or not share.host.item() >= 0 or not finite(a.host):
        return None
    return computed((_by_values, a.aval, b.aval), a, b, share)
