"""`EffectLink`: the handler of an effect in the chain, and its way into transformations.

It sees the requests of its effect, and the programs that contain some, and nothing else. *Transformations only ever see
pure programs*, so it composes with all of them. When a transformation with carriers (a `Jvp`, a `Vmap`, a handler of
users' own) is entered, every handler of an effect further out is opened once more inside it, on the first request that
it sees there, and closed as the transformation ends. Opening and closing are two more operations of the effect,
answered by the handler further out: so they too go through staged programs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, cast

from effects.arrays.array import Array
from effects.errors import ArgumentError, ConcretizationError, IllTyped
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Cond
from effects.program.chain import Link, Performed, installed
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, Label, Operation, Single
from effects.requests.effect import Request, Signature, answering
from effects.requests.forms import Form, take_apart, types_of
from effects.runtime.caches import Cache, weakly_held
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.requests.crossing import CLOSING, OPENING, return_state, state_inside
from handlers.requests.forking import Forks
from handlers.requests.handler import EffectHandler
from handlers.requests.paths import axes_of
from handlers.requests.state_checks import check_begun, check_state
from handlers.rule_table import RuleTable
from handlers.stage import stage
from handlers.stateful.halting import must_not_happen_when_halted, unless_halted
from handlers.stateful.handler import Sent, Stateful
from handlers.stateful.link import StatefulLink

IN_PLACE: Final = RuleTable[Callable[[Any, Any], tuple[Array, ...]]]("effects with several results")
"""Rules of control flow for handlers that give an operation several results, and so run programs in place."""

_signatures: Final[Cache[Hashable, Signature]] = Cache()


class EffectLink(StatefulLink[EffectHandler[Any]]):
    """The link of a handler in the chain. `within` is the transformation that it was opened once more inside of."""

    remedy = "let the function perform nothing, and give it what it needs as an argument"

    def __init__(self, handler: EffectHandler[Any], label: Label, within: Forward[Any, Any] | None = None) -> None:
        self.handler = handler
        handler.link = self
        self.label = label
        self.halts = type(handler).halted is not Stateful.halted
        self.within = within
        self.opened = within is None
        self._pure: set[type[Operation[Array]]] = set()
        self.forks = Forks(self)
        self.at_opening: dict[Label, Array | None] = {}
        """True if this handler had halted when a transformation inside of it got the state of one further out."""

    @property
    def scope(self) -> Hashable:
        """Cache key for programs traced here."""
        arrays, form = self.handler.state_taken_apart()
        return self.label, weakly_held(type(self.handler)), self.handler.key, form, types_of(arrays)

    def copied(self, state: Any) -> EffectLink:
        """This handler with another state, which has sent nothing."""
        return EffectLink(self.handler.copied(state), self.label)

    def opened_in(self, within: Forward[Any, Any]) -> EffectLink:
        return EffectLink(self.handler.copied(self.handler.state), self.label, within)

    def concerns(self, body: Jaxpr) -> bool:
        return self.label in body.effects

    def handle(self, op: Operation[Array], /) -> Performed:
        if type(op) in self._pure:
            return self.outer.handle(op)
        return super().handle(op)

    def sees(self, op: Operation[Array], /) -> bool:
        cls = type(op)
        effects: object = cls.effects  # a property where it depends on the operation
        if issubclass(cls, Single) and effects == frozenset():
            self._pure.add(cls)
            return False
        if (
            self.halts and self.opened and must_not_happen_when_halted(op)
        ):  # until it is opened, the handler outside decides
            with installed(self.outer):
                if self.handler.halted() is not None:
                    return True
        if type(op) is Request:
            return op.label == self.label
        if type(op) is CustomCall and op.body is None and op.definition.out_avals is None:
            return (self.recorded or not self.handler.resumes_often) and self._performed_by(op)
        return self.label in op.effects

    def _performed_by(self, op: CustomCall[Array]) -> bool:
        """Return True if a function with rules may perform the effect; one that needs values is assumed to."""
        with installed(self), contextlib.suppress(ConcretizationError):
            return self.concerns(op.definition.staged([x.aval for x in op.operands_])[0])
        return True

    def interpret(self, op: Operation[Array], /) -> Performed:
        self.open()
        if type(op) is not Request or op.label != self.label:
            halted = self._halted_at(op)
            return self.outer.handle(op) if halted is None else unless_halted(halted, op)
        args, kwargs = op.form.build(op.operands_)
        arrays, form = take_apart(self.answer(op.method, args, kwargs), f"the result of {op.name}")
        got = Signature(types_of(arrays), form)
        if got != op.signature:
            raise IllTyped(
                f"{self!r}.{op.method} gives {_shown(got)} here, and gave {_shown(op.signature)} where the program "
                "was traced; it must not depend on the form of the state, which grows where branches and steps differ"
            )
        return tuple(arrays)

    def _halted_at(self, op: Operation[Array]) -> Array | None:
        """A bool, True if `op` must not happen; a transformation is closed if and only if it was opened."""
        halted = self.handler.halted()
        if type(op) is Request and op.method in OPENING:
            self.at_opening[op.label] = halted
        closing = type(op) is Request and op.method in CLOSING
        return self.at_opening.get(op.label) if closing else halted  # type: ignore[attr-defined]  # of a request

    def interpret_higher_order(self, op: HigherOrder[Array], /) -> tuple[Array, ...]:
        self.open()
        if self.is_lent and self.label in op.effects and not self._closed_by(op):
            raise self._refused(op.name)
        if not self.handler.resumes_often:
            return super().interpret_higher_order(op)
        before = len(self.forks)
        results = IN_PLACE[type(op)](self, op)
        self.forks.merge(before, axes_of(results))
        return results

    def answer(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any], /) -> Any:
        """The meaning of one operation, under the chain outside of this handler."""
        self.open()
        if self.is_lent and method not in CLOSING:
            raise self._refused(method)
        self.is_lent = self.handler.lends and method in OPENING
        self.touched = True
        with installed(self.outer):
            if method == "from_sent":
                return self._receive(*args)
            before, sent = self.handler.state, self.handler.sent
            try:
                result = getattr(self.handler, method)(*args, **kwargs)
            except BaseException as error:
                self.handler.undo(error, before, sent)
                raise
            if self.handler.state is not before:
                check_state(self.handler, method, before)
            if method in OPENING:
                check_begun(self.handler, method, result, *args)
            return result

    def _closed_by(self, op: HigherOrder[Array]) -> bool:
        """Return True if a conditional only closes a transformation, unless a handler inside has halted."""
        ops = [eqn.op for body in op.bodies for eqn in body.eqns] if type(op) is Cond else []
        return any([type(each) is Request and each.label == self.label and each.method in CLOSING for each in ops])

    def _refused(self, problem: str) -> ArgumentError:
        return ArgumentError(
            f"{self.label}, {problem}: performed by a rule outside of the transformation that has the state now; let "
            "the function whose rule it is perform the effect, too, or pass what the rule needs as an argument"
        )

    def _receive(self, sent: Sent) -> None:
        for name, arrays in sent.items():
            self.handler.send(name, *arrays)

    def signature(self, method: str, form: Form, avals: tuple[ShapedArray, ...], /) -> Signature:
        """Result types of an operation, by staging its method and dropping the program."""
        self.open()
        key = (self.scope, method, form, avals)
        cached = _signatures.find(key)
        if cached is not None:
            return cached
        state, state_form = self.handler.state_taken_apart()
        signatures: list[Signature] = []

        def run(*arrays: Array) -> list[Array]:
            with self.copied(state_form.build(arrays[: len(state)])) as inner:
                args, kwargs = form.build(arrays[len(state) :])
                results, out = take_apart(inner.answer(method, args, kwargs), f"the result of {self.label}.{method}")
            signatures.append(Signature(types_of(results), out))
            return []

        stage(run, (*types_of(state), *avals), f"{self.label}.{method}")
        return _signatures.keep(key, signatures[0])

    def stand_inside(self, outer: Link) -> None:
        super().stand_inside(outer)
        self.answered |= {self.label}

    def open(self) -> None:
        """Get the state from the handler outside of the transformation, before the first request inside."""
        if not self.opened and self.within is not None:
            self.opened = True
            self.handler.state = state_inside(self.label, self.within)

    def close(self) -> None:
        """Give back the state and the sent values at the end of a transformation."""
        if self.within is not None and self.opened:
            outside = self._outside
            assert outside is not None, "a transformation ends inside of its handlers"
            return_state(self.handler, outside.handler, self.label, self.within)
        self._closed = True

    def release_lent_state(self) -> None:
        """Let the handler outside of a failed transformation answer requests again."""
        outside = self._outside
        if outside is not None and not self._closed:
            outside.is_lent = False

    @property
    def _outside(self) -> EffectLink | None:
        """The link of this effect outside of the transformation, if it is still in the chain."""
        links = {} if self.within is None else answering(self.within.outer)
        return cast("EffectLink | None", links.get(self.label))

    _closed = False

    def complete(self) -> None:
        super().complete()
        self.forks.complete()
        self.close()

    def leave(self) -> None:
        self.release_lent_state()
        self.forks.leave()
        super().leave()


def _shown(signature: Signature) -> str:
    return str(signature.form.build(signature.avals))
