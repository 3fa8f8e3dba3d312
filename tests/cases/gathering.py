"""Cases of reading and writing at positions: inside and out of bounds, one and several axes, in common and not."""

from __future__ import annotations

from typing import Final

import numpy.typing as npt

import effects as fx
from effects import Array
from effects.operations.gathering import Bounds, Gather, Scatter, ScatterKind
from effects.types.dtypes import DType
from tests.cases.case import OTHERS, Case, array, bools, shaped, waves, whole

_B, _K = Bounds, ScatterKind
type _Places = tuple[tuple[int, ...], int, int, tuple[npt.ArrayLike, ...]]

_PLACES: Final[dict[str, _Places]] = {
    "first": ((0,), 0, 0, ([2, 0, -1, 0],)),
    "middle": ((1,), 0, 1, ([[1, 2], [-2, 1]],)),
    "to_front": ((1,), 0, 0, ([1, -1],)),
    "to_back": ((0,), 0, 2, ([1, -1],)),
    "several": ((2, 0), 0, 1, ([[1], [0]], [2, 0, 2])),
    "all": ((0, 1, 2), 0, 0, ([1, 2, 1], [0, 1, 0], [1, -1, 1])),
    "common": ((1,), 1, 0, ([[0, 1, 2, 0]],)),
    "common_each": ((2,), 2, 0, ([[[0], [1], [0]], [[1], [1], [0]], [[0], [0], [1]]],)),
    "none": ((0,), 0, 0, ([],)),
}
_SHAPE: Final = (3, 3, 2)


def _indices(places: tuple[npt.ArrayLike, ...], dtype: type[DType] = fx.int64) -> tuple[Array, ...]:
    return tuple([array(p, dtype) for p in places])


def _gather(what: str, places: _Places, bounds: Bounds, x: Array, fill: complex = 0) -> Case:
    axes, batch, at, given = places
    linear = ((0,),) if fill == 0 else ()
    return Case(f"gather-{what}", Gather(axes, batch, at, bounds, fill, x, _indices(given)), (0,), linear)


_BEYOND: Final[_Places] = (0,), 0, 1, ([0, 5, -7, -3, 2],)
_SCALAR: Final[_Places] = (1,), 0, 0, (1,)


def _gathers() -> list[Case]:
    x, line = shaped(_SHAPE), shaped((4,))
    return [
        *[_gather(what, places, _B.CHECKED, x) for what, places in _PLACES.items()],
        *[_gather(f"{b.value}_beyond", _BEYOND, b, x) for b in (_B.CLIP, _B.DROP, _B.WRAP)],
        *[_gather(f"{b.value}_scalar", _SCALAR, b, x) for b in (_B.CLIP, _B.DROP, _B.WRAP)],
        *[_gather(f"{b.value}_common", ((1,), 1, 1, ([[0, 7], [-9, 1], [1, 1]],)), b, x) for b in (_B.CLIP, _B.DROP)],
        _gather("fill", _BEYOND, _B.DROP, x, 7.5),
        Case("gather-empty", Gather((0,), 0, 0, _B.DROP, 2, shaped((0, 2)), _indices(([0, 1],))), (0,)),
        *[
            Case(f"gather-{d}", Gather((0,), 0, 0, _B.CLIP, 0, line, _indices(([3, 0, 1],), d)), (0,), ((0,),))
            for d in (fx.int8, fx.uint8, fx.int32, fx.uint64)
        ],
        Case("gather-int", Gather((0,), 0, 0, _B.DROP, -1, whole((4,)), _indices(([3, 9, 1],)))),
        Case("gather-bool", Gather((0,), 0, 0, _B.DROP, True, bools((4,)), _indices(([3, 9, 1],)))),
        Case("gather-complex", Gather((0,), 0, 0, _B.CHECKED, 0, waves((4,)), _indices(([3, 0, 0],))), (0,), ((0,),)),
        Case("gather-promised", Gather((0,), 0, 0, _B.CHECKED, 0, line, _indices(([0, 1, 3],)), True, True), (0,)),
    ]


def _scatter(kind: ScatterKind, what: str, places: _Places, bounds: Bounds, x: Array, unique: bool = False) -> Case:
    axes, batch, at, given = places
    indices = _indices(given)
    shape = fx.shapes.gather(x.shape, axes, batch, at, tuple([i.shape for i in indices]))
    update = shaped(shape, OTHERS)
    linear = {_K.SET: ((0, 1),), _K.ADD: ((0, 1),), _K.MUL: ((0,),)}.get(kind, ())
    return Case(
        f"{kind.value}-{what}", Scatter(kind, axes, batch, at, bounds, x, update, indices, unique), (0, 1), linear
    )


def _scatters() -> list[Case]:
    x = shaped(_SHAPE)
    beside: _Places = (1,), 0, 1, ([2, 0],)
    return [
        *[_scatter(k, what, places, _B.CHECKED, x) for k in (_K.SET, _K.ADD) for what, places in _PLACES.items()],
        *[
            _scatter(k, what, _PLACES[what], _B.CHECKED, x)
            for k in (_K.MAX, _K.MIN, _K.MUL)
            for what in ("first", "middle", "common", "none")
        ],
        *[_scatter(k, f"{b.value}_beyond", _BEYOND, b, x) for k in _K for b in (_B.CLIP, _B.DROP, _B.WRAP)],
        *[_scatter(k, "scalar", _SCALAR, _B.CLIP, x) for k in _K],
        *[_scatter(k, f"scalar_{i}", ((1,), 0, 0, (i,)), _B.CLIP, x) for k in (_K.SET, _K.ADD) for i in (9, -9)],
        *[_scatter(k, "unique", beside, _B.DROP, x, True) for k in _K],
        *[
            Case(
                f"{k.value}-int",
                Scatter(k, (0,), 0, 0, _B.DROP, whole((4,)), whole((3,), start=2), _indices(([3, 9, 3],))),
            )
            for k in _K
        ],
        Case("scatter-bool", Scatter(_K.SET, (0,), 0, 0, _B.CLIP, bools((4,)), bools((2,)), _indices(([3, 1],)))),
        *[
            Case(
                f"{k.value}-complex",
                Scatter(k, (0,), 0, 0, _B.CHECKED, waves((4,)), waves((3,)), _indices(([3, 1, 3],))),
                (0, 1),
            )
            for k in (_K.SET, _K.ADD, _K.MUL)
        ],
        Case(
            "scatter_add-empty",
            Scatter(_K.ADD, (0,), 0, 0, _B.DROP, shaped((0, 2)), shaped((2, 2)), _indices(([0, 1],))),
            (0, 1),
        ),
    ]


CASES: Final = (*_gathers(), *_scatters())
