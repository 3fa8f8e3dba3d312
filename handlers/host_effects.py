"""Handlers of effects on the host: without carriers of their own, they hand an array from one callback to the next.

Each sees the callbacks of its extent, and the programs that have some: the array is the state that every forward
handler may thread through control flow.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, final

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.errors import MissingRule
from effects.operations.callbacks import Callback, CallbackKind, Guarded, Threaded
from effects.program.chain import ROOT, Performed, installed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HostEffect, Operation
from effects.types import dtypes
from handlers.forward import Forward
from handlers.stage import stage


class HostEffects(Forward[Array, None]):
    """Interprets callbacks only; all other operations are what they are without it."""

    sees_all = True
    crosses = False
    key = ()
    state: tuple[Array, ...]

    def __init__(self, *state: Array) -> None:
        self.state = state

    def constant(self, value: Array, /) -> Array:
        return value

    def sees(self, op: Operation[Array], /) -> bool:
        return HostEffect.HOST in op.effects

    def unpack(self, value: Array, /) -> tuple[tuple[Array, ...], None]:
        return (value,), None

    def pack(self, parts: Sequence[Array], static: None, /) -> Array:
        return parts[0]

    def interpret(self, op: Operation[Array], /) -> Performed:
        return self.callback(op) if isinstance(op, Callback) else perform(op)

    @abstractmethod
    def callback(self, op: Callback[Array], /) -> Performed:
        """What a callback means here."""


@final
class Where(HostEffects):
    """Callbacks that watch or act are called only where the state, a bool, holds: `Where(mask)`."""

    def callback(self, op: Callback[Array], /) -> Performed:
        if op.kind is CallbackKind.PURE:
            return perform(op)
        operands = (*self.state, *op.operands_)
        return perform(Callback(op.kind, Guarded(op.function), op.ordered, op.vmap_method, operands))


@final
class InOrder(HostEffects):
    """Ordered callbacks hand on the state: each depends on the one before, so that no compiler changes their order."""

    def sees(self, op: Operation[Array], /) -> bool:
        return HostEffect.ORDERED in op.effects

    def callback(self, op: Callback[Array], /) -> Performed:
        function = Threaded(op.function, self.state[0].aval)
        token, *results = perform(Callback(op.kind, function, False, op.vmap_method, (*self.state, *op.operands_)))
        self.state = (token,)
        return tuple(results)


_FIRST: Final = scalar(0, dtypes.uint8)


def in_order(jaxpr: Jaxpr) -> Jaxpr:
    """A program whose ordered callbacks depend on each other, in their order; the program itself without any."""
    if HostEffect.ORDERED not in jaxpr.effects:
        return jaxpr

    def run(*args: Array) -> Sequence[Array]:
        with InOrder(_FIRST):
            return eval_jaxpr(jaxpr, args)

    with installed(ROOT):
        return stage(run, jaxpr.in_avals)[0]


@final
class Silent(HostEffects):
    """Callbacks without results are not called; for work that is done again and has called them before."""

    def callback(self, op: Callback[Array], /) -> Performed:
        if op.function.results:
            raise MissingRule(
                f"{op.name}: {op.function!r} would be called a second time, because the derivative of a while_loop "
                "does the work of the loop again; use scan or fori_loop, which keep the results"
            )
        return ()


def silent(jaxpr: Jaxpr) -> Jaxpr:
    """A program without its callbacks; the program itself without any.

    Raises MissingRule when one has results.
    """
    if HostEffect.HOST not in jaxpr.effects:
        return jaxpr

    def run(*args: Array) -> Sequence[Array]:
        with Silent():
            return eval_jaxpr(jaxpr, args)

    return jaxpr.cached("silent", lambda: _staged(run, jaxpr))


def where(jaxpr: Jaxpr, position: int) -> Jaxpr:
    """A program that calls the host only where its input at `position`, a bool, holds."""

    def run(*args: Array) -> Sequence[Array]:
        with Where(args[position]):
            return eval_jaxpr(jaxpr, args)

    return jaxpr.cached(("where", position), lambda: _staged(run, jaxpr))


def _staged(run: Callable[..., Sequence[Array]], like: Jaxpr) -> Jaxpr:
    return stage(run, like.in_avals)[0]
