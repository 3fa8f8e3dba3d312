"""Cases of reductions and contractions."""

from __future__ import annotations

from typing import Final

import numpy as np

import effects as fx
from effects import Array
from effects.operations.contraction import AxisPairs, DotGeneral
from effects.operations.reduction import ArgReduce, ArgReduceKind, Norm, Reduce, ReduceKind
from tests.cases.case import LINE, OTHERS, Case, array, bools, shaped, waves, whole

_K = ReduceKind
_LOGICAL: Final = (_K.AND, _K.OR)
_NUMERIC: Final = (_K.MAX, _K.MIN, _K.PROD, _K.SUM)


def _reduce(kind: ReduceKind, what: str, axes: tuple[int, ...], x: Array, keepdims: bool = False) -> Case:
    return Case(f"{kind.value}-{what}", Reduce(kind, axes, x, keepdims), (0,), ((0,),) if kind is _K.SUM else ())


def _reduce_cases() -> list[Case]:
    cube, halves = shaped((2, 3, 2)), shaped((2, 3, 2), LINE, fx.float32)
    axes = {"first": (0,), "middle": (1,), "last": (2,), "outer": (0, 2), "all": (0, 1, 2), "none": ()}
    return [
        *[_reduce(kind, what, which, cube) for kind in _NUMERIC for what, which in axes.items()],
        *[_reduce(kind, f"{what}_kept", which, cube, True) for kind in _NUMERIC for what, which in axes.items()],
        *[Case(f"{kind.value}-outer_kept", Reduce(kind, (0, 2), bools((2, 3, 2)), True)) for kind in _LOGICAL],
        *[
            Case(f"{kind.value}-{what}", Reduce(kind, which, bools((2, 3, 2))))
            for kind in _LOGICAL
            for what, which in axes.items()
        ],
        *[Case(f"{kind.value}-int", Reduce(kind, (1,), whole((2, 3)))) for kind in _NUMERIC],
        *[Case(f"{kind.value}-wrapping", Reduce(kind, (1,), whole((2, 3), fx.uint8, 80))) for kind in _NUMERIC],
        *[Case(f"{kind.value}-float32", Reduce(kind, (0, 2), halves)) for kind in _NUMERIC],
        *[Case(f"{kind.value}-empty", Reduce(kind, (0,), shaped((0, 2)))) for kind in (_K.MAX, _K.MIN)],
        *[Case(f"{kind.value}-empty", Reduce(kind, (0,), bools((0, 2)))) for kind in _LOGICAL],
        *[Case(f"{kind.value}-empty_int", Reduce(kind, (0,), whole((0, 2), fx.int32))) for kind in _NUMERIC],
        *[_reduce(kind, "empty", (0,), shaped((0, 2))) for kind in (_K.SUM, _K.PROD)],
        *[_reduce(kind, "empty_kept", (0,), shaped((0, 2)), True) for kind in (_K.SUM, _K.PROD)],
        *[_reduce(kind, "to_empty", (1,), shaped((0, 2))) for kind in _NUMERIC],
        *[_reduce(kind, "complex", (0,), waves((3, 2))) for kind in (_K.SUM, _K.PROD)],
        *[_reduce(kind, "scalar", (), array(1.5)) for kind in _NUMERIC],
        _reduce(_K.PROD, "one_zero", (1,), array([[1.5, 0.0, -2.0, 0.7]])),
        _reduce(_K.PROD, "two_zeros", (0,), array([0.0, 1.5, 0.0, 2.0, 0.5])),
        _reduce(_K.PROD, "five", (0,), shaped((5, 2))),
    ]


def _norm_cases() -> list[Case]:
    cube = shaped((2, 3, 2))
    axes = {"all": (0, 1, 2), "middle": (1,), "outer": (0, 2), "none": ()}
    return [
        *[Case(f"norm-{what}", Norm(which, cube), (0,)) for what, which in axes.items()],
        Case("norm-kept", Norm((0, 2), cube, True), (0,)),
        *[
            Case(f"norm-complex_{what}", Norm(which, waves((3, 2))), (0,))
            for what, which in (("all", (0, 1)), ("one", (0,)))
        ],
        *[
            Case(f"norm-{what}", Norm((0, 1), x))
            for what, x in (("empty", shaped((0, 2))), ("zero", shaped((2, 2)) * 0.0))
        ],
        Case("norm-single", Norm((0, 1, 2), shaped((2, 3, 2), LINE, fx.float32))),
        Case("norm-many", Norm((0, 1), shaped((40, 40)))),
    ]


