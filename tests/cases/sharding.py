"""Cases of programs over blocks, on a mesh of one device: what they are on several, tests/sharding says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import effects as fx
from effects import Array
from effects.operations.sharding import ManualAxes, ShardMap
from handlers import axis_index, make_jaxpr, pmean, psum, shard_map
from lowering import Mesh, Sharding
from tests.cases.case import OTHERS, Case, shaped

_MESH: Final = Mesh({"i": 1, "j": 1}, ["cpu:0"])
_ROWS, _BOTH, _WHOLE = _MESH.sharding("i"), _MESH.sharding("j", "i"), _MESH.sharding()
_X: Final = shaped((2, 3))
_Y: Final = shaped((3,), OTHERS)


def _case(
    what: str,
    f: Callable[..., Array],
    cuts: tuple[Sharding, ...],
    out: Sharding,
    *args: Array,
    smooth: tuple[int, ...],
    linear: tuple[tuple[int, ...], ...] = (),
) -> Case:
    (eqn,) = make_jaxpr(shard_map(f, _MESH, cuts, out))(*args).eqns
    assert isinstance(eqn.op, ShardMap)
    body = eqn.op.body.interned()
    return Case(
        f"shard_map-{what}", ShardMap(body, ManualAxes(_MESH, ("i", "j")), what, cuts, (out,), args), smooth, linear
    )


CASES: Final = (
    _case("sum", lambda x: psum(fx.sin(x), ("i", "j")), (_ROWS,), _WHOLE, _X, smooth=(0,)),
    _case("product", lambda x, y: pmean(x, "j") @ fx.exp(y), (_BOTH, _WHOLE), _ROWS, _X, _Y, smooth=(0, 1)),
    _case("linear", lambda x, y: x * fx.cos(y), (_BOTH, _WHOLE), _BOTH, _X, _Y, smooth=(0, 1), linear=((0,),)),
    _case("index", lambda x: x * psum(1 + axis_index("j"), "j"), (_ROWS,), _ROWS, _X, smooth=(0,)),
)
