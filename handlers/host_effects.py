"""Handlers of callbacks, with a state that goes through control flow."""

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
class GuardedCallbacks(OperationHandler):
    """Calls callbacks that print or act only where the state, a mask, is true: `GuardedCallbacks(mask)`."""

    handles = Callback
    holds: Array = kept()

    def interpret(self, op: Operation[Array], /) -> Performed:
        assert isinstance(op, Callback), "it handles these"
        if op.kind is CallbackKind.PURE:
            return perform(op)
        operands = (self.holds, *op.operands_)
        return perform(Callback(op.kind, Guarded(op.function), op.ordered, op.vmap_method, operands))


@final
class OrderedCallbacks(OperationHandler):
    """Makes each ordered callback depend on the one before, by the state, so that no compiler changes their order."""

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


_FIRST_TOKEN: Final = scalar(0, dtypes.uint8)


def with_callbacks_ordered(jaxpr: Jaxpr) -> Jaxpr:
    """The program with ordered callbacks that depend on each other; the program itself if it has none."""
    if HostEffect.ORDERED not in jaxpr.effects:
        return jaxpr

    def run(*args: Array) -> Sequence[Array]:
        with OrderedCallbacks(_FIRST_TOKEN):
            return eval_jaxpr(jaxpr, args)

    with installed(ROOT):
        return stage(run, jaxpr.in_avals)[0]


@final
class OmittedCallbacks(OperationHandler):
    """Omits callbacks without results, for a repeated computation whose first run has called them."""

    handles = Callback

    def interpret(self, op: Operation[Array], /) -> Performed:
        assert isinstance(op, Callback), "it handles these"
        if op.function.results:
            raise MissingRule(
                f"{op.name}: {op.function!r} would be called a second time, because the derivative of a while_loop "
                "does the work of the loop again; use scan or fori_loop, which keep the results"
            )
        return ()


def without_callbacks(jaxpr: Jaxpr) -> Jaxpr:
    """The program without its callbacks; the program itself if it has none.

    Raises MissingRule if one has results.
    """
    if HostEffect.HOST not in jaxpr.effects:
        return jaxpr

    def run(*args: Array) -> Sequence[Array]:
        with OmittedCallbacks():
            return eval_jaxpr(jaxpr, args)

    return jaxpr.cached("silent", lambda: _staged(run, jaxpr))


def with_callbacks_guarded(jaxpr: Jaxpr, position: int) -> Jaxpr:
    """The program whose callbacks are called only if its input at `position`, a bool, is true."""

    def run(*args: Array) -> Sequence[Array]:
        with GuardedCallbacks(args[position]):
            return eval_jaxpr(jaxpr, args)

    return jaxpr.cached(("where", position), lambda: _staged(run, jaxpr))


def _staged(run: Callable[..., Sequence[Array]], program: Jaxpr) -> Jaxpr:
    return stage(run, program.in_avals)[0]
