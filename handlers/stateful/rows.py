"""Control flow under a handler without carriers, one row for each higher-order operation.

The operation is performed again, one link outward, with a body in which nothing that it handles is left. A loop carries
the state, a conditional gives it the form that all branches can have. Loops stack the values that are sent, and a
branch that does not send a value gives zeros.
"""

from __future__ import annotations

import contextlib

from effects.arrays.array import Array
from effects.errors import ConcretizationError, MissingRule
from effects.functions.elementwise import logic
from effects.operations.checkpoint import Checkpoint
from effects.operations.custom_rules import CustomCall
from effects.operations.higher_order import Call, CallLike, Cond
from effects.operations.loops import Scan, While
from effects.program.chain import installed, perform
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.requests.forms import types_of
from handlers.higher_order.custom_definitions import closed
from handlers.higher_order.while_loop import with_condition_carried
from handlers.stage import share_captured, stage
from handlers.stateful.link import STAGED, StatefulLink
from handlers.stateful.restaging import (
    Body,
    consts_first,
    fixed_point,
    restage,
    results_received,
    skipping,
    with_common_state,
)
from handlers.stateful.threaded import Threaded


def _state(link: StatefulLink) -> list[Array]:
    return link.handler.state_taken_apart()[0]


@STAGED.rule(Call, Checkpoint)
def staged_call(link: StatefulLink, op: CallLike[Array]) -> tuple[Array, ...]:
    body = restage(link, op.body)
    operands = (*body.captured, *_state(link), *op.operands_)
    return results_received(link, body, perform(op.of(body.jaxpr, operands)))


@STAGED.rule(Cond)
def staged_cond(link: StatefulLink, op: Cond[Array]) -> tuple[Array, ...]:
    bodies = with_common_state(link, op.branches)
    branches, captured = share_captured([(body.jaxpr, body.captured) for body in bodies])
    operands = (*captured, *_state(link), *op.operands_)
    return results_received(link, bodies[0], perform(Cond(tuple(branches), op.index, operands)))


@STAGED.rule(Scan)
def staged_scan(link: StatefulLink, op: Scan[Array]) -> tuple[Array, ...]:
    step = fixed_point(link, op.body)
    state = _state(link)
    if link.handler.halted() is not None:
        step = skipping(link, step, len(op.consts), op.carried)
    program = consts_first(step, len(op.consts))
    results = perform(op.of(program, (*step.captured, *op.consts), (*state, *op.init), op.xs))
    return results_received(link, step, results)


@STAGED.rule(While)
def staged_while(link: StatefulLink, op: While[Array]) -> tuple[Array, ...]:
    if link.concerns(op.condition):
        return staged_while(link, with_condition_carried(link, op))[1:]
    step = fixed_point(link, op.body)
    if step.sent:
        raise MissingRule(
            f"{link!r}: {step.sent[0][0]!r} is sent in a while_loop, whose number of steps is not known; use scan or "
            "fori_loop, or keep it in the carry"
        )
    state = _state(link)
    n_consts, n_state = len(op.condition_consts), len(state)

    def unless_halted(*flat: Array) -> list[Array]:
        (continues,) = eval_jaxpr(op.condition, (*flat[:n_consts], *flat[n_consts + n_state :]))
        halted = link.copied(step.form.build(flat[n_consts : n_consts + n_state])).handler.halted()
        return [continues if halted is None else logic.logical_and(continues, logic.logical_not(halted))]

    types = (*op.condition.in_avals[:n_consts], *types_of(state), *op.condition.in_avals[n_consts:])
    condition = stage(unless_halted, types, "whether the loop goes on")[0]
    program = consts_first(step, len(op.body_consts))
    consts = (*step.captured, *op.body_consts)
    return results_received(
        link, step, perform(While(condition, program, op.condition_consts, consts, (*state, *op.init)))
    )


@STAGED.rule(CustomCall)
def staged_custom(link: StatefulLink, op: CustomCall[Array]) -> tuple[Array, ...]:
    state, form = link.handler.state_taken_apart()
    if op.body is None and op.definition.out_avals is not None:  # a derivative, which runs when nothing is traced
        return perform(op if state else CustomCall(Threaded(link, op.definition, form, (), False), None, op.operands_))
    if op.body is None:
        threaded = Threaded(link, op.definition, form, types_of(state), None)
        with installed(link), contextlib.suppress(ConcretizationError):  # where it asks for values, what ran is seen
            body = restage(link, op.definition.staged([x.aval for x in op.operands_])[0])
            threaded.always = body.touched
            threaded.out = (body.form, body.n_state, body.sent) if body.touched else None
        results = perform(CustomCall(threaded, None, (*state, *op.operands_)))
    else:
        body = restage(link, op.body)
        threaded = Threaded(link, op.definition, form, types_of(state), body.touched)
        outs, end = body.jaxpr.outputs, len(body.jaxpr.outputs) - body.n_sent
        state_and_sent = (*outs[: body.n_state], *outs[end:]) if body.touched else ()
        program = Jaxpr(body.jaxpr.inputs, body.jaxpr.eqns, (*state_and_sent, *outs[body.n_state : end]))
        threaded.out = (body.form, body.n_state, body.sent) if body.touched else None
        results = perform(CustomCall(closed(threaded, body.captured), program, (*body.captured, *state, *op.operands_)))
    if threaded.out is None:
        return results
    form, n_state, sent = threaded.out
    sending = Body(Jaxpr((), (), ()), (), form, n_state, sent, True)
    end = n_state + sending.n_sent
    return results_received(link, sending, (*results[:n_state], *results[end:], *results[n_state:end]))
