"""Routines of LAPACK and BLAS for one matrix, of which NumPy has the library and no function.

NumPy's wheels hold the whole library. Routines whose names say that integers have 64 bits are called through ctypes.
Each function gives None where there is no such name, for more axes than two or no elements, and where something in the
result is not finite: compiled programs, which take longer to call than small matrices do, say what it is then.

Making the arguments of a call takes longer than the call of a small matrix. So calls are kept: each has memory of its
own, which operands are copied to and results from, and one computation has it at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from effects.arrays.concrete import Host
from effects.arrays.lapack import finite
from effects.runtime.caches import RECENT, Cache, memoised

_LETTERS: Final = {np.dtype(dtype): letter for dtype, letter in zip("fdFD", "sdcz", strict=True)}
_SPELLINGS: Final = ("scipy_{}_64_", "{}_64_")
_FEW: Final = 1000
"""Up to so many elements masks are kept, and calls."""
_BLOCK: Final = 64
"""How many columns or rows at most routines take at once, if they have so much memory for it."""

type _Run = Callable[[], object]
type _DType = np.dtype[Any]
type _Shape = tuple[int, ...]


def _library() -> object:
    """What NumPy calls LAPACK in, and all that it is linked with."""
    module = getattr(np.linalg, "_umath_linalg", None)
    try:
        return ctypes.CDLL(module.__file__)  # type: ignore[union-attr]  # without one, it has no attribute
    except (AttributeError, OSError, TypeError):
        return None


_LIBRARY: Final = _library()


def _calling(dtype: _DType, name: str, *arguments: object) -> _Run | None:
    """A call of the routine for a dtype with letters, numbers and arrays, which are in columns, if it has a name.

    The length of each letter comes last, as Fortran has it.
    """
    routine: Any = None
    for spelling in _SPELLINGS if dtype in _LETTERS else ():
        routine = routine or getattr(_LIBRARY, spelling.format(_LETTERS[dtype] + name), None)
    if routine is None:
        return None
    routine.restype = None
    lengths = [ctypes.c_size_t(1) for x in arguments if isinstance(x, bytes)]
    return partial(routine, *map(_pointer, arguments), *lengths)


def _pointer(argument: object) -> object:
    """Where an argument is, which is kept with this."""
    if isinstance(argument, np.ndarray):
        return ctypes.byref(ctypes.c_char.from_buffer(argument.T))
    if isinstance(argument, int):
        return ctypes.byref(ctypes.c_int64(argument))
    return argument and ctypes.byref(ctypes.c_char(argument))  # type: ignore[arg-type]  # a letter, or None


class _Call(NamedTuple):
    """A call of one routine or of several, the memory of its operands and its results, and whether it has failed."""

    run: _Run
    given: tuple[Host, ...]
    results: tuple[Host, ...]
    info: Host


def _space(shape: _Shape | int, dtype: object = np.int64) -> Host:
    memory: Host = np.zeros(shape, dtype, "F")  # type: ignore[call-overload]  # any dtype
    return memory


_idle: Final[Cache[Hashable, list[_Call]]] = Cache(RECENT)
"""The calls that nobody has just now, by who makes them and of what sizes."""


def _computed(make: Callable[..., _Call | None], sizes: tuple[Hashable, ...], *xs: Host) -> list[Host] | None:
    """The results of a call that `make` makes for these sizes, given xs, if the first one is finite."""
    key = (make, *sizes)
    idle = _idle.recent.get(key)
    if idle is None:
        idle = _idle.keep(key, [])
    try:
        call = idle.pop()
    except IndexError:
        made = make(*sizes)
        if made is None:
            return None
        call = made
    for memory, x in zip(call.given, xs):
        memory[...] = x
    call.run()
    found = None if call.info.item() else [memory.copy() for memory in call.results]
    if call.given[0].size <= _FEW and call.results[0].size <= _FEW:
        idle.append(call)
    return found if found is not None and finite(found[0]) else None


def _below(m: int, n: int) -> Host:
    """Where a matrix is below its diagonal."""
    return np.tri(m, n, -1, np.bool_)


_few_below: Final = memoised(_below)


def _cleared(x: Host) -> Host:
    """x, of which what is below the diagonal is set to zero."""
    np.putmask(x, (_few_below if x.size <= _FEW else _below)(*x.shape), 0)
    return x


def _units(m: int, k: int, dtype: _DType) -> tuple[Host, Host, Host]:
    """The unit matrix of m rows, k columns of it, and where these are below the diagonal."""
    unit = np.eye(m, dtype=dtype)
    return unit, unit[:, :k], _below(m, k)


_few_units: Final = memoised(_units)


def _factoring(dtype: _DType, m: int, n: int) -> _Call | None:
    a, places, info = _space((m, n), dtype), _space(min(m, n)), _space(1)
    run = _calling(dtype, "getrf", m, n, a, m, places, info)
    return run and _Call(run, (a,), (a, places), _space(1))  # that u is singular is no failure


def _factors(x: Host) -> tuple[Host, list[int]] | None:
    """Both factors of x[order] in one matrix, and the order."""
    found = _computed(_factoring, (x.dtype, *x.shape), x) if x.ndim == 2 and x.size else None
    if found is None:
        return None
    factors, places = found
    order = list(range(len(x)))
    for i, place in enumerate(places.tolist()):
        order[i], order[place - 1] = order[place - 1], order[i]
    return factors, order


def lu(x: Host) -> tuple[Host, Host] | None:
    """Both factors of x[order] in one matrix, and the order, as the operation `LU` has them."""
    found = _factors(x)
    return None if found is None else (found[0], np.array(found[1], np.int32))


def lu_parts(x: Host) -> tuple[Host, Host, Host] | None:
    """The permutation, the lower and the upper triangle whose product is x."""
    found = _factors(x)
    if found is None:
        return None
    factors, order = found
    m, n = x.shape
    k = m if m < n else n
    unit, part, below = (_few_units if m * m <= _FEW else _units)(m, k, x.dtype)
    lower = np.where(below, factors[:, :k], part)
    return unit.take(order, 0).T, lower, _cleared(factors if k == m else factors[:k].copy())


def _eliminating(dtype: _DType, shape: _Shape, *steps: tuple[bool, str, bool]) -> _Call | None:
    """A call for a matrix and b of this shape, which becomes what each triangle of the matrix makes of it in turn."""
    n, columns = shape[0], 1 if len(shape) == 1 else shape[1]
    a, b = _space((n, n), dtype), _space(shape, dtype)
    runs = []
    for lower, turn, unit in steps:
        letters = (b"L", b"L" if lower else b"U", turn.encode(), b"U" if unit else b"N")
        runs.append(_calling(dtype, "trsm", *letters, n, columns, np.ones(1, dtype), a, n, b, n))
    run = _in_turn(*runs)
    return run and _Call(run, (a, b), (b,), _space(1))


def _in_turn(first: _Run | None, *others: _Run | None) -> _Run | None:
    """A call of each, if all of them have a name."""
    second = _in_turn(*others) if others else None
    if first is None or second is None:
        return None if others else first
    return lambda: (first(), second())


def _goes(a: Host, b: Host) -> bool:
    """Whether these are one matrix and a vector or columns that go with it."""
    return a.ndim == 2 and 0 < b.ndim <= 2 and b.size > 0


def triangular_solve(lower: bool, turn: str, unit: bool, a: Host, b: Host) -> Host | None:
    """The x with t @ x = b for a triangle t of a, or tᵀ or tᴴ for the turns "T" and "C"; b is a vector or columns."""
    found = _computed(_eliminating, (a.dtype, b.shape, (lower, turn, unit)), a, b) if _goes(a, b) else None
    return None if found is None else found[0]


def lu_solve(turn: str, factors: Host, order: Host, b: Host) -> Host | None:
    """The x with a @ x = b for what `lu` gives of a, or with aᵀ or aᴴ for the turns "T" and "C"."""
    if not _goes(factors, b) or sorted(order.tolist()) != list(range(len(b))):
        return None
    steps = ((True, turn, True), (False, turn, False))
    if turn == "N":
        found = _computed(_eliminating, (b.dtype, b.shape, *steps), factors, b[order])
        return None if found is None else found[0]
    found = _computed(_eliminating, (b.dtype, b.shape, *reversed(steps)), factors, b)
    if found is None:
        return None
    x = np.empty_like(b)
    x[order] = found[0]
    return x


def _by_factor(dtype: _DType, shape: _Shape, lower: bool) -> _Call | None:
    n, columns = shape[0], 1 if len(shape) == 1 else shape[1]
    c, b, info = _space((n, n), dtype), _space(shape, dtype), _space(1)
    run = _calling(dtype, "potrs", b"L" if lower else b"U", n, columns, c, n, b, n, info)
    return run and _Call(run, (c, b), (b,), info)


def cho_solve(lower: bool, c: Host, b: Host) -> Host | None:
    """The x with a @ x = b for the lower or upper Cholesky factor c of a."""
    found = _computed(_by_factor, (c.dtype, b.shape, lower), c, b) if _goes(c, b) else None
    return None if found is None else found[0]


def _by_diagonals(dtype: _DType, n: int, columns: int) -> _Call | None:
    below, diagonal, above = _space(n, dtype), _space(n, dtype), _space(n, dtype)
    b, info = _space((n, columns), dtype), _space(1)
    run = _calling(dtype, "gtsv", n, columns, below, diagonal, above, b, n, info)
    return run and _Call(run, (b, below[: n - 1], diagonal, above[: n - 1]), (b,), info)


def tridiagonal_solve(below: Host, diagonal: Host, above: Host, b: Host) -> Host | None:
    """The columns x with t @ x = b for the matrix t of these diagonals."""
    if diagonal.ndim != 1 or not b.size:
        return None
    found = _computed(_by_diagonals, (b.dtype, *b.shape), b, below[1:], diagonal, above[:-1])
    return None if found is None else found[0]


def _orthonormal(dtype: _DType, m: int, n: int, columns: int) -> _Call | None:
    k = min(m, n)
    room = max(n, columns) * min(k, _BLOCK)
    a, q, scales, work, info = _space((m, n), dtype), _space((m, columns), dtype), *_memory(dtype, k, room), _space(1)
    first = _calling(dtype, "geqrf", m, n, a, m, scales, work, room, info)
    name = "ungqr" if dtype.kind == "c" else "orgqr"
    second = _calling(dtype, name, m, columns, k, q, m, scales, work, room, info)
    reflectors, copied = a[:, :k], q[:, :k]

    def copy() -> None:
        copied[...] = reflectors

    run = _in_turn(first, copy, second)
    return run and _Call(run, (a,), (q, a), info)


def _memory(dtype: _DType, *sizes: int) -> list[Host]:
    return [_space(size, dtype) for size in sizes]


def qr(complete: bool, x: Host) -> tuple[Host, Host]:
    """q, with as many columns as rows if `complete`, and r; what is not one matrix of finite numbers by NumPy."""
    m, n = x.shape[-2:]
    columns = m if complete or m < n else n
    found = _computed(_orthonormal, (x.dtype, m, n, columns), x) if x.ndim == 2 and x.size else None
    if found is None:
        return np.linalg.qr(x, "complete" if complete else "reduced")
    q, factors = found
    return q, _cleared(factors if columns == m else factors[:columns].copy())


def _triangle_and_basis(dtype: _DType, n: int) -> _Call | None:
    room = n * _BLOCK
    t, z, count, info = _space((n, n), dtype), _space((n, n), dtype), _space(1), _space(1)
    values, more, work = _memory(dtype, n, n, room)
    run = _calling(dtype, "gees", b"V", b"N", None, n, t, n, count, values, z, n, work, room, more, None, info)
    return run and _Call(run, (t,), (t, z), info)


def schur(x: Host) -> tuple[Host, Host] | None:
    """The triangle t and the unitary z with z @ t @ zᴴ = x, for one matrix of complex numbers."""
    goes = x.ndim == 2 and x.size and x.dtype.kind == "c" and finite(x)
    found = _computed(_triangle_and_basis, (x.dtype, len(x)), x) if goes else None
    return None if found is None else (found[0], found[1])
