"""Handlers of callbacks, which hand an array from one to the next: their state, which goes through control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from effects.arrays.array import Array
from effects.arrays.promotion import scalar
from effects.errors import MissingRule
from effects.operations.callbacks import Callback, CallbackKind, Chained, Guarded
from effects.program.chain import ROOT, Performed, installed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HostEffect, Operation
from effects.types import dtypes
from handlers.stage import stage
from handlers.stateful.operations import OperationHandler, kept


@final
class Where(OperationHandler):
    """Callbacks that watch or act are called only where the state, a bool, holds: `Where(mask)`."""

    handles = Callback
    holds: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        assert isinstance(op, Callback), "it handles these"
        if op.kind is CallbackKind.PURE:
            return perform(op)
        operands = (self.holds, *op.operands_)
        return perform(Callback(op.kind, Guarded(op.function), op.ordered, op.vmap_method, operands))


@final
class InOrder(OperationHandler):
    """Ordered callbacks hand on the state: each depends on the one before, so that no compiler changes their order."""

    handles = Callback
    token: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        assert isinstance(op, Callback), "it handles these"
        if not op.ordered:
            return perform(op)
        function = Chained(op.function, self.token.aval)
        token, *results = perform(Callback(op.kind, function, False, op.vmap_method, (self.token, *op.operands_)))
        self.token = token
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
class Silent(OperationHandler):
    """Callbacks without results are not called; for work that is done again and has called them before."""

    handles = Callback

    def interpret(self, op: Operation[Array], /) -> Performed:
        assert isinstance(op, Callback), "it handles these"
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
