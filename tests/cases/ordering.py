"""Cases of cumulative folds, sorting, single elements of an order, and places."""

from __future__ import annotations

from typing import Final

import numpy as np

import effects as fx
from effects.operations.cumulative import Cumulative, CumulativeKind
from effects.operations.sorting import Insertion, Nonzero, Order, Ranked, Sort, TopK
from tests.cases.case import LINE, OTHERS, Case, array, shaped, waves, whole

_K = CumulativeKind
_WITHOUT_ORDER: Final = (_K.SUM, _K.PROD)
_OF_INTEGERS: Final = (_K.SUM, _K.PROD, _K.MAX, _K.MIN)


def _cumulative(kind: CumulativeKind, what: str, axis: int, x: fx.Array, reverse: bool = False) -> Case:
    linear = ((0,),) if kind is _K.SUM else ()
    return Case(f"{kind.value}-{what}", Cumulative(kind, axis, x, reverse), (0,), linear)


def _cumulative_cases() -> list[Case]:
    cube = shaped((2, 5, 2))
    halves = shaped((2, 5), LINE, fx.float32)
    return [
        *[_cumulative(kind, f"axis_{axis}", axis, cube) for kind in _K for axis in range(3)],
        *[_cumulative(kind, "reversed", 1, cube, True) for kind in _K],
        *[_cumulative(kind, "one", 0, shaped((1, 3))) for kind in _K],
        *[_cumulative(kind, "empty", 0, shaped((0, 3))) for kind in _K],
        *[_cumulative(kind, "of_empty", 1, shaped((0, 3))) for kind in _K],
        *[_cumulative(kind, "complex", 0, waves((4, 2))) for kind in _WITHOUT_ORDER],
        *[Case(f"{kind.value}-float32", Cumulative(kind, 1, halves)) for kind in _K],
        *[Case(f"{kind.value}-int", Cumulative(kind, 0, whole((4, 2)))) for kind in _OF_INTEGERS],
        *[Case(f"{kind.value}-wrapping", Cumulative(kind, 0, whole((4, 2), fx.uint8, 80))) for kind in _OF_INTEGERS],
        _cumulative(_K.PROD, "one_zero", 0, array([1.5, 0.0, -2.0, 0.7, 0.3])),
        _cumulative(_K.PROD, "two_zeros", 0, array([0.5, 0.0, 1.5, 0.0, 2.0, 0.5]), True),
    ]


def _sort_cases() -> list[Case]:
    cube, vector = shaped((2, 5, 2)), shaped((6,))
    keys = array([1, 0, 1, 0, 1, 2], fx.int32)
    ties = array([[1.0, 3.0, 3.0, 1.0], [2.0, 0.0, -0.0, 2.0]])
    nan = array([1.0, np.nan, -np.inf, 5.0, np.nan, np.inf, 0.0, -0.0])
    return [
        *[Case(f"sort-axis_{axis}", Sort(1, axis, False, (cube,)), (0,)) for axis in range(3)],
        Case("sort-descending", Sort(1, 1, True, (cube,)), (0,)),
        Case("sort-one", Sort(1, 0, False, (shaped((1, 3)),)), (0,)),
        Case("sort-empty", Sort(1, 0, False, (shaped((0, 3)),)), (0,)),
        Case("sort-payload", Sort(1, 0, False, (keys, vector, shaped((6,), OTHERS))), (1, 2)),
        Case("sort-payload_descending", Sort(1, 0, True, (keys, vector)), (1,)),
        Case("sort-float_key", Sort(1, 0, False, (vector, shaped((6,), OTHERS), keys)), (0, 1)),
        Case("sort-two_keys", Sort(2, 0, False, (keys, vector, shaped((6,), OTHERS))), (1, 2)),
        Case("sort-two_keys_descending", Sort(2, 0, True, (keys, vector)), (1,)),
        Case("sort-ties", Sort(1, 1, False, (ties, whole((2, 4))))),
        Case("sort-ties_descending", Sort(1, 1, True, (ties, whole((2, 4))))),
        Case("sort-nan", Sort(1, 0, False, (nan, whole((8,))))),
        Case("sort-nan_descending", Sort(1, 0, True, (nan, whole((8,))))),
        Case("sort-complex", Sort(1, 0, False, (waves((7,)),)), (0,)),
        Case("sort-int", Sort(1, 0, True, (whole((4, 2)),))),
        Case("sort-bool", Sort(1, 0, False, (array([True, False, True]), whole((3,))))),
        *[Case(f"order-axis_{axis}", Order(axis, False, (cube,))) for axis in range(3)],
        Case("order-descending", Order(1, True, (cube,))),
        Case("order-one", Order(0, False, (shaped((1, 3)),))),
        Case("order-empty", Order(0, False, (shaped((0, 3)),))),
        Case("order-two_keys", Order(0, False, (keys, vector))),
        Case("order-two_keys_descending", Order(0, True, (keys, vector))),
        *[Case(f"order-ties-{down}", Order(1, down, (ties,))) for down in (False, True)],
        *[Case(f"order-nan-{down}", Order(0, down, (nan,))) for down in (False, True)],
        Case("order-complex", Order(0, False, (waves((7,)),))),
        Case("order-int", Order(0, True, (whole((4, 2)),))),
        Case("order-bool", Order(0, False, (array([True, False, True]),))),
    ]


