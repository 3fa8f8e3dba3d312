"""Cases of slices, static and dynamic, with starts in and out of range."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects import Array
from effects.operations.indexing import DynamicSlice, DynamicUpdateSlice, Slice
from effects.types.dtypes import DType
from tests.cases.case import OTHERS, Case, array, bools, shaped, waves, whole

type _Indices = tuple[int, ...]


def _slice(what: str, shape: _Indices, start: _Indices, limit: _Indices, strides: _Indices) -> Case:
    return Case(f"slice-{what}", Slice(start, limit, strides, shaped(shape)), (0,), ((0,),))


_SLICES: Final = (
    _slice("part", (4, 3), (1, 0), (3, 2), (1, 1)),
    _slice("strided", (7, 4), (1, 0), (7, 4), (2, 3)),
    _slice("strided_short", (6,), (0,), (5,), (4,)),
    _slice("all", (2, 3), (0, 0), (2, 3), (1, 1)),
    _slice("empty", (3, 2), (1, 0), (1, 2), (1, 1)),
    _slice("scalar", (), (), (), ()),
    Case("slice-int", Slice((1,), (6,), (2,), whole((6,)))),
    Case("slice-complex", Slice((1,), (6,), (2,), waves((6,))), (0,), ((0,),)),
)


def _starts(*places: int, dtype: type[DType] = fx.int64) -> tuple[Array, ...]:
    return tuple([array(place, dtype) for place in places])


_PLACES: Final = {"inside": (1, 2), "negative": (-2, 1), "beyond": (3, 9), "origin": (0, 0)}


def _dynamic_slices() -> list[Case]:
    x = shaped((4, 5))
    return [
        *[
            Case(f"dynamic_slice-{what}", DynamicSlice((2, 3), x, _starts(*at)), (0,), ((0,),))
            for what, at in _PLACES.items()
        ],
        *[
            Case(f"dynamic_slice-{dtype}", DynamicSlice((2, 3), x, _starts(1, 2, dtype=dtype)), (0,), ((0,),))
            for dtype in (fx.int32, fx.uint8, fx.int8)
        ],
        Case("dynamic_slice-mixed_starts", DynamicSlice((1, 2), x, (*_starts(2), *_starts(1, dtype=fx.int32))), (0,)),
        Case("dynamic_slice-all", DynamicSlice((4, 5), x, _starts(1, -1)), (0,), ((0,),)),
        Case("dynamic_slice-empty", DynamicSlice((0, 2), x, _starts(4, 1)), (0,), ((0,),)),
        Case("dynamic_slice-scalar", DynamicSlice((), array(1.5), ()), (0,), ((0,),)),
        Case("dynamic_slice-bool", DynamicSlice((2,), bools((5,)), _starts(2))),
    ]


def _dynamic_updates() -> list[Case]:
    x, update = shaped((4, 5)), shaped((2, 3), OTHERS)
    return [
        *[
            Case(f"dynamic_update_slice-{what}", DynamicUpdateSlice(x, update, _starts(*at)), (0, 1), ((0, 1),))
            for what, at in _PLACES.items()
        ],
        Case("dynamic_update_slice-only_x", DynamicUpdateSlice(x, update, _starts(1, 1)), (0,)),
        Case("dynamic_update_slice-only_update", DynamicUpdateSlice(x, update, _starts(1, 1)), (1,)),
        Case("dynamic_update_slice-int32", DynamicUpdateSlice(x, update, _starts(1, 1, dtype=fx.int32)), (0, 1)),
        Case("dynamic_update_slice-all", DynamicUpdateSlice(x, shaped((4, 5), OTHERS), _starts(1, 1)), (0, 1)),
        Case("dynamic_update_slice-empty", DynamicUpdateSlice(x, shaped((0, 2)), _starts(4, 1)), (0, 1), ((0, 1),)),
        Case("dynamic_update_slice-scalar", DynamicUpdateSlice(array(1.0), array(2.0), ()), (0, 1), ((0, 1),)),
        Case("dynamic_update_slice-int", DynamicUpdateSlice(whole((5,)), whole((2,), start=40), _starts(4))),
    ]


CASES: Final = (*_SLICES, *_dynamic_slices(), *_dynamic_updates())
