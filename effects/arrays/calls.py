"""Calls of LAPACK and BLAS, of which NumPy has the library: its wheels hold the whole of it.

Routines whose names say that integers have 64 bits are called through ctypes, and SciPy's by the pointers that it says
the types of. Making the arguments of a call takes
longer than the call of a small matrix. So calls are kept: each has memory of its own, which operands are copied to and
results from, and one computation has it at a time. What results are made of is copied and exchanged by the library too,
of which a routine takes a third of a microsecond.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable
from functools import partial
from math import isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from effects.arrays.concrete import Concrete, Host, concrete, from_host
from effects.runtime.caches import RECENT, Cache
from effects.types.avals import ShapedArray

_LETTERS: Final = {np.dtype(dtype): letter for dtype, letter in zip("fdFD", "sdcz", strict=True)}
_SPELLINGS: Final = ("scipy_{}_64_", "{}_64_")
FEW: Final = 1000
"""Up to so many elements calls are kept, and no other thread runs meanwhile: letting one costs a tenth of them."""
type Run = Callable[[], Any]


class Library(NamedTuple):
    """Where routines are found, for calls of few elements and for others, and what integers are in it."""

    routine: Callable[[str, bool], Any]
    integer: Callable[[int], Any]


def _numpys() -> Library | None:
    """What NumPy calls LAPACK in, and all that it is linked with."""
    module = getattr(np.linalg, "_umath_linalg", None)
    try:
        libraries = ctypes.PyDLL(module.__file__), ctypes.CDLL(module.__file__)  # type: ignore[union-attr]  # without one, it has no attribute
    except (AttributeError, OSError, TypeError):
        return None

    def routine(name: str, few: bool) -> object:
        found = [getattr(libraries[0 if few else 1], spelling.format(name), None) for spelling in _SPELLINGS]
        return found[0] or found[1]

    return Library(routine, ctypes.c_int64)


NUMPYS: Final = _numpys()


def calling(
    dtype: np.dtype[Any], name: str, *arguments: object, gives: type | None = None, of: Library | None = NUMPYS
) -> Run | None:
    """A call of the routine for a dtype with letters, numbers and arrays, which are in columns, if there is one.

    The length of each letter comes last, as Fortran has it.
    """
    letter = _LETTERS.get(dtype)
    few = all([x.size <= FEW for x in arguments if isinstance(x, np.ndarray)])
    routine: Any = of.routine(letter + name, few) if of and letter else None  # of ctypes' types, which have no name
    if of is None or routine is None:
        return None
    routine.restype = gives
    lengths = [ctypes.c_size_t(1) for x in arguments if isinstance(x, bytes)]
    return partial(routine, *[_pointer(x, of) for x in arguments], *lengths)


def _pointer(argument: object, of: Library) -> object:
    """Where an argument is, which is kept with this."""
    if isinstance(argument, np.ndarray):
        return ctypes.byref(ctypes.c_char.from_buffer(argument.T))
    if isinstance(argument, int):
        return ctypes.byref(of.integer(argument))
    return argument and ctypes.byref(ctypes.c_char(argument))  # type: ignore[arg-type]  # a letter, or None


class Call(NamedTuple):
    """What is done one after the other, with which memory, what copies results out of it, and how large the numbers are
    that are finite if all are.
    """

    runs: tuple[Run, ...]
    given: tuple[Host, ...]
    results: tuple[tuple[Callable[[], Host], ShapedArray], ...]
    info: Host
    checked: Host
    size: Callable[[], float]
    kept: bool


def call(
    runs: tuple[Run | None, ...],
    given: tuple[Host, ...],
    results: tuple[Host, ...],
    info: Host | None = None,
    checked: Host | None = None,
) -> Call | None:
    """A call of routines, if all have names; without `checked` the first result is."""
    last = results[0] if checked is None else checked
    real = np.dtype(last.dtype.char.lower())
    count = last.nbytes // real.itemsize
    size = calling(real, "asum", count, last, 1, gives=np.ctypeslib.as_ctypes_type(real))
    named = tuple([run for run in runs if run is not None])
    if size is None or len(named) < len(runs):
        return None
    typed = tuple([(memory.copy, from_host(memory).aval) for memory in results])
    kept = all([memory.size <= FEW for memory in (*given, *results)])
    return Call(named, given, typed, space(1) if info is None else info, last, size, kept)


def space(shape: tuple[int, ...] | int, dtype: object = np.int64) -> Host:
    memory: Host = np.zeros(shape, dtype, "F")  # type: ignore[call-overload]  # any dtype
    return memory


_idle: Final[Cache[Hashable, list[Call]]] = Cache(RECENT)
"""The calls that nobody has just now, by who makes them and of what."""


def computed(key: tuple[Any, ...], *xs: Concrete) -> tuple[Concrete, ...] | None:
    """The results of a call that the first of the key makes of the rest, given xs, if they are finite."""
    idle = _idle.recent.get(key)
    if idle is None:
        idle = _idle.keep(key, [])
    try:
        call = idle.pop()
    except IndexError:
        made: Call | None = key[0](*key[1:]) if xs[0].host.dtype in _LETTERS else None
        if made is None:
            return None
        call = made
    runs, given, results, info, checked, size, kept = call
    for memory, x in zip(given, xs):
        memory[...] = x.host
    for run in runs:
        run()
    found = None
    if not info[0] and (isfinite(size()) or np.isfinite(checked).all()):
        found = tuple([concrete(copy(), aval) for copy, aval in results])
    if kept:
        idle.append(call)
    return found


def copying(part: bytes, of: Host, to: Host) -> Run | None:
    """A call that copies the upper triangle "U", the lower one "L" or all "A" of the first columns and rows."""
    (m, n), rows = map(min, of.shape, to.shape), len(of)
    return calling(of.dtype, "lacpy", part, m, n, of, rows, to, len(to))


def multiplying(a: Host, b: Host, to: Host, turn: bytes = b"N", factor: float = 1.0, kept: float = 0.0) -> Run | None:
    """A call of `to` = factor · a @ b + kept · to, or with bᴴ for the turn "C"."""
    (m, k), n, dtype = a.shape, to.shape[1], to.dtype
    numbers = np.array([factor], dtype), np.array([kept], dtype)
    return calling(dtype, "gemm", b"N", turn, m, n, k, numbers[0], a, m, b, len(b), numbers[1], to, len(to))
