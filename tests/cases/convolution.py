"""Cases of convolutions: every parameter of the window, layouts, groups, ranks, sizes 0 and 1, dtypes."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.operations.convolution import Convolution
from effects.types.shapes import Layout, Window
from tests.cases.case import LINE, OTHERS, Case, shaped, waves, whole

type _Ints = tuple[int, ...]
type _Pairs = tuple[tuple[int, int], ...]


def first(rank: int) -> Layout:
    """Batch, features, spatial axes."""
    return Layout(*[tuple(range(rank))] * 3)


def window(
    n: int, strides: _Ints = (), padding: _Pairs = (), x_dilation: _Ints = (), kernel_dilation: _Ints = ()
) -> Window:
    """A window over n spatial axes."""
    ones = (1,) * n
    return Window(strides or ones, padding or ((0, 0),) * n, x_dilation or ones, kernel_dilation or ones)


_WINDOWS: Final[dict[str, Window]] = {
    "plain": window(1),
    "strided": window(1, (2,)),
    "strided_short": window(1, (3,), ((1, 0),)),
    "padded": window(1, (), ((1, 2),)),
    "cut": window(1, (), ((-1, -2),)),
    "cut_and_padded": window(1, (2,), ((-1, 3),)),
    "spread": window(1, (), ((1, 0),), (2,)),
    "spread_kernel": window(1, (), ((2, 2),), (), (2,)),
    "everything": window(1, (3,), ((2, -1),), (2,), (3,)),
    "nowhere": window(1, (), ((-3, -2),)),
}
_SHAPES: Final[dict[str, tuple[_Ints, _Ints, Window, Layout, int]]] = {
    "grouped": ((2, 4, 5), (6, 2, 2), window(1, (2,), ((1, 1),)), first(3), 2),
    "each_feature": ((1, 3, 4), (6, 1, 3), window(1, (), ((1, 1),)), first(3), 3),
    "plane": ((2, 2, 4, 3), (3, 2, 2, 3), window(2, (2, 1), ((0, 1), (1, 1))), first(4), 1),
    "last": ((2, 4, 3, 2), (2, 3, 2, 3), window(2), Layout((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)), 1),
    "grouped_last": ((2, 5, 4), (2, 2, 4), window(1, (), (), (2,)), Layout((0, 2, 1), (2, 1, 0), (0, 2, 1)), 2),
    "mixed": ((3, 2, 4, 2), (3, 2, 2, 2), window(2, (1, 2)), Layout((1, 3, 2, 0), (1, 2, 0, 3), (2, 3, 0, 1)), 1),
    "space": ((1, 2, 3, 2, 2), (2, 2, 2, 1, 2), window(3, (1, 2, 1), ((1, 0), (0, 0), (0, 1))), first(5), 1),
    "no_space": ((2, 4), (6, 2), window(0), first(2), 2),
    "single": ((1, 1, 1), (1, 1, 1), window(1), first(3), 1),
    "no_batch": ((0, 2, 3), (2, 2, 2), window(1), first(3), 1),
    "no_features": ((2, 0, 3), (2, 0, 2), window(1), first(3), 1),
    "no_results": ((2, 4, 3), (0, 2, 2), window(1), first(3), 2),
    "no_elements": ((2, 2, 0), (2, 2, 2), window(1, (), ((2, 1),)), first(3), 1),
}


def _case(what: str, x: _Ints, kernel: _Ints, over: Window, layout: Layout, groups: int) -> Case:
    op = Convolution(over, layout, groups, shaped(x), shaped(kernel, OTHERS))
    return Case(f"conv-{what}", op, (0, 1), ((0,), (1,)))


_LINE: Final = window(1, (2,), ((1, 1),)), first(3), 1
CASES: Final = (
    *[_case(what, (2, 2, 5), (3, 2, 3), over, first(3), 1) for what, over in _WINDOWS.items()],
    *[_case(what, *shape) for what, shape in _SHAPES.items()],
    Case("conv-complex", Convolution(*_LINE, waves((2, 2, 4)), waves((3, 2, 2))), (0, 1), ((0,), (1,))),
    Case("conv-int", Convolution(*_LINE, whole((2, 2, 4)), whole((3, 2, 2)))),
    Case("conv-wrapping", Convolution(*_LINE, whole((2, 2, 4), fx.uint8, 90), whole((3, 2, 2), fx.uint8, 7))),
    *[
        Case(
            f"conv-{dtype}",
            Convolution(*_LINE, shaped((2, 2, 4), LINE, dtype), shaped((3, 2, 2), OTHERS, dtype)),
            (),
            ((0,), (1,)) if dtype is fx.float32 else (),
        )
        for dtype in (fx.float32, fx.float16, fx.bfloat16, fx.float8_e5m2)
    ],
)
