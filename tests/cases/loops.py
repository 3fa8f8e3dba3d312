"""Cases of loops. Those of `While` are not smooth here: it has no reverse mode, and tests of loops cover the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import effects as fx
from effects import Array
from effects.operations.loops import Scan, While
from handlers import make_jaxpr
from tests.cases.case import OTHERS, Case, array, shaped, whole

type _Function = Callable[..., Array | tuple[Array, ...]]


def _scan(
    what: str,
    f: _Function,
    consts: tuple[Array, ...],
    init: tuple[Array, ...],
    xs: tuple[Array, ...],
    smooth: tuple[int, ...],
    linear: tuple[tuple[int, ...], ...] = (),
    length: int = 3,
    reverse: bool = False,
    unroll: int = 1,
) -> Case:
    slices = [fx.zeros(x.shape[1:], dtype=x.dtype) for x in xs]
    body = make_jaxpr(f)(*consts, *init, *slices).interned()
    return Case(f"scan-{what}", Scan(body, len(init), length, reverse, unroll, consts, init, xs), smooth, linear)


def _while(
    what: str,
    condition: _Function,
    body: _Function,
    condition_consts: tuple[Array, ...],
    body_consts: tuple[Array, ...],
    init: tuple[Array, ...],
) -> Case:
    holds = make_jaxpr(condition)(*condition_consts, *init).interned()
    step = make_jaxpr(body)(*body_consts, *init).interned()
    return Case(f"while-{what}", While(holds, step, condition_consts, body_consts, init))


def _wave(a: Array, c: Array, x: Array) -> tuple[Array, Array]:
    return fx.sin(c) * a + x, c * x


def _counted(a: Array, i: Array, c: Array, x: Array) -> tuple[Array, Array, Array]:
    return i + 1.0, c * fx.cos(a) * i + x, x * fx.exp(a)


def _linear(a: Array, c: Array, x: Array) -> tuple[Array, Array]:
    return c * a + x, c - x * a


_A: Final = array(0.7)
_C: Final = shaped((2,))
_XS: Final = shaped((3, 2), OTHERS)
_ZERO: Final = whole((), start=0)
_NONE: Final = array(0.0)
CASES: Final = (
    _scan("wave", _wave, (_A,), (_C,), (_XS,), (0, 1, 2)),
    _scan("in_const", _wave, (_A,), (_C,), (_XS,), (0,)),
    _scan("in_init", _wave, (_A,), (_C,), (_XS,), (1,)),
    _scan("in_xs", _wave, (_A,), (_C,), (_XS,), (2,)),
    _scan("reverse", _wave, (_A,), (_C,), (_XS,), (0, 1, 2), reverse=True),
    _scan("unrolled", _wave, (_A,), (_C,), (_XS,), (0, 1, 2), unroll=2),
    _scan("whole", _wave, (_A,), (_C,), (_XS,), (0, 1, 2), unroll=3, reverse=True),
    _scan("counted", _counted, (_A,), (_NONE, _C), (_XS,), (0, 2, 3)),
    _scan("linear", _linear, (_A,), (_C,), (_XS,), (0, 1, 2), linear=((1, 2),)),
    _scan("nothing", _wave, (_A,), (_C,), (fx.zeros((0, 2)),), (0, 1), length=0),
    _while("count", lambda n, i, c: i < n, lambda a, i, c: (i + 1, c * a), (array(3, fx.int64),), (_A,), (_ZERO, _C)),
    _while("grow", lambda c: fx.sum(c * c) < 90.0, lambda a, c: c * 1.5 + a, (), (_A,), (_C,)),
    _while("never", lambda c: fx.sum(c) > 1e9, lambda a, c: c + a, (), (_A,), (_C,)),
)
