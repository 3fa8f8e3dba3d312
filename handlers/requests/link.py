"""Links: the handler of an effect in the chain, and how it gets inside of transformations.

It sees the requests of its effect, and the programs that hold some, and nothing else. One decision makes it compose:
*transformations only ever see pure programs*. When a transformation with carriers (a `Jvp`, a `Vmap`, a handler of
users' own) is entered, every handler of an effect further out is opened once more inside it, on the first request that
it sees there, and closed as the transformation ends. Opening and closing are two more operations of the effect,
answered by the handler further out: so they too go through staged programs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from typing import Any, Final, cast

from effects.arrays.array import Array
from effects.errors import ArgumentError, ConcretizationError, IllTyped, MissingRule
from effects.functions.creation import sequences
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Cond
from effects.program.chain import Handler, Link, Performed, installed
from effects.program.jaxpr import Jaxpr
from effects.program.operation import HigherOrder, Label, Operation, Single
from effects.requests.effect import Request, Signature, answering, request
from effects.requests.forms import Form, take_apart, types_of
from effects.runtime.caches import Cache, borrowed
from effects.types.avals import ShapedArray
from handlers.forward import Forward
from handlers.jvp.rules import Jvp
from handlers.requests.handler import EffectHandler
from handlers.requests.paths import axes_of, stacked_paths
from handlers.requests.state_checks import check_begun, check_state
from handlers.rule_table import RuleTable
from handlers.stage import stage
from handlers.stateful.halting import may_not_happen, unless_halted
from handlers.stateful.handler import Sent, Stateful
from handlers.stateful.link import StatefulLink
from handlers.vmap.rules import Batched, Vmap, materialized

IN_PLACE: Final = RuleTable[Callable[[Any, Any], tuple[Array, ...]]]("effects with several results")
"""The same for handlers that give an operation several results: what follows differs from what was staged."""

OPENING: Final = frozenset({"into_lanes", "into_derivative"})
"""The requests by which a transformation gets the state of a handler outside of it."""
CLOSING: Final = frozenset({"from_lanes", "from_derivative", "from_sent"})
"""Those by which it gives back what became of it."""

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
        self.forks: list[Forward[Any, Any]] = []
        self.chosen: list[Array] = []
        self.at_opening: dict[Label, Array | None] = {}
        """True if this handler had halted when a transformation inside of it got the state of one further out."""

    @property
    def scope(self) -> Hashable:
        """Cache key for programs traced here."""
        arrays, form = self.handler.state_taken_apart()
        return self.label, borrowed(type(self.handler)), self.handler.key, form, types_of(arrays)

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
        if self.halts and self.opened and may_not_happen(op):  # else that outside of the transformation sees to it
            with installed(self.outer):
                if self.handler.halted() is not None:
                    return True
        if type(op) is Request:
            return op.label == self.label
        if type(op) is CustomCall and op.body is None and op.definition.out_avals is None:
            return (self.recorded or not self.handler.resumes_often) and self._performed_by(op)
        return self.label in op.effects

    def _performed_by(self, op: CustomCall[Array]) -> bool:
        """Return True if a function with rules may perform the effect; one that asks for values may do anything."""
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
        """A bool, True if `op` should not happen: what was opened before is closed, and what was not opened is not."""
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
        self.merge_paths(before, axes_of(results))
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

    # Several results

    def fork(self, size: int) -> Array:
        """0, …, size - 1, all at once: what follows runs for each, as lanes of a vmap that is put around it."""
        lanes = Vmap(size)
        self._put_around(lanes)
        for link in reopened(lanes):
            self._put_around(link)
            self.forks.append(link)
        self.forks.append(lanes)
        self.chosen = [*self.chosen, Batched(lanes, sequences.arange(size))]
        return self.chosen[-1]

    def merge_paths(self, since: int, read: Set[Link]) -> None:
        """Sum out the axes of forks, from number `since` on, of which `read` has those that results depend on.

        For the end of a program: nothing but its results and the states of handlers can depend on choices in it.
        """
        forks = () if self.within is not None else self.forks[since:]
        for lanes in [fork for fork in forks if isinstance(fork, Vmap) and fork not in read]:
            inside = [fork for fork in forks if isinstance(fork, EffectLink) and fork.within is lanes]
            if not any([link.opened for link in inside]) and self.handler.merges_paths:
                self._sum_out(lanes, {lanes, *inside})

    def _sum_out(self, lanes: Vmap, removed: Set[Link]) -> None:
        link: Link = self
        while isinstance(link, Handler) and link is not self._before_forks:
            while link.outer in removed:
                link.outer = cast("Forward[Any, Any]", link.outer).outer
            link = link.outer
        self.forks = [fork for fork in self.forks if fork not in removed]
        self.chosen = [index for index in self.chosen if lanes not in axes_of([index])]
        arrays, form = self.handler.state_taken_apart()
        with installed(self.outer):
            state = form.build([stacked_paths(lanes, a) for a in arrays])
            self.handler.state = self.handler.merged_paths(lanes.size, state)
        lanes.alive = False

    def _put_around(self, link: Forward[Any, Any]) -> None:
        link.alive, link.outer = True, self.outer
        link.recorded, link.lines = self.outer.recorded, self.outer.lines
        link.axes = {**link.axes, **self.outer.axes}
        link.answered = self.outer.answered
        if isinstance(link, EffectLink):
            link.answered |= {link.label}
        self.outer = link

    # Crossing a transformation

    def open(self) -> None:
        """Before the first request inside a transformation: get the state from the handler outside of it."""
        if self.opened:
            return
        self.opened, within = True, self.within
        assert within is not None, "it would be open"
        lanes = has_lanes(within)
        with installed(within.outer):
            state = (
                request(self.label, "into_lanes", within.size)
                if isinstance(within, Vmap) and lanes
                else request(self.label, "into_derivative")
            )
        arrays, form = take_apart(state, f"the state of {self!r}")
        self.handler.state = form.build([within.pack((a,), True) for a in arrays] if lanes else arrays)

    def close(self) -> None:
        """Give the state back at the end of a transformation, and what was sent."""
        within = self.within
        if within is None or not self.opened:
            return
        state, sent = (self._plain(tree) for tree in (self.handler.state, self.handler.sent))
        outside = cast("EffectLink", answering(within.outer)[self.label]).handler
        before = outside.state, outside.sent
        try:
            with installed(within.outer):
                if isinstance(within, Vmap) and has_lanes(within):
                    request(self.label, "from_lanes", within.size, state)
                else:
                    request(self.label, "from_derivative", state)
                if self.handler.sent:
                    request(self.label, "from_sent", sent)
        except BaseException as error:
            outside.undo(error, *before)
            raise

    def _plain(self, tree: Any) -> Any:
        """The values of a tree as they are outside of the transformation."""
        within = self.within
        arrays, form = take_apart(tree, f"the state of {self!r}")
        if isinstance(within, Vmap):
            with installed(within.outer):
                whole = [materialized(within.lift(a), within.size) for a in arrays]
                return form.build(whole if has_lanes(within) else [a[0] for a in whole])
        if isinstance(within, Jvp):
            return form.build([within.lift(a).primal for a in arrays])
        if within is not None and within.augments:
            return form.build([within.unpack(a)[0][0] if a.owner is within else a for a in arrays])
        if any([a.owner is within for a in arrays]):
            raise MissingRule(
                f"{self.label}: its state or output is a carrier of {within!r}, which cannot leave it; "
                f"handle it inside of {within!r}, or keep out of it what depends on the values there"
            )
        return tree

    def __enter__(self) -> EffectLink:
        super().__enter__()
        self._before_forks = self.outer
        self.answered |= {self.label}
        return self

    _before_forks: Link | None = None

    _completed = False

    def complete(self) -> None:
        super().complete()
        for link in reversed(self.forks):
            if isinstance(link, EffectLink):
                link.close()
                link._completed = True
        self.close()
        self._completed = True

    def leave(self) -> None:
        for link in (self, *self.forks):
            if isinstance(link, EffectLink) and link.within is not None and not link._completed:
                outside = answering(link.within.outer).get(link.label)
                if isinstance(outside, EffectLink):
                    outside.is_lent = False
        for link in self.forks:
            link.alive = False
        if self._before_forks is not None:
            self.outer = self._before_forks
        super().leave()


def _shown(signature: Signature) -> str:
    return str(signature.form.build(signature.avals))


def has_lanes(within: Forward[Any, Any]) -> bool:
    """Return True if a transformation runs a program many times; a vmap over directions of a derivative does not."""
    return isinstance(within, Vmap) and not within.directions


def reopened(within: Forward[Any, Any]) -> list[EffectLink]:
    """The handlers of effects outside of a transformation, to be installed inside of it, outermost first."""
    return [link.opened_in(within) for link in cast("Mapping[Label, EffectLink]", answering(within.outer)).values()]
