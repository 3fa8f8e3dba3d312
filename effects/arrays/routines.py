"""Systems and factors of one matrix by LAPACK's routines, of which NumPy has the library and no function.

Each function gives None where there is no such routine, for more axes than two or no elements, and where something in
the result is not finite: compiled programs, which take longer to call than small matrices do, say what it is then.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from effects.arrays.calls import (
    Call,
    call,
    calling,
    computed,
    copying,
    multiplying,
    space,
)
from effects.arrays.concrete import Concrete
from effects.arrays.lapack import finite
from effects.types.avals import ShapedArray

_BLOCK: Final = 64
"""How many columns or rows at most routines take at once, if they have so much memory for it."""


def _columns(a: ShapedArray, b: ShapedArray) -> int:
    """How many columns there are that go with one matrix: of a vector one, and none of others."""
    return 0 if a.ndim != 2 or not 0 < b.ndim <= 2 or not b.size else b.shape[1] if b.ndim == 2 else 1


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
