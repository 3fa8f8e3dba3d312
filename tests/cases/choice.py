"""Cases of comparisons, selection, clamping and conversion."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.operations.elementwise import Clamp, Compare, CompareKind, Convert, Select
from effects.operations.movement import Bitcast
from tests.cases.case import LINE, OTHERS, Case, array, bools, shaped, waves, weak, whole

_C = CompareKind


def _compare_cases() -> list[Case]:
    same = array([-2.3, 1.25, -0.7])
    return [
        *[Case(f"{kind.value}-float", Compare(kind, shaped((2, 3)), same)) for kind in CompareKind],
        *[Case(f"{kind.value}-int", Compare(kind, whole((2, 1)), whole((3,)))) for kind in CompareKind],
        *[Case(f"{kind.value}-bool", Compare(kind, bools((3,)), bools((2, 1)))) for kind in CompareKind],
        *[Case(f"{kind.value}-complex", Compare(kind, waves((3,)), waves((2, 1)))) for kind in (_C.EQ, _C.NE)],
        Case("lt-scalar", Compare(_C.LT, weak(0.5), shaped((2, 3)))),
        Case("eq-empty", Compare(_C.EQ, shaped((0,)), shaped((2, 1)))),
    ]


_SELECT: Final[dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]] = {
    "same": ((2, 3), (2, 3), (2, 3)),
    "scalar_pred": ((), (2, 3), (2, 3)),
    "outer": ((3,), (2, 1), ()),
    "ranks": ((2, 1, 1), (3, 1), (2,)),
    "empty": ((0, 1), (1, 2), (2,)),
}


def _select_cases() -> list[Case]:
    return [
        *[
            Case(f"select-{what}", Select(bools(p), shaped(x), shaped(y, OTHERS)), (1, 2), ((1, 2),))
            for what, (p, x, y) in _SELECT.items()
        ],
        Case("select-int", Select(bools((3,)), whole((2, 3)), whole((3,), start=9))),
        Case("select-complex", Select(bools((3,)), waves((2, 3)), waves((3,))), (1, 2), ((1, 2),)),
    ]


def _clamp_cases() -> list[Case]:
    x = shaped((2, 3))
    return [
        Case("clamp-scalar_bounds", Clamp(array(-1.0), x, array(1.0)), (0, 1, 2)),
        Case("clamp-array_bounds", Clamp(shaped((3,), (-1.5, -1.0, -0.5)), x, shaped((2, 1), (1.0, 0.3))), (0, 1, 2)),
        Case("clamp-crossed_bounds", Clamp(array(1.0), x, array(-1.0)), (0, 1, 2)),
        Case("clamp-scalar", Clamp(array(0.0), array(0.4), array(1.0)), (0, 1, 2)),
        Case("clamp-int", Clamp(array(-1, fx.int64), whole((2, 3)), whole((3,), start=0))),
    ]


_CONVERTED: Final = (fx.bool, fx.int32, fx.uint8, fx.float16, fx.bfloat16, fx.float32, fx.float64, fx.complex128)


def _convert_cases() -> list[Case]:
    narrow = (fx.float16, fx.bfloat16, fx.float32)
    x = shaped((2, 3))
    return [
        *[Case(f"convert-int64_to_{to}", Convert(to, False, whole((2, 3)))) for to in _CONVERTED],
        *[Case(f"convert-bool_to_{to}", Convert(to, False, bools((2, 3)))) for to in _CONVERTED],
        *[Case(f"convert-float64_to_{to}", Convert(to, False, x)) for to in (fx.bool, fx.int64, fx.uint8)],
        *[Case(f"convert-float64_to_{to}", Convert(to, False, x), (), ((0,),)) for to in narrow],
        *[
            Case(f"convert-{to}_to_float64", Convert(fx.float64, False, shaped((3,), LINE, to)), (), ((0,),))
            for to in narrow
        ],
        Case("convert-float64_to_complex128", Convert(fx.complex128, False, x), (0,), ((0,),)),
        Case("convert-complex128_to_float64", Convert(fx.float64, False, waves((2, 3))), (0,), ((0,),)),
        Case("convert-complex128_to_complex64", Convert(fx.complex64, False, waves((2, 3))), (), ((0,),)),
        Case("convert-weak", Convert(fx.float64, True, whole((2, 3)))),
        Case("convert-strengthened", Convert(fx.float64, False, weak(1.5)), (0,), ((0,),)),
    ]


_BITS: Final = (
    *[Case(f"bitcast-float64_to_{to}", Bitcast(to, shaped((2, 3)))) for to in (fx.int64, fx.float32, fx.uint8)],
    Case("bitcast-float32_to_uint64", Bitcast(fx.uint64, shaped((2, 4), dtype=fx.float32))),
    Case("bitcast-scalar", Bitcast(fx.int64, array(2.0))),
)

CASES: Final = (*_compare_cases(), *_select_cases(), *_clamp_cases(), *_convert_cases(), *_BITS)