def _argreduce_cases() -> list[Case]:
    cube, ties = shaped((2, 3, 2)), array([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0]])
    return [
        *[Case(f"{kind.value}-{axis}", ArgReduce(kind, axis, cube)) for kind in ArgReduceKind for axis in range(3)],
        *[Case(f"{kind.value}-ties", ArgReduce(kind, 1, ties)) for kind in ArgReduceKind],
        *[Case(f"{kind.value}-int", ArgReduce(kind, 0, whole((3, 2)))) for kind in ArgReduceKind],
        *[Case(f"{kind.value}-bool", ArgReduce(kind, 1, bools((2, 4)))) for kind in ArgReduceKind],
        *[Case(f"{kind.value}-nan", ArgReduce(kind, 0, array([1.0, np.nan, 5.0, np.nan]))) for kind in ArgReduceKind],
        *[Case(f"{kind.value}-to_empty", ArgReduce(kind, 1, shaped((0, 2)))) for kind in ArgReduceKind],
    ]


_NONE: Final[AxisPairs] = ((), ())
_DOTS: Final[dict[str, tuple[tuple[int, ...], tuple[int, ...], AxisPairs, AxisPairs]]] = {
    "matrices": ((2, 3), (3, 4), ((1,), (0,)), _NONE),
    "vectors": ((3,), (3,), ((0,), (0,)), _NONE),
    "matrix_vector": ((2, 3), (3,), ((1,), (0,)), _NONE),
    "first_axes": ((3, 2), (3, 4), ((0,), (0,)), _NONE),
    "outer": ((2,), (3,), _NONE, _NONE),
    "scalar": ((), (2, 3), _NONE, _NONE),
    "batched": ((4, 2, 3), (4, 3, 2), ((2,), (1,)), ((0,), (0,))),
    "batch_inside": ((2, 4, 3), (3, 2, 4), ((2,), (0,)), ((1,), (2,))),
    "two_batches": ((2, 3, 4), (3, 2, 4), ((2,), (2,)), ((0, 1), (1, 0))),
    "two_summed": ((2, 3, 4), (4, 5, 3), ((1, 2), (2, 0)), _NONE),
    "all_summed": ((2, 3), (3, 2), ((0, 1), (1, 0)), _NONE),
    "only_batch": ((3, 2), (3, 4), _NONE, ((0,), (0,))),
    "empty_sum": ((2, 0), (0, 3), ((1,), (0,)), _NONE),
    "empty_result": ((0, 2), (2, 3), ((1,), (0,)), _NONE),
    "single": ((1, 1), (1, 3), ((1,), (0,)), _NONE),
}


def _dot_cases() -> list[Case]:
    cases = [
        Case(f"dot_general-{what}", DotGeneral(summed, batch, shaped(x), shaped(y, OTHERS)), (0, 1), ((0,), (1,)))
        for what, (x, y, summed, batch) in _DOTS.items()
    ]
    matrices = ((1,), (0,)), _NONE
    x, y = shaped((2, 3), LINE, fx.float32), shaped((3, 2), OTHERS, fx.float32)
    return [
        *cases,
        Case("dot_general-complex", DotGeneral(*matrices, waves((2, 3)), waves((3, 2))), (0, 1), ((0,), (1,))),
        Case("dot_general-int", DotGeneral(*matrices, whole((2, 3)), whole((3, 2)))),
        Case("dot_general-bool", DotGeneral(*matrices, bools((2, 3)), bools((3, 2)))),
        Case("dot_general-uint8", DotGeneral(*matrices, whole((2, 3), fx.uint8, 90), whole((3, 2), fx.uint8, 7))),
        Case("dot_general-float32", DotGeneral(*matrices, x, y), (), ((0,), (1,))),
    ]


CASES: Final = (*_reduce_cases(), *_argreduce_cases(), *_norm_cases(), *_dot_cases())
