"""Cases of the elementwise operations of one and two operands."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects import Array
from effects.operations.elementwise import Binary, BinaryKind, Unary, UnaryKind
from effects.operations.philox import Philox
from tests.cases.case import LINE, OTHERS, POSITIVE, Case, array, bools, shaped, waves, weak, whole

_U, _B = UnaryKind, BinaryKind

_UNIT: Final = (-0.9, 0.3, 0.85, -0.1, 0.6, -0.55)
_ABOVE_ONE: Final = (1.1, 2.7, 1.4, 5.2, 3.3, 1.9)
DOMAINS: Final = {
    **dict.fromkeys((_U.ACOS, _U.ASIN, _U.ATANH, _U.ERF_INV), _UNIT),
    _U.ACOSH: _ABOVE_ONE,
    **dict.fromkeys((_U.LOG, _U.LOG10, _U.LOG1P, _U.LOG2, _U.RSQRT, _U.SQRT), POSITIVE),
    _U.TAN: _UNIT,
}
"""Where the functions are defined and smooth; the others are so on `LINE`."""

OF_COMPLEX: Final = (_U.CONJ, _U.IMAG, _U.REAL)
COMPLEX_TOO: Final = (
    *(_U.ABS, _U.ACOS, _U.ACOSH, _U.ASIN, _U.ASINH, _U.ATAN, _U.ATANH, _U.COS, _U.COSH, _U.EXP, _U.EXPM1, _U.LOG),
    *(_U.LOG1P, _U.LOGISTIC, _U.NEG, _U.RSQRT, _U.SIGN, _U.SIN, _U.SINH, _U.SQRT, _U.TAN, _U.TANH),
)
LINEAR: Final = (_U.NEG, _U.CONJ, _U.IMAG, _U.REAL)


def _unary(kind: UnaryKind, what: str, x: Array, smooth: bool = False) -> Case:
    linear = ((0,),) if smooth and kind in LINEAR else ()
    return Case(f"{kind.value}-{what}", Unary(kind, x), (0,) if smooth else (), linear)


def _unary_cases() -> list[Case]:
    cases: list[Case] = []
    for kind in UnaryKind:
        if kind in OF_COMPLEX or kind in COMPLEX_TOO:
            cases.append(_unary(kind, "complex", waves((2, 3)), smooth=True))
        if kind is _U.NOT:
            cases += [_unary(kind, "int", whole((2, 3))), _unary(kind, "bool", bools((3,)))]
        elif kind is _U.BIT_COUNT:
            cases.append(_unary(kind, "int", whole((2, 3))))
        elif kind not in OF_COMPLEX:
            x = shaped((2, 3), DOMAINS.get(kind, LINE))
            cases.append(_unary(kind, "float", x, smooth=kind not in (_U.IS_FINITE, _U.SIGN_BIT)))
    return [
        *cases,
        *[_unary(kind, "int", whole((2, 3))) for kind in (_U.ABS, _U.NEG, _U.SIGN)],
        _unary(_U.SIN, "scalar", array(0.7), smooth=True),
        _unary(_U.SIN, "weak", weak(0.7)),
        _unary(_U.SIN, "empty", shaped((0, 3)), smooth=True),
        _unary(_U.EXP, "rank4", shaped((1, 2, 1, 3)), smooth=True),
    ]


_JOINTLY: Final = {_B.ADD: ((0, 1),), _B.SUB: ((0, 1),), _B.COMPLEX: ((0, 1),)}
_SINGLY: Final = {_B.MUL: ((0,), (1,)), _B.DIV: ((0,),), _B.SCALE: ((0,),)}
_SMOOTH: Final = (
    *(_B.ADD, _B.ALONG, _B.ATAN2, _B.COMPLEX, _B.COPY_SIGN, _B.DIV, _B.FLOOR_DIV, _B.HYPOT, _B.MAX, _B.MIN, _B.MUL),
    *(_B.NEXT_AFTER, _B.POW, _B.REM, _B.SHARE, _B.SUB, _B.TURN),
)
_INTEGER: Final = (
    *(_B.ADD, _B.AND, _B.DIV, _B.FLOOR_DIV, _B.GCD, _B.MAX, _B.MIN, _B.MUL, _B.OR, _B.POW, _B.REM, _B.SHIFT_LEFT),
    *(_B.SHIFT_RIGHT, _B.SUB, _B.XOR),
)
_BOOL: Final = (_B.ADD, _B.AND, _B.MAX, _B.MIN, _B.MUL, _B.OR, _B.XOR)
SHAPES: Final[dict[str, tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "same": ((2, 3), (2, 3)),
    "outer": ((2, 1), (3,)),
    "scalar_left": ((), (2, 3)),
    "scalar_right": ((3,), ()),
    "ranks": ((1, 3), (4, 2, 1)),
    "empty": ((0, 3), (1, 3)),
}


def _binary(kind: BinaryKind, what: str, x: Array, y: Array, smooth: tuple[int, ...] = ()) -> Case:
    linear = _JOINTLY.get(kind, _SINGLY.get(kind, ())) if smooth else ()
    return Case(f"{kind.value}-{what}", Binary(kind, x, y), smooth, linear)


def _floats(kind: BinaryKind, what: str) -> Case:
    left, right = SHAPES[what]
    x = shaped(left, POSITIVE if kind is _B.POW else LINE)
    return _binary(kind, what, x, shaped(right, OTHERS), smooth=(0, 1))


def _binary_cases() -> list[Case]:
    small = whole((3,), start=-1)
    return [
        *[_floats(kind, what) for kind in _SMOOTH for what in ("same", "outer")],
        *[
            _floats(kind, what)
            for kind in (_B.ADD, _B.SUB, _B.MUL, _B.DIV, _B.MAX, _B.POW, _B.COMPLEX)
            for what in ("scalar_left", "scalar_right", "ranks", "empty")
        ],
        *[
            _binary(kind, "complex", waves((2, 3)), fx.flip(waves((3,))), smooth=(0, 1))
            for kind in (_B.ADD, _B.SUB, _B.MUL, _B.DIV, _B.POW)
        ],
        *[_binary(kind, "int", whole((2, 3)), small) for kind in _INTEGER],
        *[_binary(kind, "bool", bools((2, 3)), array([True, True, False], fx.bool)) for kind in _BOOL],
        _binary(_B.SCALE, "orders", shaped((2, 3)), array([3.0, -2.0, 0.0]), smooth=(0,)),
        *[
            _binary(_B.THREEFRY, what, whole(left, fx.uint64, 2**40), whole(right, fx.uint64, 7))
            for what, (left, right) in SHAPES.items()
        ],
        *[
            Case(
                f"philox-{what}", Philox(whole(left, fx.uint64, 2**40), whole(right, fx.uint64, 7), array(1, fx.uint64))
            )
            for what, (left, right) in SHAPES.items()
        ],
        _binary(_B.POW, "zero_base", array([0.0, 0.0, 0.0, -2.0]), array([1.0, 2.0, 3.0, 3.0]), smooth=(0,)),
        _binary(_B.POW, "zero_exponent", array([1.5, 2.0]), array([0.0, 0.0]), smooth=(0, 1)),
        _binary(_B.MUL, "weak", weak(2.0), weak(3.0)),
        _binary(_B.ABOVE, "inside", array([1.5, 2.0, -1.0]), array([1.0, 0.5, -3.0]), smooth=(0, 1)),
        Case("mul-weak_and_strong", Binary(_B.MUL, weak(2.0), shaped((3,))), (1,), ((1,),)),
        *[
            _binary(k, "signs", array([5.5, -5.5, 5.5, -5.5]), array([2.0, 2.0, -2.0, -2.0]), smooth=(0, 1))
            for k in (_B.COPY_SIGN, _B.FLOOR_DIV, _B.REM)
        ],
    ]


CASES: Final = (*_unary_cases(), *_binary_cases())
