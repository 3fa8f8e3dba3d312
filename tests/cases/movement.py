"""Cases of the movements and of creation."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects import Array
from effects.arrays.mesh import Mesh
from effects.operations.creation import Band, Iota
from effects.operations.movement import Broadcast, Concat, Constrain, Flip, Pad, PermuteDims, Place, Reshape
from tests.cases.case import OTHERS, Case, array, bools, shaped, waves, weak, whole

_ONE: Final = ((0,),)


def _broadcast(what: str, x: Array, shape: tuple[int, ...], dims: tuple[int, ...]) -> Case:
    return Case(f"broadcast-{what}", Broadcast(shape, dims, x), (0,), _ONE)


_BROADCASTS: Final = (
    _broadcast("front", shaped((3,)), (2, 3), (1,)),
    _broadcast("back", shaped((3,)), (3, 2), (0,)),
    _broadcast("scalar", array(1.5), (2, 2), ()),
    _broadcast("middle", shaped((2, 1)), (2, 3, 4), (0, 2)),
    _broadcast("single", shaped((1, 1)), (3, 1, 2), (0, 2)),
    _broadcast("nothing", shaped((2, 3)), (2, 3), (0, 1)),
    _broadcast("to_empty", shaped((1, 3)), (0, 3), (0, 1)),
    _broadcast("from_view", fx.permute_dims(shaped((3, 2)), (1, 0)), (4, 2, 3), (1, 2)),
    _broadcast("complex", waves((3,)), (2, 3), (1,)),
    Case("broadcast-int", Broadcast((2, 3), (1,), whole((3,)))),
    Case("broadcast-weak", Broadcast((2,), (), weak(2.0))),
)

_SHAPING: Final = (
    Case("reshape-split", Reshape((2, 3, 2), shaped((4, 3))), (0,), _ONE),
    Case("reshape-join", Reshape((12,), shaped((2, 3, 2))), (0,), _ONE),
    Case("reshape-scalar", Reshape((), shaped((1, 1))), (0,), _ONE),
    Case("reshape-empty", Reshape((3, 0), shaped((0, 2))), (0,), _ONE),
    Case("reshape-view", Reshape((6,), fx.permute_dims(shaped((2, 3)), (1, 0))), (0,), _ONE),
    Case("reshape-int", Reshape((3, 2), whole((2, 3)))),
    Case("permute_dims-swap", PermuteDims((1, 0), shaped((2, 3))), (0,), _ONE),
    Case("permute_dims-cycle", PermuteDims((2, 0, 1), shaped((2, 3, 4))), (0,), _ONE),
    Case("permute_dims-scalar", PermuteDims((), array(2.0)), (0,), _ONE),
    Case("permute_dims-bool", PermuteDims((1, 0), bools((2, 3)))),
    Case("device_put", Place("cpu:0", None, shaped((2, 3))), (0,), _ONE),
    Case("device_put-back", Place("cpu:0", "cpu:0", shaped((3,))), (0,), _ONE),
    Case("device_put-int", Place("cpu:0", None, whole((3,)))),
    Case("constrain", Constrain(Mesh({"a": 1}, ["cpu:0"]).sharding("a"), 0, shaped((2, 3))), (0,), _ONE),
    Case("constrain-free", Constrain(Mesh({"a": 1}, ["cpu:0"]).sharding(None, "a"), 1, shaped((2, 3))), (0,), _ONE),
    Case("flip-one", Flip((1,), shaped((2, 3))), (0,), _ONE),
    Case("flip-both", Flip((0, 2), shaped((2, 3, 2))), (0,), _ONE),
    Case("flip-none", Flip((), shaped((2, 3))), (0,), _ONE),
    Case("flip-int", Flip((0,), whole((4,)))),
)

_THREE: Final = (shaped((2, 3)), shaped((1, 3), OTHERS), shaped((3, 3)))
_JOINING: Final = (
    Case("concat-two", Concat(1, (shaped((2, 3)), shaped((2, 1), OTHERS))), (0, 1), ((0, 1),)),
    Case("concat-three", Concat(0, _THREE), (0, 1, 2), ((0, 1, 2),)),
    Case("concat-some", Concat(0, _THREE), (0, 2)),
    Case("concat-one", Concat(0, (shaped((2,)),)), (0,), _ONE),
    Case("concat-empty", Concat(0, (shaped((0, 2)), shaped((2, 2)))), (0, 1), ((0, 1),)),
    Case("concat-complex", Concat(0, (waves((2,)), waves((3,)))), (0, 1), ((0, 1),)),
    Case("concat-int", Concat(1, (whole((2, 1)), whole((2, 2), start=7)))),
)


def _pad(what: str, shape: tuple[int, ...], *config: tuple[int, int, int]) -> Case:
    return Case(f"pad-{what}", Pad(config, shaped(shape), array(0.25)), (0, 1), ((0, 1),))


_PADDING: Final = (
    _pad("around", (2, 3), (1, 2, 0), (0, 1, 0)),
    _pad("cut", (4, 3), (-1, -2, 0), (0, -1, 0)),
    _pad("interior", (3, 2), (0, 0, 2), (1, 0, 1)),
    _pad("mixed", (3, 4), (-1, 2, 1), (2, -3, 1)),
    _pad("cut_into_interior", (4,), (-2, -2, 2)),
    _pad("cut_all", (3,), (-2, -1, 0)),
    _pad("cut_more_than_there_is", (2,), (-3, 4, 0)),
    _pad("empty", (0, 2), (1, 1, 0), (0, 0, 1)),
    _pad("empty_interior", (0,), (2, 1, 3)),
    Case("pad-scalar", Pad((), array(1.0), array(2.0)), (0, 1), ((0, 1),)),
    Case("pad-int", Pad(((1, 1, 1),), whole((3,)), array(9, fx.int64))),
    Case("pad-complex", Pad(((1, 1, 1),), waves((3,)), array(2j, fx.complex128)), (0, 1), ((0, 1),)),
)

_CREATION: Final = tuple(
    Case(f"iota-{dtype}_{axis}", Iota((2, 3), dtype, axis))
    for dtype in (fx.int64, fx.int32, fx.uint8, fx.float64, fx.float32, fx.bfloat16, fx.complex128)
    for axis in (0, 1)
)

CASES: Final = (
    *_BROADCASTS,
    *_SHAPING,
    *_JOINING,
    *_PADDING,
    *_CREATION,
    Case("iota-empty", Iota((0, 2), fx.float64, 0)),
    *[
        Case(f"band-{low}_{high}", Band((3, 4), low, high, fx.float32))
        for low, high in ((0, 0), (-3, 1), (1, 4), (-1, 2), (4, 4))
    ],
    Case("band-empty", Band((0, 2), 0, 2, fx.int8)),
)
