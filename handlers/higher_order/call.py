"""The row of `Call`: what a jitted call means under every handler.

Forward handlers call the restaged body. Partial evaluation splits the body in two calls, in which those are inlined
that share their program with no other. Transposition calls the transposed body. Evaluation gives it to the compiler.
"""

from __future__ import annotations

from typing import Any

from effects.arrays.array import Array
from effects.operations.higher_order import Call
from effects.program.chain import perform
from effects.program.operation import HostEffect
from handlers.forward import FORWARD, Forward
from handlers.higher_order.inlining import with_single_calls_inlined
from handlers.higher_order.restaging import pack_all, restage, unpack_all
from handlers.partial_eval import PARTIAL_EVAL, PartialEval, merge, split
from handlers.transpose.programs import transposed
from handlers.transpose.rules import RULES as TRANSPOSE, Cotangents, is_linear


@FORWARD.rule(Call)
def forward_call[V: Array](handler: Forward[V, Any], op: Call[V]) -> tuple[Array, ...]:
    inputs = unpack_all(handler, op.operands_)
    body = restage(handler, op.body, inputs)
    results = perform(Call(body.jaxpr, op.label, (*body.captured, *inputs.parts)))
    return tuple(pack_all(handler, results, body.statics, body.counts))


@PARTIAL_EVAL.rule(Call)
def partial_eval_call(handler: PartialEval, op: Call[Array]) -> tuple[Array, ...]:
    unknown_in = tuple([value.owner is handler for value in op.operands_])
    # The residuals of n calls in each other would be results of all n: n²/2 results.
    body = op.body.cached("single calls inlined", lambda: with_single_calls_inlined(op.body))
    parts = split(body, unknown_in)
    known_in = [value for value, unknown in zip(op.operands_, unknown_in, strict=True) if not unknown]
    needed = parts.known.outputs or HostEffect.HOST in parts.known.effects
    with_known = iter(perform(Call(parts.known, op.label, tuple(known_in))) if needed else ())
    known_out = [next(with_known) for unknown in parts.unknown_out if not unknown]
    residuals = list(with_known)
    unknown_values = [value for value in op.operands_ if value.owner is handler]
    operands = tuple([handler.atom(v) for v in (*residuals, *unknown_values)])
    recorded = handler.record(Call(parts.unknown, op.label, operands))
    assert isinstance(recorded, tuple)
    return merge(parts.unknown_out, known_out, recorded)


@TRANSPOSE.rule(Call)
def transpose_call(op: Call[Array], cotangents: Cotangents) -> list[Array | None]:
    body = transposed(
        op.body, tuple([is_linear(v) for v in op.operands_]), tuple([ct is not None for ct in cotangents])
    )
    known = [v for v in op.operands_ if not is_linear(v)]
    nonzero = [ct for ct in cotangents if ct is not None]
    results = iter(perform(Call(body.jaxpr, op.label, (*body.captured, *known, *nonzero))))
    return [next(results) if present else None for present in body.present]
