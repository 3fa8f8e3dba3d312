"""Samples of all dtypes and of special values, for evaluation against compiled code."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np

import effects as fx
from effects import Array
from effects.operations.elementwise import (
    Binary,
    BinaryKind,
    Clamp,
    Compare,
    CompareKind,
    Convert,
    Select,
    Unary,
    UnaryKind,
)
from effects.operations.reduction import ArgReduce, ArgReduceKind, Reduce, ReduceKind
from effects.types.dtypes import Complex, DType, Floating
from tests.cases.case import LINE, OTHERS, POSITIVE, Case, array, bools, shaped
from tests.cases.elementwise import COMPLEX_TOO, DOMAINS, OF_COMPLEX

_U, _B, _K = UnaryKind, BinaryKind, ReduceKind
NARROW: Final = (fx.float32, fx.float16, fx.bfloat16)
INTEGERS: Final = (fx.int8, fx.int32, fx.int64, fx.uint8, fx.uint32, fx.uint64)
_REAL: Final = [kind for kind in UnaryKind if kind not in OF_COMPLEX and kind is not _U.NOT]


def specials(dtype: type[DType]) -> Array:
    """The values of `dtype` where functions do something unusual."""
    if issubclass(dtype, Complex):
        return array([complex(a, b) for a, b in product((0.0, 1.0, -2.0, np.inf), (0.0, -1.0, 0.5))], dtype)
    if issubclass(dtype, Floating):
        largest = float(fx.finfo(dtype).max)
        smallest = float(fx.finfo(dtype).smallest_normal)
        ends = [largest, -largest, smallest, -smallest]
        return array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -2.5, 3.0, *ends], dtype)
    if dtype is fx.bool:
        return array([False, True], dtype)
    limits = np.iinfo(dtype.dtype)
    return array(np.array([0, 1, 2, 7, limits.max, limits.max - 1, limits.min, limits.min + 1], object), dtype)


def cuts(dtype: type[DType]) -> Array:
    """Complex numbers on both sides of all branch cuts, near 0, and large."""
    real = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 1e-9, 1e10, -1e10)
    imaginary = (0.0, -0.0, 1.0, -1.0, 0.25, -2.0, 1e-9)
    return array([complex(a, b) for a, b in product(real, imaginary)], dtype)


def pairs(dtype: type[DType]) -> tuple[Array, Array]:
    """Every pair of special values, written out: XLA multiplies by the reciprocal of a divisor that it broadcasts."""
    x = specials(dtype)
    return fx.repeat(x, x.size), fx.tile(x, (x.size,))


def _unary() -> list[Case]:
    everywhere = [
        Case(f"{kind.value}-{dtype}", Unary(kind, shaped((6,), DOMAINS.get(kind, LINE), dtype)))
        for kind in _REAL
        for dtype in NARROW
    ]
    special = [Case(f"{k.value}-special_{d}", Unary(k, specials(d))) for k in _REAL for d in (fx.float64, fx.float32)]
    half = [
        Case(f"{k.value}-special_{d}", Unary(k, specials(d))) for k in (_U.ROUND, _U.SIGN, _U.ABS) for d in NARROW[1:]
    ]
    whole = [Case(f"{k.value}-{d}", Unary(k, specials(d))) for k in (_U.ABS, _U.NEG, _U.SIGN, _U.NOT) for d in INTEGERS]
    return [
        *everywhere,
        *special,
        *half,
        *whole,
        *[Case(f"{k.value}-special_complex64", Unary(k, specials(fx.complex64))) for k in OF_COMPLEX],
        *[Case(f"{k.value}-cuts_{d}", Unary(k, cuts(d))) for k in COMPLEX_TOO for d in (fx.complex64, fx.complex128)],
        *[Case(f"{k.value}-complex64", Unary(k, shaped((6,), _WAVES, fx.complex64))) for k in COMPLEX_TOO],
    ]


_WAVES: Final = [complex(x, 0.3 * y) for x, y in zip(LINE, OTHERS, strict=True)]
_FLOAT: Final = (
    *(_B.ABOVE, _B.ADD, _B.ALONG, _B.ATAN2, _B.COPY_SIGN, _B.DIV, _B.FLOOR_DIV, _B.HYPOT, _B.MAX, _B.MIN, _B.MUL),
    *(_B.NEXT_AFTER, _B.POW, _B.REM, _B.SHARE, _B.SUB, _B.TURN),
)
_INTEGER: Final = (
    *(_B.ADD, _B.AND, _B.DIV, _B.FLOOR_DIV, _B.MAX, _B.MIN, _B.MUL, _B.OR, _B.POW, _B.REM, _B.SUB, _B.XOR),
)
_SHIFTS: Final = (_B.SHIFT_LEFT, _B.SHIFT_RIGHT)


def _shifts(dtype: type[DType]) -> Array:
    return array([0, 1, 3, 7, 8, 31, 32, 63, 64, 100], dtype)


def _binary() -> list[Case]:
    return [
        *[
            Case(f"{kind.value}-special_{dtype}", Binary(kind, *pairs(dtype)))
            for kind in _FLOAT
            for dtype in (fx.float64, fx.float32)
        ],
        *[
            Case(f"{kind.value}-{dtype}", Binary(kind, shaped((6,), POSITIVE, dtype), shaped((6,), OTHERS, dtype)))
            for kind in (*_FLOAT, _B.COMPLEX)
            for dtype in NARROW
        ],
        *[Case(f"{kind.value}-{dtype}", Binary(kind, *pairs(dtype))) for kind in _INTEGER for dtype in INTEGERS],
        *[Case(f"copy_sign-special_{dtype}", Binary(_B.COPY_SIGN, *pairs(dtype))) for dtype in NARROW],
        *[
            Case(f"{kind.value}-{dtype}", Binary(kind, fx.reshape(specials(dtype), (-1, 1)), _shifts(dtype)))
            for kind in _SHIFTS
            for dtype in INTEGERS
        ],
        *[
            Case(
                f"{k.value}-complex64",
                Binary(k, shaped((6,), _WAVES, fx.complex64), shaped((6,), _WAVES[1:], fx.complex64)),
            )
            for k in (_B.ADD, _B.SUB, _B.MUL, _B.DIV, _B.POW)
        ],
    ]


def _choice() -> list[Case]:
    dtypes = (fx.float64, fx.float32, fx.bfloat16, fx.int64, fx.uint8, fx.bool)
    x, y = specials(fx.float64), fx.reshape(specials(fx.float64), (-1, 1))
    return [
        *[Case(f"{kind.value}-special_{d}", Compare(kind, *pairs(d))) for kind in CompareKind for d in dtypes],
        *[
            Case(f"{k.value}-special_complex", Compare(k, *pairs(fx.complex128)))
            for k in (CompareKind.EQ, CompareKind.NE)
        ],
        Case("clamp-special", Clamp(x, y, fx.reshape(y, (-1, 1, 1)))),
        Case("clamp-uint8", Clamp(array(3, fx.uint8), specials(fx.uint8), array(100, fx.uint8))),
        Case("select-bfloat16", Select(bools((6,)), shaped((6,), LINE, fx.bfloat16), array(1, fx.bfloat16))),
    ]


def _fraction(dtype: type[DType]) -> Array:
    """Values whose conversion truncates, wraps or saturates."""
    x = specials(dtype)
    if issubclass(dtype, Floating):
        return fx.concat([x, array([-3.7, 3.7, 127.5, 300.0, -300.0, 65504.0], dtype)])
    return x


_CONVERTED: Final = (*INTEGERS, fx.bool, fx.float64, *NARROW, fx.complex64, fx.complex128)


def _convert() -> list[Case]:
    return [
        Case(f"convert-special_{source}_to_{target}", Convert(target, False, _fraction(source)))
        for source in _CONVERTED
        for target in _CONVERTED
    ]


def _folds() -> list[Case]:
    floats = (fx.float64, *NARROW)
    rows = array([[1.0, np.nan, 3.0], [np.inf, 1.0, -np.inf], [-0.0, 0.0, -0.0], [np.inf, np.inf, 2.0]])
    numeric = (_K.MAX, _K.MIN, _K.PROD, _K.SUM)
    return [
        *[
            Case(f"{kind.value}-special_{dtype}", Reduce(kind, (1,), fx.astype(rows, dtype)))
            for kind in numeric
            for dtype in floats
        ],
        *[
            Case(f"{kind.value}-many_{dtype}", Reduce(kind, (1,), shaped((2, 50), (1.1, 0.9, 1.2, 0.8), dtype)))
            for kind in numeric
            for dtype in NARROW
        ],
        *[Case(f"{kind.value}-{dtype}", Reduce(kind, (0,), specials(dtype))) for kind in numeric for dtype in INTEGERS],
        *[
            Case(f"{kind.value}-special_{dtype}", ArgReduce(kind, 1, fx.astype(rows, dtype)))
            for kind in ArgReduceKind
            for dtype in floats
        ],
        *[
            Case(f"{kind.value}-{dtype}", ArgReduce(kind, 0, specials(dtype)))
            for kind in ArgReduceKind
            for dtype in INTEGERS
        ],
    ]


CASES: Final = (*_unary(), *_binary(), *_choice(), *_convert(), *_folds())
