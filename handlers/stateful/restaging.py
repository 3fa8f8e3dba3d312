"""Bodies under a handler without carriers: its state goes in and comes out, and what is sent comes out.

The body is staged once more under a copy of the handler, so that nothing that it handles is left in it. All steps of a
loop have a state of one form, and all branches of a conditional send the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from effects.arrays.array import Array
from effects.arrays.concrete import Concrete
from effects.errors import ArgumentError
from effects.functions.creation import creation
from effects.operations.higher_order import Cond
from effects.program.chain import perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.requests.forms import Form, types_of
from effects.trees.pytree import tree_flatten
from effects.types.avals import ShapedArray
from handlers.stage import stage
from handlers.stateful.link import StatefulLink

_MOST_ROUNDS: Final = 100


class Body(NamedTuple):
    """A program inside the handler: from `captured`, state, inputs to state, results, what is sent.

    `touched` is True if the handler handled anything, `is_lent` if a transformation has its state at the end.
    """

    jaxpr: Jaxpr
    captured: tuple[Array, ...]
    form: Form
    n_state: int
    sent: tuple[tuple[str, int], ...]
    touched: bool
    is_lent: bool = False

    @property
    def state_types(self) -> Any:
        """The state as a tree of types."""
        return self.form.build(self.jaxpr.out_avals[: self.n_state])

    @property
    def n_sent(self) -> int:
        return sum([count for _, count in self.sent])

    @property
    def same(self) -> tuple[Form, tuple[ShapedArray, ...]]:
        """The part in which the bodies of all branches must agree."""
        return self.form, self.jaxpr.out_avals[: self.n_state]


def restage(link: StatefulLink, body: Jaxpr, wider: Sequence[Any] = ()) -> Body:
    """`body` under a copy of the handler, its last state widened to fit also a state of the types `wider`."""
    arrays, form = link.handler.state_taken_apart()
    key = ("stateful", link.scope, tuple([(tree, tuple(types)) for types, tree in map(tree_flatten, wider)]))
    cached = body.recall(key)
    if cached is not None:
        return cast(Body, cached)
    ends: list[tuple[Form, int, tuple[tuple[str, int], ...], bool, bool]] = []

    def run(*flat: Array) -> list[Array]:
        with link.copied(form.build(flat[: len(arrays)])) as inner:
            results = eval_jaxpr(body, flat[len(arrays) :])
            for other in wider:
                inner.handler.state = inner.handler.widened(other)
        state, state_form = inner.handler.state_taken_apart()
        sent = inner.handler.sent
        sends = tuple([(name, len(values)) for name, values in sent.items()])
        ends.append((state_form, len(state), sends, inner.touched, inner.is_lent))
        return [*state, *results, *[v for values in sent.values() for v in values]]

    jaxpr, captured = stage(run, (*types_of(arrays), *body.in_avals), repr(link))
    restaged = Body(jaxpr, tuple(captured), *ends[0])
    return body.cached(key, lambda: restaged) if all([type(c) is Concrete for c in captured]) else restaged


def results_received(link: StatefulLink, body: Body, results: Sequence[Array]) -> tuple[Array, ...]:
    """The results of a program; the handler gets the state and what was sent."""
    link.handler.state = body.form.build(results[: body.n_state])
    link.touched, link.is_lent = link.touched or body.touched, body.is_lent
    end = position = len(results) - body.n_sent
    for name, count in body.sent:
        link.handler.send(name, *results[position : position + count])
        position += count
    return tuple(results[body.n_state : end])


def fixed_point(link: StatefulLink, body: Jaxpr) -> Body:
    """`body` restaged, after the handler's state is widened to a form that a step keeps."""
    for _ in range(_MOST_ROUNDS):
        step = restage(link, body)
        arrays, form = link.handler.state_taken_apart()
        if step.same == (form, types_of(arrays)):
            return step
        link.handler.state = link.handler.widened(step.state_types)
    raise ArgumentError(
        f"{link!r}.widened: the state has another form after every step of a loop; it must reach an end"
    )


