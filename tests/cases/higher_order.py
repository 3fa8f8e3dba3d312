"""Cases of the operations that hold programs: calls and conditionals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import effects as fx
from effects import Array, Jaxpr
from effects.operations.higher_order import Call, Cond
from handlers import make_jaxpr
from tests.cases.case import OTHERS, Case, array, bools, shaped, whole

type _Function = Callable[..., Array | tuple[Array, ...]]


def _program(f: _Function, *args: Array) -> Jaxpr:
    return make_jaxpr(f)(*args).interned()


def _call(
    what: str, f: _Function, *args: Array, smooth: tuple[int, ...], linear: tuple[tuple[int, ...], ...] = ()
) -> Case:
    return Case(f"call-{what}", Call(_program(f, *args), what, args), smooth, linear)


def _cond(what: str, index: Array, branches: tuple[_Function, ...], *args: Array, smooth: tuple[int, ...]) -> Case:
    return Case(f"cond-{what}", Cond(tuple([_program(f, *args) for f in branches]), index, args), smooth)


def _wave(x: Array, y: Array) -> Array:
    return fx.sin(x) * y + fx.sum(x)


def _pair(x: Array, y: Array) -> tuple[Array, Array]:
    return x * y, fx.exp(y)


def _known_part(x: Array, y: Array) -> tuple[Array, Array]:
    return fx.cos(y), x * y


def _swapped(x: Array, y: Array) -> tuple[Array, Array]:
    return y, x


def _constant(x: Array, y: Array) -> Array:
    return fx.zeros_like(x)


def _halved(x: Array, y: Array) -> Array:
    return x * 0.5


_X: Final = shaped((3,))
_Y: Final = shaped((3,), OTHERS)
_INNER: Final = Call(_program(_wave, _X, _Y), "inner", (_X, _Y))


def _nested(x: Array, y: Array) -> Array:
    values = iter((fx.cos(x), y))
    (inner,) = fx.perform(_INNER.map(lambda _: next(values)))
    return inner * x


_TRUE, _FALSE = array(True, fx.bool), array(False, fx.bool)
_THREE: Final = (_wave, _constant, _halved)
CASES: Final = (
    _call("one", fx.sin, _X, smooth=(0,)),
    _call("two", _wave, _X, _Y, smooth=(0, 1)),
    _call("in_first", _wave, _X, _Y, smooth=(0,)),
    _call("in_second", _wave, _X, _Y, smooth=(1,)),
    _call("pair", _pair, _X, _Y, smooth=(0, 1)),
    _call("known_part", _known_part, _X, _Y, smooth=(0,)),
    _call("swapped", _swapped, _X, _Y, smooth=(0, 1), linear=((0, 1),)),
    _call("constant", _constant, _X, _Y, smooth=(0, 1)),
    _call("linear", _halved, _X, _Y, smooth=(0, 1), linear=((0,),)),
    _call("nested", _nested, _X, _Y, smooth=(0, 1)),
    _call("mixed_types", lambda x, n: x * fx.astype(n, fx.float64), _X, whole((3,)), smooth=(0,)),
    _cond("true", _TRUE, (_wave, _halved), _X, _Y, smooth=(1, 2)),
    _cond("false", _FALSE, (_wave, _halved), _X, _Y, smooth=(1, 2)),
    _cond("pair", _TRUE, (_swapped, _pair), _X, _Y, smooth=(1, 2)),
    _cond("in_one", _FALSE, (_swapped, _pair), _X, _Y, smooth=(2,)),
    *[_cond(f"index_{i}", array(i, fx.int64), _THREE, _X, _Y, smooth=(1, 2)) for i in (-2, 0, 1, 2, 7)],
    _cond("index_int32", array(1, fx.int32), _THREE, _X, _Y, smooth=(1, 2)),
    _cond("calls", _TRUE, (_wave, _nested), _X, _Y, smooth=(1, 2)),
    _cond("bools", _TRUE, (lambda b: ~b, lambda b: b), bools((3,)), smooth=()),
)
