"""Cases of the operations that say what a derivative may keep: checkpoints and names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import effects as fx
from effects import Array
from effects.operations.checkpoint import Checkpoint, Name, Policy
from handlers import checkpoint_policies as policies, make_jaxpr
from tests.cases.case import OTHERS, Case, bools, shaped, whole

type _Function = Callable[..., Array | tuple[Array, ...]]


def _case(
    what: str,
    f: _Function,
    policy: Policy,
    *args: Array,
    smooth: tuple[int, ...],
    linear: tuple[tuple[int, ...], ...] = (),
    recomputes: bool = False,
) -> Case:
    body = make_jaxpr(f)(*args).interned()
    return Case(f"checkpoint-{what}", Checkpoint(body, policy, what, True, recomputes, args), smooth, linear)


def _wave(x: Array, y: Array) -> tuple[Array, Array]:
    hidden = fx.perform(Name("hidden", fx.sin(x) * y))
    return fx.exp(hidden) @ fx.cos(y), hidden


def _linear_in_second(x: Array, y: Array) -> Array:
    return fx.exp(fx.sin(x)) * y


_X: Final = shaped((3,))
_Y: Final = shaped((3,), OTHERS)
_INNER: Final = _case("inner", _wave, policies.nothing_saveable, _X, _Y, smooth=())


def _nested(x: Array, y: Array) -> Array:
    total, hidden = _INNER.all_on(fx.cos(x), y)
    return total * hidden


CASES: Final = (
    _case("nothing", _wave, policies.nothing_saveable, _X, _Y, smooth=(0, 1)),
    _case("everything", _wave, policies.everything_saveable, _X, _Y, smooth=(0, 1)),
    _case("dots", _wave, policies.dots_saveable, _X, _Y, smooth=(0, 1)),
    _case("names", _wave, policies.save_only_these_names("hidden"), _X, _Y, smooth=(0, 1)),
    _case("in_one", _wave, policies.nothing_saveable, _X, _Y, smooth=(1,)),
    _case("linear", _linear_in_second, policies.nothing_saveable, _X, _Y, smooth=(0, 1), linear=((1,),)),
    _case("recomputes", _linear_in_second, policies.nothing_saveable, _X, _Y, smooth=(0,), recomputes=True),
    _case("nested", _nested, policies.nothing_saveable, _X, _Y, smooth=(0, 1)),
    _case(
        "mixed_types",
        lambda x, n: fx.sin(x) * fx.astype(n, fx.float64),
        policies.nothing_saveable,
        _X,
        whole((3,)),
        smooth=(0,),
    ),
    Case("name", Name("hidden", _X), (0,), ((0,),)),
    Case("name-bools", Name("hidden", bools((3,)))),
)
