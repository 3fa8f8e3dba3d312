"""Routines of LAPACK and BLAS for one matrix, of which NumPy has the library and no function.

NumPy's wheels hold the whole library. Routines whose names say that integers have 64 bits are called through ctypes.
Each function gives None where there is no such name, for more axes than two or no elements, and where something in the
result is not finite: compiled programs, which take longer to call than small matrices do, say what it is then.
Matrices of LAPACK are in columns, and all it writes to is memory of the call, so that threads do not meet.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from effects.arrays.concrete import Host
from effects.arrays.lapack import finite
from effects.runtime.caches import memoised

_LETTERS: Final = {np.dtype(dtype): letter for dtype, letter in zip("fdFD", "sdcz", strict=True)}
_SPELLINGS: Final = ("scipy_{}_64_", "{}_64_")
_LENGTH: Final = ctypes.c_size_t(1)
"""The size of each letter that is given, which Fortran takes after everything else."""
_FEW: Final = 1000
_BLOCK: Final = 64
"""How many columns or rows at most routines take at once, if they have so much memory for it."""

type _Memory = ctypes.Array[ctypes.c_char]


def _library() -> object:
    """What NumPy calls LAPACK in, and all that it is linked with."""
    module = getattr(np.linalg, "_umath_linalg", None)
    try:
        return ctypes.CDLL(module.__file__)  # type: ignore[union-attr]  # without one, it has no attribute
    except (AttributeError, OSError, TypeError):
        return None


_LIBRARY: Final = _library()


class _Routine(dict[object, Callable[..., object] | None]):
    """A routine by the dtype that it is of; `of_complex` is what that of complex numbers is called."""

    def __init__(self, name: str, of_complex: str | None = None) -> None:
        super().__init__()
        self._names: Final = {"s": name, "d": name, "c": of_complex or name, "z": of_complex or name}

    def __missing__(self, dtype: object) -> Callable[..., object] | None:
        letter = _LETTERS.get(dtype)  # type: ignore[call-overload]  # of others there is none
        name = letter and letter + self._names[letter]
        names = [spelling.format(name) for spelling in _SPELLINGS] if name else []
        found: Any = next((f for n in names if (f := getattr(_LIBRARY, n, None)) is not None), None)
        if found is not None:
            found.restype = None
        self[dtype] = found
        return self[dtype]


_GETRF: Final = _Routine("getrf")
_TRSM: Final = _Routine("trsm")
_POTRS: Final = _Routine("potrs")
_GTSV: Final = _Routine("gtsv")
_GEQRF: Final = _Routine("geqrf")
_ORGQR: Final = _Routine("orgqr", "ungqr")
_GEES: Final = _Routine("gees")
_TURNS: Final = {"N": b"N", "T": b"T", "C": b"C"}
_ONES: Final = {dtype: np.ones((), dtype).tobytes() for dtype in _LETTERS}


@memoised
def _size(n: int) -> object:
    """A number as routines read it, from memory."""
    return ctypes.byref(ctypes.c_int64(n))


def _columns(x: Host) -> object:
    """How many columns it has: a vector has one."""
    return _size(1 if x.ndim == 1 else x.shape[1])


def _space(count: int) -> _Memory:
    """Memory of so many bytes, all of them 0."""
    return (ctypes.c_char * count)()


def _own(x: Host) -> tuple[Host, _Memory]:
    """A copy of a vector or of a matrix, in columns, and the memory that it is in."""
    memory = _space(x.nbytes)
    copy: Host = np.ndarray(x.shape, x.dtype, memory, 0, None, "F")
    copy[...] = x
    return copy, memory


def upper_triangle(x: Host, above: int = 0) -> Host:
    """A copy of x with zeros below the diagonal that is so far above the main one."""
    triangle = x.copy()
    where = _few_below if x.size <= _FEW else _below
    np.putmask(triangle, where(x.shape, above), 0)
    return triangle


def _below(shape: tuple[int, int], above: int) -> Host:
    return np.tri(*shape, above - 1, np.bool_)


_few_below: Final = memoised(_below)
_few_unit: Final = memoised(np.eye)


def lu(x: Host) -> tuple[Host, Host] | None:
    """Both factors of x[order] in one matrix, and the order, as the operation `LU` has them."""
    getrf = _GETRF[x.dtype] if x.ndim == 2 and x.size else None
    if getrf is None:
        return None
    m, n = x.shape
    k = m if m < n else n
    factors, memory = _own(x)
    places, info = (ctypes.c_int64 * k)(), ctypes.c_int64()
    getrf(_size(m), _size(n), memory, _size(m), places, ctypes.byref(info))
    order = list(range(m))
    for i, place in enumerate(places[:]):
        order[i], order[place - 1] = order[place - 1], order[i]
    return (factors, np.array(order, np.int32)) if finite(factors) else None


def lu_parts(x: Host) -> tuple[Host, Host, Host] | None:
    """The permutation, the lower and the upper triangle whose product is x."""
    found = lu(x)
    if found is None:
        return None
    factors, order = found
    m, n = x.shape
    k = m if m < n else n
    permutation = (_few_unit if m * m <= _FEW else np.eye)(m, dtype=x.dtype).take(order, 1)
    lower = upper_triangle(factors.T[:k], 1).T
    lower.flat[: k * k : k + 1] = 1
    return permutation, lower, upper_triangle(factors[:k])


def triangular_solve(lower: bool, turn: str, unit: bool, a: Host, b: Host) -> Host | None:
    """The x with t @ x = b for a triangle t of a, or tᵀ or tᴴ for the turns "T" and "C"; b is a vector or columns."""
    trsm = _TRSM[a.dtype] if a.ndim == 2 and 0 < b.ndim <= 2 and b.size else None
    if trsm is None:
        return None
    x, memory = _own(b)
    _eliminate(trsm, lower, turn, unit, a.tobytes("F"), x, memory)
    return x if finite(x) else None


def _eliminate(
    trsm: Callable[..., object], lower: bool, turn: str, unit: bool, a: bytes, x: Host, memory: _Memory
) -> None:
    """Replace x by what becomes it by a triangle of a, which is in columns."""
    side, half, diagonal = b"L", b"L" if lower else b"U", b"U" if unit else b"N"
    n, columns, one = _size(len(x)), _columns(x), _ONES[x.dtype]
    ends = _LENGTH
    trsm(side, half, _TURNS[turn], diagonal, n, columns, one, a, n, memory, n, ends, ends, ends, ends)


def cho_solve(lower: bool, c: Host, b: Host) -> Host | None:
    """The x with a @ x = b for the lower or upper Cholesky factor c of a."""
    potrs = _POTRS[c.dtype] if c.ndim == 2 and 0 < b.ndim <= 2 and b.size else None
    if potrs is None:
        return None
    x, memory = _own(b)
    n, half, info = _size(len(c)), b"L" if lower else b"U", ctypes.c_int64()
    potrs(half, n, _columns(x), c.tobytes("F"), n, memory, n, ctypes.byref(info), _LENGTH)
    return x if finite(x) else None


def lu_solve(turn: str, factors: Host, order: Host, b: Host) -> Host | None:
    """The x with a @ x = b for what `lu` gives of a, or with aᵀ or aᴴ for the turns "T" and "C"."""
    trsm = _TRSM[factors.dtype] if factors.ndim == 2 and 0 < b.ndim <= 2 and b.size else None
    if trsm is None or sorted(order.tolist()) != list(range(len(factors))):
        return None
    a = factors.tobytes("F")
    if turn == "N":
        x, memory = _own(b[order])
        _eliminate(trsm, True, turn, True, a, x, memory)
        _eliminate(trsm, False, turn, False, a, x, memory)
    else:
        inner, memory = _own(b)
        _eliminate(trsm, False, turn, False, a, inner, memory)
        _eliminate(trsm, True, turn, True, a, inner, memory)
        x = np.empty_like(b)
        x[order] = inner
    return x if finite(x) else None


def tridiagonal_solve(below: Host, diagonal: Host, above: Host, b: Host) -> Host | None:
    """The columns x with t @ x = b for the matrix t of these diagonals."""
    gtsv = _GTSV[b.dtype] if diagonal.ndim == 1 and b.size else None
    if gtsv is None:
        return None
    x, memory = _own(b)
    lower, middle, upper = [_own(part)[1] for part in (below[1:], diagonal, above[:-1])]
    n, info = _size(len(diagonal)), ctypes.c_int64()
    gtsv(n, _columns(x), lower, middle, upper, memory, n, ctypes.byref(info))
    return x if not info.value and finite(x) else None


def qr(complete: bool, x: Host) -> tuple[Host, Host]:
    """q, with as many columns as rows if `complete`, and r; of several matrices as NumPy gives them."""
    geqrf, orgqr = (_GEQRF[x.dtype], _ORGQR[x.dtype]) if x.ndim == 2 and x.size else (None, None)
    if geqrf is None or orgqr is None:
        return np.linalg.qr(x, "complete" if complete else "reduced")
    m, n = x.shape
    k = m if m < n else n
    columns = m if complete else k
    memory = _space(m * max(n, columns) * x.itemsize)
    factors: Host = np.ndarray((m, n), x.dtype, memory, order="F")
    factors[...] = x
    scales, work, info = _space(k * x.itemsize), _space(max(n, columns) * _BLOCK * x.itemsize), ctypes.c_int64()
    rows, room, ended = _size(m), _size(max(n, columns) * _BLOCK), ctypes.byref(info)
    geqrf(rows, _size(n), memory, rows, scales, work, room, ended)
    r = upper_triangle(factors[:columns])
    orgqr(rows, _size(columns), _size(k), memory, rows, scales, work, room, ended)
    return np.ndarray((m, columns), x.dtype, memory, order="F"), r


def schur(x: Host) -> tuple[Host, Host] | None:
    """The triangle t and the unitary z with z @ t @ zᴴ = x."""
    gees = _GEES[x.dtype] if x.ndim == 2 and x.size and finite(x) else None
    if gees is None:
        return None
    n = len(x)
    t, memory = _own(x)
    basis, values = _space(x.nbytes), _space(n * x.itemsize)
    z: Host = np.ndarray(x.shape, x.dtype, basis, order="F")
    more = _space(
        n * x.itemsize
    )  # of the imaginary parts of eigenvalues; for complex numbers, whose are one, to work in
    rows, work, room = _size(n), _space(n * _BLOCK * x.itemsize), _size(n * _BLOCK)
    count, info = ctypes.c_int64(), ctypes.c_int64()
    first = (b"V", b"N", None, rows, memory, rows, ctypes.byref(count), values)
    last = (None, ctypes.byref(info), _LENGTH, _LENGTH)
    if x.dtype.kind == "c":
        gees(*first, basis, rows, work, room, more, *last)
    else:
        gees(*first, more, basis, rows, work, room, *last)
    return (t, z) if not info.value and finite(t) else None