def _top_cases() -> list[Case]:
    return [
        Case("top_k-vector", TopK(3, shaped((6,))), (0,)),
        Case("top_k-matrix", TopK(2, shaped((3, 5))), (0,)),
        Case("top_k-all", TopK(5, shaped((2, 5))), (0,)),
        Case("top_k-empty", TopK(2, shaped((0, 5))), (0,)),
        Case("top_k-none", TopK(0, shaped((2, 5))), (0,)),
        Case("top_k-float32", TopK(2, shaped((3, 5), LINE, fx.float32))),
        Case("top_k-ties", TopK(3, array([1.0, 3.0, 3.0, -0.0, 0.0, 3.0]))),
        Case("top_k-zeros", TopK(3, array([-0.0, 0.0, -1.0, -0.0]))),
        Case("top_k-nan", TopK(3, array([1.0, -np.nan, 3.0, np.inf, np.nan]))),
        Case("top_k-int", TopK(2, whole((3, 4)))),
    ]


def _ranked_cases() -> list[Case]:
    nan = array([[1.0, np.nan, -np.inf, 5.0], [-0.0, 0.0, -0.0, -1.0]])
    return [
        Case("ranked-vector", Ranked((3, 0, 3), shaped((6,))), (0,)),
        Case("ranked-matrix", Ranked((4, 1), shaped((3, 5))), (0,)),
        Case("ranked-complex", Ranked((1, 2), waves((2, 4))), (0,)),
        Case("ranked-one", Ranked((0,), shaped((2, 1))), (0,)),
        Case("ranked-empty", Ranked((0, 1), shaped((0, 5))), (0,)),
        Case("ranked-nan_and_zeros", Ranked((0, 1, 2, 3), nan)),
        Case("ranked-float32", Ranked((2, 3), shaped((3, 5), LINE, fx.float32))),
        Case("ranked-int", Ranked((2, 0), whole((3, 4)))),
        Case("ranked-bool", Ranked((1,), array([True, False, False], fx.bool))),
    ]


def _place_cases() -> list[Case]:
    line = array([-np.inf, -1.0, -0.0, 0.0, 0.0, 2.5, np.inf, np.nan])
    values = array([[np.nan, 2.0, -0.0, 0.0], [-np.inf, np.inf, 2.5, -7.0]])
    lines, numbers = array([[-1, 3, 3], [0, 2, 5]], fx.int32), whole((2, 2, 2), fx.int32)
    mixed = array([[[0.0, np.nan], [-2.0, -0.0]], [[0.0, 0.0], [1.0, 0.0]], [[3.0, 4.0], [5.0, 6.0]]])
    some = array([[True, False, True], [False, False, True]], fx.bool)
    few, plane = array([0.5, 1.5]), array([0.5 + 0.1j], fx.complex128)
    return [
        *[Case(f"insertion-{before}", Insertion(before, 0, line, values)) for before in (False, True)],
        *[Case(f"insertion-lines-{before}", Insertion(before, 1, lines, numbers)) for before in (False, True)],
        *[Case(f"insertion-complex-{before}", Insertion(before, 0, plane, waves((5,)))) for before in (False, True)],
        Case("insertion-many", Insertion(True, 0, few, shaped((1100,)))),
        Case("insertion-float32", Insertion(False, 0, array([0.5, 1.5], fx.float32), shaped((3,), LINE, fx.float32))),
        Case("insertion-bool", Insertion(True, 0, array([False, True], fx.bool), some)),
        Case("insertion-nowhere", Insertion(True, 0, shaped((0,)), values)),
        Case("insertion-nothing", Insertion(True, 0, line, shaped((0, 2)))),
        *[Case(f"nonzero-{size}", Nonzero(size, -1, 2, some)) for size in (0, 2, 3, 8)],
        *[Case(f"nonzero-lines-{size}", Nonzero(size, 9, 2, mixed)) for size in (2, 3, 5)],
        Case("nonzero-int", Nonzero(2, 0, 1, whole((2, 4)))),
        Case("nonzero-complex", Nonzero(3, 0, 1, waves((3,)))),
        Case("nonzero-empty", Nonzero(2, 7, 1, shaped((3, 0)))),
    ]


CASES: Final = (*_cumulative_cases(), *_sort_cases(), *_top_cases(), *_ranked_cases(), *_place_cases())
