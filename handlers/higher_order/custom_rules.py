"""The row of `CustomCall`: what a function with rules of its own means under every handler.

`Jvp` runs its derivative rule, `Vmap` its batching rule, transposition its transposition rule; a handler without a rule
for it performs it again, one link outward, with a definition that does the same inside that handler. A function with a
reverse rule gives, under Jvp, its residuals and a linear function of the tangents that only transposition can run.
Partial evaluation records an unknown call whole, so that its rules are kept; evaluation runs the user's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effects.arrays.array import Array
from effects.errors import ArgumentError, ConcretizationError
from effects.functions.elementwise.arithmetic import add
from effects.operations.callbacks import Callback
from effects.operations.custom_rules import CustomCall, Definition, Sparse
from effects.operations.higher_order import Call
from effects.program.chain import ROOT, Performed, WithoutCarriers, chain, installed, perform
from effects.program.dead_code import dead_code_eliminated
from effects.program.jaxpr import Jaxpr, eval_jaxpr
from effects.program.operation import HostEffect, Operation
from effects.runtime.cpython.recursion import deeper
from effects.types import dtypes
from handlers.evaluate.rules import RULES as EVALUATE, refuse_foreign
from handlers.forward import FORWARD, Forward
from handlers.higher_order.call import transpose_call
from handlers.higher_order.custom_definitions import Tangents, Under, closed
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.jvp.rules import Dual, Jvp
from handlers.partial_eval import PARTIAL_EVAL, PartialEval
from handlers.stage import Recorder, stage
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear
from handlers.vmap.rules import Batched, Vmap


def run(op: CustomCall[Any], operands: Sequence[Array]) -> list[Array]:
    """The function itself on these operands, without its rules."""
    if op.body is None:
        return op.definition.call(operands)
    with deeper():
        return eval_jaxpr(op.body, operands)


@EVALUATE.rule(CustomCall)
def evaluate_custom(op: CustomCall[Array]) -> tuple[Array, ...]:
    refuse_foreign(op)
    if op.body is None:
        return tuple(op.definition.call(op.operands_))  # in the current chain, since it may close over carriers
    with installed(ROOT):
        return tuple(run(op, op.operands_))


@FORWARD.rule(CustomCall)
def forward_custom(handler: Forward[Any, Any], op: CustomCall[Any]) -> tuple[Array, ...]:
    definition = op.definition
    if isinstance(handler, Jvp):
        if (definition.closed_over or definition.states) and definition.rules & {"jvp", "vjp"}:
            op = along_arguments(handler, op)
        if all(x.tangent is None for x in op.operands_):  # no rule runs for a derivative that is zero
            return tuple([handler.dual(value, None) for value in perform(op.map(lambda x: x.primal))])
        if definition.rules & {"jvp", "vjp"}:
            return jvp_custom(handler, op)
        if "transpose" in definition.rules:
            return jvp_linear(handler, op)
        return jvp_function(handler, op)
    if isinstance(handler, Vmap):
        if (shared := of_all_lanes(handler, op)) is not None:
            return shared
        several = any([op.operands_[i].batched for i in definition.closed_over])  # each lane has its own function
        if "batch" in definition.rules and not several:
            return batch_custom(handler, op)
    inputs = unpack_all(handler, op.operands_)
    under = Under(handler, definition, inputs.statics, inputs.counts)
    if not under.rules:
        with installed(handler):
            return tuple(run(op, op.operands_))
    if op.body is None:
        results = perform(CustomCall(under, None, inputs.parts))
        return tuple(pack_all(handler, results, *_forms(handler, under, results)))
    forms = (True,) * len(op.body.outputs) if isinstance(handler, Vmap) else None
    body = restage(handler, op.body, inputs, forms)
    under.forms = body.statics
    results = perform(CustomCall(closed(under, body.captured), body.jaxpr, (*body.captured, *inputs.parts)))
    return tuple(pack_all(handler, results, body.statics, body.counts))


def _forms(handler: Forward[Any, Any], under: Under, results: Sequence[Array]) -> tuple[Sequence[Any], Sequence[int]]:
    """Forms of the results; those of a linear function that has not run are batched under Vmap, else constants."""
    if len(under.out.statics) == len(results):
        return under.out.statics, under.out.counts
    if isinstance(handler, Vmap):
        return (True,) * len(results), (1,) * len(results)
    return [handler.unpack(handler.lift(value))[1] for value in results], (1,) * len(results)


def along_arguments(handler: Jvp, op: CustomCall[Dual]) -> CustomCall[Dual]:
    """`op` with closed-over values as constants, since its rules have no place for derivatives with respect to them.

    Raises ArgumentError where results depend on a closed-over value, or on the state of a handler around it, that has a
    tangent.
    """
    definition = op.definition
    without_rule = definition.closed_over.union(definition.states)
    moving = [i for i, x in enumerate(op.operands_) if i in without_rule and x.tangent is not None]
    if not moving:
        return op
    if _varies(handler, op, moving):
        name = definition.name
        owner = definition.states.get(moving[0])
        subject = "a value that it closes over" if owner is None else f"the state of {owner}, a handler around it"
        advice = (
            f"let {name} depend on its arguments alone, or {owner} keep stop_gradient of what it writes"
            if owner is not None
            else f"make it an argument of {name}, or pass it through stop_gradient before"
        )
        raise ArgumentError(
            f"{name}: {subject}, {op.operands_[moving[0]].aval}, is being differentiated, which its derivative rule "
            f"does not cover; {advice}"
        )
    fixed_positions = definition.closed_over.intersection(moving)
    fixed = [handler.lift(x.primal) if i in fixed_positions else x for i, x in enumerate(op.operands_)]
    return CustomCall(op.definition, op.body, tuple(fixed))


def _varies(handler: Jvp, op: CustomCall[Dual], moving: Sequence[int]) -> bool:
    """Return True if the function depends on the operands `moving`, by staging it, so that no effect happens twice.

    A function that needs values is run on them, outside of all handlers.
    """
    name = op.definition.name
    varying: list[bool] = []

    def pushed(*values: Array) -> tuple[Array, ...]:
        with handler.fresh() as inner:
            results = run(op, [inner.dual(value, value if i in moving else None) for i, value in enumerate(values)])
            after = results[op.definition.n_states_out :]
            varying.extend([inner.lift(result).tangent is not None for result in after])
        return ()

    try:
        with installed(handler):
            _, captured = stage(pushed, [x.aval for x in op.operands_], name)
    except ConcretizationError:
        known = [value for x in op.operands_ if (value := x.primal.known()) is not None]
        if len(known) < len(op.operands_):
            raise
        with installed(ROOT), RunAgain(name, "a value that it closes over"):
            pushed(*known)
        return any(varying)
    return any(varying) or any([value.owner is handler for value in captured])


def jvp_custom(handler: Jvp, op: CustomCall[Dual]) -> tuple[Array, ...]:
    """Derivatives by the function's own rule.

    Where it has both, the jvp rule runs if no program is being recorded, because then nothing will be transposed.
    """
    definition = op.definition
    primals = [x.primal for x in op.operands_]
    tangents = [None if i in definition.states else x.tangent for i, x in enumerate(op.operands_)]
    results: Sequence[Array]
    rates: Sequence[Array | None]
    if all([t is None for t in tangents]):
        results = perform(op.map(lambda x: x.primal))
        rates = [None] * len(results)
    elif "vjp" in definition.rules and not ("jvp" in definition.rules and not _recorded()):
        varying = [t is not None for t in tangents]
        results, residuals, derivative = definition.vjp(primals, varying)
        nonzero = [t for t in tangents if t is not None]
        moved = perform(CustomCall(derivative, None, (*residuals, *nonzero)))
        rates = (*(None,) * (len(results) - len(moved)), *moved)
    else:
        results, rates = definition.jvp(primals, tangents)
    duals = [
        handler.dual(value, rate if dtypes.is_inexact(value.aval.dtype) else None)
        for value, rate in zip(results, rates, strict=True)
    ]
    n_states = definition.n_states_out
    return (*states_of(handler, op), *duals[n_states:]) if n_states else tuple(duals)


def states_of(handler: Jvp, op: CustomCall[Dual]) -> list[Dual]:
    """States of enclosing handlers after the function, by running it again, since its rules do not cover them.

    Raises ArgumentError for a function that calls the host, which would be called twice.
    """
    with installed(handler), RunAgain(op.definition.name, "the state of a handler around it"):
        return [handler.lift(value) for value in run(op, op.operands_)[: op.definition.n_states_out]]


class RunAgain(WithoutCarriers):
    """Handler of a function that is run again because its rules do not cover `subject`: calls of the host are left out,
    or refused where they have results.
    """

    sees_all = True

    def __init__(self, name: str, subject: str) -> None:
        self.name = name
        self.subject = subject

    def handle(self, op: Operation[Array], /) -> Performed:
        if HostEffect.HOST in op.effects:
            if isinstance(op, Callback) and not op.types():
                return ()  # it was called in the first run
            raise ArgumentError(
                f"{self.name}: {self.subject} is being differentiated, which its derivative rule does not cover, "
                f"and {self.name} calls the host, so it cannot be run again for that; pass the value through "
                "stop_gradient, or leave the callback out"
            )
        return self.outer.handle(op)


def _recorded() -> bool:
    return any(isinstance(link, Recorder) for link in chain())


def jvp_linear(handler: Jvp, op: CustomCall[Dual]) -> tuple[Array, ...]:
    """f(r, x) linear in x: the derivative along ẋ is f(r, ẋ), along ṙ that of the function itself."""
    definition = op.definition
    values = perform(op.map(lambda x: x.primal))
    total: Sparse = [None] * len(values)
    linear = definition.linear
    if any(x.tangent is not None for x, is_lin in zip(op.operands_, linear, strict=True) if is_lin):
        moved = [_tangent(x) if is_lin else x.primal for x, is_lin in zip(op.operands_, linear, strict=True)]
        total = list(perform(CustomCall(definition, op.body, tuple(moved))))
    if any(x.tangent is not None for x, is_lin in zip(op.operands_, linear, strict=True) if not is_lin):
        with installed(handler):
            duals = run(op, [x.primal if is_lin else x for x, is_lin in zip(op.operands_, linear, strict=True)])
        for i, dual in enumerate(duals):
            rate = handler.lift(dual).tangent
            if rate is not None:
                before = total[i]
                total[i] = rate if before is None else add(before, rate)
    return tuple([handler.dual(value, rate) for value, rate in zip(values, total, strict=True)])


def jvp_function(handler: Jvp, op: CustomCall[Dual]) -> tuple[Array, ...]:
    """The derivative of the function itself; values are computed separately, so that they stay known."""
    values = perform(op.map(lambda x: x.primal))
    inputs = unpack_all(handler, op.operands_)
    definition: Definition = Tangents(Under(handler, op.definition, inputs.statics, inputs.counts))
    body, captured = None, tuple[Array, ...]()
    if op.body is not None:
        both = restage(handler, op.body, inputs, (True,) * len(values))
        program = Jaxpr(both.jaxpr.inputs, both.jaxpr.eqns, both.jaxpr.outputs[1::2])
        body, captured = dead_code_eliminated(program), both.captured
        definition = closed(definition, captured)
    rates = perform(CustomCall(definition, body, (*captured, *inputs.parts)))
    return tuple(
        [
            handler.dual(value, rate if dtypes.is_inexact(value.aval.dtype) else None)
            for value, rate in zip(values, rates, strict=True)
        ]
    )


def _tangent(x: Dual) -> Array:
    coerced = x.owner.coerce(x, True).tangent
    assert coerced is not None
    return coerced


def of_all_lanes(handler: Vmap, op: CustomCall[Batched]) -> tuple[Array, ...] | None:
    """The results of the function run once for all lanes, if its operands and closed-over values are not batched.

    None where they are, where it calls the host, which happens once per lane, or where the axis has a name, to which
    its rules may refer.
    """
    definition, body = op.definition, op.body
    values = tuple([x.value for x in op.operands_])
    if handler.name is not None or any([x.batched for x in op.operands_]) or definition.out_avals is not None:
        return None
    if body is None:
        with installed(handler):
            body, captured, definition = definition.staged([value.aval for value in values])
        if any([value.owner is handler for value in captured]):
            return None
        values = (*captured, *values)
    return None if HostEffect.HOST in body.effects else perform(CustomCall(definition, body, values))


def batch_custom(handler: Vmap, op: CustomCall[Batched]) -> tuple[Array, ...]:
    """Batching by the function's own rule."""
    flags = [x.batched for x in op.operands_]
    results, out_flags = op.definition.batch(handler.size, flags, [x.value for x in op.operands_])
    return tuple([Batched(handler, v) if flag else v for v, flag in zip(results, out_flags, strict=True)])


@PARTIAL_EVAL.rule(CustomCall)
def partial_eval_custom(handler: PartialEval, op: CustomCall[Array]) -> tuple[Array, ...]:
    return handler.record_all(op)


@TRANSPOSE.rule(CustomCall)
def transpose_custom(op: CustomCall[Array], cotangents: Cotangents) -> Sequence[Array | None]:
    if "transpose" in op.definition.rules:
        return op.definition.transpose([None if is_linear(v) else v for v in op.operands_], cotangents)
    assert op.body is not None, "what is recorded without a program has a transposition rule"
    return transpose_call(Call(op.body, op.definition.name, op.operands_), cotangents)
