"""Cases of windows: every parameter, ranks, sizes 0 and 1, dtypes; choices written out and in a loop."""

from __future__ import annotations

from typing import Final

import numpy as np

import effects as fx
from effects.operations.pooling import Chosen, ChosenKind, ReduceWindow, WindowKind
from effects.types import shapes
from effects.types.shapes import Window
from tests.cases.case import LINE, OTHERS, Case, array, shaped, waves, whole
from tests.cases.convolution import window

_K = WindowKind
type _Ints = tuple[int, ...]

_WINDOWS: Final[dict[str, tuple[_Ints, _Ints, Window]]] = {
    "plain": ((6,), (3,), window(1)),
    "strided": ((7,), (2,), window(1, (3,))),
    "padded": ((5,), (3,), window(1, (), ((1, 2),))),
    "cut": ((6,), (2,), window(1, (), ((-1, -2),))),
    "spread": ((4,), (3,), window(1, (), ((1, 0),), (2,))),
    "spread_window": ((7,), (3,), window(1, (), ((1, 0),), (), (2,))),
    "everything": ((5,), (2,), window(1, (3,), ((2, -1),), (2,), (3,))),
    "nowhere": ((3,), (2,), window(1, (), ((-1, -1),))),
    "far_out": ((2,), (2,), window(1, (2,), ((4, 3),))),
    "plane": ((4, 5), (2, 3), window(2, (2, 1), ((0, 1), (1, 1)))),
    "lanes": ((2, 4, 2), (1, 2, 1), window(3, (1, 2, 1))),
    "steps": ((5, 3), (1, 1), window(2, (2, 1))),
    "large": ((40,), (35,), window(1, (2,), ((1, 0),))),
    "large_plane": ((7, 8), (5, 7), window(2, (2, 1), ((1, 1), (0, -1)), (1, 1), (1, 1))),
    "empty": ((0, 3), (1, 2), window(2)),
    "of_empty": ((0,), (2,), window(1, (), ((1, 2),))),
    "scalar": ((), (), window(0)),
}


_NOTHING_UNDER: Final = ("everything", "far_out", "of_empty")
"""Windows with places under which there is nothing: an extreme is infinite there, and has no difference quotients."""
_SOME: Final = ("everything", "far_out", "plane", "nowhere", "empty")


def _folds(kind: WindowKind) -> list[Case]:
    line: Final = (2,), window(1, (2,), ((1, 1),))
    linear = ((0,),) if kind is _K.SUM else ()
    return [
        *[
            Case(
                f"{kind.value}-{what}",
                ReduceWindow(kind, sizes, over, shaped(shape)),
                () if kind in (_K.MAX, _K.MIN) and what in _NOTHING_UNDER else (0,),
                linear,
            )
            for what, (shape, sizes, over) in _WINDOWS.items()
            if kind in (_K.MAX, _K.SUM) or what in _SOME
        ],
        *[
            Case(f"{kind.value}-{dtype}", ReduceWindow(kind, *line, shaped((7,), LINE, dtype)))
            for dtype in (fx.float32, fx.float16, fx.bfloat16, fx.float8_e5m2, fx.float8_e4m3fn)
        ],
        Case(f"{kind.value}-int", ReduceWindow(kind, *line, whole((7,)))),
        Case(f"{kind.value}-wrapping", ReduceWindow(kind, *line, whole((7,), fx.uint8, 90))),
    ]


def _choice(kind: ChosenKind, what: str, sizes: _Ints, over: Window, x: fx.Array, y: fx.Array) -> Case:
    values = shaped((x if kind is ChosenKind.GATHER else y).shape, OTHERS)
    return Case(f"{kind.value}-{what}", Chosen(kind, sizes, over, x, y, fx.astype(values, x.dtype)), (2,), ((2,),))


def _choices(kind: ChosenKind) -> list[Case]:
    def case(what: str, shape: _Ints, sizes: _Ints, over: Window, dtype: type[fx.dtypes.DType] = fx.float64) -> Case:
        x = shaped(shape, (1.5, 0.0, 1.5, -2.0, 0.0), dtype)
        places = shapes.pool("window", shape, sizes, over)
        return _choice(kind, what, sizes, over, x, shaped(places, (0.0, 1.5, 0.5), dtype))

    nan = array([1.0, np.nan, 2.0, -np.inf, np.inf])
    return [
        *[case(what, *_WINDOWS[what]) for what in (*_SOME, "large_plane", "of_empty", "scalar")],
        _choice(kind, "nan", (2,), window(1), nan, array([np.nan, 2.0, -np.inf, np.inf])),
    ]


CASES: Final = (
    *[case for kind in _K for case in _folds(kind)],
    *[
        Case(
            f"{kind.value}-complex",
            ReduceWindow(kind, (2,), window(1, (), ((1, 0),)), waves((5,))),
            (0,),
            ((0,),) if kind is _K.SUM else (),
        )
        for kind in (_K.SUM, _K.PROD)
    ],
    *[
        Case(f"{kind.value}-nan", ReduceWindow(kind, (2,), window(1), array([1.0, np.nan, 2.0, -np.inf, np.inf, -0.0])))
        for kind in _K
    ],
    Case("window_prod-zeros", ReduceWindow(_K.PROD, (3,), window(1), array([1.5, 0.0, 2.0, 0.0, 0.5, 3.0])), (0,)),
    *[case for kind in ChosenKind for case in _choices(kind)],
)
