"""The row of `Checkpoint`, except for the rules that it shares with `Call`.

Partial evaluation saves the residuals that the policy allows; the unknown part begins with recomputing the others.
Evaluation is that of a call. `Name` is the identity under every handler; its tangent has no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from effects.arguments import flag, function_name
from effects.arrays.array import Array
from effects.arrays.concrete import backend
from effects.operations.checkpoint import Checkpoint, Name, Policy
from effects.operations.higher_order import Call
from effects.program.chain import Performed, perform
from effects.program.jaxpr import Atom, Eqn, Jaxpr, Var, eval_jaxpr
from effects.program.operation import HostEffect
from effects.runtime.caches import weakly_held
from handlers.evaluate.rules import RULES as EVALUATE, refuse_foreign
from handlers.higher_order.call import in_two_calls
from handlers.higher_order.dead_results import with_live_results, without_dead_results
from handlers.higher_order.inlining import inlined
from handlers.jvp.rules import RULES as JVP, Dual, Pair
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, Split, split
from handlers.stage import stage
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents
from handlers.vmap.rules import RULES as VMAP, Batched, Lanes


@EVALUATE.rule(Checkpoint)
def evaluate_checkpoint(op: Checkpoint[Array]) -> Performed:
    refuse_foreign(op)
    return backend().execute(Call(op.body, op.label, op.operands_))


@PARTIAL_EVAL.rule(Checkpoint)
def partial_eval_checkpoint(handler: PartialEval, op: Checkpoint[Array]) -> tuple[Array, ...]:
    parts = split_by_policy(op.body, handler.unknown(op.operands_), op.policy)
    unknown_call = op.of(op.body, op.operands_, parts.recomputes)
    return in_two_calls(handler, op, parts.split, unknown_call, parts.recomputed_inputs)


class SplitByPolicy(NamedTuple):
    """A program split in two, between which only values pass that a policy allows to be saved.

    `unknown` takes what is saved, the known inputs at the positions `recomputed_inputs`, then the unknown inputs.
    `recomputes` is True if it repeats work.
    """

    split: Split
    recomputed_inputs: tuple[int, ...]
    recomputes: bool


def split_by_policy(body: Jaxpr, unknown_in: tuple[bool, ...], policy: Policy) -> SplitByPolicy:
    """Split `body` by which inputs are unknown, saving only results of operations that `policy` allows.

    A policy sees into calls, but a conditional or a loop is one operation to it.
    """
    key = ("split by policy", unknown_in, weakly_held(policy))
    return body.cached(key, lambda: _split_by_policy(body, unknown_in, policy))


def _split_by_policy(body: Jaxpr, unknown_in: tuple[bool, ...], policy: Policy) -> SplitByPolicy:
    parts = split(inlined(body, lambda call: _holds_saveable(call.body, policy)), unknown_in)
    n_known = parts.unknown_out.count(False)
    known_out, residuals = parts.known.outputs[:n_known], parts.known.outputs[n_known:]
    saved, recomputed = _frontier(parts.known, residuals, policy)
    read = {atom for eqn in recomputed for atom in eqn.op.operands}.union(residuals)
    positions = tuple([i for i, var in enumerate(parts.known.inputs) if var in read])
    recomputation = Jaxpr((*saved, *[parts.known.inputs[i] for i in positions]), tuple(recomputed), residuals)
    n_recomputation_inputs = len(recomputation.inputs)

    def unknown_after_recomputation(*args: Array) -> list[Array]:
        return eval_jaxpr(
            parts.unknown, (*eval_jaxpr(recomputation, args[:n_recomputation_inputs]), *args[n_recomputation_inputs:])
        )

    unknown, captured = stage(
        unknown_after_recomputation,
        (*recomputation.in_avals, *parts.unknown.in_avals[len(residuals) :]),
        "the backward pass",
    )
    assert not captured, "a closed program captures nothing"
    known = without_dead_results(Jaxpr(parts.known.inputs, parts.known.eqns, (*known_out, *saved)))
    return SplitByPolicy(Split(known, unknown, parts.unknown_out), positions, bool(recomputed))


def _frontier(known: Jaxpr, residuals: Sequence[Atom], policy: Policy) -> tuple[list[Var], list[Eqn]]:
    """Values saved for the residuals, and the equations that recompute the other residuals from these and the inputs.

    For a `Name` its operand is saved, which is the same value, so that a derivative can also read it where it has no
    name. Results of callbacks are never recomputed.
    """
    saveable: set[Var] = set()
    for eqn in known.eqns:
        if type(eqn.op) is Name:
            if _allows(policy, eqn):
                saveable.update([atom for atom in eqn.op.operands if type(atom) is Var])
        elif HostEffect.HOST in eqn.op.effects or _allows(policy, eqn):
            saveable.update(eqn.outs)
    saveable.difference_update(known.inputs)
    needed = {atom for atom in residuals if type(atom) is Var}
    recomputed_eqns: list[Eqn] = []
    for eqn in reversed(known.eqns):
        if any(out in needed and out not in saveable for out in eqn.outs):
            recomputed_eqns.append(with_live_results(eqn, tuple([out in needed for out in eqn.outs])))
            needed.update([atom for atom in recomputed_eqns[-1].op.operands if type(atom) is Var])
    recomputed_eqns.reverse()
    recomputed = {out for eqn in recomputed_eqns for out in eqn.outs}
    saved = [
        out for eqn in known.eqns for out in eqn.outs if out in needed and out in saveable and out not in recomputed
    ]
    return saved, recomputed_eqns


def _allows(policy: Policy, eqn: Eqn) -> bool:
    return flag("checkpoint", f"what the policy {function_name(policy)} gives", policy(eqn.op))


def _holds_saveable(body: Jaxpr, policy: Policy) -> bool:
    """Return True if anything in `body`, or in the calls in it, may or must be saved."""
    return body.cached(
        ("holds saveable", weakly_held(policy)),
        lambda: any(
            HostEffect.HOST in eqn.op.effects
            or _allows(policy, eqn)
            or (type(eqn.op) is Call and _holds_saveable(eqn.op.body, policy))
            for eqn in body.eqns
        ),
    )


@EVALUATE.rule(Name)
def evaluate_name(op: Name[Array]) -> Performed:
    refuse_foreign(op)
    return op.x


@JVP.rule(Name)
def jvp_name(op: Name[Dual]) -> Pair:
    return perform(Name(op.label, op.x.primal)), op.x.tangent


@VMAP.rule(Name)
def batch_name(op: Name[Batched]) -> Lanes:
    return perform(Name(op.label, op.x.value)), True


@TRANSPOSE.rule(Name)
def transpose_name(op: Name[Array], ct: Array) -> Cotangents:
    return (ct,)
