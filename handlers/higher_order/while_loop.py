"""The row of `While`: what a loop of an unknown number of steps means under every handler.

Forward handlers restage condition and body with a carry of forms that the loop keeps. Where the condition is batched,
the loop runs while any lane does, and finished lanes keep their carry. Partial evaluation runs the loop on the known
part of the carry if the condition depends on no other. There is no transpose, since the number of steps whose residuals
would be saved is not bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import effects as fx
from effects.arrays.array import Array
from effects.errors import MissingRule
from effects.operations.higher_order import Call
from effects.operations.loops import While
from effects.program.chain import installed, perform
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr, Var, eval_jaxpr
from effects.program.operation import HostEffect
from effects.runtime.cpython.source import Source, current_location
from handlers.forward import FORWARD, Forward
from handlers.higher_order.batched_branches import select_cases
from handlers.higher_order.loop_carry import concatenated, fixed_point
from handlers.higher_order.restaging import Unpacked, pack_all, restage, restage_predicate, unpack_all
from handlers.host_effects import with_callbacks_guarded, without_callbacks
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, merge, split, unknown_carry, unknown_outputs
from handlers.stage import stage
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents
from handlers.vmap.rules import VMAP_SELECTS, Batched, Vmap


@FORWARD.rule(While)
def forward_while[V: Array](handler: Forward[V, Any], op: While[V]) -> tuple[Array, ...]:
    consts = unpack_all(handler, op.body_consts)
    carry, body = fixed_point(handler, op.body, op.init, lambda carry: concatenated(consts, carry))
    condition, condition_consts = _predicate(handler, op, carry)
    operands = (*body.captured, *consts.parts)
    results = perform(While(condition, body.jaxpr, condition_consts, operands, carry.parts))
    return tuple(pack_all(handler, results, carry.statics, carry.counts))


def _predicate[V: Array](handler: Forward[V, Any], op: While[V], carry: Unpacked) -> tuple[Jaxpr, tuple[Array, ...]]:
    """The condition over the parts of the carry, and the operands that it takes before these."""
    consts = unpack_all(handler, op.condition_consts)
    decision = restage_predicate(handler, op.condition, concatenated(consts, carry))
    operands = (*decision.captured, *consts.parts)
    return decision.jaxpr, operands


def with_condition_carried[V: Array](handler: Forward[V, Any], op: While[V]) -> While[V]:
    """The same loop with the value of its condition in the carry, where the body computes it.

    So changes of the handler's state by the condition are kept.
    """
    n_condition, n_body = len(op.condition_consts), len(op.body_consts)
    with installed(handler):
        (holds,) = perform(Call(op.condition, "condition", (*op.condition_consts, *op.init)))

    def step(*args: Array) -> list[Array]:
        condition_consts, body_consts = args[:n_condition], args[n_condition : n_condition + n_body]
        carry = eval_jaxpr(op.body, (*body_consts, *args[n_condition + n_body + 1 :]))
        return [*eval_jaxpr(op.condition, (*condition_consts, *carry)), *carry]

    def steps() -> Jaxpr:
        consts = (*op.condition.in_avals[:n_condition], *op.body.in_avals[:n_body])
        carried = (*op.condition.out_avals, *op.body.in_avals[n_body:])
        return stage(step, (*consts, *carried), "a step")[0]

    body = op.body.cached(("holds", op.condition.written), steps)
    carried = tuple([Var(aval) for aval in body.out_avals])
    condition = Jaxpr(carried, (), carried[:1])
    return While(condition, body, (), (*op.condition_consts, *op.body_consts), (handler.lift(holds), *op.init))


def _calls_where_live(handler: Vmap, op: While[Batched]) -> While[Batched]:
    """The same loop with the value of its condition in the carry; it calls the host only where that is true."""
    op = with_condition_carried(handler, op)
    position = len(op.body_consts)

    def step(*args: Array) -> list[Array]:
        holds, *carry = eval_jaxpr(with_callbacks_guarded(op.body, position), args)
        return [fx.logical_and(args[position], holds), *carry]  # a finished lane stays finished

    def steps() -> Jaxpr:
        return stage(step, op.body.in_avals, "a step")[0]

    body = op.body.cached("calls where live", steps)
    return While(op.condition, body, (), op.body_consts, op.init)


def run_live_lanes(handler: Vmap, op: While[Batched], guarded: bool = False) -> tuple[Array, ...] | None:
    """The results of a loop that runs while the batched condition holds in any lane; None if it is not batched.

    A finished lane keeps its carry, which each step selects for it, and does not call the host.
    """
    consts, condition_consts = unpack_all(handler, op.body_consts), unpack_all(handler, op.condition_consts)
    carry, _ = fixed_point(handler, op.body, op.init, lambda carry: concatenated(consts, carry))
    condition = restage(handler, op.condition, concatenated(condition_consts, carry))
    if condition.statics == (False,):
        return None
    if HostEffect.HOST in op.effects and not guarded:
        results = run_live_lanes(handler, _calls_where_live(handler, op), guarded=True)
        assert results is not None, "the condition is batched"
        return results[1:]
    passed = zip(op.body.outputs, op.body.inputs[len(op.body_consts) :], strict=True)
    unchanged = tuple([before is after for before, after in passed])  # no selection for values that the body passes on
    lanes = [value if keep else handler.coerce(value, True) for value, keep in zip(op.init, unchanged, strict=True)]
    carry, body = fixed_point(handler, op.body, lanes, lambda carry: concatenated(consts, carry))
    condition = restage(handler, op.condition, concatenated(condition_consts, carry))
    of_condition = (*condition.captured, *condition_consts.parts)
    of_body = (*body.captured, *consts.parts)
    masked = _masked(condition.jaxpr, body.jaxpr, len(of_condition), len(of_body), unchanged)
    live = eval_jaxpr(condition.jaxpr, (*of_condition, *carry.parts))
    results = perform(While(_any_live(masked), masked, (), (*of_condition, *of_body), (*live, *carry.parts)))
    return tuple(pack_all(handler, results[1:], carry.statics, carry.counts))


VMAP_SELECTS[While] = run_live_lanes


def _masked(condition: Jaxpr, body: Jaxpr, n_condition: int, n_body: int, unchanged: Sequence[bool]) -> Jaxpr:
    """A step of all lanes, from (live, carry) to (live, carry), which changes the carry of live lanes only."""

    def step(*args: Array) -> list[Array]:
        of_condition, of_body = args[:n_condition], args[n_condition : n_condition + n_body]
        live, *carry = args[n_condition + n_body :]
        following = eval_jaxpr(body, (*of_body, *carry))
        carry = [
            old if keep else select_cases(live, (old, new))
            for old, new, keep in zip(carry, following, unchanged, strict=True)
        ]
        return [*eval_jaxpr(condition, (*of_condition, *carry)), *carry]

    def staged() -> Jaxpr:
        consts = (*condition.in_avals[:n_condition], *body.in_avals[:n_body])
        carried = (*condition.out_avals, *body.in_avals[n_body:])
        return stage(step, (*consts, *carried), "a step of all lanes")[0]

    return body.cached(("masked", condition.written, n_condition, n_body, unchanged), staged)


def _any_live(masked: Jaxpr) -> Jaxpr:
    def staged() -> Jaxpr:
        return stage(lambda live, *_: [fx.any(live)], masked.out_avals, "whether any lane runs")[0]

    return masked.cached("any live", staged)


@PARTIAL_EVAL.rule(While)
def partial_eval_while(handler: PartialEval, op: While[Array]) -> tuple[Array, ...]:
    unknown_consts = handler.unknown(op.body_consts)
    unknown = unknown_carry(op.body, unknown_consts, handler.unknown(op.init))
    unknown_condition = (*handler.unknown(op.condition_consts), *unknown)
    repeated = not (all(unknown) or unknown_outputs(op.condition, unknown_condition)[0])
    recorded: tuple[Array, ...] = ()
    if any(unknown) or not repeated:
        recorded = handler.record_all(_without_host(op, (*unknown_consts, *unknown)) if repeated else op)
    if not repeated:
        return recorded
    known = perform(
        While(
            _known_part(op.condition, unknown_condition, (False,)),
            _known_part(op.body, (*unknown_consts, *unknown), unknown),
            handler.sorted(op.condition_consts)[0],
            handler.sorted(op.body_consts)[0],
            tuple([v for v, is_unknown in zip(op.init, unknown, strict=True) if not is_unknown]),
        )
    )
    return merge(unknown, known, [v for v, is_unknown in zip(recorded, unknown, strict=False) if is_unknown])


def _without_host(op: While[Array], unknown: tuple[bool, ...]) -> While[Array]:
    """The loop that computes the unknown part: all of the work again, without calls of the host."""
    if HostEffect.HOST in split(op.body, unknown).unknown.effects:
        raise MissingRule(
            "while_loop: its body calls the host with a tangent, which linearize cannot keep apart from the rest; use "
            "scan or fori_loop, or forward mode (jvp)"
        )
    return While(
        without_callbacks(op.condition), without_callbacks(op.body), op.condition_consts, op.body_consts, op.init
    )


def _known_part(program: Jaxpr, unknown_in: tuple[bool, ...], unknown_out: tuple[bool, ...]) -> Jaxpr:
    """Program of the known results of `program`, without residuals: the unknown part recomputes them."""
    known = split(program, unknown_in, unknown_out).known
    results = known.outputs[: unknown_out.count(False)]
    return dead_code_eliminated(Jaxpr(known.inputs, known.eqns, results))


@TRANSPOSE.rule(While)
def transpose_while(op: While[Array], cotangents: Cotangents) -> list[Array | None]:
    location = current_location.get()
    loop_text = f" (the loop at {Source(*location)})" if location is not None else ""
    raise MissingRule(
        "while_loop has no reverse-mode derivative, nor has fori_loop with bounds that are unknown while it is "
        "traced, because the number of steps to save is not bounded; use "
        f"scan, or fori_loop with bounds that are Python ints, or forward mode (jvp, jacfwd){loop_text}"
    )
