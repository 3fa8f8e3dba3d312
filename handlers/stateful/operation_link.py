"""The link of a handler of operations, and checks of the results that it gives."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from effects.arguments import describe
from effects.arrays.array import Array
from effects.errors import ArgumentError, EffaxError, IllTyped
from effects.operations.custom_rules import CustomCall
from effects.program.chain import INNERMOST, Performed
from effects.program.custom import CustomOp
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, HostEffect, Operation, Single
from effects.requests.forms import types_of
from effects.runtime.caches import weakly_held
from effects.types.avals import ShapedArray
from handlers.stateful.handler import check_alive
from handlers.stateful.link import StatefulLink

if TYPE_CHECKING:
    from handlers.stateful.operations import OperationHandler


class OperationLink(StatefulLink["OperationHandler[Any]"]):
    """The link of a handler of operations in the chain."""

    remedy = "install the handler around the transformation"
    lines = True

    def __init__(self, handler: OperationHandler[Any]) -> None:
        self.handler = handler
        handler.link = self
        self.concern = type(handler).concern
        self.by_class, self.kinds = self.concern.by_class, self.concern.kinds

    @property
    def scope(self) -> Hashable:
        arrays, form = self.handler.state_taken_apart()
        return weakly_held(type(self.handler)), self.handler.key, form, types_of(arrays)

    def copied(self, state: Any) -> OperationLink:
        return OperationLink(self.handler.copied(state))

    def concerns(self, body: Jaxpr) -> bool:
        return self.concern.within(body)

    def handle(self, op: Operation[Array], /) -> Performed:
        cls, outer = type(op), self.outer
        handled = self.by_class[cls] if cls in self.by_class else self.concern.of_class(cls)
        if handled is None:
            kind = getattr(op, "kind", None)
            handled = self.concern.sees(op) if kind is None else kind in self.kinds
        if not handled:
            return outer.handle(op)
        if outer.recorded or not self.alive or isinstance(op, HigherOrder):
            return super().handle(op)
        token = INNERMOST.set(outer)  # the same for an operation on arrays that nobody records
        try:
            results = self.interpret(op)
        except EffaxError as error:
            raise self._error_on_carriers(op, error) from error.__cause__
        INNERMOST.reset(token)
        return results

    def interpret_higher_order(self, op: HigherOrder[Array], /) -> tuple[Array, ...]:
        if self.concern.handled(op):
            results = self.interpret(op)
            assert isinstance(results, tuple), "it is checked"
            return results
        return super().interpret_higher_order(op)

    def interpret(self, op: Operation[Array], /) -> Performed:
        handler = self.handler
        self.touched = True
        state, sent = handler.state if handler._state_fields else {}, handler.sent
        try:
            result: object = handler.interpret(op)
        except BaseException as error:
            handler.undo(error, state, sent)
            raise
        for name, was in state.items():
            if getattr(handler, name) is not was:
                check_alive(f"{type(handler).__name__}.{name}", getattr(handler, name))
        before = list(state.values()) if isinstance(op, CustomOp) and HostEffect.HOST not in op.effects else []
        if not before and isinstance(op, Single) and getattr(result, "aval", None) is op.types():
            return result  # type: ignore[return-value]  # the usual case, which is quickly seen
        if isinstance(result, list):
            result = tuple(result)
        if type(op) is CustomCall and op.body is None and isinstance(result, tuple):
            return result  # of types that nobody knows yet
        types = op.types()
        results = result if isinstance(types, tuple) else (result,)
        expected = types if isinstance(types, tuple) else (types,)
        if not isinstance(results, tuple) or len(results) != len(expected) or not all(map(_fits, results, expected)):
            raise self._wrong(op, result, types)
        if before:
            for name, old in zip(handler.state, before, strict=True):
                if getattr(handler, name) is not old:
                    raise ArgumentError(
                        f"{type(handler).__name__}.interpret changes {name} at {op.name}, which may be dropped, "
                        "repeated and moved out of loops, since it does not declare a side effect: write acts = "
                        f"True in the class {type(op).__name__}, or make it an operation of an Effect"
                    )
        return result  # type: ignore[return-value]  # as checked

    def _wrong(self, op: Operation[Array], result: object, types: object) -> IllTyped:
        each = result if isinstance(result, tuple) else (result,)
        shown = [str(x.aval) if isinstance(x, Array) else describe(x) for x in each]
        text = f"a tuple of {len(each)}, ({', '.join(shown)})" if isinstance(result, tuple) else shown[0]
        each_type = [str(t) for t in types] if isinstance(types, tuple) else None
        expected = (
            f"one array, {types}" if each_type is None else f"a tuple of {len(each_type)}, ({', '.join(each_type)})"
        )
        return IllTyped(f"{type(self.handler).__name__}.interpret of {op.name} must return {expected}; got {text}")


def _fits(value: object, aval: ShapedArray) -> bool:
    if not isinstance(value, Array):
        return False
    return value.aval is aval or (value.aval.shape == aval.shape and value.aval.dtype is aval.dtype)