def with_common_state(link: StatefulLink, branches: Sequence[Jaxpr]) -> list[Body]:
    """The branches restaged, with states of one form, and with zeros for values that only other branches send."""
    bodies = [restage(link, branch) for branch in branches]
    if any([body.same != bodies[0].same for body in bodies]):
        types = [body.state_types for body in bodies]
        bodies = [restage(link, branch, types) for branch in branches]
    if any([body.same != bodies[0].same for body in bodies]):
        raise ArgumentError(
            f"{link!r}.widened: it must return one form for the states of all branches, "
            f"{', '.join([str(body.state_types) for body in bodies])}"
        )
    types_sent: dict[str, tuple[ShapedArray, ...]] = {}
    for body in bodies:
        for name, avals in _sent_types(body).items():
            if types_sent.setdefault(name, avals) != avals:
                raise ArgumentError(
                    f"{link!r}: {name!r} is {_shown(types_sent[name])} in one branch and {_shown(avals)} in another"
                )
    touched, is_lent = any([body.touched for body in bodies]), any([body.is_lent for body in bodies])
    return [_sending(body, types_sent)._replace(touched=touched, is_lent=is_lent) for body in bodies]


def _shown(avals: Sequence[ShapedArray]) -> str:
    return ", ".join([str(aval) for aval in avals])


def _sending(body: Body, types: dict[str, tuple[ShapedArray, ...]]) -> Body:
    own, outputs, eqns = _sent_types(body), list(body.jaxpr.outputs), list(body.jaxpr.eqns)
    end = len(outputs) - body.n_sent
    atoms = iter(outputs[end:])
    sent_atoms = {name: [next(atoms) for _ in avals] for name, avals in own.items()}
    for name in types.keys() - own.keys():
        zeros, _ = stage(lambda avals=types[name]: [creation.zeros_of(aval) for aval in avals], ())
        eqns += zeros.eqns
        sent_atoms[name] = list(zeros.outputs)
    last = [atom for name in types for atom in sent_atoms[name]]
    jaxpr = Jaxpr(body.jaxpr.inputs, tuple(eqns), (*outputs[:end], *last))
    return body._replace(jaxpr=jaxpr, sent=tuple([(name, len(avals)) for name, avals in types.items()]))


def _sent_types(body: Body) -> dict[str, tuple[ShapedArray, ...]]:
    avals = iter(body.jaxpr.out_avals[len(body.jaxpr.outputs) - body.n_sent :])
    return {name: tuple([next(avals) for _ in range(count)]) for name, count in body.sent}


def skipping(link: StatefulLink, step: Body, n_consts: int, carried: int) -> Body:
    """The step of a loop, which does nothing once the handler has halted."""
    first = len(step.captured)
    after = first + step.n_state

    def skip(*flat: Array) -> list[Array]:
        carry = [*flat[first:after], *flat[after + n_consts : after + n_consts + carried]]
        return [*carry, *[creation.zeros_of(aval) for aval in step.jaxpr.out_avals[len(carry) :]]]

    skipped = stage(skip, step.jaxpr.in_avals, "a step that is skipped")[0]

    def run(*flat: Array) -> Sequence[Array]:
        halted = link.copied(step.form.build(flat[first:after])).handler.halted()
        assert halted is not None, "else no step is skipped"
        return perform(Cond((step.jaxpr, skipped), halted, flat))

    return step._replace(jaxpr=stage(run, step.jaxpr.in_avals, "a step")[0])


def consts_first(body: Body, consts: int) -> Jaxpr:
    """The restaged body with its inputs in the order of a loop: constants first, then the carry.

    The state of the handler is carried; `consts` is the number of constants of the loop.
    """
    first, state = len(body.captured), body.n_state
    if not state or not consts:
        return body.jaxpr

    def reordered() -> Jaxpr:
        inputs = body.jaxpr.inputs
        middle = first + state + consts
        order = (*inputs[:first], *inputs[first + state : middle], *inputs[first : first + state], *inputs[middle:])
        return Jaxpr(order, body.jaxpr.eqns, body.jaxpr.outputs)

    return body.jaxpr.cached(("consts first", first, state, consts), reordered)
